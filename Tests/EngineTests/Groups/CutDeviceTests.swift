import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

/// Ada (1) founds a group in which are Ben (2), who is an admin and has a second device (4), and Mia (3).
private struct StolenScene {
    static let stolen = Harness.peer(4)
    static let noa = PersonID(fixed32(77))
    var net: GroupNet

    init(_ numbers: ClosedRange<UInt8> = 1...4, members: ClosedRange<UInt8> = 1...3) {
        self.net = GroupNet(numbers, members: members, owners: [4: 2, 5: 2])
        self.net.ask(1, .groupAct(self.net.group, .admin(GroupNet.id(of: 2), 256)))
        self.net.settle()
    }

    /// The stolen device meets nobody but Mia, who meets nobody else.
    mutating func part() {
        for (one, other) in [(1, 3), (2, 3), (1, 4), (2, 4)] as [(UInt8, UInt8)] {
            self.net.disconnect(one, other)
        }
    }

    @discardableResult
    mutating func revoke(by number: UInt8 = 2, since: UInt64? = nil) -> [Answer] {
        let request = self.net.ask(number, .revokeDevice(Self.stolen, since: since))
        self.net.settle()
        self.net.advance(milliseconds: 1_000)
        return self.net[number].answers(of: request)
    }

    /// The stolen device brings somebody in.
    mutating func bring() {
        self.net.ask(4, .groupAct(self.net.group, .add(Self.noa)))
        self.net.settle()
    }

    func state(at number: UInt8) -> GroupState {
        guard let state = self.net[number].node.groups.table[self.net.group] else {
            preconditionFailure("\(number) knows the group")
        }
        return state
    }

    func isCut(at number: UInt8) -> Bool {
        self.state(at: number).view.roster.cutDevices.contains(
            OwnedDevice(person: GroupNet.id(of: 2), device: Self.stolen))
    }

    func cuts(at number: UInt8) -> [Act] {
        self.state(at: number).acts.values.filter {
            if case .cut = $0.statement.kind { true } else { false }
        }
    }

    func isIn(_ person: PersonID = Self.noa, at number: UInt8) -> Bool {
        self.net.people(at: number).contains(person)
    }

    func has(_ key: Bytes32?, at number: UInt8) -> Bool {
        key.map { self.state(at: number).epochs[$0]?.key != nil } ?? false
    }
}

@Suite("A device that its person has revoked, in groups") struct CutDeviceTests {
    // Shows: device.cut
    @Test("does nothing that counts for who has not heard the revocation and knows the cut")
    func relayed() {
        var scene = StolenScene()
        scene.net.write("before", by: 4)
        scene.net.settle()
        scene.part()
        #expect(scene.revoke() == [.revoked(StolenScene.stolen)])
        #expect(scene.isCut(at: 1) && !scene.isCut(at: 3))
        scene.bring()
        scene.net.write("as Ben", by: 4)
        scene.net.settle()
        #expect(scene.isIn(at: 3) && scene.net.texts(at: 3) == ["before", "as Ben"])

        scene.net.withhold(.records, from: 3)
        scene.net.connect(1, 3)
        #expect(scene.isCut(at: 3))
        for number: UInt8 in [1, 2, 3] {
            #expect(!scene.isIn(at: number), "at \(number)")
        }
        #expect(scene.net.texts(at: 1) == ["before"])
        let reasons = scene.state(at: 3).report.undecided.map(\.reason)
        #expect(reasons == [.cut])
    }

    // Shows: device.cut
    @Test("gets no key that is made after, and nothing more, from whoever knows the cut")
    func keys() {
        var scene = StolenScene()
        scene.net.write("before", by: 1)
        scene.net.settle()
        let old = scene.net.epochs(of: 1).last
        #expect(scene.has(old, at: 4))
        scene.part()
        scene.revoke()
        scene.net.withhold(.records, from: 3)
        scene.net.connect(1, 3)
        scene.net.write("after", by: 3)
        scene.net.settle()
        scene.net.pass(milliseconds: 10_000)
        let key = scene.net.epochs(of: 3).last
        #expect(key != old && scene.net.texts(at: 1) == ["before", "after"])
        #expect(scene.has(key, at: 1) && scene.has(key, at: 2) && !scene.has(key, at: 4))
        #expect(scene.net.entries(of: 3, at: 4) < scene.net.entries(of: 3, at: 3))
    }

