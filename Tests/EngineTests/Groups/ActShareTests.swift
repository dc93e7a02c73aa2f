import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("The acts of one member of a group", .timeLimit(.minutes(5)))
struct ActShareTests {
    private typealias Scene = HostileScene

    // Shows: daemon.group-members
    @Test("use up no room of others: nodes that took different ones all take a removal")
    func differentSets() {
        var scenes = [Scene(), Scene(), Scene()]
        for index in scenes.indices {
            let junk = scenes[index].junk(100, from: UInt64(1 + index) * 1_000)
            #expect(scenes[index].receive(all: junk) == Limits.actsOfMember)
        }
        // Olga has what the first of them took.
        let removal = scenes[0].act(
            .remove(scenes[0].mallory.id, seen: []), by: scenes[0].olga,
            basis: scenes[0].state.heads.sorted())
        #expect(scenes[0].receive(all: [removal]) == 1)
        let past = scenes[0].all.filter { !scenes[1].state.has($0.id) && $0.id != removal.id }
        #expect(past.count == Limits.actsOfMember)
        #expect(scenes[1].receive(all: [removal]) == 0)
        #expect(scenes[1].receive(all: past) == past.count + 1)
        #expect(scenes[2].receive(all: past) == 0)
        #expect(scenes[2].receive(all: [removal]) == past.count + 1)
        for scene in scenes {
            #expect(scene.state.has(removal.id))
            #expect(
                scene.state.view.roster.members.keys.sorted()
                    == [scene.olga.id, scene.victor.id].sorted())
        }
    }

    /// One machine tells another of its acts, and answers what it asks for; gives the number of its answers.
    private func tell(_ from: Scene, _ to: inout Scene) -> Int {
        let heads = ActHeads(
            group: from.group.id, digest: from.state.digest, heads: from.state.view.heads)
        var from = from
        var answers = 0
        var actions = to.groups.receive(.actHeads(heads), on: to.link, at: 10_000)
        while answers < 100, !actions.isEmpty {
            var next: [GroupAction] = []
            for action in actions {
                switch action {
                case .write(let writes):
                    next += to.groups.stored(writes).actions
                case .send(.actWant(let want), _):
                    for case .send(let frame, _) in from.groups.receive(
                        .actWant(want), on: from.link, at: 10_000)
                    {
                        answers += 1
                        next += to.groups.receive(frame, on: to.link, at: 10_000)
                    }
                default: break
                }
            }
            actions = next
        }
        return answers
    }

    // Shows: daemon.group-members
    @Test("beyond a share wait for an act that follows them, over any number of frames")
    func manyFrames() {
        var scenes = [Scene(), Scene()]
        for index in scenes.indices {
            scenes[index].promote(scenes[index].mallory)
            let junk = scenes[index].junk(
                200, from: UInt64(1 + index) * 1_000, isChain: true)
            #expect(scenes[index].receive(all: junk) == Limits.actsOfAdmin)
        }
        let before = scenes[1].state.count
        // Nobody else's act follows them: they are asked for once.
        #expect(self.tell(scenes[0], &scenes[1]) <= 3)
        #expect(scenes[1].state.count == before)
        let add = scenes[0].act(
            .add(personKeys(104, 154).id), by: scenes[0].olga, basis: scenes[0].state.heads.sorted()
        )
        #expect(scenes[0].receive(all: [add]) == 1)
        #expect(self.tell(scenes[0], &scenes[1]) <= 3)
        #expect(scenes[1].state.count == before + Limits.actsOfAdmin + 1)
        // At once, too.
        var late = Scene()
        late.promote(late.mallory)
        _ = late.receive(all: late.junk(200, from: 3_000, isChain: true))
        #expect(self.tell(scenes[0], &late) <= 6)
        #expect(late.state.has(add.id))
    }

    // Shows: daemon.group-members
    @Test("are not multiplied by keys that nobody has brought")
    func strangers() {
        var scene = Scene()
        let stranger = Scene.Person(103)
        let junk = scene.junk(20, by: stranger, from: 1_000)
        #expect(scene.receive(all: junk) == 0)
        // Nor where an own act follows them.
        let tie = scene.act(.tie, by: scene.mallory, basis: junk.prefix(5).map(\.id).sorted())
        #expect(scene.receive(all: [tie]) == 0)
        let add = scene.act(.add(stranger.id), by: scene.olga)
        #expect(scene.receive(all: [add]) == 1 + Limits.actsOfMember + 1)
    }

    // Shows: daemon.group-members
    @Test("of people whom nothing has brought use up one pot, however many they are")
    func strangePot() {
        let scene = Scene()
        func person(_ number: Int) -> PersonID {
            PersonID(
                fixed32(
                    [UInt8(number % 256), UInt8(number / 256)] + [UInt8](repeating: 3, count: 30))
            )
        }
        var shares = ActShares(owner: scene.olga.id)
        shares.follow(brought: [scene.olga.id, scene.victor.id])
        for number in 0..<3_000 {
            shares.add(
                ActStatement(
                    author: person(number % 200), device: nil, basis: [], time: 1, kind: .tie))
        }
        #expect(shares.left(to: scene.victor.id) == Limits.actsOfMember)
        #expect(shares.left(to: person(500)) == 0)
        #expect(shares.left(to: person(500), isComing: true) == Limits.actsOfMember)
    }

    // Shows: daemon.group-members
    @Test("never keep an act of the owner from anyone, however many it follows")
    func owners() {
        var scenes = [Scene(), Scene()]
        for index in scenes.indices { scenes[index].promote(scenes[index].mallory) }
        // Mallory has a chain taken by a machine of Olga's, and another one elsewhere.
        let junk = scenes[0].junk(Limits.waitingActs + 200, from: 1_000, isChain: true)
        let removal = scenes[0].act(
            .remove(scenes[0].mallory.id, seen: []), by: scenes[0].olga,
            basis: [junk.last?.id ?? scenes[0].last.id])
        #expect(scenes[0].receive(all: [removal] + junk) == junk.count + 1)
        _ = scenes[1].receive(all: scenes[1].junk(200, from: 9_000, isChain: true))
        #expect(self.tell(scenes[0], &scenes[1]) <= 60)
        #expect(scenes[1].state.has(removal.id))
        #expect(scenes[1].state.view.roster.members[scenes[1].mallory.id] == nil)
        // Also where all that has room is here; what others follow has bounds.
        let past = [Act](repeating: junk[0], count: Limits.groupActs)
        #expect(scenes[1].state.takes(past + past, for: removal))
        #expect(!scenes[1].state.takes(past, for: junk[1]))
    }

    // Shows: daemon.group-members
    @Test("leave room for the cut of the device that signed them")
    func cut() {
        var scene = Scene()
        #expect(scene.receive(all: scene.junk(40, from: 1_000)) == Limits.actsOfMember)
        let cut = Act(
            cutting: scene.mallory.device, number: 1, in: scene.group.id,
            basis: [scene.last.id], time: HybridTime(wallMilliseconds: 10),
            by: scene.mallory.keys)
        #expect(scene.receive(all: [cut]) == 1)
        #expect(!scene.state.view.isMember(scene.mallory.id, on: scene.mallory.device))
    }

    @Test("are signed up to their share, of which the last is for leaving and half for no ties")
    func signing() throws {
        var scene = Scene()
        let signer = ActSigner(
            certificate: scene.victor.certificate, device: scene.victor.signer)
        func sign(_ kind: ActKind, _ scene: inout Scene) throws {
            scene.write(
                try scene.groups.sign(
                    kind, in: scene.group.id, at: HybridTime(wallMilliseconds: 20), by: signer))
        }
        for _ in 0..<Limits.actsOfMember / 2 { try sign(.tie, &scene) }
        #expect(throws: ActRefusal(reason: .share)) { try sign(.tie, &scene) }
        scene.promote(scene.victor)
        let left = Limits.actsOfAdmin - Limits.actsOfMember / 2 - 1
        for number in 0..<left { try sign(.add(personKeys(UInt8(number), 200).id), &scene) }
        #expect(throws: ActRefusal(reason: .share)) {
            try sign(.add(personKeys(200, 200).id), &scene)
        }
        try sign(.leave, &scene)
    }

    // Shows: daemon.group-members
    @Test("keep from nobody the past of an act, by sending the act without it first")
    func withheld() {
        var scene = Scene()
        let olga = LinkID(2)
        scene.connect(to: scene.olga, on: olga)
        let first = scene.act(.add(personKeys(103, 153).id), by: scene.olga)
        let second = scene.act(.tie, by: scene.olga, basis: [first.id])
        #expect(scene.receive(all: [second]) == 0)
        let heads = ActHeads(group: scene.group.id, digest: .zero, heads: [second.id])
        let actions = scene.groups.receive(.actHeads(heads), on: olga, at: 20)
        let wants = actions.compactMap { action in
            if case .send(.actWant(let want), olga) = action { want.wanted } else { nil }
        }
        #expect(wants == [[second.id]])
        let answer = scene.groups.receive(
            .acts(scene.group.id, [first, second]), on: olga, at: 20)
        var written = 0
        for case .write(let writes) in answer { written += scene.write(writes) }
        #expect(written == 2)
    }
}

