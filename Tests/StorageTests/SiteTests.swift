import Crypto
import Engine
import Formats
import Testing

@testable import Storage

@Suite("Runs for other sites") struct SiteTests {
    private static func ends(_ found: ArrivedRuns) -> [UInt64] { found.runs.map(\.run.last) }

    @Test("come once each, in the order of their arrival, page by page")
    func pages() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        let (log, appends) = RunTests.log()
        for append in appends { _ = try await store.commit(batch(append)) }
        let ends: [UInt64] = [1, 3, 10, 138, 139, 200, 201]
        let all = try await store.runs(
            since: ArrivalPlace(), in: [log.key.conversation: .all], by: Keyring(),
            byteLimit: 1 << 20)
        #expect(Self.ends(all) == ends && all.isAll)
        #expect(all.runs.map(\.run.first) == [1, 2, 4, 11, 139, 140, 201])
        #expect(all.runs.allSatisfy { $0.run.verified() != nil && !$0.replaces })
        var place = ArrivalPlace()
        var found: [UInt64] = []
        for _ in 0..<20 {
            let page = try await store.runs(
                since: place, in: [log.key.conversation: .all], by: Keyring(), byteLimit: 1)
            #expect(page.runs.count <= 1, "one in any case")
            found += Self.ends(page)
            place = page.through
        }
        #expect(found == ends)
        let later = try await store.runs(
            since: ArrivalPlace(arrival: 1 << 40), in: [log.key.conversation: .all],
            by: Keyring(), byteLimit: 1 << 20)
        #expect(Self.ends(later) == ends, "a place of another time of the store")
        let foreign = try await store.runs(
            since: ArrivalPlace(), in: [log.key.conversation: .own], by: Keyring(),
            byteLimit: 1 << 20)
        #expect(foreign.runs.isEmpty && foreign.isAll, "of a room that was left the own alone")
        let none = try await store.runs(since: place, in: [:], by: Keyring(), byteLimit: 1 << 20)
        #expect(none.runs.isEmpty && none.isAll)
    }

    @Test("that somebody lacks are those of a log that are all here, within bounds")
    func again() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        let (log, appends) = RunTests.log()
        for append in appends { _ = try await store.commit(batch(append)) }
        func ends(_ first: UInt64, _ last: UInt64, bytes: Int = 1 << 20) async throws -> [UInt64] {
            try await store.runs(
                of: log.key, from: first, through: last, isGroup: false, by: Keyring(),
                byteLimit: bytes
            ).map(\.run.last)
        }
        #expect(try await ends(1, .max) == [1, 3, 10, 138, 139, 200, 201])
        #expect(try await ends(4, 138) == [10, 138])
        #expect(try await ends(5, 9).isEmpty)
        #expect(try await ends(2, 300, bytes: 1) == [3])
        let name = LogName(
            author: log.key.name.author, incarnation: log.key.name.incarnation + 1)
        let other = LogKey(conversation: log.key.conversation, name: name)
        let none = try await store.runs(
            of: other, from: 1, through: 10, isGroup: false, by: Keyring(), byteLimit: 1 << 20)
        #expect(none.isEmpty)
    }

    @Test("of other conversations are passed over")
    func others() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        for append in RunTests.log().appends { _ = try await store.commit(batch(append)) }
        let found = try await store.runs(
            since: ArrivalPlace(), in: [:], by: Keyring(), byteLimit: 1 << 20)
        #expect(found.runs.isEmpty && found.isAll)
        #expect(found.through.arrival > 0)
    }

    @Test("the opening of a group's log goes again under the key of the run behind it")
    func opening() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        let id = Bytes32([UInt8](repeating: 5, count: 32)) ?? .zero
        let key = try ConversationKey(
            EpochKey(id: id, key: id), suite: .xchacha20Poly1305, of: ops.conversation)
        var keyring = Keyring()
        keyring.use(key)
        let judge = LogsOfSomebody(keyring: keyring)
        var (log, random) = (LogWriter(bob), SystemRandomNumberGenerator())
        for number in UInt64(1)...3 {
            let content: Content = number == 1 ? .join(nil) : .text("\(number)")
            var next = entry(content, at: time(number))
            if number > 1 {
                next.seal(content, with: key, at: (log.key, number, log.head.id), using: &random)
            }
            let run = log.run([next])
            let (verdicts, person) = run.verdicts(by: judge, person: nil)
            _ = try await store.commit(
                batch(Append(run: run, verdicts: verdicts, person: person, heldFrom: .max)))
        }
        for (first, last, isGroup, ends) in [
            (1, 1, true, [1, 2]), (1, 1, false, [1]), (1, 2, true, [1, 2]), (2, 2, true, [1, 2]),
            (3, 3, true, [3]), (4, 9, true, []),
        ] as [(UInt64, UInt64, Bool, [UInt64])] {
            let found = try await store.runs(
                of: log.key, from: first, through: last, isGroup: isGroup, by: keyring,
                byteLimit: 1 << 20)
            #expect(found.map(\.run.last) == ends, "\(first) to \(last)")
            #expect(found.allSatisfy { $0.key == (isGroup ? id : nil) })
        }
    }

    /// A log with some texts in each run, of which the first is deleted by another one of the same person.
    private static func deleted(
        runs: Int, texts: Int, of bytes: Int
    ) -> (log: LogWriter, appends: [Append], deletion: Append) {
        var log = LogWriter(bob)
        var appends = [log.append([text("hi", at: 1)])]
        var targets: [EntryTarget] = []
        for _ in 0..<runs {
            let first = log.head.seq + 1
            let entries = (0..<UInt64(texts)).map {
                text(String(repeating: "x", count: bytes), at: first + $0)
            }
            let append = log.append(entries)
            targets.append(
                EntryTarget(log: log.key.name, seq: first, id: append.run.ids[0]))
            appends.append(append)
        }
        return (log, appends, erasing(targets, by: bob, 7))
    }

    @Test("a run of which a text is deleted takes the place of the whole, and the deletion follows")
    func emptied() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        let (log, appends, deletion) = Self.deleted(runs: 2, texts: 2, of: 9)
        for append in appends + [deletion] { _ = try await store.commit(batch(append)) }
        var foreign = erasing(
            [EntryTarget(log: log.key.name, seq: 3, id: log.ids[2])], by: eve, 1)
        foreign.person = PersonID(eve.id.key)
        _ = try await store.commit(batch(foreign))
        func found(
            _ key: LogKey, _ first: UInt64, _ last: UInt64, bytes: Int = 1 << 20
        ) async throws -> [String] {
            try await store.runs(
                of: key, from: first, through: last, isGroup: false, by: Keyring(),
                byteLimit: bytes
            ).map { "\($0.run.key.name.incarnation):\($0.run.last):\($0.replaces)" }
        }
        #expect(try await found(log.key, 1, 1) == ["1:1:false"])
        #expect(try await found(log.key, 1, 3) == ["1:1:false", "1:3:true", "7:1:false"])
        #expect(try await found(log.key, 4, 5) == ["1:5:true", "7:1:false"])
        #expect(try await found(log.key, 4, 5, bytes: 1) == ["1:5:true"])
        let key = deletion.run.run.key
        #expect(try await found(key, 1, 9) == ["1:3:true", "1:5:true", "7:1:false"])
        #expect(try await found(key, 1, 9, bytes: 1) == ["7:1:false"])
        let other = foreign.run.run.key
        #expect(try await found(other, 1, 9) == ["1:1:false"], "it deletes nothing")
    }

    @Test("what a run has emptied is read as far as there is room, and goes out page by page")
    func bounded() async throws {
        let directory = try TemporaryDirectory()
        var store = try await directory.open()
        let (log, appends, deletion) = Self.deleted(runs: 30, texts: 3, of: 8_000)
        for append in appends + [deletion] { _ = try await store.commit(batch(append)) }
        var (place, ends): (ArrivalPlace, [UInt64]) = (ArrivalPlace(), [])
        while true {
            let page = try await store.runs(
                since: place, in: [log.key.conversation: .all], by: Keyring(), byteLimit: 100_000)
            #expect(page.runs.reduce(0) { $0 + $1.run.encoded.count } <= 100_000)
            ends += Self.ends(page)
            guard page.through != place else { break }
            place = page.through
        }
        let texts = (1...30).map { UInt64(1 + 3 * $0) }
        #expect(ends == [1] + texts + texts + [1])
        await store.close()
        // From here on none of it can be read. An emptied payload counts as if it were there.
        do {
            try Database(path: directory.database).execute(
                "UPDATE entries SET payload = zeroblob(8) WHERE seq > 30 AND payload NOT NULL")
        }
        store = try await directory.open()
        let key = deletion.run.run.key
        let found = try await store.runs(
            of: key, from: 1, through: 1, isGroup: false, by: Keyring(), byteLimit: 100_000)
        #expect(found.map(\.run.last) == texts.prefix(3) + [1])
        #expect(found.reduce(0) { $0 + $1.run.encoded.count } <= 100_000)
        await #expect(throws: StoreFailure.self) {
            try await store.runs(
                of: key, from: 1, through: 1, isGroup: false, by: Keyring(), byteLimit: 1 << 20)
        }
    }
}
