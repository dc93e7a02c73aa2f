import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("A group in which newcomers read what is written once they are in")
struct JoinedHistoryTests {
    private func target(_ net: GroupNet, _ seq: UInt64, of author: UInt8) throws -> EntryTarget {
        let key = net.log(of: author)
        let stored = try #require(net[author].stored(key).first { $0.seq == seq })
        return EntryTarget(
            log: key.name, seq: seq, id: stored.entry.id(key: key, seq: seq, prev: stored.prev))
    }

    /// Keys that were sent to somebody.
    private func keys(givenTo number: UInt8, in net: GroupNet) -> Set<Bytes32> {
        var keys: Set<Bytes32> = []
        for sent in net.frames where sent.to == number {
            if case .epochKeys(_, let given) = sent.frame { keys.formUnion(given.map(\.id)) }
        }
        return keys
    }

    @Test("gives them all entries, no earlier key, and nothing to ask for again")
    func newcomer() throws {
        var net = GroupNet(1...3, members: 1...2, history: .joined)
        for number in 0..<6 { net.write("old \(number)", by: 1 + UInt8(number % 2)) }
        net.settle()
        let old = Set((1...2).flatMap { net.epochs(of: $0) })
        net.add(3)
        net.accept(3)
        #expect(net.texts(at: 3) == [])
        for author: UInt8 in 1...2 {
            #expect(net.entries(of: author, at: 3) == net.entries(of: author, at: author))
        }
        #expect(net.digest(of: 3) == net.digest(of: 1))
        net.write("new", by: 2)
        net.settle()
        net.write("newer", by: 3)
        net.settle()
        #expect(net.texts(at: 3) == ["new", "newer"])
        for number: UInt8 in 1...2 { #expect(net.texts(at: number).suffix(2) == ["new", "newer"]) }
        #expect(self.keys(givenTo: 3, in: net).isDisjoint(with: old))
        #expect(net.digest(of: 3) == net.digest(of: 1))
        let quiet = net.frames.count
        net.pass(milliseconds: 600_000)
        #expect(net.count(from: quiet, where: \.isWant) == 0)
        #expect(net[1].node.missing(in: net.group).isEmpty)
        #expect(net[3].node.missing(in: net.group).isEmpty)
    }

    @Test("has a new key for each who comes, which is for the members alone")
    func keys() throws {
        var net = GroupNet(1...3, members: 1...2, history: .joined)
        net.write("for two", by: 1)
        net.settle()
        net.write("for two", by: 2)
        let first = try #require(net.epochs(of: 2).last)
        #expect(net.epochs(of: 1).last == first)
        net.add(3)
        net.write("for three", by: 1)
        let second = try #require(net.epochs(of: 1).last)
        #expect(second != first)
        let readers = net[1].node.groups.readers(under: first, in: net.group)
        #expect(readers == Set((1...2).map { GroupNet.id(of: $0) }))
        #expect(net[1].node.groups.readers(under: second, in: net.group)?.count == 3)
        // Who was invited reads from then on, whenever they accept.
        net.accept(3)
        #expect(net.texts(at: 3) == ["for three"])
    }

    @Test("has what they cannot read passed on by them to those who can")
    func relay() {
        var net = GroupNet(1...3, members: 1...2, history: .joined)
        net.write("one", by: 1)
        net.settle()
        net.disconnect(1, 2)
        net.write("two", by: 1)
        net.add(3)
        net.accept(3)
        net.disconnect(1, 3)
        net.pass(milliseconds: 60_000)
        #expect(net.texts(at: 2) == ["one", "two"])
        #expect(net.texts(at: 3) == [])
    }

    @Test("shows who was out what was written before they left and once they are back")
    func back() {
        var net = GroupNet(1...3, history: .joined)
        net.write("before", by: 1)
        net.settle()
        net.remove(3)
        net.write("without", by: 2)
        net.settle()
        net.add(3)
        net.accept(3)
        net.write("again", by: 1)
        net.settle()
        #expect(net.texts(at: 3) == ["before", "again"])
        #expect(net.texts(at: 2) == ["before", "without", "again"])
        #expect(net.digest(of: 3) == net.digest(of: 1))
    }

    @Test("finds what says that a key is for others also in the log of somebody who is out")
    func announcedByWhoIsOut() throws {
        var net = GroupNet(1...4, members: 1...3, history: .joined)
        net.disconnect(1, 2)
        net.disconnect(1, 3)
        net.write("two", by: 2)
        net.settle()
        net.write("three", by: 3)
        net.settle()
        #expect(net.epochs(of: 3).last == net.epochs(of: 2).last)
        net.remove(2)
        net.connect(1, 3)
        net.pass(milliseconds: 60_000)
        #expect(net.texts(at: 1) == ["three"])
        net.add(4)
        net.accept(4)
        net.write("four", by: 3)
        net.settle()
        net.pass(milliseconds: 60_000)
        #expect(net.texts(at: 4) == ["four"])
        #expect(net.entries(of: 3, at: 4) == net.entries(of: 3, at: 3))
        let quiet = net.frames.count
        net.pass(milliseconds: 600_000)
        #expect(net.count(from: quiet, where: \.isWant) == 0)
    }

    @Test("shows them nothing of what is said later of a message that they cannot read")
    func references() throws {
        var net = GroupNet(1...3, members: 1...2, history: .joined)
        net.write("first", by: 1)
        net.write("second", by: 1)
        net.settle()
        let (first, second) = (try self.target(net, 3, of: 1), try self.target(net, 4, of: 1))
        net.add(3)
        net.accept(3)
        net.ask(1, .send(Outgoing(conversation: net.group, content: .edit("changed", of: first))))
        net.settle()
        let sign = try #require(Reaction("+1", to: first))
        net.ask(2, .send(Outgoing(conversation: net.group, content: .reaction(sign))))
        net.ask(1, .erase(net.group, [second]))
        net.settle()
        // What is deleted is so on all disks, read there or not.
        #expect(net[3].stored(net.log(of: 1))[3].state == .erased)
        let read = net[3].stored(net.log(of: 1)).map { stored in
            net[3].node.keyring.read(
                Envelope(stored.entry, key: net.log(of: 1), seq: stored.seq, prev: stored.prev))
        }
        #expect(read[2].isLocked && read[2].content == nil)
        #expect(net.digest(of: 3) == net.digest(of: 1))
    }

    @Test("does not read with a key that somebody gives against the rule")
    func givenNevertheless() throws {
        var net = GroupNet(1...3, members: 1...2, history: .joined)
        net.write("old", by: 1)
        net.settle()
        let old = try #require(net.epochs(of: 1).last)
        let held = try #require(net[1].node.groups.table[net.group]?.epochs[old]?.key)
        net.add(3)
        net.accept(3)
        net[3].give(.epochKeys(net.group, [EpochKey(id: old, key: held)]), from: 2)
        net.settle()
        #expect(net[3].node.keyring.key(old, of: net.group) == nil)
        #expect(net[3].node.groups.isForOthers(old, in: net.group))
    }

    @Test(
        "is not kept from reading by a member who says of any key that it is for others",
        arguments: [1, 2])
    func falseAnnouncement(liar: UInt8) throws {
        var net = GroupNet(1...3, history: .joined)
        net.withhold(.keys, from: 3)
        net.write("for all", by: 1)
        net.settle()
        let name = try #require(net.epochs(of: 1).last)
        let held = try #require(net[1].node.groups.table[net.group]?.epochs[name])
        let key = try #require(held.key)
        var groups = net[3].node.groups
        let acts = try #require(groups.table[net.group]?.acts.values)
        let early = try #require(
            acts.first { $0.statement.kind == .add(GroupNet.id(of: 2)) })
        let lie = EpochAnnouncement(
            id: name, basis: [early.id],
            people: Epoch.digest(of: (1...2).map { GroupNet.id(of: $0) }))
        let said = groups.announced(
            lie, in: LogName(author: Harness.peer(liar), incarnation: 9),
            of: GroupNet.id(of: liar), in: net.group)
        guard case .write(let unread)? = said.first else {
            Issue.record("what it says cannot be checked yet")
            return
        }
        #expect(unread.epochs.map(\.key) == [nil])
        _ = groups.stored(unread)
        #expect(groups.isForOthers(name, in: net.group))
        let given = groups.receiveKeys(
            [EpochKey(id: name, key: key)], of: net.group, on: LinkID(1))
        guard case .write(let right)? = given.first else {
            Issue.record("the key shows who made it")
            return
        }
        #expect(right.epochs.map(\.epoch) == [held.epoch] && right.epochs.map(\.key) == [key])
        _ = groups.stored(right)
        #expect(!groups.isForOthers(name, in: net.group))
        #expect(groups.isOfAnother(name, than: Harness.peer(2), in: net.group))
    }

