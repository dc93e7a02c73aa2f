import Engine
import Formats
import Glibc
import Crypto
import TestSupport
import Testing

@testable import Storage

@Suite("Repair")
struct RepairTests {
    /// What a store holds, to be compared with what is left of it.
    struct Story {
        let directory: TemporaryDirectory
        /// The appends by log, as a peer would send them again.
        var appends: [LogKey: [Append]] = [:]
        var history: [StoredEntry] = []
        var snapshot = Snapshot()
    }

    /// A store of three authors in two rooms, with all kinds of rows.
    static func story(closing: Bool = true) async throws -> (Story, MessageStore) {
        var story = Story(directory: try TemporaryDirectory())
        let store = try await story.directory.open()
        var logs = [
            LogWriter(ada, incarnation: 9), LogWriter(bob), LogWriter(eve),
            LogWriter(bob, room("lab")),
        ]
        var setup = Batch(number: 1)
        setup.incarnation = 9
        setup.membership[ops.conversation] = ConversationMembership(.room(ops), isJoined: true)
        setup.records = [bob, eve].map {
            Record(
                kind: Record.Kind.profile, author: $0.id, conversation: nil, time: time(1),
                value: Profile(name: "n", status: "s").encoded, signer: $0.signer)
        }
        setup.peers = [KnownPeer(id: bob.id, addresses: ["192.0.2.1:4"], lastSeen: 7)]
        setup.people = [eve.id: .verified]
        _ = try await store.commit(setup)
        var clock: UInt64 = 0
        for round in 0..<40 {
            var together = Batch(number: 2)
            for index in logs.indices {
                let name = index == 3 ? room("lab") : ops
                var entries: [Entry] = []
                // The first entry of a log is attested by itself.
                if round == 0 {
                    clock += 1
                    let join = logs[index].append([entry(.join(name.name), at: time(clock))])
                    story.appends[logs[index].key, default: []].append(join)
                    together.appends.append(join)
                }
                for _ in 0..<(round % 5 + 1) {
                    clock += 1
                    let deps = index == 1 && round > 0 ? [logs[0].ids[logs[0].ids.count - 1]] : []
                    let size = round == 20 ? 9_000 : round * 3
                    entries.append(
                        text(
                            "\(index) \(clock) " + String(repeating: "x", count: size), at: clock,
                            deps: deps))
                }
                var append = logs[index].append(entries)
                if index == 0 { append.idempotencyKeys[0] = "key \(round)" }
                story.appends[logs[index].key, default: []].append(append)
                together.appends.append(append)
            }
            _ = try await store.commit(together)
            // Before the last round, so that the last commit is one of many pages.
            guard round == 38 else { continue }
            try await store.acknowledge(consumer: "script", cursor: Cursor(100))
            try await store.markRead(ops.conversation, through: Cursor(200))
        }
        story.history = try await Self.history(store)
        story.snapshot = try await store.snapshot()
        #expect(try await store.check().isEmpty)
        if closing { await store.close() }
        return (story, store)
    }

    static func history(_ store: MessageStore) async throws -> [StoredEntry] {
        var all: [StoredEntry] = []
        for name in [ops, room("lab")] {
            let query = HistoryQuery(
                conversation: name.conversation, limit: 100_000, byteLimit: 1 << 30)
            all += try await store.history(query).entries
        }
        return all
    }

    /// History as replicas agree on it.
    static func agreed(_ entries: [StoredEntry]) -> [StoredEntry] {
        entries.map { entry in
            var entry = entry
            entry.cursor = Cursor(0)
            entry.isLate = false
            return entry
        }
    }

    static func check(_ directory: TemporaryDirectory) throws -> StoreRepair.Report {
        try StoreRepair.check(
            directory: directory.data, owner: ada.id, safe: safe,
            judge: { LogsOfSomebody(keyring: $0) })
    }

    static func repair(_ directory: TemporaryDirectory) throws -> StoreRepair.Repair {
        try StoreRepair.repair(
            directory: directory.data, owner: ada.id, safe: safe,
            judge: { LogsOfSomebody(keyring: $0) },
            stamp: "then")
    }