@Suite("A group with more heads than a key names")
struct ManyHeadsTests {
    private typealias Scene = HostileScene

    // Shows: daemon.group-members
    @Test("has a key made that knows each removal that its maker knows")
    func removal() throws {
        var scene = Scene()
        scene.promote(scene.mallory)
        _ = scene.receive(all: scene.junk(100, from: 1_000))
        let removal = scene.act(.remove(scene.mallory.id, seen: []), by: scene.olga)
        #expect(scene.receive(all: [removal]) == 1)
        guard case .make(let basis, _) = scene.state.writing else {
            Issue.record("no key can be made")
            return
        }
        #expect(basis.contains(removal.id) && basis.count == Limits.epochBasis)
    }

    // Shows: daemon.group-members
    @Test("has no key made before the removals among them are tied, by whichever device")
    func takings() throws {
        for isMallorys in [false, true] {
            var scene = Scene(isMallorys: isMallorys)
            let demotions = (0..<UInt64(70)).map {
                scene.act(.demote(scene.victor.id), by: scene.olga, at: 1_000 + $0)
            }
            _ = scene.receive(all: demotions)
            #expect(scene.state.writing == .none(.waitsForActs) && scene.needsTie)
            let own = isMallorys ? scene.mallory : scene.victor
            scene.write(
                try scene.groups.sign(
                    .tie, in: scene.group.id, at: HybridTime(wallMilliseconds: 2_000),
                    by: ActSigner(certificate: own.certificate, device: own.signer)))
            guard case .make = scene.state.writing else {
                Issue.record("no key can be made")
                return
            }
            #expect(!scene.needsTie)
        }
    }