    @Test("is given no key between its revocation's coming and the disk's having it")
    func early() throws {
        var scene = StolenScene()
        scene.net.disconnect(2, 3)
        scene.net.disconnect(1, 4)
        scene.net.withhold(.acts, from: 3)
        scene.net.withhold(.keys, from: 3)
        scene.revoke()
        scene.net.write("secret", by: 1)
        scene.net.settle()
        #expect(!scene.isCut(at: 3))
        // Mia can know of the key only with the acts that it follows.
        let record = try #require(
            scene.net[2].node.record(
                RecordKey(revoking: StolenScene.stolen, by: GroupNet.id(of: 2))))
        scene.net[3].give(.records([record]), from: 1)
        let start = scene.net.frames.count
        scene.net.deliver(to: 3)
        #expect(scene.has(scene.net.epochs(of: 1).last, at: 3))
        let given = scene.net.count(from: start) { if case .epochKeys = $0 { true } else { false } }
        #expect(given == 0)
    }

    @Test("shows nothing of its own where only the cut is known")
    func silenced() {
        var scene = StolenScene()
        scene.part()
        scene.net.withhold(.acts, from: 3)
        scene.net.withhold(.records, from: 1)
        scene.revoke()
        scene.net.connect(1, 3)
        scene.net.write("as Ben", by: 4)
        scene.net.settle()
        scene.net.pass(milliseconds: 10_000)
        #expect(scene.net.texts(at: 3) == ["as Ben"] && scene.net.texts(at: 1).isEmpty)
        #expect(scene.net.entries(of: 4, at: 1) == scene.net.entries(of: 4, at: 4))
    }

    @Test("is cut in a group into which its person is brought later, once members have told all")
    func later() {
        var scene = StolenScene(members: 1...1)
        scene.revoke()
        scene.net.add(2)
        scene.net.accept(2)
        #expect(scene.isCut(at: 1) && scene.isCut(at: 2))
    }

    @Test("is cut in a group that its person founds later")
    func founded() throws {
        var scene = StolenScene()
        scene.revoke()
        let request = scene.net.ask(2, .groupCreate(room("new").name, .open, .all))
        scene.net.settle()
        guard case .joined(let id)? = scene.net[2].answers(of: request).first else {
            Issue.record("no group was founded")
            return
        }
        let state = try #require(scene.net[2].node.groups.table[id])
        #expect(state.view.roster.cutDevices.count == 1 && state.acts.count == 2)
    }

    @Test("is cut when the person's key comes to a device that knows of the revocation, once")
    func promoted() throws {
        var scene = StolenScene(1...5)
        let person = GroupNet.person(2)
        scene.net[2].give(.personKeys(person.withoutP))
        let refused = scene.revoke()
        #expect(refused == [.failed(.device(.noPersonKey))])
        let certificate = person.certify(signer(4), at: 1)
        let record = Record(
            revoking: StolenScene.stolen, Revocation(of: certificate, stands: false),
            at: HybridTime(wallMilliseconds: scene.net[2].now.wall), by: person)
        scene.net[2].give(.records([record]), from: 5)
        scene.net.settle()
        scene.net.advance(milliseconds: 1_000)
        #expect(scene.net[2].node.isRevoked(StolenScene.stolen, as: person.id))
        #expect(scene.cuts(at: 2).isEmpty)
        scene.net[2].give(.personKeys(person))
        scene.net.settle()
        scene.net[5].give(.personKeys(person))
        scene.net.settle()
        #expect(scene.isCut(at: 1) && scene.cuts(at: 1).count == 1)
        // To say it again undoes nothing and adds nothing.
        scene.revoke(by: 5)
        #expect(scene.cuts(at: 1).count == 1)
    }

    @Test("is cut in the batch of its revocation, and both are written again where the disk fails")
    func together() throws {
        var scene = StolenScene()
        scene.net[2].give(
            .request(RequestID(1), .revokeDevice(StolenScene.stolen)))
        func isWhole(_ batch: Batch?) -> Bool {
            batch?.records.map(\.author) == [StolenScene.stolen] && batch?.groups.acts.count == 1
        }
        #expect(isWhole(scene.net[2].batch))
        scene.net[2].batch = nil
        scene.net[2].give(
            .commitFailed(StoreFailure(reason: .full, detail: "full", remedy: "make room")))
        scene.net[2].give(.timer(.storage))
        #expect(isWhole(scene.net[2].batch))
        scene.net.settle()
        #expect(scene.isCut(at: 1) && scene.cuts(at: 1).count == 1)
    }

    @Test("of many that have done nothing in a group leaves room there for those to come")
    func bounded() throws {
        let own = personKeys(40, 41)
        var test = Harness()
        var contacts = test.node.contacts
        contacts.records += (100..<112).map { number in
            Record(
                revoking: Harness.peer(number),
                Revocation(of: own.certify(signer(number), at: 1), stands: false),
                at: HybridTime(wallMilliseconds: test.now.wall), by: own)
        }
        test.give(.request(RequestID(1), .restore(contacts)))
        test.settle()
        test.give(.request(RequestID(2), .groupCreate(room("new").name, .open, .all)))
        test.settle()
        let state = try #require(test.node.groups.table.values.first)
        #expect(state.view.roster.cutDevices.count == Limits.cutsOfPerson / 2)
        #expect(state.shares.left(to: own.id, cuts: true) == Limits.cutsOfPerson / 2)
    }

    // Shows: device.cut
    @Test("is cut beyond the 16 of its person with an act that follows, as long as there is room")
    func beyond() {
        var scene = HostileScene()
        let own = scene.victor
        let time = HybridTime(wallMilliseconds: 20)
        func cut(_ number: Int) -> Int {
            let writes = scene.groups.cut(
                RevokedDevice(id: Harness.peer(UInt8(number)), time: time), since: nil,
                isAnew: false, at: time, by: own.keys,
                on: ActSigner(certificate: own.certificate, device: own.signer))
            return scene.write(writes)
        }
        let count = Limits.cutsOfPerson + Limits.actsOfMember / 2
        for number in 1...count {
            #expect(cut(number) == (number > Limits.cutsOfPerson ? 2 : 1))
        }
        #expect(cut(count + 1) == 0)
        #expect(scene.state.view.roster.cutDevices.count == count && scene.state.pending.isEmpty)
        var other = HostileScene(isMallorys: true)
        let acts = scene.all.filter { !other.state.has($0.id) }
        #expect(other.receive(all: acts) == acts.count)
        #expect(other.state.view.roster.cutDevices == scene.state.view.roster.cutDevices)
        let left = other.state.shares.left(to: scene.mallory.id, cuts: true)
        #expect(left == Limits.cutsOfPerson, "of others it uses up nothing")
    }

    // Shows: device.cut
    @Test(
        "is cut late by what one member has shown by then, and all judge alike what else it did",
        arguments: [true, false])
    func late(isShown: Bool) {
        var scenes = [HostileScene(), HostileScene(isMallorys: true)]
        for index in scenes.indices { scenes[index].promote(scenes[index].victor) }
        let (own, group, link) = (scenes[0].victor, scenes[0].group.id, scenes[0].link)
        let (stolen, noa) = (signer(99), personKeys(104, 154).id)
        let add = Act(
            .add(noa), in: group, basis: [scenes[0].last.id],
            time: HybridTime(wallMilliseconds: 12), certificate: own.keys.certify(stolen, at: 1),
            by: stolen)
        #expect(scenes[1].receive([add]).written == 1)
        if isShown { scenes[0].receive([add]) }
        let heads = ActHeads(
            group: group, digest: .zero, heads: [isShown ? add.id : scenes[0].last.id])
        _ = scenes[0].groups.receive(.actHeads(heads), on: link, at: 20)
        let device = RevokedDevice(
            id: PeerID(stolen.publicKey), time: HybridTime(wallMilliseconds: 15))
        let writes = scenes[0].groups.cutLate(
            [device], in: group, at: HybridTime(wallMilliseconds: 20), by: own.keys,
            on: ActSigner(certificate: own.certificate, device: own.signer))
        #expect(writes.acts.count == 1)
        scenes[0].write(writes)
        scenes[0].receive([add])
        scenes[1].receive(writes.acts)
        let rosters = scenes.map(\.state.view.roster)
        #expect(rosters.allSatisfy { ($0.members[noa] != nil) == isShown })
        #expect(rosters[0].verdicts == rosters[1].verdicts)
    }

    @Test("is not cut where only the founding is known, or what it did before would be undone")
    func founding() throws {
        let scene = StolenScene()
        let founding = try #require(
            scene.state(at: 1).acts.values.first { $0.statement.kind.isFounding })
        let own = GroupNet.person(1)
        var restored = Harness(6, of: own)
        restored.give(.request(RequestID(1), .restoreGroup(founding)))
        restored.settle()
        let revocation = Revocation(of: own.certify(signer(4), at: 1), stands: false)
        var contacts = restored.node.contacts
        contacts.records.append(
            Record(
                revoking: StolenScene.stolen, revocation,
                at: HybridTime(wallMilliseconds: restored.now.wall), by: own))
        restored.give(.request(RequestID(2), .restore(contacts)))
        restored.settle()
        // The owner is in by the founding alone.
        #expect(restored.node.groups.isInside(scene.net.group))
        #expect(restored.node.isRevoked(StolenScene.stolen, as: own.id))
        #expect(restored.node.groups.table[scene.net.group]?.count == 1)
    }

    @Test("has undone what it did since a given time, though it was known, and nothing older")
    func since() {
        var scene = StolenScene()
        let mia = GroupNet.id(of: 3)
        scene.net.ask(4, .groupAct(scene.net.group, .remove(mia, seen: [])))
        scene.net.settle()
        // Somebody else's act is behind that one: it was there by then.
        scene.net.ask(1, .groupAct(scene.net.group, .add(PersonID(fixed32(78)))))
        scene.net.settle()
        scene.net.advance(milliseconds: 1_000)
        let stolen = scene.net[2].now.wall
        scene.net.advance(milliseconds: 1_000)
        scene.bring()
        scene.net.advance(milliseconds: 1_000)
        #expect(scene.isIn(at: 1) && !scene.isIn(mia, at: 1))
        var other = scene
        other.revoke()
        #expect(other.isIn(at: 1) && !other.isIn(mia, at: 1))
        scene.revoke(since: stolen)
        #expect(!scene.isIn(at: 1) && !scene.isIn(mia, at: 1))
        // Who learns only later since when it was in other hands says so then.
        other.revoke(since: stolen)
        #expect(!other.isIn(at: 1) && !other.isIn(mia, at: 1))
    }

    // Shows: device.cut
    @Test("has undone what it says to have done before that time, where nobody else had it by then")
    func backdated() {
        var scene = StolenScene()
        // By its date this is older than the theft: a device can give any date.
        scene.bring()
        scene.net.advance(milliseconds: 1_000)
        #expect(scene.isIn(at: 1))
        scene.revoke(since: scene.net[2].now.wall - 500)
        #expect(!scene.isIn(at: 1) && scene.isCut(at: 1))
    }

    @Test("is cut in a group that its person has left, and others know it once they are in again")
    func left() {
        var scene = StolenScene()
        scene.net.ask(4, .leave(scene.net.group))
        scene.net.settle()
        #expect(!scene.isIn(GroupNet.id(of: 2), at: 1))
        scene.revoke()
        #expect(scene.cuts(at: 2).count == 1 && !scene.isCut(at: 1))
        scene.net.add(2)
        scene.net.accept(2)
        #expect(scene.isCut(at: 1) && scene.isIn(GroupNet.id(of: 2), at: 1))
        #expect(scene.cuts(at: 1).count == 1)
    }
}