    // Shows: daemon.group-members
    @Test("is not kept from reading after a restart by who said that a key is for others")
    func falseAnnouncementBefore() throws {
        var net = GroupNet(1...3, history: .joined)
        net.write("for all", by: 1)
        net.settle()
        let state = try #require(net[1].node.groups.table[net.group])
        let held = try #require(net.epochs(of: 1).last.flatMap { state.epochs[$0] })
        let early = try #require(
            state.acts.values.first { $0.statement.kind == .add(GroupNet.id(of: 2)) })
        let lie = Epoch(
            id: held.epoch.id, maker: GroupNet.id(of: 2), device: Harness.peer(2),
            basis: [early.id], people: Epoch.digest(of: (1...2).map { GroupNet.id(of: $0) }))
        let right = EpochAnnouncement(
            id: held.epoch.id, basis: held.epoch.basis, people: held.epoch.people)
        var snapshot = Snapshot()
        snapshot.conversations[net.group] = ConversationMembership(
            .group(state.group), isJoined: true)
        snapshot.acts[net.group] = state.view.graph.ids.compactMap { state.acts[$0] }
        snapshot.epochs[net.group] = [
            HeldEpoch(group: net.group, epoch: lie, key: nil, isPlaced: true)
        ]
        // The log of who made the key was taken once it was known to be for others.
        snapshot.announced[net.group] = [
            AnnouncedEpoch(
                right, by: held.epoch.maker, on: held.epoch.device, isPlaced: true)
        ]
        var groups = Groups(
            restoring: snapshot, own: GroupNet.id(of: 3), device: Harness.peer(3))
        #expect(groups.isForOthers(held.epoch.id, in: net.group))
        var info = LinkInfo(to: Harness.peer(1))
        info.certificate = GroupNet.person(1).certify(signer(1), at: 1)
        groups.linked(LinkID(1), info)
        _ = groups.exchange(net.group, on: LinkID(1))
        let key = EpochKey(id: held.epoch.id, key: try #require(held.key))
        let taken = groups.receiveKeys([key], of: net.group, on: LinkID(1))
        guard case .write(let writes)? = taken.first else {
            Issue.record("the key shows who made it")
            return
        }
        #expect(writes.epochs == [held])
    }

