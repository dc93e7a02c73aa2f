import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Who is not in a group")
struct OutsiderTests {
    private static let (olga, other) = (LinkID(2), LinkID(9))

    /// What is sent on a link.
    private func sent(_ actions: [GroupAction]) -> [Frame] {
        actions.compactMap { if case .send(let frame, _) = $0 { frame } else { nil } }
    }

    // Shows: told.removed
    @Test("since they were removed gets nothing that is later, and no key, whatever they ask for")
    func former() {
        var scene = HostileScene()
        let removal = scene.act(.remove(scene.mallory.id, seen: []), by: scene.olga)
        scene.receive([removal])
        scene.connect(to: scene.olga, on: Self.olga)
        let later = scene.act(.tie, by: scene.olga, basis: [removal.id])
        #expect(scene.receive(.acts(scene.group.id, [later]), on: Self.olga).written == 1)
        let made = scene.made(fixed32(5), by: scene.olga)
        _ = scene.receive(
            .epochKeys(scene.group.id, [EpochKey(id: made.id, key: fixed32(5))]), on: Self.olga)
        #expect(scene.announce(made, by: scene.olga) == 1)
        scene.place(made, by: scene.olga)
        scene.connect(to: scene.mallory, on: Self.other)
        var actions = scene.groups.exchange(scene.group.id, on: Self.other)
        actions += scene.groups.giveMoreKeys(on: Self.other)
        for frame: Frame in [
            .actWant(ActWant(group: scene.group.id, wanted: [later.id], heads: [])),
            .actWant(ActWant(group: scene.group.id, wanted: [later.id, removal.id], heads: [])),
            .actHeads(ActHeads(group: scene.group.id, digest: .zero, heads: [later.id])),
            .epochKeys(scene.group.id, [EpochKey(id: fixed32(6), key: .zero)]),
        ] { actions += scene.groups.receive(frame, on: Self.other, at: 20) }
        var acts: Set<ActID> = []
        for frame in self.sent(actions) {
            guard case .acts(_, let given) = frame else {
                Issue.record("\(frame)")
                continue
            }
            acts.formUnion(given.map(\.id))
        }
        #expect(acts.contains(removal.id) && !acts.contains(later.id))
    }

    // Shows: daemon.group-members
    @Test("and guesses its id, gets no word of it, and keeps nothing here")
    func stranger() {
        var scene = HostileScene()
        scene.connect(to: HostileScene.Person(103), on: Self.other)
        let (id, head) = (scene.group.id, scene.last.id)
        var actions = scene.groups.exchange(id, on: Self.other)
        actions += scene.groups.greet(on: Self.other)
        for frame: Frame in [
            .actWant(ActWant(group: id, wanted: [head], heads: [])),
            .actHeads(ActHeads(group: id, digest: .zero, heads: [ActID(fixed32(1))])),
            .epochKeys(id, [EpochKey(id: fixed32(6), key: .zero)]),
        ] { actions += scene.groups.receive(frame, on: Self.other, at: 20) }
        #expect(self.sent(actions).filter { !$0.isWant(of: id) }.isEmpty)
        #expect(scene.groups.peers[Self.other]?.groups[id]?.keys.isEmpty == true)
        #expect(scene.state.waiting.isEmpty)
    }

    // Shows: daemon.group-members
    @Test("comes back by no act of before that is sent again")
    func replayed() {
        var scene = HostileScene()
        let nora = HostileScene.Person(111)
        let add = scene.act(.add(nora.id), by: scene.olga)
        let removal = scene.act(
            .remove(nora.id, seen: []), by: scene.olga, basis: [add.id])
        #expect(scene.receive(all: [add, removal]) == 2)
        let (digest, roster) = (scene.state.digest, scene.state.view.roster.members)
        scene.connect(to: nora, on: Self.other)
        for link in [scene.link, Self.other] {
            let (written, ended) = scene.receive(.acts(scene.group.id, scene.all), on: link)
            #expect(written == 0 && ended == 0)
            #expect(scene.receive(.acts(scene.group.id, [add]), on: link).written == 0)
        }
        #expect(scene.state.digest == digest && scene.state.view.roster.members == roster)
        #expect(scene.state.view.roster.members[nora.id] == nil && scene.state.waiting.isEmpty)
    }
}

extension Frame {
    /// Whether it is of the acts and keys of groups.
    fileprivate var isOfActs: Bool {
        switch self {
        case .acts, .actHeads, .actWant, .epochKeys, .sealedKeys: true
        default: false
        }
    }

    /// Whether it only asks for acts.
    fileprivate func isWant(of group: ConversationID) -> Bool {
        if case .actWant(let want) = self { want.group == group } else { false }
    }
}

@Suite("Nodes without a group")
struct NoGroupTests {
    @Test("send nothing of groups, are woken for none, and neither keep nor write anything of them")
    func nothing() {
        var net = GroupNet(1...3, members: 1...1)
        for number: UInt8 in 2...3 { net.ask(number, .join(room("lab"))) }
        net.settle()
        for number: UInt8 in 2...3 {
            net.ask(
                number,
                .send(Outgoing(conversation: room("lab").conversation, text: "\(number)")))
        }
        net.settle()
        net.pass(milliseconds: 120_000)
        #expect(net.count(from: 0, where: \.isOfActs) == 0)
        for number: UInt8 in 2...3 {
            #expect(net.texts(at: number).count == 2)
            #expect(!net[number].hasGroups && net[number].node.groups.table.isEmpty)
            let peers = net[number].node.groups.peers.values
            #expect(peers.allSatisfy { $0.groups.isEmpty })
        }
        #expect(net[1].hasGroups)
    }
}
