import Crypto
import Engine
import Formats
import TestSupport
import Testing

@testable import Storage

@Suite("Groups on disk")
struct GroupTests {
    /// Somebody who acts, on one device.
    struct Member {
        let device: Signer
        let certificate: Certificate
        var peer: PeerID { PeerID(self.device.publicKey) }

        init(_ seed: UInt8) throws {
            let bytes = [UInt8](repeating: seed, count: 64)
            let keys = try PersonKeys(bytes.span.bytes)
            self.device = Person(seed + 1).signer
            self.certificate = keys.certify(self.device, at: 1_700_000_000_000)
        }

        func act(_ kind: ActKind, in group: Group, after basis: [Act], at number: UInt64) -> Act {
            Act(
                kind, in: group.id, basis: basis.map(\.id), time: time(number),
                certificate: self.certificate, by: self.device)
        }
    }

    /// A group of two, of which there are acts and a key.
    struct Founded {
        let group: Group
        var acts: [Act] = []
        var epoch: HeldEpoch
        let request: GroupRequest

        init(_ nonce: UInt8 = 7) throws {
            let (owner, other) = (try Member(60), try Member(70))
            let group = Group(
                owner: owner.certificate.keys, nonce: number(nonce), realm: .open,
                history: .joined, suite: .xchacha20Poly1305, name: try #require(RoomName("ops")))
            let create = owner.act(.create(group), in: group, after: [], at: 1)
            let add = owner.act(
                .add(other.certificate.personID), in: group, after: [create], at: 2)
            let leave = other.act(.leave, in: group, after: [add], at: 3)
            self.acts = [create, add, leave]
            let key = number(nonce + 1)
            let said = EpochAnnouncement(
                of: key, in: group.id, by: owner.peer, basis: [add.id, leave.id],
                people: [owner.certificate.personID])
            self.epoch = HeldEpoch(
                group: group.id,
                epoch: Epoch(
                    id: said.id, maker: owner.certificate.personID, device: owner.peer,
                    basis: said.basis, people: said.people),
                key: key, isPlaced: nonce > 15)
            self.request = GroupRequest(
                group: group.id, device: owner.peer, add: add.id, acts: [create, add], time: 77,
                source: "192.0.2.7")
            self.group = group
        }

        var batch: Batch {
            var batch = Batch(number: 1)
            batch.membership[self.group.id] = ConversationMembership(
                .group(self.group), isJoined: true)
            batch.groups.acts = self.acts
            batch.groups.epochs = [self.epoch]
            return batch
        }
    }

    private static func number(_ byte: UInt8) -> Bytes32 {
        Bytes32([UInt8](repeating: byte, count: 32)) ?? .zero
    }

    @Test("what a group is, its acts in order, its keys and who asks are there after a start")
    func kept() async throws {
        let directory = try TemporaryDirectory()
        let (first, second, third) = (try Founded(), try Founded(20), try Founded(30))
        var store = try await directory.open()
        _ = try await store.commit(first.batch)
        _ = try await store.commit(second.batch)
        // What is there already stays as it is.
        var again = first.batch
        again.groups.requests = [third.request]
        _ = try await store.commit(again)
        await store.close()
        store = try await directory.open()
        let snapshot = try await store.snapshot()
        #expect(snapshot.conversations[first.group.id]?.kind == .group(first.group))
        #expect(snapshot.acts == [first.group.id: first.acts, second.group.id: second.acts])
        #expect(
            snapshot.epochs == [first.group.id: [first.epoch], second.group.id: [second.epoch]])
        #expect(snapshot.groupRequests == [third.request])
        #expect(try await store.check().isEmpty)
        await store.close()
    }

    @Test("a key that is for others is noted as such, and one that comes takes its place")
    func ofOthers() async throws {
        let directory = try TemporaryDirectory()
        let founded = try Founded()
        var store = try await directory.open()
        var batch = founded.batch
        batch.groups.epochs[0].key = nil
        _ = try await store.commit(batch)
        #expect(try await store.check().isEmpty)
        await store.close()
        store = try await directory.open()
        #expect(try await store.snapshot().epochs[founded.group.id] == batch.groups.epochs)
        var later = Batch(number: 2)
        later.groups.epochs = [founded.epoch]
        _ = try await store.commit(later)
        #expect(try await store.snapshot().epochs[founded.group.id] == [founded.epoch])
        await store.close()
    }

