import Crypto
import Engine
import Formats
import TestSupport
import Testing

@testable import Storage

@Suite("Sealed columns")
struct SealedColumnTests {
    /// What is planted, and must be in no file.
    private struct Planted {
        let room: SecretRoom
        let founded: GroupTests.Founded
        let request: DirectRequest
        let notice: Notice
        let asked: GroupRequest

        init() throws {
            let root = Bytes32([UInt8](repeating: 0xC7, count: 32)) ?? .zero
            self.room = SecretRoom(
                realm: .open, name: try #require(RoomName("hiddenroom")),
                suite: .xchacha20Poly1305, root: root)
            self.founded = try GroupTests.Founded(0x55)
            let keys = [UInt8](repeating: 0x21, count: 64)
            let person = try PersonKeys(keys.span.bytes).publicKeys
            self.request = DirectRequest(
                device: bob.id, person: person, text: "letterfromben", time: 7,
                source: "192.0.2.9")
            self.notice = Notice(.requested(bob.id, "noticefromben"), at: 9)
            var asked = try GroupTests.Founded(0x66).request
            asked = GroupRequest(
                group: asked.group, device: asked.device, add: asked.add, acts: asked.acts,
                time: asked.time, source: "realmid nameinthelink")
            self.asked = asked
        }

        var batch: Batch {
            var batch = self.founded.batch
            let kind = ConversationKind.secret(self.room)
            batch.membership[kind.id] = ConversationMembership(kind, isJoined: true)
            batch.requests.kept = [self.request]
            batch.notices = [self.notice]
            batch.groups.requests = [self.asked]
            return batch
        }

        var secrets: [[UInt8]] {
            [self.room.root.bytes, self.founded.epoch.key?.bytes ?? []]
                + self.founded.acts.map { Array($0.encoded.suffix(64)) }
                + ["hiddenroom", "letterfromben", "noticefromben", "nameinthelink"].map {
                    Array($0.utf8)
                }
        }

        func expect(in store: MessageStore) async throws {
            let snapshot = try await store.snapshot()
            let kind = ConversationKind.secret(self.room)
            #expect(snapshot.conversations[kind.id]?.kind == kind)
            let group = self.founded.group
            #expect(snapshot.conversations[group.id]?.kind == .group(group))
            #expect(snapshot.acts == [group.id: self.founded.acts])
            #expect(snapshot.epochs == [group.id: [self.founded.epoch]])
            #expect(snapshot.requests == [self.request])
            #expect(snapshot.groupRequests == [self.asked])
            let found = try await store.entries(after: Cursor(0), limit: 10, withNotices: true)
            #expect(found.notices.map(\.notice) == [self.notice])
            #expect(try await store.check().isEmpty)
        }
    }

    /// Which of the secrets are in the database or its log.
    private static func found(_ planted: Planted, in directory: TemporaryDirectory) -> [Int] {
        let bytes = ["", "-wal"].flatMap { TestFiles.read(directory.database + $0) ?? [] }
        return planted.secrets.indices.filter {
            bytes.firstRange(of: planted.secrets[$0]) != nil
        }
    }

    @Test("what opens something else, or is private, is in no file, and there after a start")
    func sealed() async throws {
        let directory = try TemporaryDirectory()
        let planted = try Planted()
        for round in 0..<2 {
            let store = try await directory.open()
            if round == 0 { _ = try await store.commit(planted.batch) }
            try await planted.expect(in: store)
            #expect(Self.found(planted, in: directory) == [])
            await store.close()
        }
        #expect(Self.found(planted, in: directory) == [])
    }

    /// A file of version 2 with all that is planted, as that version wrote it.
    private static func earlier(_ planted: Planted) async throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        _ = try await store.commit(planted.batch)
        await store.close()
        let database = try Database(path: directory.database)
        try database.execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA secure_delete = ON")
        let (room, group) = (ConversationKind.secret(planted.room).id, planted.founded.group)
        for (id, name, root) in [
            (room, planted.room.name, planted.room.root.bytes as [UInt8]?),
            (group.id, group.name, nil),
        ] {
            try database.prepare(
                "UPDATE conversations SET name = :name, root = :root WHERE hash = :hash"
            ).bind(.name, text: name.text).bind(.root, root).bind(.hash, id.hash).run()
        }
        for act in planted.founded.acts {
            try database.prepare("UPDATE acts SET act = :act WHERE id = :id")
                .bind(.act, act.encoded).bind(.id, act.id.hash).run()
        }
        try database.prepare("UPDATE epochs SET key = :key")
            .bind(.key, planted.founded.epoch.key?.bytes ?? []).run()
        var acts = WireWriter(capacity: 4_096)
        for act in planted.asked.acts { acts.sized(act.encoded) }
        try database.prepare("UPDATE asked SET acts = :acts, source = :source")
            .bind(.acts, acts.bytes).bind(.source, text: planted.asked.source).run()
        let request = planted.request
        try database.prepare("UPDATE requests SET peer = :peer, text = :text")
            .bind(.peer, request.device.key.bytes + request.person.encoded)
            .bind(.text, text: request.text).run()
        try database.prepare("UPDATE notices SET body = :body")
            .bind(.body, planted.notice.body).run()
        try database.execute("ALTER TABLE epochs DROP COLUMN placed")
        try database.execute("PRAGMA user_version = 2; PRAGMA wal_checkpoint(TRUNCATE)")
        return directory
    }

    @Test("a file of version 2 is sealed by its first start, and nothing is left of it in the open")
    func takenOver() async throws {
        let planted = try Planted()
        let directory = try await Self.earlier(planted)
        #expect(Self.found(planted, in: directory) == Array(planted.secrets.indices))
        for _ in 0..<2 {
            let store = try await directory.open()
            try await planted.expect(in: store)
            #expect(Self.found(planted, in: directory) == [])
            await store.close()
        }
        #expect(try MessageStore.isSealed(in: directory.data))
    }

    @Test("a file of version 2 is checked as it is, and repaired whole into a sealed one")
    func maintained() async throws {
        let planted = try Planted()
        let directory = try await Self.earlier(planted)
        let before = try readFile(directory.database)
        #expect(try RepairTests.check(directory).findings.isEmpty)
        #expect(try readFile(directory.database) == before)
        do {
            try Database(path: directory.database).execute(
                "DELETE FROM ids; UPDATE logs SET seq = seq + 1; UPDATE conversations SET unread = 9"
            )
        }
        #expect(try RepairTests.repair(directory).copy != nil)
        let store = try await directory.open()
        let snapshot = try await store.snapshot()
        let kind = ConversationKind.secret(planted.room)
        #expect(snapshot.conversations[kind.id]?.kind == kind)
        #expect(snapshot.epochs == [planted.founded.group.id: [planted.founded.epoch]])
        #expect(snapshot.requests == [planted.request])
        #expect(snapshot.groupRequests == [planted.asked])
        #expect(Self.found(planted, in: directory) == [])
        await store.close()
    }

    @Test("a value opens only in its own place")
    func places() async throws {
        let directory = try TemporaryDirectory()
        let planted = try Planted()
        let store = try await directory.open()
        var batch = planted.batch
        batch.notices = [planted.notice, planted.notice]
        _ = try await store.commit(batch)
        await store.close()
        do {
            try Database(path: directory.database).execute(
                "UPDATE notices SET body = (SELECT body FROM notices WHERE number = 1)")
        }
        let again = try await directory.open()
        let failure = await #expect(throws: StoreFailure.self) {
            try await again.entries(after: Cursor(0), limit: 10, withNotices: true)
        }
        #expect(failure?.reason == .corrupt)
        await again.close()
    }
}