    @Test("has any number of earlier keys noted as for others, one after the other")
    func manyEarlierKeys() throws {
        let net = GroupNet(1...3, history: .joined)
        var groups = net[3].node.groups
        let acts = try #require(groups.table[net.group]?.acts.values)
        let early = try #require(
            acts.first { $0.statement.kind == .add(GroupNet.id(of: 2)) })
        let count = Limits.unplacedKeysOfPerson + 9
        for number in 0..<count {
            let made = EpochAnnouncement(
                of: fixed32(UInt8(number)), in: net.group, by: Harness.peer(1), basis: [early.id],
                people: (1...2).map { GroupNet.id(of: $0) })
            let actions = groups.announced(
                made, in: LogName(author: Harness.peer(1), incarnation: 1),
                of: GroupNet.id(of: 1), in: net.group)
            for case .write(let writes) in actions { _ = groups.stored(writes) }
            #expect(groups.isForOthers(made.id, in: net.group))
            let placed = groups.placing(made, by: Harness.peer(1), in: net.group)
            if let placed { _ = groups.stored(placed) }
        }
        #expect(groups.table[net.group]?.epochs.values.filter { $0.key == nil }.count == count)
    }

    @Test("knows after a restart which keys are for others")
    func restart() throws {
        var net = GroupNet(1...3, members: 1...2, history: .joined)
        net.write("old", by: 1)
        net.settle()
        let old = try #require(net.epochs(of: 1).last)
        net.add(3)
        net.accept(3)
        let state = try #require(net[3].node.groups.table[net.group])
        var snapshot = Snapshot()
        snapshot.conversations[net.group] = ConversationMembership(
            .group(state.group), isJoined: true)
        snapshot.acts[net.group] = state.view.graph.ids.compactMap { state.acts[$0] }
        snapshot.epochs[net.group] = Array(state.epochs.values)
        let restored = Groups(
            restoring: snapshot, own: GroupNet.id(of: 3), device: Harness.peer(3))
        #expect(restored.isForOthers(old, in: net.group))
    }

    @Test("lets who comes by a link read from then on")
    func byLink() throws {
        var net = GroupNet(1...3, members: 1...2, history: .joined)
        net.write("old", by: 1)
        net.settle()
        let line = try net.link()
        _ = net.come(3, by: line)
        net.write("new", by: 1)
        net.settle()
        #expect(net.texts(at: 3) == ["new"])
        #expect(net.digest(of: 3) == net.digest(of: 1))
    }
}