    @Test("what logs announce of keys that are not here is there after a start")
    func announced() async throws {
        let directory = try TemporaryDirectory()
        let founded = try Founded()
        let (maker, group) = (founded.epoch.epoch.maker, founded.group.id)
        var store = try await directory.open()
        var log = LogWriter(bob, in: group)
        let announcements = (1...3).map {
            EpochAnnouncement(
                id: Self.number(40 + UInt8($0)), basis: [founded.acts[0].id], people: .zero)
        }
        let run = log.run(
            announcements.enumerated().map {
                entry(.epoch($1), at: time(UInt64($0)))
            })
        let (verdicts, _) = run.verdicts(by: LogsOfSomebody(), person: maker)
        // In a room such an entry says nothing.
        var elsewhere = LogWriter(bob)
        var batch = batch(
            Append(run: run, verdicts: verdicts, person: maker, heldFrom: .max),
            elsewhere.append([entry(.epoch(announcements[2]), at: time(9))]))
        batch.membership[group] = founded.batch.membership[group]
        batch.membership[ops.conversation] = ConversationMembership(.room(ops), isJoined: true)
        // The first is here, and the second is for others as somebody else says.
        batch.groups.epochs = [
            HeldEpoch(
                group: group,
                epoch: Epoch(
                    id: announcements[0].id, maker: maker, device: bob.id,
                    basis: announcements[0].basis, people: .zero), key: .zero, isPlaced: true),
            HeldEpoch(
                group: group,
                epoch: Epoch(
                    id: announcements[1].id, maker: maker, device: eve.id,
                    basis: announcements[1].basis, people: .zero), key: nil, isPlaced: true),
        ]
        _ = try await store.commit(batch)
        await store.close()
        store = try await directory.open()
        #expect(
            try await store.snapshot().announced
                == [
                    group: announcements.dropFirst().map {
                        AnnouncedEpoch($0, by: maker, on: bob.id, isPlaced: true)
                    }
                ])
        await store.close()
    }

    @Test("of what a log announces a bounded part is read at a start, of a group and of two people")
    func announcedBounded() async throws {
        let directory = try TemporaryDirectory()
        let founded = try Founded()
        let keys = try [60, 70].map { (byte: UInt8) in
            try PersonKeys([UInt8](repeating: byte, count: 64).span.bytes)
        }
        let direct = try DirectConversation(of: keys[0], with: keys[1].publicKeys, at: bob.id)
        var store = try await directory.open()
        var batch = founded.batch
        batch.groups.epochs = []
        batch.membership[direct.id] = ConversationMembership(.direct(direct), isJoined: true)
        batch.membership[ops.conversation] = ConversationMembership(.room(ops), isJoined: true)
        var number: UInt64 = 0
        for (person, conversation, count) in [
            (bob, founded.group.id, 1_100), (eve, founded.group.id, 3), (bob, direct.id, 1_050),
            (bob, ops.conversation, 2),
        ] {
            var log = LogWriter(person, in: conversation)
            while log.ids.count < count {
                let entries = (0..<min(100, count - log.ids.count)).map { _ in
                    number += 1
                    let id = BLAKE2b.hash256([UInt8](number.description.utf8))
                    return entry(
                        .epoch(EpochAnnouncement(id: id, basis: [ActID(id)], people: .zero)),
                        at: time(number))
                }
                batch.appends.append(log.append(entries))
            }
        }
        _ = try await store.commit(batch)
        await store.close()
        store = try await directory.open()
        let announced = try await store.snapshot().announced
        #expect(announced.mapValues(\.count) == [founded.group.id: 1_027, direct.id: 1_024])
        await store.close()
    }

    @Test("acts go alone, all of a group with its keys, and requests once they are answered")
    func gone() async throws {
        let directory = try TemporaryDirectory()
        let (first, second) = (try Founded(), try Founded(20))
        let store = try await directory.open()
        var together = first.batch
        together.groups.acts += second.acts
        together.groups.epochs += [second.epoch]
        together.groups.requests = [try Founded(30).request, try Founded(40).request]
        #expect(try await !store.commit(together).hasErased)
        var batch = Batch(number: 2)
        batch.groups.goneActs = [first.group.id: [first.acts[2].id]]
        batch.groups.forgotten = [second.group.id]
        batch.groups.endedRequests = [try Founded(30).group.id]
        var declined = try Founded(40).request
        declined.acts = []
        batch.groups.requests = [declined]
        #expect(try await store.commit(batch).hasErased)
        let snapshot = try await store.snapshot()
        #expect(snapshot.acts == [first.group.id: Array(first.acts[..<2])])
        #expect(snapshot.epochs == [first.group.id: [first.epoch]])
        #expect(snapshot.groupRequests == [declined] && declined.isDeclined)
        await store.close()
        let bytes = try readFile(directory.database)
        // Its row goes with its key, which is sealed.
        #expect(bytes.firstRange(of: first.epoch.epoch.id.bytes) != nil)
        #expect(bytes.firstRange(of: second.epoch.epoch.id.bytes) == nil)
    }

    @Test("of two people the keys are kept by a repair; one that is damaged can come again")
    func ofTwo() async throws {
        let directory = try TemporaryDirectory()
        let keys = try [60, 70].map { (byte: UInt8) in
            try PersonKeys([UInt8](repeating: byte, count: 64).span.bytes)
        }
        let direct = try DirectConversation(of: keys[0], with: keys[1].publicKeys, at: bob.id)
        let people = PersonID.digest(of: keys.map(\.id))
        let said = EpochAnnouncement(
            of: Self.number(5), in: direct.id, by: bob.id, basis: [ActID(Self.number(6))],
            people: [keys[0].id, keys[1].id])
        #expect(said.people == people)
        let held = HeldEpoch(
            group: direct.id,
            epoch: Epoch(
                id: said.id, maker: somebody, device: bob.id, basis: said.basis, people: people),
            key: Self.number(5), isPlaced: true)
        let kind = ConversationKind.direct(direct)
        let key = try #require(held.conversationKey(kind.epochSuite))
        var keyring = Keyring()
        keyring.add(kind)
        keyring.use(key)
        var log = LogWriter(bob, in: direct.id)
        let first = log.run([entry(.epoch(said), at: time(1))])
        let content = Content.text("after")
        var sealed = Entry(
            entryClass: content.entryClass, time: time(2), deps: [], payload: .present([]))
        var random = SystemRandomNumberGenerator()
        sealed.seal(content, with: key, at: (log.key, 2, log.head.id), using: &random)
        let judge = LogsOfSomebody(keyring: keyring)
        let store = try await directory.open()
        var batch = batch()
        batch.membership[direct.id] = ConversationMembership(kind, isJoined: true)
        batch.groups.epochs = [held]
        batch.appends = [first, log.run([sealed])].map { run in
            let (verdicts, person) = run.verdicts(by: judge, person: nil)
            return Append(run: run, verdicts: verdicts, person: person, heldFrom: .max)
        }
        _ = try await store.commit(batch)
        await store.close()
        let before = try readFile(directory.database)
        let told = AnnouncedEpoch(said, by: somebody, on: bob.id, isPlaced: true)
        for (change, isLost) in [
            ("UPDATE logs SET head = zeroblob(32)", false),
            ("UPDATE epochs SET key = zeroblob(32)", true),
        ] {
            try writeFile(directory.database, before)
            do { try Database(path: directory.database).execute(change) }
            #expect(try RepairTests.repair(directory).copy != nil, "\(change)")
            let repaired = try await directory.open()
            let snapshot = try await repaired.snapshot()
            #expect(snapshot.conversations[direct.id]?.kind == kind)
            #expect(snapshot.epochs[direct.id] == (isLost ? nil : [held]), "\(change)")
            #expect(snapshot.announced[direct.id] == (isLost ? [told] : nil), "\(change)")
            let kept = try await repaired.run(log.key, from: 2, through: 2)
            #expect(kept?.entries == [sealed], "\(change)")
            if !isLost {
                let page = try await repaired.history(
                    HistoryQuery(conversation: direct.id, limit: 9))
                #expect(page.entries.map { Message($0, by: keyring)?.content } == [content])
            }
            await repaired.close()
        }
    }

    @Test("changed acts and keys are found, and the rest of them is kept by a repair")
    func changed() async throws {
        let directory = try TemporaryDirectory()
        let founded = try Founded()
        let store = try await directory.open()
        var batch = founded.batch
        batch.groups.requests = [try Founded(20).request]
        _ = try await store.commit(batch)
        await store.close()
        let before = try readFile(directory.database)
        let changes = [
            ("UPDATE acts SET act = zeroblob(300) WHERE place = 2", 1, 1),
            ("UPDATE acts SET id = zeroblob(32) WHERE place = 3", 3, 1),
            ("DELETE FROM acts WHERE place = 2", 1, 1),
            ("UPDATE epochs SET key = zeroblob(32)", 3, 0),
            ("UPDATE epochs SET basis = zeroblob(31)", 3, 0),
            ("UPDATE asked SET acts = x'05'", 3, 1),
            ("UPDATE conversations SET kind = 9", 3, 1),
        ]
        for (change, acts, keys) in changes {
            try writeFile(directory.database, before)
            do { try Database(path: directory.database).execute(change) }
            #expect(try !RepairTests.check(directory).findings.isEmpty, "\(change)")
            #expect(try RepairTests.repair(directory).copy != nil, "\(change)")
            #expect(try RepairTests.check(directory).findings.isEmpty, "\(change)")
            let repaired = try await directory.open()
            let snapshot = try await repaired.snapshot()
            #expect(snapshot.acts[founded.group.id]?.count == acts, "\(change)")
            #expect((snapshot.epochs[founded.group.id] ?? []).count == keys, "\(change)")
            #expect(
                snapshot.conversations[founded.group.id]?.kind == .group(founded.group),
                "\(change)")
            await repaired.close()
        }
    }
}
