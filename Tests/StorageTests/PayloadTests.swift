import Crypto
import Engine
import Formats
import Testing

@testable import Storage

@Suite("Payloads that come after their entries") struct PayloadTests {
    /// Two messages of bob's of which the second came without its payload.
    private static func stored(
        in store: MessageStore
    ) async throws -> (log: LogWriter, run: Run, payload: [UInt8]) {
        var log = LogWriter(bob)
        let whole = log.run([text("one", at: 1), text("two", at: 2), text("three", at: 3)])
        var entries = whole.run.entries
        guard case .present(let payload) = entries[1].payload else {
            throw SQLiteError.damaged("a text has a payload")
        }
        entries[1].payload = entries[1].payload.omitted
        let run = VerifiedRun(
            run: Run(
                key: log.key, first: 1, prev: nil, attestation: whole.run.attestation,
                entries: entries), ids: whole.ids)
        _ = try await store.commit(batch(Append(run: run, heldFrom: .max)))
        return (log, whole.run, payload)
    }

    private static func fill(_ key: LogKey, _ payload: [UInt8]) -> Batch {
        var batch = Batch(number: 2)
        let reading = Keyring().read(
            Envelope(plain: payload, entryClass: 2, in: ops.conversation))
        let verdict = EntryVerdict(of: reading, in: somebody)
        batch.fills = [PayloadFill(key: key, seq: 2, payload: payload, verdict: verdict)]
        return batch
    }

    private static func history(_ store: MessageStore) async throws -> [String] {
        texts(
            try await store.history(HistoryQuery(conversation: ops.conversation, limit: 9)).entries)
    }

