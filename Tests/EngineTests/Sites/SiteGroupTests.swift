import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("A group on servers between sites") struct SiteGroupTests {
    /// Three in a group, with a key, of whom nobody is linked any more.
    private static func apart() -> GroupNet {
        var net = GroupNet(1...3, realm: GroupNet.realm)
        net.write("on links", by: 1)
        net.settle()
        for (one, other) in [(1, 2), (1, 3), (2, 3)] as [(UInt8, UInt8)] {
            net.disconnect(one, other)
        }
        return net
    }

    // Shows: sites.groups
    @Test("brings texts and acts to members, who know them when they come again")
    func texts() {
        var net = Self.apart()
        net.write("by the first", by: 1)
        net.write("by the second", by: 2)
        net.ask(1, .groupAct(net.group, .admin(GroupNet.id(of: 2), Rank(256))))
        let items = net.published(by: 1, 2)
        #expect(net.read(3, items).allSatisfy { $0 == .known })
        #expect(net.texts(at: 3) == ["on links", "by the first", "by the second"])
        #expect(net[3].node.groups.isAdmin(GroupNet.id(of: 2), in: net.group))
        #expect(net.read(3, items).allSatisfy { $0 == .known })
        #expect(net[3].node.excess == nil && net[3].closed.isEmpty)
    }

    // Shows: sites.groups
    @Test("tells who is removed of that and of nothing later, and is read by them no more")
    func removal() {
        var net = Self.apart()
        net.ask(1, .groupAct(net.group, .remove(GroupNet.id(of: 3), seen: [])))
        net.write("without the third", by: 1)
        net.ask(1, .groupAct(net.group, .admin(GroupNet.id(of: 2), Rank(256))))
        let tags = net[3].node.siteTags(of: GroupNet.realm)
        let items = net.published(by: 1)
        let seen = items.filter { tags[$0.root.tag] != nil }
        net.read(3, items)
        #expect(!net[3].node.groups.isInside(net.group))
        #expect(net.texts(at: 3) == ["on links"])
        let acts = seen.compactMap { if case .act(let act) = $0.item { act } else { nil } }
        #expect(acts.contains { if case .remove = $0.statement.kind { true } else { false } })
        #expect(
            !acts.contains { if case .admin = $0.statement.kind { true } else { false } },
            "what comes behind the removal goes under a key that they lack")
    }

    // Shows: sites.groups
    @Test("takes acts from nobody who has not had a key, and says what is missing")
    func acts() throws {
        var net = Self.apart()
        net.ask(1, .groupAct(net.group, .admin(GroupNet.id(of: 2), Rank(256))))
        net.ask(1, .groupAct(net.group, .add(GroupNet.id(of: 9))))
        let acts = net[1].node.siteActs(of: GroupNet.realm, from: 0, bytes: .max).acts
        let (last, root) = try #require(acts.last)
        let everybody = SiteRoot(siteSecret())
        #expect(net.give(3, .act(last), under: everybody) == .refused(.unsealed))
        let before = try #require(last.statement.basis.first)
        let forged = try Act(
            decoding: Array(last.encoded.dropLast()) + [(last.encoded.last ?? 0) ^ 1])
        #expect(net.give(3, .act(forged), under: root) == .refused(.forged))
        #expect(net.give(3, .act(last), under: root) == .waits(for: .act(before)))
        let (earlier, _) = try #require(acts.first { $0.act.id == before })
        #expect(net.give(3, .act(earlier), under: root) == .taken)
        #expect(net.give(3, .act(last), under: root) == .known)
        #expect(net[3].node.groups.table[net.group]?.waiting.isEmpty == true)
    }

    /// What a node tells in the group now of what nothing stores, and what seals it.
    private static func told(_ net: inout GroupNet, by number: UInt8) -> [SiteTold] {
        let places = net[number].node.sitePlaces(of: GroupNet.realm)
        let request = net.ask(number, .siteSignals(places))
        guard case .siteSignals(let told, _)? = net[number].answers(of: request).last else {
            return []
        }
        return told
    }

    // Shows: sites.signals
    @Test("hears of members alone who is there, under a key that is for nobody who is out")
    func signals() throws {
        var net = Self.apart()
        net.write("by the third", by: 3)
        net.write("by the second", by: 2)
        net.read(1, net.published(by: 2, 3))
        let before = try #require(Self.told(&net, by: 3).first)
        #expect(before.signal.conversation == net.group)
        #expect(net.give(1, .signal(before.signal), under: before.root) == .known)
        #expect(net[1].node.presence(of: Harness.peer(3)) == .online)
        net.ask(1, .groupAct(net.group, .remove(GroupNet.id(of: 3), seen: [])))
        #expect(Self.told(&net, by: 1).isEmpty, "no key is for those alone who are in")
        net.write("without the third", by: 1)
        let told = try #require(Self.told(&net, by: 1).first)
        #expect(net[3].node.siteTags(of: GroupNet.realm)[told.root.tag] == nil)
        let removed = SiteSignal(
            .typing, in: net.group, at: net[1].now.wall, by: signer(3))
        #expect(net.give(1, .signal(removed), under: before.root) == .refused(.early))
    }

    // Shows: sites.groups
    @Test("goes under its own keys alone, and marks under one that is for nobody who is out")
    func roots() throws {
        var net = Self.apart()
        let place = try #require(net[1].node.sitePlaces(of: GroupNet.realm)[net.group])
        #expect(place.sort == .group && place.isLate)
        func tells() -> Bool {
            net[1].node.siteRecords(of: GroupNet.realm)
                .contains { $0.record.conversation == net.group }
        }
        net.ask(1, .groupAct(net.group, .remove(GroupNet.id(of: 3), seen: [])))
        #expect(net[1].node.sitePlaces(of: GroupNet.realm)[net.group]?.root == place.root)
        #expect(!tells())
        net.write("another key", by: 1)
        let next = try #require(net[1].node.sitePlaces(of: GroupNet.realm)[net.group])
        #expect(next.root != place.root)
        let tags = net[1].node.siteTags(of: GroupNet.realm)
        #expect(tags[place.root.tag] == place.root && tags[next.root.tag] == next.root)
    }
}