    /// Gives a store what a peer has of each log, and expects all of it to be there then.
    static func refill(_ story: Story) async throws {
        let store = try await story.directory.open()
        let before = try await Self.history(store)
        // Nothing is shown that had not been.
        let known = Set(Self.agreed(story.history))
        #expect(Self.agreed(before).allSatisfy { known.contains($0) })
        for (key, appends) in story.appends {
            let head = try await store.snapshot().logs[key]?.head.seq ?? 0
            var rest = Batch(number: 3)
            rest.appends = appends.compactMap { $0.run.suffix(from: head + 1) }
                .map { Append(run: $0, heldFrom: .max) }
            _ = try await store.commit(rest)
        }
        #expect(Self.agreed(try await Self.history(store)) == Self.agreed(story.history))
        let snapshot = try await store.snapshot()
        #expect(snapshot.logs == story.snapshot.logs && snapshot.members == story.snapshot.members)
        #expect(try await store.check().isEmpty)
        await store.close()
    }

    @Test("a key that was used for a message that was cut off counts again when it is back")
    func keys() async throws {
        let (story, _) = try await Self.story()
        do {
            let database = try Database(path: story.directory.database)
            let log =
                "(SELECT id FROM logs WHERE author = (SELECT id FROM authors "
                + "WHERE key = x'\(ada.id.key)'))"
            try database.execute("DELETE FROM entries WHERE log = \(log) AND seq = 3")
        }
        let repair = try Self.repair(story.directory)
        #expect(repair.cuts.map(\.kept) == [2] && repair.cuts.map(\.log.name.author) == [ada.id])
        #expect(repair.cuts.first.map { Int($0.lost) } == repair.strays + 1)
        try await Self.refill(story)
        let store = try await story.directory.open()
        for round in 0..<40 {
            #expect(
                try await store.lookUp(
                    idempotencyKey: "key \(round)", in: ops.conversation) != nil)
        }
        await store.close()
    }

    @Test("a log that was forked stays so, with its proof and what was shown of it")
    func forked() async throws {
        let (story, _) = try await Self.story()
        var store = try await story.directory.open()
        var left = LogWriter(eve, incarnation: 5)
        var right = left
        let start = left.append([text("start", at: 5_000)])
        _ = right.append([text("start", at: 5_000)])
        _ = try await store.commit(batch(start))
        let one = left.append([text("one", at: 5_001), text("more", at: 5_002)])
        let other = right.append([text("other", at: 5_001)])
        var fork = batch(one)
        _ = try await store.commit(fork)
        fork = Batch(number: 2)
        fork.proofs = [try #require(ForkProof(one.run, other.run))]
        _ = try await store.commit(fork)
        let history = try await Self.history(store)
        let logs = try await store.snapshot().logs
        await store.close()
        var bytes = try readFile(story.directory.database)
        for index in 0..<pageBytes { bytes[index] = 0xAA }
        try writeFile(story.directory.database, bytes)
        #expect(try Self.repair(story.directory).copy != nil)
        store = try await story.directory.open()
        #expect(try await Self.history(store) == history)
        #expect(try await store.snapshot().logs == logs)
        #expect(try await store.forkProof(left.key)?.point == 2)
        await store.close()
    }

    @Test("a sound store is found sound and left alone")
    func sound() async throws {
        let (story, _) = try await Self.story()
        let before = try readFile(story.directory.database)
        let report = try Self.check(story.directory)
        #expect(report.findings.isEmpty && report.logs == 4 && report.pages > 50)
        #expect(report.entries == story.history.count)
        #expect(try Self.repair(story.directory).copy == nil)
        #expect(try readFile(story.directory.database) == before)
        #expect(TestFiles.names(in: story.directory.data) == ["stoa.db"])
    }

    @Test("a flipped bit anywhere is named, and after a repair and a link all is as it was")
    func flipped() async throws {
        let (story, _) = try await Self.story()
        let before = try readFile(story.directory.database)
        var random = SeededRandom(seed: 21)
        for page in 0..<before.count / pageBytes {
            var damaged = before
            damaged[page * pageBytes + .random(in: 0..<pageBytes, using: &random)] ^=
                1 << UInt8.random(in: 0...7, using: &random)
            try writeFile(story.directory.database, damaged)
            let report = try Self.check(story.directory)
            #expect(report.damagedPages == [UInt32(page) + 1])
            #expect(try readFile(story.directory.database) == damaged)
            let repair = try Self.repair(story.directory)
            let copy = try #require(repair.copy, "page \(page + 1)")
            #expect(copy.hasPrefix(story.directory.database + ".damaged-then"))
            #expect(try readFile(copy) == damaged)
            // What is lost is named.
            let lost = repair.cuts.reduce(0) { $0 + Int($1.lost) }
            #expect(repair.entries + lost == story.history.count, "page \(page + 1)")
            #expect(lost == 0 || repair.damagedTables == ["entries"], "page \(page + 1)")
            unlink(copy)
            // Another file: own logs go on in a new incarnation.
            let store = try await story.directory.open()
            let snapshot = try await store.snapshot()
            #expect(
                snapshot.incarnation == nil
                    && snapshot.conversations == story.snapshot.conversations)
            await store.close()
            try await Self.refill(story)
        }
    }

    @Test(
        "of sectors that were overwritten the other rows are kept, and peers bring back the rest",
        arguments: 1...8)
    func rebuilt(seed: UInt64) async throws {
        let (story, _) = try await Self.story()
        var bytes = try readFile(story.directory.database)
        var random = SeededRandom(seed: seed)
        for _ in 0..<seed {
            let place = Int.random(in: 0..<bytes.count - 512, using: &random)
            for index in place..<place + 512 { bytes[index] = .random(in: 0...255, using: &random) }
        }
        try writeFile(story.directory.database, bytes)
        #expect(try !Self.check(story.directory).findings.isEmpty)
        let repair = try Self.repair(story.directory)
        #expect(repair.findings.isEmpty && repair.copy != nil)
        #expect(try Self.check(story.directory).findings.isEmpty)
        try await Self.refill(story)
    }

    @Test("a header that was overwritten costs the header, no message")
    func header() async throws {
        let (story, _) = try await Self.story()
        var bytes = try readFile(story.directory.database)
        for index in 0..<pageBytes { bytes[index] = UInt8(truncatingIfNeeded: index) }
        try writeFile(story.directory.database, bytes)
        #expect(try Self.check(story.directory).damagedPages == [1])
        let repair = try Self.repair(story.directory)
        #expect(repair.cuts.isEmpty && repair.entries == story.history.count)
        let store = try await story.directory.open()
        let history = try await Self.history(store)
        #expect(history == story.history)
        #expect(try await store.consumer("script") == Cursor(100))
        #expect(try await store.summaries().contains { $0.readCursor == Cursor(200) })
        #expect(try await store.lookUp(idempotencyKey: "key 7", in: ops.conversation) != nil)
        let snapshot = try await store.snapshot()
        #expect(
            snapshot.logs == story.snapshot.logs
                && snapshot.conversations == story.snapshot.conversations)
        #expect(snapshot.members == story.snapshot.members)
        #expect(Set(snapshot.records) == Set(story.snapshot.records))
        #expect(snapshot.peers == story.snapshot.peers)
        #expect(snapshot.people == [eve.id: .verified])
        await store.close()
    }

    @Test("of a small table or an index that is lost nothing is, but for what is only there")
    func smallTables() async throws {
        let (story, _) = try await Self.story()
        let before = try readFile(story.directory.database)
        var roots: [(name: String, page: Int)] = []
        do {
            let database = try Database(path: story.directory.database)
            try database.prepare("SELECT name, rootpage AS place FROM sqlite_master").forEach {
                (row) throws(SQLiteError) in
                roots.append((row.text(.name), Int(row.int(.place))))
            }
        }
        #expect(roots.count > 15)
        for (name, page) in roots {
            var bytes = before
            for index in (page - 1) * pageBytes..<page * pageBytes { bytes[index] = 0x5A }
            try writeFile(story.directory.database, bytes)
            let repair = try Self.repair(story.directory)
            // What was under the root of the entries is lost with it.
            if name == "entries" {
                #expect(repair.entries == 0 && repair.damagedTables == ["entries"])
                #expect(repair.cuts.reduce(0) { $0 + Int($1.lost) } == story.history.count)
                try await Self.refill(story)
                continue
            }
            #expect(repair.cuts.isEmpty && repair.strays == 0, "\(name): \(repair.cuts)")
            let store = try await story.directory.open()
            #expect(try await Self.history(store) == story.history, "\(name)")
            let snapshot = try await store.snapshot()
            #expect(snapshot.logs == story.snapshot.logs, "\(name)")
            #expect(snapshot.conversations == story.snapshot.conversations, "\(name)")
            #expect(snapshot.members == story.snapshot.members, "\(name)")
            await store.close()
        }
    }

    @Test("a file cut short, and one that lost its index, keep what is there")
    func cutShort() async throws {
        for share in [3, 2] {
            let (story, _) = try await Self.story()
            let bytes = try readFile(story.directory.database)
            let kept = bytes.count / pageBytes / share * pageBytes + 100
            try writeFile(story.directory.database, Array(bytes[..<kept]))
            #expect(try !Self.check(story.directory).findings.isEmpty)
            #expect(try Self.repair(story.directory).copy != nil)
            try await Self.refill(story)
        }
        let (story, _) = try await Self.story()
        do {
            let database = try Database(path: story.directory.database)
            try database.execute(
                "PRAGMA writable_schema = ON; DELETE FROM sqlite_master WHERE name = 'entries_by_time'"
            )
        }
        #expect(try !Self.check(story.directory).findings.isEmpty)
        let repair = try Self.repair(story.directory)
        #expect(repair.copy != nil && repair.cuts.isEmpty)
        try await Self.refill(story)
    }

    @Test("a file of which nothing can be read is left as it is, and the words say what to do")
    func nothing() async throws {
        let directory = try TemporaryDirectory()
        var random = SeededRandom(seed: 1)
        let bytes = (0..<40_960).map { _ in UInt8.random(in: 0...255, using: &random) }
        try writeFile(directory.database, bytes)
        let failure = #expect(throws: StoreFailure.self) { try Self.repair(directory) }
        #expect(failure?.reason == .corrupt && failure?.remedy.contains("identity.key") == true)
        #expect(try readFile(directory.database) == bytes)
        #expect(TestFiles.names(in: directory.data) == ["stoa.db"])
    }

    @Test("rows that were changed with their checksums are found, and the rest is kept")
    func changedRows() async throws {
        let changes = [
            "UPDATE entries SET payload = x'00' WHERE seq = 50",
            "UPDATE entries SET flags = flags | 4 WHERE seq = 3",
            "UPDATE entries SET attestation = zeroblob(64) WHERE seq = 7",
            "UPDATE entries SET hlc = hlc + 1 WHERE seq = 9",
            "UPDATE entries SET conversation = 3 - conversation WHERE seq = 4",
            "DELETE FROM entries WHERE seq = 20", "UPDATE logs SET seq = seq - 1 WHERE id = 2",
            "UPDATE logs SET shown = 0",
            "DELETE FROM members", "UPDATE members SET present = 1 - present",
            "UPDATE conversations SET unread = unread + 1",
            "UPDATE conversations SET shown = shown + 1",
            "UPDATE conversations SET name = 'oops' WHERE name = 'ops'",
            "INSERT INTO ids VALUES (1, 2)", "UPDATE indexing SET indexed = 9, until = 9",
            "UPDATE indexing SET indexed = -1", "DELETE FROM indexing",
            "UPDATE sends SET seq = seq + 1", "UPDATE consumers SET cursor = 1000000",
            "UPDATE records SET record = zeroblob(90)", "UPDATE peers SET addresses = x'05'",
            "UPDATE authors SET key = zeroblob(31) WHERE id = 1", "DELETE FROM state",
        ]
        let (story, _) = try await Self.story()
        let before = try readFile(story.directory.database)
        for change in changes {
            try writeFile(story.directory.database, before)
            do { try Database(path: story.directory.database).execute(change) }
            #expect(try !Self.check(story.directory).findings.isEmpty, "\(change)")
            let repair = try Self.repair(story.directory)
            #expect(repair.copy != nil && repair.findings.isEmpty, "\(change)")
            #expect(try Self.check(story.directory).findings.isEmpty, "\(change)")
            try await Self.refill(story)
        }
    }

    @Test(
        "a repair that a crash ended before the new file had its place is ended by the next start")
    func interrupted() async throws {
        let (story, _) = try await Self.story()
        let bytes = try readFile(story.directory.database)
        // What is there between the two renames: the new file, and an old one with its log.
        try writeFile(story.directory.database + ".repaired", bytes)
        try writeFile(story.directory.database, Array(bytes.prefix(8_192)))
        try writeFile(story.directory.database + "-wal", [1, 2, 3])
        // And what it worked with, which may be from before anything was sealed.
        for name in [".scratch", ".scratch-wal", ".first", ".salvage", ".repairing"] {
            try writeFile(story.directory.database + name, bytes)
        }
        let store = try await story.directory.open()
        #expect(try await Self.history(store) == story.history)
        await store.close()
        #expect(TestFiles.names(in: story.directory.data) == ["stoa.db"])
    }
}