    @Test("has them tied by one device of those that are linked")
    func oneTies() {
        let ties = [false, true].map { isMallorys in
            var scene = Scene(isMallorys: isMallorys)
            scene.promote(scene.mallory)
            _ = scene.receive(all: scene.junk(Limits.tiedHeads + 1, from: 1_000))
            return scene.needsTie
        }
        #expect(ties.count(where: { $0 }) == 1)
    }

    @Test("has acts tied that use up a share, since other nodes may have taken others")
    func usedUp() {
        var scene = Scene()
        let junk = scene.junk(Limits.actsOfMember, from: 1_000)
        _ = scene.receive(all: Array(junk.dropLast()))
        #expect(!scene.needsTie)
        _ = scene.receive(all: junk)
        #expect(scene.needsTie == (scene.victor.device < scene.mallory.device))
    }

    // Shows: daemon.group-members
    @Test("has them tied by any device, where the one that is to does not")
    func tiedLater() throws {
        for isMallorys in [false, true] {
            var scene = Scene(isMallorys: isMallorys)
            scene.promote(scene.mallory)
            _ = scene.receive(all: scene.junk(Limits.tiedHeads + 1, from: 1_000))
            var random = NodeRandom.seeded(1)
            #expect(scene.groups.tiesDue(at: 5, using: &random).isEmpty)
            let late = 5 + Limits.tieMilliseconds
            #expect(scene.groups.tiesDue(at: late, using: &random) == [scene.group.id])
            let own = isMallorys ? scene.mallory : scene.victor
            scene.write(
                try scene.groups.sign(
                    .tie, in: scene.group.id, at: HybridTime(wallMilliseconds: 2_000),
                    by: ActSigner(certificate: own.certificate, device: own.signer)))
            #expect(scene.groups.tiesDue(at: late, using: &random).isEmpty)
            #expect(scene.groups.tiesDue(at: 2 * late, using: &random).isEmpty)
        }
    }
}
