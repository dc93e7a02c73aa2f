import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("A member who does harm to a group")
struct HostileMemberTests {
    private typealias Person = HostileScene.Person
    private typealias Scene = HostileScene

    private static func key(_ number: Int) -> Bytes32 {
        fixed32([UInt8(number % 256), UInt8(number / 256)] + [UInt8](repeating: 7, count: 30))
    }

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
    func keys() {
        var scene = Scene()
        for number in 0..<(Limits.waitingKeys + 200) {
            let key = EpochKey(id: Self.key(number), key: .zero)
            _ = scene.receive(.epochKeys(scene.group.id, [key]))
        }
        let exchange = scene.groups.peers[scene.link]?.groups[scene.group.id]
        #expect(exchange?.given.count == Limits.waitingKeys)
    }

    // Shows: daemon.group-members
    @Test("has as many keys taken as there is room for, and few whose log is not here")
    func keysOfOne() {
        func written(_ count: Int, isTaken: Bool) -> Int {
            var scene = Scene()
            var written = 0
            for number in 0..<count {
                let made = scene.made(Self.key(number), by: scene.mallory)
                let key = EpochKey(id: made.id, key: Self.key(number))
                _ = scene.receive(.epochKeys(scene.group.id, [key]))
                written += scene.announce(made, by: scene.mallory)
                if isTaken { scene.place(made, by: scene.mallory) }
            }
            return written
        }
        #expect(
            written(Limits.unplacedKeysOfPerson + 9, isTaken: false) == Limits.unplacedKeysOfPerson)
        #expect(written(Limits.keysOfPerson + 9, isTaken: true) == Limits.keysOfPerson)
    }

    // Shows: daemon.group-members
    @Test("has no key taken of people who were never brought in, nor one that leaves out its maker")
    func keysOfOthers() {
        var scene = Scene()
        let stranger = Person(110)
        let foreign = scene.made(Self.key(1), by: stranger)
        let own = scene.made(Self.key(2), by: scene.mallory, for: [scene.victor.id])
        let void = scene.made(
            Self.key(3), by: scene.mallory, for: [scene.victor.id, scene.olga.id])
        for (made, number, author) in [
            (foreign, 1, stranger), (own, 2, scene.mallory), (void, 3, scene.mallory),
        ] {
            let key = EpochKey(id: made.id, key: Self.key(number))
            _ = scene.receive(.epochKeys(scene.group.id, [key]))
            #expect(scene.announce(made, by: author) == 0)
        }
        #expect(scene.state.announced[foreign.id] == nil && scene.state.epochs.isEmpty)
    }

    // Shows: daemon.group-members
    @Test("has the key of a run that was not taken used by nobody, also after a restart")
    func unplaced() {
        var scene = Scene()
        let made = scene.made(Self.key(1), by: scene.mallory)
        _ = scene.receive(
            .epochKeys(scene.group.id, [EpochKey(id: made.id, key: Self.key(1))]))
        #expect(scene.announce(made, by: scene.mallory) == 1)
        func isUsed(by groups: Groups) -> Bool {
            if case .use? = groups.table[scene.group.id]?.writing { true } else { false }
        }
        func restarted() -> Groups {
            var snapshot = Snapshot()
            snapshot.conversations[scene.group.id] = ConversationMembership(
                .group(scene.group), isJoined: true)
            snapshot.acts[scene.group.id] = scene.all
            snapshot.epochs[scene.group.id] = Array(scene.state.epochs.values)
            return Groups(
                restoring: snapshot, own: scene.victor.id, device: scene.victor.device)
        }
        #expect(!isUsed(by: scene.groups) && !isUsed(by: restarted()))
        scene.place(made, by: scene.mallory)
        #expect(isUsed(by: scene.groups) && isUsed(by: restarted()))
    }

    // Shows: daemon.group-members
    @Test("says two things of one key, and the right one counts, whichever comes first")
    func toldTwice() {
        for isRightFirst in [true, false] {
            var scene = Scene()
            let right = scene.made(Self.key(1), by: scene.mallory)
            let wrong = EpochAnnouncement(id: right.id, basis: right.basis, people: .zero)
            func isUsed() -> Bool {
                if case .use? = scene.groups.table[scene.group.id]?.writing { true } else { false }
            }
            for made in isRightFirst ? [right, wrong] : [wrong, right] {
                _ = scene.announce(made, by: scene.mallory)
            }
            let key = EpochKey(id: right.id, key: Self.key(1))
            let taken = scene.receive(.epochKeys(scene.group.id, [key]))
            #expect(taken.written == 1 && scene.state.epochs[right.id]?.key == key.key)
            scene.place(wrong, by: scene.mallory)
            #expect(!isUsed(), "nobody else takes it by what that says")
            scene.place(right, by: scene.mallory)
            #expect(isUsed())
        }
    }

    // Shows: daemon.group-members
    @Test("says something wrong of a key first, and its log is read on once the key is here")
    func toldWrong() {
        var scene = Scene()
        let right = scene.made(Self.key(1), by: scene.mallory)
        let wrong = EpochAnnouncement(id: right.id, basis: right.basis, people: .zero)
        let log = LogName(author: scene.mallory.device, incarnation: 1)
        var logs = GroupLogs()
        _ = logs.hold(log, WaitingLog(seq: 7, reason: .key(right.id)))
        func look() -> Bool {
            _ = logs.readOn(
                scene.groups.mistold(logs.keysAwaited, in: scene.group.id), all: false)
            return logs.reads(log)
        }
        _ = scene.announce(wrong, by: scene.mallory)
        let isReadBefore = look()
        #expect(!isReadBefore, "what it says cannot be checked yet")
        _ = scene.receive(
            .epochKeys(scene.group.id, [EpochKey(id: right.id, key: Self.key(1))]))
        let isRead = look()
        logs.noteRead(log, through: 9)
        #expect(isRead && logs.read(of: log) == 9)
        _ = scene.announce(right, by: scene.mallory)
        let isReadOn = look()
        #expect(!isReadOn && scene.state.epochs[right.id]?.key == Self.key(1))
    }

    // Shows: daemon.group-members
    @Test("keeps no other key from being given, and no link busy, with any number of own ones")
    func givenKeys() {
        var scene = Scene()
        for number in 0..<(Limits.keysAtOnce + 88) {
            let made = scene.made(Self.key(number), by: scene.mallory)
            let key = EpochKey(id: made.id, key: Self.key(number))
            _ = scene.receive(.epochKeys(scene.group.id, [key]))
            _ = scene.announce(made, by: scene.mallory)
            scene.place(made, by: scene.mallory)
        }
        let made = scene.made(Self.key(999), by: scene.olga)
        _ = scene.receive(
            .epochKeys(scene.group.id, [EpochKey(id: made.id, key: Self.key(999))]))
        _ = scene.announce(made, by: scene.olga)
        func given(_ actions: [GroupAction]) -> Set<Bytes32> {
            var names: Set<Bytes32> = []
            for case .send(.epochKeys(_, let keys), _) in actions {
                names.formUnion(keys.map(\.id))
            }
            return names
        }
        let other = LinkID(9)
        var info = LinkInfo(to: scene.olga.device)
        info.certificate = scene.olga.certificate
        scene.groups.linked(other, info)
        let withoutLog = given(scene.groups.exchange(scene.group.id, on: other))
        #expect(withoutLog.count == Limits.keysAtOnce && !withoutLog.contains(made.id))
        scene.groups.unlinked(other)
        scene.place(made, by: scene.olga)
        scene.groups.linked(other, info)
        let first = given(scene.groups.exchange(scene.group.id, on: other))
        #expect(first.count == Limits.keysAtOnce && first.contains(made.id))
        #expect(given(scene.groups.giveKeys(of: scene.group.id, on: other)).isEmpty)
        #expect(given(scene.groups.giveMoreKeys(on: other)).count == 89)
        #expect(given(scene.groups.giveMoreKeys(on: other)).isEmpty)
    }

    // Shows: told.removed
    @Test("shows no more of somebody's log by removing them again as a junior admin")
    func removedAgain() {
        var scene = Scene()
        scene.promote(scene.mallory)
        let nora = Person(111)
        let add = scene.act(.add(nora.id), by: scene.olga)
        let log = LogName(author: nora.device, incarnation: 1)
        func remove(_ seq: UInt64, by person: Person, after act: Act) -> Act {
            scene.act(
                .remove(nora.id, seen: [LogPosition(log: log, seq: seq)]), by: person,
                basis: [act.id])
        }
        let first = remove(100, by: scene.olga, after: add)
        let again = remove(1 << 60, by: scene.mallory, after: first)
        scene.receive([add, first, again])
        func isShown(_ seq: UInt64) -> Bool {
            scene.groups.shows(seq, of: log, by: nora.id, in: scene.group.id)
        }
        #expect(scene.state.view.roster.removals[nora.id]?.count == 2)
        #expect(isShown(100) && !isShown(101))
        // The owner can take back what was shown too long, and of two words the lesser counts.
        scene.receive([remove(7, by: scene.olga, after: again)])
        #expect(isShown(7) && !isShown(8))
    }

    @Test("has a log for which there was no room for a moment asked for again")
    func noRoom() throws {
        var net = GroupNet(1...3)
        net.disconnect(1, 2)
        net.disconnect(1, 3)
        net.write("hello", by: 1)
        net.settle()
        let key = net.log(of: 1)
        let run = try #require(net[1].disk[key]?.first)
        net[3].node.disk.commits.drops.insert(key)
        net[3].give(.liveRun(run), from: 2)
        #expect(net[3].node.conversations.table[net.group]?.group?.waiting[key.name] == nil)
        net.settle()
        net.connect(1, 3)
        net.pass(milliseconds: 60_000)
        #expect(net.texts(at: 3) == ["hello"])
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
    @Test("has nobody work out a roster by acts of people who are not known, or more than 16 times")
    func looks() {
        var scene = Scene()
        let (stranger, link) = (Person(103), LinkID(9))
        scene.connect(to: stranger, on: link)
        func looks() -> Int? { scene.groups.peers[link]?.joins }
        let own = scene.act(.add(stranger.id), by: stranger)
        _ = scene.groups.receive(.acts(scene.group.id, [own]), on: link, at: 20)
        #expect(looks() == 0)
        for number in UInt64(0)..<20 {
            let add = scene.act(.add(stranger.id), by: scene.victor, at: 11 + number)
            _ = scene.groups.receive(.acts(scene.group.id, [add]), on: link, at: 20)
        }
        #expect(looks() == Limits.joinsOfLink)
    }

    // Shows: daemon.group-members
    @Test("is asked for nothing by telling of acts that are here")
    func told() {
        var scene = Scene()
        let waiting = scene.act(.tie, by: scene.mallory, basis: [ActID(fixed32(1))])
        _ = scene.receive([waiting])
        let heads = ActHeads(group: scene.group.id, digest: .zero, heads: [scene.last.id])
        #expect(scene.groups.receive(.actHeads(heads), on: scene.link, at: 20).isEmpty)
    }

    // Shows: daemon.group-members
    @Test("asks a user anew for nothing that they have left without an act, for want of room")
    func leavesWithoutRoom() {
        var scene = Scene()
        _ = scene.groups.turnDown(scene.group.id, at: 20)
        scene.groups.end(scene.group.id)
        let actions = scene.groups.receive(
            .acts(scene.group.id, scene.all), on: scene.link, at: 30)
        #expect(actions.isEmpty)
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