extension ActSyncTests {
    @Test("are all members of all groups but the device that is to be revoked")
    func revoking() {
        var scene = StolenScene()
        scene.net.write("hello", by: 3)
        scene.net.settle()
        scene.net.disconnect(2, 3)
        let groups = scene.net[2].node.activeGroups
        #expect(groups == [scene.net.group])
        let request = scene.net.ask(
            2, .syncActs(groups, besides: nil, device: StolenScene.stolen))
        for frame in scene.net[2].take(from: 4) {
            if case .ping = frame { Issue.record("it is asked") }
        }
        scene.net.settle()
        #expect(
            scene.net[2].answers(of: request) == [.synced(unasked: [GroupNet.id(of: 3)])])
    }

    @Test("make a removal that leaves out what somebody did since a time undo that")
    func since() {
        var net = GroupNet(1...3)
        net.ask(1, .groupAct(net.group, .admin(GroupNet.id(of: 2), 256)))
        net.settle()
        net.advance(milliseconds: 1_000)
        let since = net[1].now.wall
        net.advance(milliseconds: 1_000)
        let noa = PersonID(fixed32(77))
        net.ask(2, .groupAct(net.group, .add(noa)))
        net.settle()
        #expect(net.people(at: 1).contains(noa))
        let ben = ActKind.remove(GroupNet.id(of: 2), seen: [])
        let request = net.ask(1, .groupAct(net.group, ben, since: since))
        net.settle()
        #expect(net.people(at: 3) == [GroupNet.id(of: 1), GroupNet.id(of: 3)])
        guard case .acted? = net[1].answers(of: request).first else {
            Issue.record("\(net[1].answers(of: request))")
            return
        }
    }
}