    @Test("an entry without its payload is served, counted and checked, and not shown")
    func absent() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        let (log, run, _) = try await Self.stored(in: store)
        let served = try #require(try await store.run(log.key, from: 1, through: 3))
        #expect(served.ids == run.ids && served != run)
        #expect(try await Self.history(store) == ["one", "three"])
        #expect(try await store.summaries().first?.unread == 2)
        #expect(try await store.check().isEmpty)
        let stored = try await store.payloads(log.key, from: 1, through: 9)
        #expect(stored.map(\.state) == [.present, .wanted, .present])
        #expect(stored.map(\.prev) == [nil, run.ids[0], run.ids[1]])
        #expect(try await store.payloads(log.key, from: 4, through: 9).isEmpty)
        #expect(try await store.snapshot().logs[log.key]?.wanted.all == [2...2])
    }

    @Test("what the user read ends before what came later, and goes on once that is read")
    func unread() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        let (log, _, payload) = try await Self.stored(in: store)
        func read(_ number: UInt64) async throws -> UInt64? {
            var batch = Batch(number: number)
            batch.reads = [ops.conversation: Cursor(.max)]
            return try await store.commit(batch).reads[ops.conversation]?[log.key.name]
        }
        func known() async throws -> UInt64? {
            try await store.snapshot().positions[log.key]?[ada.id]?.read
        }
        #expect(try await read(2) == 3)
        _ = try await store.commit(Self.fill(log.key, payload))
        #expect(try await known() == 1)
        #expect(try await read(3) == 3)
        #expect(try await known() == 3)
        #expect(try await store.check().isEmpty)
    }

    @Test("its payload puts it in its place, under a new cursor, once")
    func filled() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        let (log, run, payload) = try await Self.stored(in: store)
        let outcome = try await store.commit(Self.fill(log.key, payload))
        #expect(texts(outcome.filled) == ["two"])
        #expect(outcome.filled.map(\.cursor) == [Cursor(4)])
        #expect(try await Self.history(store) == ["one", "two", "three"])
        #expect(try await store.summaries().first?.unread == 3)
        #expect(try await store.run(log.key, from: 1, through: 3) == run)
        #expect(try await store.entry(run.ids[1])?.cursor == Cursor(4))
        #expect(texts(try await store.entries(after: Cursor(3), limit: 9).entries) == ["two"])
        #expect(try await store.snapshot().logs[log.key]?.wanted.isEmpty == true)
        #expect(try await store.check().isEmpty)
        let again = try await store.commit(Self.fill(log.key, payload))
        #expect(again.filled.isEmpty)
        #expect(try await store.newestCursor() == Cursor(4))
    }

    private static func target(_ run: Run, _ seq: UInt64) -> EntryTarget {
        EntryTarget(log: run.key.name, seq: seq, id: run.ids[Int(seq) - 1])
    }

    // Shows: shown.deleted
    @Test("an erased payload is gone, with what was counted of it, and the log is as it was")
    func erased() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        let (log, run, payload) = try await Self.stored(in: store)
        let targets = [Self.target(run, 1), Self.target(run, 2)]
        var next = batch(erasing(targets, by: bob, 7), number: 2)
        next.time = 77
        let before = Cursor(try await store.newestCursor().rawValue + 1)
        let outcome = try await store.commit(next)
        #expect(outcome.erased.map(\.target) == targets && outcome.hasErased)
        // Who was shown it is told; nobody was shown the second.
        let notice = Notice(.erased(log.key.conversation, run.ids[0], by: bob.id), at: 77)
        let told = StoredNotice(cursor: Cursor(before.rawValue + 1), notice: notice)
        #expect(outcome.ownNotices == [told])
        let read = try await store.entries(after: before, limit: 9, withNotices: true)
        #expect(read.notices == [told])
        let again = batch(erasing(targets, by: bob, 8), number: 3)
        #expect(try await store.commit(again).ownNotices.isEmpty)
        #expect(try await Self.history(store) == ["three"])
        #expect(try await store.summaries().first?.unread == 1)
        #expect(try await store.run(log.key, from: 1, through: 3)?.ids == run.ids)
        let states = try await store.payloads(log.key, from: 1, through: 3).map(\.state)
        #expect(states == [.erased, .erased, .present])
        // What is erased is not wanted, nor taken when it comes.
        #expect(try await store.snapshot().logs[log.key]?.wanted.isEmpty == true)
        #expect(try await store.commit(Self.fill(log.key, payload)).filled.isEmpty)
        #expect(try await store.check().isEmpty)
    }

    @Test(
        "what an entry wants erased never reaches the disk when it comes later, whoever else names what"
    )
    func early() async throws {
        let directory = try TemporaryDirectory()
        var store = try await directory.open()
        var log = LogWriter(bob)
        let append = log.append([text("secret-one", at: 1), text("two", at: 2)])
        let target = Self.target(append.run.run, 1)
        _ = try await store.commit(batch(erasing([target], by: bob, 7)))
        // Strangers name more entries than any list of those that wait would hold.
        for number in 0..<300 {
            let name = LogName(author: eve.id, incarnation: UInt64(number))
            let targets = (UInt64(1)...64).map { EntryTarget(log: name, seq: $0, id: target.id) }
            _ = try await store.commit(batch(erasing(targets, by: eve, 100 + UInt64(number))))
        }
        await store.close()
        store = try await directory.open()
        let outcome = try await store.commit(batch(append))
        #expect(outcome.erased.map(\.target) == [target] && outcome.ownNotices.isEmpty)
        #expect(try await Self.history(store) == ["two"])
        #expect(try await store.summaries().first?.unread == 1)
        #expect(try await store.check().isEmpty)
        // Nor when its log has given way and comes again.
        var dropping = Batch(number: 400)
        dropping.drops = [log.key]
        _ = try await store.commit(dropping)
        #expect(try await store.commit(batch(append)).erased.map(\.target) == [target])
        _ = await store.emptyLog()
        #expect(try readFile(directory.database).firstRange(of: Array("secret-one".utf8)) == nil)
    }

    @Test("what a log wanted erased goes with it, and comes with it again")
    func dropped() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var log = LogWriter(bob)
        let append = log.append([text("one", at: 1), text("two", at: 2)])
        let eraser = erasing([Self.target(append.run.run, 1)], by: bob, 7)
        _ = try await store.commit(batch(eraser))
        var dropping = Batch(number: 2)
        dropping.drops = [eraser.run.run.key]
        _ = try await store.commit(dropping)
        #expect(try await store.commit(batch(append)).erased.isEmpty)
        #expect(try await Self.history(store) == ["one", "two"])
        #expect(try await store.commit(batch(eraser)).erased.count == 1)
        #expect(try await Self.history(store) == ["two"])
        #expect(try await store.check().isEmpty)
    }

    @Test("the author of a log that gives way goes with it, or at the next start")
    func invented() throws {
        let directory = try TemporaryDirectory()
        func open() throws -> StoreFile {
            try StoreFile(
                directory: directory.data, continuity: directory.continuity, owner: ada.id,
                safe: safe,
                identify: fileIdentity)
        }
        func authors(_ store: StoreFile) throws -> Int64 {
            try store.database.int("SELECT count(*) FROM authors")
        }
        do {
            var (log, other) = (LogWriter(bob), LogWriter(eve))
            let store = try open()
            let targets = (UInt8(0)..<64).compactMap { byte in
                Bytes32([UInt8](repeating: byte, count: 32)).map { key in
                    EntryTarget(
                        log: LogName(author: PeerID(key), incarnation: 1), seq: 1,
                        id: EntryID(key))
                }
            }
            _ = try store.commit(
                batch(
                    log.append([text("one", at: 1), entry(.erase(targets), at: time(2))]),
                    other.append([text("two", at: 2)])))
            // Whom an erasure names is nobody here.
            #expect(try authors(store) == 2)
            var dropping = Batch(number: 3)
            dropping.drops = [other.key]
            _ = try store.commit(dropping)
            #expect(try authors(store) == 1)
            #expect(store.check().isEmpty)
            try store.database.execute("INSERT INTO authors (key) VALUES (randomblob(32))")
        }
        let store = try open()
        try store.countStart()
        #expect(try authors(store) == 1)
        #expect(store.check().isEmpty)
    }

    @Test("what is older expires in parts, with what was counted of it, and the log is as it was")
    func expired() async throws {
        let directory = try TemporaryDirectory()
        var store = try await directory.open()
        var log = LogWriter(bob)
        // At one time and at many, more than one batch takes; the first one is a control entry.
        let count = Limits.expiredPerBatch + 10
        var runs: [Run] = []
        var left = 0..<count
        while !left.isEmpty {
            let part = left.prefix(100)
            left = left.dropFirst(100)
            let run = log.run(part.map { text("text \($0)", at: UInt64($0) + 1) })
            runs.append(run.run)
            _ = try await store.commit(batch(Append(run: run, heldFrom: .max)))
        }
        var step = Expiry(
            conversation: ops.conversation, .before(try #require(runs.last?.entries.last?.time)))
        var parts: [Int] = []
        var position: ExpiryPosition?
        repeat {
            var batch = Batch(number: 2)
            step.after = position
            batch.expiry = step
            let outcome = try #require(try await store.commit(batch).expired)
            parts.append(outcome.entries.count)
            position = outcome.next
        } while position != nil
        #expect(parts == [Limits.expiredPerBatch, 9])
        #expect(try await store.summaries().first?.unread == 1)
        #expect(try await Self.history(store) == ["text \(count - 1)"])
        for run in runs {
            let served = try await store.run(log.key, from: run.first, through: run.last)
            #expect(served?.ids == run.ids)
        }
        await store.close()
        store = try await directory.open()
        let states = try await store.payloads(log.key, from: 1, through: 9).map(\.state)
        #expect(states == [PayloadState](repeating: .expired, count: 9))
        #expect(try await store.snapshot().logs[log.key]?.wanted.isEmpty == true)
        #expect(try await store.check().isEmpty)
    }

    @Test("control entries and what is held do not expire; what is wanted does")
    func notExpired() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var log = LogWriter(bob)
        let run = log.run([
            entry(.leave, at: time(1)), text("one", at: 2), text("two", at: 3),
            text("ahead", at: 4),
        ])
        var entries = run.run.entries
        entries[2].payload = entries[2].payload.omitted
        let deprived = VerifiedRun(
            run: Run(
                key: log.key, first: 1, prev: nil, attestation: run.run.attestation,
                entries: entries), ids: run.ids)
        _ = try await store.commit(batch(Append(run: deprived, heldFrom: 3)))
        var batch = Batch(number: 2)
        batch.expiry = Expiry(conversation: ops.conversation, .before(HybridTime(.max)))
        let outcome = try #require(try await store.commit(batch).expired)
        #expect(outcome.entries.map(\.seq) == [2, 3] && outcome.next == nil)
        let states = try await store.payloads(log.key, from: 1, through: 4).map(\.state)
        #expect(states == [.present, .expired, .expired, .present])
        #expect(try await store.check().isEmpty)
        // Another conversation, and one that nobody knows, have nothing.
        batch.number = 3
        batch.expiry = Expiry(
            conversation: ConversationID(run.ids[0].hash), .before(HybridTime(.max)))
        #expect(try await store.commit(batch).expired == ExpiryOutcome(entries: [], next: nil))
    }

    @Test("what streams brought goes, but nothing that a durable consumer has not acknowledged")
    func streams() async throws {
        let directory = try TemporaryDirectory()
        var store = try await directory.open()
        var log = LogWriter(bob)
        let name = try #require(StreamName("dump"))
        let pieces = try (0..<3).map { number in
            entry(
                .stream(
                    try #require(
                        StreamPiece(
                            name: name, session: 1, offset: UInt64(number), bytes: [7]))),
                at: time(UInt64(number) + 2))
        }
        let run = log.run([text("no stream", at: 1)] + pieces)
        let cursors = try await store.commit(batch(Append(run: run, heldFrom: .max))).cursors[0]
        #expect(try await store.snapshot().streams == [ops.conversation])
        let used = try #require(try await store.usage(limit: 9).first)
        #expect(used.streamBytes > 0 && used.streamBytes < used.bytes)
        /// Has all go that streams brought; the numbers of what went, and whether any is left.
        func expire(reading: Cursor? = nil) async throws -> (seqs: [UInt64], isLeft: Bool) {
            var batch = Batch(number: 2)
            batch.expiry = Expiry(
                conversation: ops.conversation, .streams(StreamBound(before: HybridTime(.max))))
            batch.expiry?.readThrough = reading
            let outcome = try #require(try await store.commit(batch).expired)
            return (outcome.entries.map(\.seq), outcome.isStreamLeft)
        }
        // One consumer reads this conversation, another one all.
        try await store.acknowledge(
            consumer: "here", in: ops.conversation, cursor: try #require(cursors[2]))
        try await store.acknowledge(consumer: "all", cursor: try #require(cursors[1]))
        var gone = try await expire()
        #expect(gone.seqs == [2] && gone.isLeft)
        #expect(try await store.removeConsumer("all"))
        // A client still reads at the place where it was.
        gone = try await expire(reading: cursors[1])
        #expect(gone.seqs.isEmpty && gone.isLeft)
        gone = try await expire()
        #expect(gone.seqs == [3] && gone.isLeft)
        #expect(try await store.removeConsumer("here"))
        gone = try await expire()
        #expect(gone.seqs == [4] && !gone.isLeft)
        #expect(try await store.snapshot().streams.isEmpty)
        #expect(try await store.usage(limit: 9).first?.streamBytes == 0)
        #expect(try await Self.history(store) == ["no stream"])
        #expect(try await store.check().isEmpty)
        await store.close()
        // A file of before there was an index of streams gets it.
        try Database(path: directory.database).execute("DROP INDEX entries_of_streams")
        store = try await directory.open()
        #expect(try await store.snapshot().streams.isEmpty)
    }

    @Test("many bytes expire in parts, too, at least one payload at a time")
    func expiredBytes() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var log = LogWriter(bob)
        let large = String(repeating: "x", count: 60_000)
        for number in UInt64(1)...20 {
            let run = log.run([text(large, at: number)])
            _ = try await store.commit(batch(Append(run: run, heldFrom: .max)))
        }
        var batch = Batch(number: 2)
        batch.expiry = Expiry(conversation: ops.conversation, .before(HybridTime(.max)))
        let outcome = try #require(try await store.commit(batch).expired)
        #expect(outcome.entries.count == 18 && outcome.next != nil)
    }

    @Test("what is above a number of bytes goes, the oldest first and no more than that")
    func expiredSize() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var log = LogWriter(bob)
        var elsewhere = LogWriter(eve, room("dev"))
        for number in UInt64(1)...10 {
            let words = String(repeating: "x", count: 1_000) + "\(number)"
            _ = try await store.commit(
                batch(log.append([text(words, at: number)])))
            _ = try await store.commit(batch(elsewhere.append([text(words, at: number)])))
        }
        let usage = try await store.usage(limit: 9)
        #expect(usage.map(\.entries) == [10, 10] && usage[0].bytes == usage[1].bytes)
        #expect(try await store.usage(limit: 1).count == 1)
        let one = usage[0].bytes / 10
        func expire(above bytes: Int) async throws -> ExpiryOutcome {
            var batch = Batch(number: 2)
            batch.expiry = Expiry(
                conversation: ops.conversation, .above(bytes: UInt64(bytes)))
            return try #require(try await store.commit(batch).expired)
        }
        #expect(try await expire(above: 10 * one + 100).entries.isEmpty)
        let outcome = try await expire(above: 7 * one + 100)
        #expect(outcome.entries.map(\.seq) == [1, 2, 3] && outcome.next == nil)
        #expect(try await Self.history(store).count == 7)
        #expect(try await expire(above: 7 * one + 100).entries.isEmpty)
        #expect(try await expire(above: 0).entries.count == 7)
        let left = try await store.usage(limit: 9)
        #expect(left.map(\.bytes) == [10 * one, 0] || left.map(\.bytes)[1] == 0)
        #expect(try await store.check().isEmpty)
    }

    // Shows: daemon.retention
    @Test(
        "what is above a number of bytes goes in the order of the steps, and joins count for nothing"
    )
    func expiredInSteps() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var (friend, strangers) = (LogWriter(bob), [LogWriter(eve), LogWriter(ada)])
        func words(_ letter: String) -> String { letter + String(repeating: "x", count: 1_000) }
        for number in UInt64(1)...5 {
            _ = try await store.commit(batch(friend.append([text(words("b"), at: number)])))
        }
        for index in strangers.indices {
            for number in UInt64(1)...(index == 0 ? 8 : 2) {
                let entry = text(words(index == 0 ? "e" : "a"), at: 10 + number)
                _ = try await store.commit(batch(strangers[index].append([entry])))
            }
        }
        let one = try #require(try await store.usage(limit: 1).first).bytes / 15
        for number in UInt64(1)...40 {
            var silent = LogWriter(eve, incarnation: 100 + number)
            _ = try await store.commit(batch(silent.append([entry(.join(nil), at: time(number))])))
        }
        #expect(try await store.usage(limit: 1).first?.bytes == 15 * one, "joins are not counted")
        let (eves, adas) = (strangers[0].key.name, strangers[1].key.name)
        let steps = [
            RetentionStep(shares: [eves: 0], most: [UInt64(3 * one)]),
            RetentionStep(shares: [eves: 0, adas: 0], most: [.max]),
            RetentionStep(shares: [friend.key.name: 0], most: [.max]),
        ]
        func left(above bytes: UInt64) async throws -> (kept: [Int], going: Int) {
            let expiry = Expiry(conversation: ops.conversation, .above(bytes: bytes), by: steps)
            let going = try await store.expiring(in: ops.conversation, before: nil, expiry).messages
            var (next, gone): (ExpiryPosition?, Int) = (ExpiryPosition(of: 0), 0)
            while let position = next {
                var batch = Batch(number: 2)
                batch.expiry = Expiry(
                    conversation: ops.conversation, .above(bytes: bytes), by: steps,
                    after: position)
                let outcome = try #require(try await store.commit(batch).expired)
                (next, gone) = (outcome.next, gone + outcome.entries.count)
            }
            #expect(gone == going, "what was said before is what went")
            let query = HistoryQuery(conversation: ops.conversation, limit: 99)
            let history = texts(try await store.history(query).entries)
            let counts = ["b", "e", "a"].map { letter in
                history.count { $0.hasPrefix(letter) && $0.count > 999 }
            }
            return (counts, going)
        }
        #expect(try await left(above: UInt64(15 * one)).kept == [5, 8, 2])
        #expect(try await left(above: UInt64(12 * one)).kept == [5, 5, 2])
        #expect(try await left(above: UInt64(6 * one)).kept.reduce(0, +) == 6)
        let last = try await left(above: UInt64(4 * one))
        #expect(last.kept == [4, 0, 0] && last.going == 2)
        // What is older goes whoever wrote it, and counts for the size as well.
        let bound = HybridTime(wallMilliseconds: 4)
        let older = try await store.expiring(
            in: ops.conversation, before: bound,
            Expiry(conversation: ops.conversation, .above(bytes: UInt64(2 * one)), by: steps))
        #expect(older.messages == 2)
        #expect(try await store.check().isEmpty)
    }

    @Test("what a conversation is about is what was said last, whatever comes in what order")
    func topic() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var (log, other) = (LogWriter(bob), LogWriter(eve))
        func topic() async throws -> Content? {
            try await store.summaries().first?.topic.flatMap {
                Message($0, by: Keyring())?.content
            }
        }
        _ = try await store.commit(batch(log.append([text("hi", at: 1)])))
        #expect(try await topic() == nil)
        _ = try await store.commit(batch(log.append([entry(.topic("late"), at: time(30))])))
        _ = try await store.commit(batch(other.append([entry(.topic("early"), at: time(20))])))
        #expect(try await topic() == .topic("late"))
        _ = try await store.commit(batch(other.append([entry(.topic(""), at: time(40))])))
        let ended = try await topic()
        #expect(ended == .topic("") && ended?.topic == nil)
        for (authors, said) in [([bob.id], "late"), ([eve.id, bob.id], ""), ([], nil)] {
            let counts = [ops.conversation: Set(authors)]
            let found = try await store.summaries(topicsBy: counts).first?.topic.flatMap {
                Message($0, by: Keyring())?.content
            }
            #expect(found == said.map { .topic($0) })
        }
        var blocked = Batch(number: 2)
        blocked.people = [eve.id: .blocked]
        _ = try await store.commit(blocked)
        #expect(try await topic() == .topic("late"))
        #expect(try await store.check().isEmpty)
    }
}
