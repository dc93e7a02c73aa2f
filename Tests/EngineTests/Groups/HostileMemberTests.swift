import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("A member who does harm to a group")
struct HostileMemberTests {
    private typealias Person = HostileScene.Person
    private typealias Scene = HostileScene

    // Shows: daemon.group-members
    @Test("loses the link by a forged join, and the acts beside it count all the same")
    func forgedJoin() {
        var scene = Scene()
        let removal = scene.act(.remove(scene.mallory.id, seen: []), by: scene.olga)
        let link = scene.act(
            .link(GroupLink(key: fixed32(5), expires: nil, needsApproval: false)),
            by: scene.mallory)
        let join = scene.act(
            .join(link.id, proof: .zero), by: scene.mallory, basis: [removal.id, link.id])
        let (written, ended) = scene.receive([removal, link, join])
        #expect(written == 2 && ended == 1)
        #expect(scene.state.view.roster.members[scene.mallory.id] == nil)
        #expect(scene.state.pending.isEmpty && !scene.state.has(join.id))
    }

    @Test("is answered by nothing that is signed where there is no founding")
    func noFounding() {
        let scene = Scene()
        var groups = Groups(own: scene.victor.id, device: scene.victor.device)
        _ = groups.begin(scene.group, with: [])
        #expect(throws: ActRefusal(reason: .notMember)) {
            try groups.sign(
                .leave, in: scene.group.id, at: HybridTime(2 << 16),
                by: ActSigner(
                    certificate: scene.victor.certificate, device: scene.victor.signer))
        }
    }

    // Shows: daemon.group-members
    @Test("cuts no device of another person")
    func foreignCut() {
        var scene = Scene()
        let cut = Act(
            cutting: scene.victor.device, number: .max, in: scene.group.id,
            basis: [scene.last.id], time: HybridTime(wallMilliseconds: 10),
            by: scene.mallory.keys)
        let (written, _) = scene.receive([cut])
        #expect(written == 1)
        #expect(scene.state.view.isMember(scene.victor.id, on: scene.victor.device))
        #expect(scene.state.view.isMember(scene.mallory.id, on: scene.mallory.device))
    }

    // Shows: daemon.group-members
    @Test("keeps 1,024 acts waiting at most")
    func waiting() {
        var scene = Scene()
        let first = scene.act(.tie, by: scene.mallory, basis: [ActID(fixed32(1))])
        _ = scene.receive([first])
        for frame in 0..<UInt64(20) {
            let acts = (0..<UInt64(64)).map {
                scene.act(.tie, by: scene.mallory, basis: [first.id], at: 11 + frame * 64 + $0)
            }
            _ = scene.receive(acts, at: 1_000)
        }
        #expect(scene.state.waiting.count == Limits.waitingActs)
    }

    // Shows: daemon.group-members
    @Test("fills nothing with keys of which no log tells, or of an own log")
    func keys() throws {
        var scene = Scene()
        func key(_ number: Int) -> Bytes32 {
            fixed32([UInt8(number % 256), UInt8(number / 256)] + [UInt8](repeating: 7, count: 30))
        }
        for number in 0..<(Limits.waitingKeys + 200) {
            let key = EpochKey(id: key(number), key: .zero)
            _ = scene.receive(.epochKeys(scene.group.id, [key]))
        }
        let exchange = scene.groups.peers[scene.link]?.groups[scene.group.id]
        #expect(exchange?.given.count == Limits.waitingKeys)
        scene = Scene()
        var written = 0
        let people = scene.state.view.roster.members.keys
        for number in 0..<(Limits.keysOfPerson + 20) {
            let announcement = EpochAnnouncement(
                of: key(number), in: scene.group.id, by: scene.mallory.device,
                basis: scene.state.view.heads, people: people)
            let due = EpochKey(id: announcement.id, key: key(number))
            _ = scene.receive(.epochKeys(scene.group.id, [due]))
            written += scene.announce(announcement, by: scene.mallory)
        }
        #expect(written == Limits.keysOfPerson)
    }

    // Shows: daemon.group-members
    @Test("takes no place of the keys of others by announcing any number")
    func announcements() {
        var scene = Scene()
        for number in 0..<(2 * Limits.announcedKeys) {
            let id = fixed32(
                [UInt8(number % 256), UInt8(number / 256)] + [UInt8](repeating: 7, count: 30))
            _ = scene.announce(
                EpochAnnouncement(id: id, basis: scene.state.view.heads, people: .zero),
                by: scene.mallory)
        }
        #expect(scene.state.announced.count == Limits.announcedKeysOfPerson)
        let key = fixed32(3)
        let announcement = EpochAnnouncement(
            of: key, in: scene.group.id, by: scene.olga.device, basis: scene.state.view.heads,
            people: scene.state.view.roster.members.keys)
        _ = scene.announce(announcement, by: scene.olga)
        let (written, _) = scene.receive(
            .epochKeys(scene.group.id, [EpochKey(id: announcement.id, key: key)]))
        #expect(written == 1)
    }

    // Shows: daemon.group-members
    @Test("is no host for an own add of the user, as a stranger who knows the group")
    func host() {
        var scene = Scene(isBrought: false)
        let add = scene.act(.add(scene.victor.id), by: scene.mallory)
        let (written, _) = scene.receive([add])
        #expect(written == 0 && scene.state.hosts.isEmpty)
        #expect(!scene.groups.concerns(scene.group.id, scene.link))
        let (taken, _) = scene.receive([scene.act(.add(scene.victor.id), by: scene.olga)])
        #expect(taken == 1 && scene.state.hosts == [scene.mallory.id])
    }

    // Shows: daemon.group-members
    @Test("fills nothing with joins of invented people by a link that nobody has made")
    func invented() {
        var scene = HostileScene()
        let joins = (UInt8(120)..<140).map {
            scene.act(
                .join(ActID(fixed32($0)), proof: .zero), by: HostileScene.Person($0))
        }
        #expect(scene.receive(joins).written == 0)
    }

    // Shows: daemon.requests
    @Test("is accepted with what brings the user in, and nothing that came along with it")
    func alongside() {
        let scene = HostileScene()
        var groups = Groups(own: scene.victor.id, device: scene.victor.device)
        let create = scene.act(.create(scene.group), by: scene.olga, basis: [])
        let add = scene.act(.add(scene.victor.id), by: scene.olga, basis: [create.id])
        let junk = scene.act(
            .remove(scene.olga.id, seen: []), by: scene.mallory, basis: [create.id], at: 9)
        _ = groups.ask(
            GroupRequest(
                group: scene.group.id, device: scene.mallory.device, add: add.id,
                acts: [create, junk, add], time: 20, source: ""))
        #expect(groups.accept(scene.group.id, at: 20)?.acts.map(\.id) == [create.id, add.id])
    }

    // Shows: daemon.requests
    @Test("asks the user once, and not again within the hour after that was declined")
    func requests() throws {
        let scene = Scene()
        var groups = Groups(own: Person(103).id, device: Person(103).device)
        func request(_ number: UInt8, at time: UInt64) -> GroupRequest {
            let group = Group(
                owner: scene.mallory.keys.publicKeys, nonce: fixed32(number), realm: .open,
                history: .all, suite: .xchacha20Poly1305, name: room("ops").name)
            let act = Act(
                .create(group), in: group.id, basis: [], time: HybridTime(1 << 16),
                certificate: scene.mallory.certificate, by: scene.mallory.signer)
            return GroupRequest(
                group: group.id, device: scene.mallory.device, add: act.id, acts: [act],
                time: time, source: "")
        }
        let first = request(1, at: 5)
        #expect(!groups.hasAsked(first, at: 5))
        _ = groups.ask(first)
        #expect(groups.hasAsked(request(2, at: 6), at: 6))
        _ = groups.decline(first.group)
        #expect(!groups.hasAsked(request(2, at: 6), at: 6))
        #expect(groups.hasAsked(first, at: 6))
        #expect(!groups.hasAsked(first, at: 5 + Limits.requestSourceMilliseconds))
    }

    // Shows: daemon.group-members
    @Test("sets nobody's clock: an act that is five minutes ahead waits")
    func ahead() {
        var scene = Scene()
        let early = scene.act(.tie, by: scene.mallory, at: Limits.joinMilliseconds + 100)
        let first = scene.receive([early], at: 20)
        #expect(first.written == 0 && scene.state.waiting.count == 1)
        let next = scene.act(.tie, by: scene.mallory, at: 21)
        let second = scene.receive([next], at: 200)
        #expect(second.written == 2 && scene.state.waiting.isEmpty)
    }

    @Test("is a fellow until the user has left")
    func left() {
        var net = GroupNet(1...2)
        func fellows() -> [PeerID]? {
            net[2].node.conversations.table[net.group]?.fellows
        }
        #expect(fellows()?.contains(Harness.peer(1)) == true)
        net.ask(2, .leave(net.group))
        net.settle()
        #expect(fellows() ?? [] == [])
    }
}
