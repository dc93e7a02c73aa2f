import Crypto
import Glibc
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Machines of a group")
struct GroupsTests {
    /// A group of so many, all of them in it and linked.
    private func group(_ count: Int) throws -> GroupNetwork {
        var network = try GroupNetwork(count, seed: 1)
        for index in 1..<count {
            try network.must(.add(network.members[index].id), by: 0)
        }
        try network.heal()
        for index in 0..<count { try #require(network.isInside(index)) }
        return network
    }

    @Test("ask who is brought, and exchange nothing before they accept")
    func asked() throws {
        var network = try GroupNetwork(2, seed: 1)
        try network.must(.add(network.members[1].id), by: 0)
        try network.say(0)
        try network.connect(0, 1)
        try network.settle()
        #expect(network.members[1].groups.pendingRequests.map(\.group) == [network.group])
        #expect(network.members[1].groups.table.isEmpty)
        #expect(network.given == 0)
        try network.mustAccept(1)
        try network.settle()
        #expect(network.isInside(1))
        #expect(network.given > 0)
        #expect(network.members[1].groups.pendingRequests.isEmpty)
    }

    @Test("do not ask again by the act that was declined, but by another one")
    func declined() throws {
        var network = try GroupNetwork(2, seed: 1)
        try network.must(.add(network.members[1].id), by: 0)
        try network.connect(0, 1)
        try network.settle()
        try network.mustDecline(1)
        try network.settle()
        network.disconnect(0, 1)
        try network.connect(0, 1)
        try network.settle()
        #expect(network.members[1].groups.pendingRequests.isEmpty)
        try network.must(.add(network.members[1].id), by: 0)
        try network.settle()
        network.disconnect(0, 1)
        try network.connect(0, 1)
        try network.settle()
        #expect(network.members[1].groups.pendingRequests.count == 1)
    }

    @Test("bring in somebody behind more acts than a frame has")
    func longPast() throws {
        var network = try GroupNetwork(3, seed: 1)
        for _ in 0..<150 { try network.must(.add(network.members[2].id), by: 0) }
        try network.settle()
        try network.must(.add(network.members[1].id), by: 0)
        try network.connect(0, 1)
        try network.settle()
        try network.mustAccept(1)
        try network.settle()
        #expect(network.isInside(1))
        let states = network.members.prefix(2).map { $0.groups.table[network.group] }
        #expect(states[0]?.digest == states[1]?.digest)
        #expect(network.violations.isEmpty)
    }

    @Test("tell who is removed, who stops, and give them no key that is made later")
    func removed() throws {
        var network = try self.group(3)
        let before = try network.mustSay(1)
        try network.settle()
        #expect(network.members[2].groups.table[network.group]?.epochs[before] != nil)
        try network.must(.remove(network.members[2].id, seen: []), by: 0)
        try network.settle()
        #expect(!network.isInside(2))
        #expect(network.members[2].groups.table[network.group]?.isActive == false)
        let after = try network.mustSay(1)
        try network.settle()
        #expect(after != before)
        #expect(network.members[0].groups.table[network.group]?.epochs[after] != nil)
        #expect(network.members[2].groups.table[network.group]?.epochs[after] == nil)
    }

    @Test("tell who was apart that they are out, once they are linked again")
    func removedApart() throws {
        var network = try self.group(3)
        network.disconnect(0, 2)
        network.disconnect(1, 2)
        try network.must(.remove(network.members[2].id, seen: []), by: 0)
        try network.settle()
        #expect(network.isInside(2))
        try network.connect(1, 2)
        try network.settle()
        #expect(network.members[2].groups.table[network.group]?.isActive == false)
    }

    @Test("tell those who were apart that somebody has left")
    func left() throws {
        var network = try self.group(3)
        network.disconnect(0, 2)
        network.disconnect(1, 2)
        try network.must(.leave, by: 2)
        try network.settle()
        #expect(!network.isInside(2))
        try network.connect(1, 2)
        try network.settle()
        for index in 0..<2 {
            let members = network.members[index].groups.table[network.group]?.view.roster.members
            #expect(members?[network.members[2].id] == nil)
        }
        #expect(network.members[2].groups.pendingRequests.isEmpty)
    }

    @Test("refuse to sign what would not count, and say why")
    func refused() throws {
        var network = try self.group(3)
        let reason1 = network.act(.add(network.members[2].id), by: 1)
        #expect(reason1 == .notAdmin)
        let reason2 = network.act(.remove(network.members[0].id, seen: []), by: 1)
        #expect(reason2 == .notAdmin)
        try network.must(.admin(network.members[1].id, 256), by: 0)
        try network.settle()
        let reason3 = network.act(.remove(network.members[0].id, seen: []), by: 1)
        #expect(reason3 == .ownerStays)
        let reason4 = network.act(.admin(network.members[2].id, 512), by: 1)
        #expect(reason4 == .notOwner)
    }

    @Test("let count after a restart what was on the disk")
    func restored() throws {
        var network = try self.group(2)
        let key = try network.mustSay(0)
        try network.settle()
        let state = try #require(network.members[1].groups.table[network.group])
        var snapshot = Snapshot()
        snapshot.conversations[network.group] = ConversationMembership(
            .group(state.group), isJoined: true)
        snapshot.acts[network.group] = state.view.graph.ids.compactMap { state.acts[$0] }
        snapshot.epochs[network.group] = Array(state.epochs.values)
        let member = network.members[1]
        let restored = Groups(restoring: snapshot, own: member.id, device: member.device)
        let after = try #require(restored.table[network.group])
        #expect(after.digest == state.digest)
        #expect(after.view.roster == state.view.roster)
        guard case .use(let held) = after.writing else {
            Issue.record("the key is there")
            return
        }
        #expect(held.epoch.id == key)
    }

    /// How many seeds are tried; `STOA_GROUP_SEEDS` says another number.
    private static var seeds: Range<UInt64> {
        let count = getenv("STOA_GROUP_SEEDS").flatMap { UInt64(String(cString: $0)) }
        return 1..<(1 + (count ?? 200))
    }

    @Test(
        "have one roster and all its keys after any partitions, and give no key to who is out or came later",
        arguments: Group.History.allCases)
    func anyHistory(_ history: Group.History) throws {
        var given = 0
        for seed in Self.seeds {
            do {
                given += try self.run(seed, history)
            } catch {
                Issue.record("seed \(seed): \(error)")
                return
            }
        }
        #expect(given > 0)
    }

    private func run(_ seed: UInt64, _ history: Group.History) throws -> Int {
        var network = try GroupNetwork(2 + Int(seed % 5), seed: seed, history: history)
        for _ in 0..<120 { try network.step() }
        try network.heal()
        guard network.violations.isEmpty else {
            throw GroupNetwork.Violation(network.violations.joined(separator: "; "))
        }
        let inside = network.members.indices.filter(network.isInside)
        let states = inside.compactMap { network.members[$0].groups.table[network.group] }
        for state in states.dropFirst() where state.digest != states[0].digest {
            throw GroupNetwork.Violation(
                "members have other acts after all: \(network.description)")
        }
        for (index, member) in network.members.enumerated() {
            let isMember = states.first?.view.roster.members[member.id] != nil
            guard isMember == inside.contains(index) else {
                throw GroupNetwork.Violation(
                    "\(index) differs from the roster: \(network.description)")
            }
        }
        // All members read what any of them writes, and whatever was written with a key that one of them has.
        for index in inside { try network.say(index) }
        try network.settle()
        let epochs = inside.compactMap { network.members[$0].groups.table[network.group]?.epochs }
        let keys = Set(epochs.joined().filter { $0.value.key != nil }.map(\.key))
        for held in epochs where !keys.isSubset(of: held.keys) {
            throw GroupNetwork.Violation("members have other keys after all")
        }
        for index in inside {
            let epochs = network.members[index].groups.table[network.group]?.epochs ?? [:]
            for (name, held) in epochs where (held.key != nil) != network.isFor(index, name) {
                throw GroupNetwork.Violation(
                    "\(index) \(held.key == nil ? "lacks" : "has") a key that is "
                        + "\(held.key == nil ? "" : "not ")for it")
            }
        }
        return network.given
    }
}
