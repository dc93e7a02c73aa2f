import Crypto
import Engine
import Formats
import TestSupport
import Testing

@testable import Storage

@Suite("Edits and reactions in the store") struct ReferenceTests {
    /// Ada's two devices, bob and eve write, each in a log of a device.
    private struct Story {
        static let adasOther = Person(4)
        var logs: [LogWriter] = [
            LogWriter(ada), LogWriter(Self.adasOther), LogWriter(bob), LogWriter(eve),
        ]
        /// The appends of each log, in its order.
        var appends: [[Append]] = [[], [], [], []]
        var clock: UInt64 = 0

        /// Each log begins with a run of its own, as they all do.
        init() { for log in self.logs.indices { self.write(.join(nil), in: log) } }

        static func person(of log: Int) -> PersonID {
            PersonID(Bytes32([UInt8](repeating: UInt8(max(1, log)), count: 32)) ?? .zero)
        }

        /// Writes an entry into a log, and names it.
        @discardableResult
        mutating func write(_ content: Content, in log: Int) -> EntryTarget {
            self.clock += 1
            let run = self.logs[log].run([
                Entry(
                    entryClass: content.entryClass, time: time(self.clock), deps: [],
                    payload: .present(payload(content)))
            ])
            var append = Append(run: run, heldFrom: .max)
            append.person = Self.person(of: log)
            self.appends[log].append(append)
            return EntryTarget(log: run.run.key.name, seq: run.run.first, id: run.ids[0])
        }

        mutating func erase(_ target: EntryTarget, by log: Int) {
            self.write(.erase([target]), in: log)
        }
    }

    /// What a check finds, but for whose logs they are: the judge of these tests knows one person.
    private static func faults(_ store: MessageStore) async throws -> [CheckFinding] {
        try await store.check(by: LogsOfSomebody()).filter {
            $0.text != "the log's owner is recorded wrong"
        }
    }

    private static func lines(_ store: MessageStore) async throws -> [String] {
        let page = try await store.history(
            HistoryQuery(conversation: ops.conversation, limit: 1_000))
        return page.entries.compactMap { Message($0, by: Keyring()) }
            .filter { $0.content.text != nil }.map { message in
                let signs = ReactionCount.count(message.reactions) { device in
                    device == Story.adasOther.id ? Story.person(of: 1) : PersonID(device.key)
                } isKnown: { _ in
                    false
                }
                return "\(message.content.text ?? "") \(message.edited?.rawValue ?? 0) "
                    + signs.map { "\($0.sign)\($0.people.count)" }.joined(separator: ",")
            }
    }

    @Test("an edit is shown in its message's place, and what people make of it beside it")
    func shown() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var story = Story()
        let first = story.write(.text("lunhc?"), in: 0)
        story.write(.text("yes"), in: 2)
        story.write(.edit("lunch?", of: first), in: 1)
        let reaction = try #require(Reaction("ok", to: first))
        story.write(.reaction(reaction), in: 2)
        for append in story.appends.joined() { _ = try await store.commit(batch(append)) }
        let found = try await Self.lines(store)
        #expect(found == ["lunch? \(time(7).rawValue) ok1", "yes 0 "])
        let arrivals = try await store.entries(after: Cursor(0), limit: 9)
        #expect(arrivals.entries.compactMap { Message($0, by: Keyring()) }.count == 8)
        let last = try await store.summaries().first?.lastMessage
        #expect(last.flatMap { Message($0, by: Keyring()) }?.content == .text("yes"))
        #expect(try await store.summaries().first?.unread == 1)
        #expect(try await Self.faults(store).isEmpty)
    }

    // Shows: shown.edit
    @Test("an edit by somebody else, or of what stands with a message, changes nothing")
    func refused() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var story = Story()
        let first = story.write(.text("one"), in: 0)
        let edit = story.write(.edit("two", of: first), in: 0)
        story.write(.edit("fooled", of: first), in: 3)
        story.write(.edit("three", of: edit), in: 0)
        var elsewhere = first
        elsewhere.seq = 3
        story.write(.edit("four", of: elsewhere), in: 0)
        elsewhere = first
        elsewhere.id = EntryID(Bytes32([UInt8](repeating: 1, count: 32)) ?? .zero)
        story.write(.edit("five", of: elsewhere), in: 0)
        for append in story.appends.joined() { _ = try await store.commit(batch(append)) }
        #expect(try await Self.lines(store) == ["two \(time(6).rawValue) "])
    }

    @Test("a message that is taken back takes its edits along, also those that come later")
    func erased() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var story = Story()
        let first = story.write(.text("secret-one"), in: 0)
        story.write(.edit("secret-two", of: first), in: 0)
        story.write(.edit("secret-three", of: first), in: 1)
        story.erase(first, by: 0)
        var outcome: BatchOutcome?
        for append in story.appends[0] { outcome = try await store.commit(batch(append)) }
        #expect(outcome?.erased.count == 2 && outcome?.ownNotices.count == 1)
        for append in story.appends[1] {
            let late = try await store.commit(batch(append))
            #expect(late.erased.count == (append.run.run.first == 1 ? 0 : 1))
        }
        #expect(try await Self.lines(store).isEmpty)
        #expect(try await Self.faults(store).isEmpty)
        _ = await store.emptyLog()
        let bytes = try readFile(directory.database)
        for word in ["secret-one", "secret-two", "secret-three"] {
            #expect(bytes.firstRange(of: Array(word.utf8)) == nil, "\(word)")
        }
    }

    @Test("what goes with a message that is taken back is the edits by its author, on any device")
    func edits() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var story = Story()
        let first = story.write(.text("one"), in: 0)
        let edits =
            [story.write(.edit("two", of: first), in: 0)]
            + [story.write(.edit("three", of: first), in: 1)]
        story.write(.edit("by somebody else", of: first), in: 3)
        for append in story.appends.joined() { _ = try await store.commit(batch(append)) }
        let found = try await store.latestEdits(of: first, in: ops.conversation)
        #expect(found == edits.reversed())
        #expect(try await store.latestEdits(of: edits[0], in: ops.conversation).isEmpty)
        let count = story.appends[0].count
        let more = (0..<30).map { story.write(.edit("\($0)", of: first), in: 0) }
        for append in story.appends[0].dropFirst(count) {
            _ = try await store.commit(batch(append))
        }
        let latest = try await store.latestEdits(of: first, in: ops.conversation)
        #expect(latest == Array(more.reversed().prefix(Limits.ownEraseTargets - 1)))
    }

    // Shows: shown.edit
    @Test(
        "whatever comes first, all stores show the same in the end",
        arguments: 1...40 as ClosedRange<UInt64>)
    func order(_ seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        var story = Story()
        var targets: [(target: EntryTarget, log: Int)] = []
        for number in 0..<40 {
            let log = Int.random(in: 0..<4, using: &random)
            let about = targets.randomElement(using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0...3: targets.append((story.write(.text("t\(number)"), in: log), log))
            case 4...6:
                guard let about else { continue }
                story.write(.edit("e\(number)", of: about.target), in: log)
            case 7, 8:
                guard let about,
                    let reaction = Reaction(
                        ["ok", "no"].randomElement(using: &random) ?? "", to: about.target,
                        isWithdrawn: Bool.random(using: &random))
                else { continue }
                story.write(.reaction(reaction), in: log)
            default:
                guard let about, about.log != 3 else { continue }
                story.erase(about.target, by: about.log)
            }
        }
        var found: [[String]] = []
        for _ in 0..<3 {
            let directory = try TemporaryDirectory()
            let store = try await directory.open()
            try await Self.commit(story, to: store, using: &random)
            found.append(try await Self.lines(store))
            #expect(try await Self.faults(store).isEmpty)
        }
        #expect(found[0] == found[1] && found[1] == found[2])
        #expect(!found[0].contains { $0.hasPrefix("fooled") })
    }

    @Test(
        "on each page stands with a message what stands with it alone",
        arguments: 1...12 as ClosedRange<UInt64>)
    func pages(_ seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var story = Story()
        // More logs than a page walks beside, in some of the runs.
        for number in 5..<UInt8.random(in: 5...20, using: &random) {
            story.logs.append(LogWriter(Person(number)))
            story.appends.append([])
            story.write(.join(nil), in: story.logs.count - 1)
        }
        var targets: [(target: EntryTarget, log: Int)] = []
        for number in 0..<120 {
            let log = story.logs.indices.randomElement(using: &random) ?? 0
            targets.append((story.write(.text("t\(number)"), in: log), log))
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                guard let about = targets.suffix(20).randomElement(using: &random) else { continue }
                if Bool.random(using: &random) {
                    story.write(.edit("e\(number)", of: about.target), in: about.log)
                } else if let reaction = Reaction("ok", to: about.target) {
                    let writer = story.logs.indices.randomElement(using: &random) ?? 0
                    story.write(.reaction(reaction), in: writer)
                }
            }
        }
        try await Self.commit(story, to: store, using: &random)
        var alone: [EntryID: Set<StoredEntry>] = [:]
        for target in targets {
            let entry = try #require(try await store.entry(target.target.id))
            alone[entry.id] = Set(entry.references)
        }
        #expect(alone.values.contains { $0.count > 1 } && alone.values.contains { $0.isEmpty })
        func agree(_ entries: [StoredEntry]) -> Bool {
            entries.allSatisfy { alone[$0.id].map { [$0] } ?? [[]] == [Set($0.references)] }
        }
        for limit in [1, 7, 50, 200] {
            var query = HistoryQuery(conversation: ops.conversation, limit: limit)
            var seen = 0
            while true {
                let page = try await store.history(query)
                #expect(agree(page.entries))
                seen += page.entries.count
                guard page.hasMore, let first = page.entries.first else { break }
                query.direction = .before(
                    DisplayPosition(time: first.time, name: first.key.name, seq: first.seq))
            }
            #expect(seen == targets.count + story.logs.count)
            query.direction = .first
            let page = try await store.history(query)
            #expect(agree(page.entries) && page.entries.count == min(limit, seen))
        }
        let all = try await store.entries(after: Cursor(0), limit: 1_000)
        #expect(agree(all.entries))
        let messages = try await store.entries(after: Cursor(0), limit: 1_000, withBeside: false)
        #expect(agree(messages.entries) && messages.through == all.through)
        #expect(messages.entries.count == targets.count + story.logs.count)
        #expect(all.entries.count > messages.entries.count)
    }

    /// Commits the logs in any order between them.
    private static func commit(
        _ story: Story, to store: MessageStore, using random: inout SeededRandom
    ) async throws {
        var left = story.appends.map { Array($0.reversed()) }
        var number: UInt64 = 1
        while left.contains(where: { !$0.isEmpty }) {
            number += 1
            var batch = Batch(number: number)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let log = left.indices.filter { !left[$0].isEmpty }.randomElement(using: &random)
                guard let log, let append = left[log].popLast() else { continue }
                batch.appends.append(append)
            }
            _ = try await store.commit(batch)
        }
    }

    @Test("of one log the latest reactions count, and of strangers as many as may be read at once")
    func bounds() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var story = Story()
        let first = story.write(.text("one"), in: 0)
        for number in 1...40 {
            let reaction = try #require(Reaction("s\(number)", to: first))
            story.write(.reaction(reaction), in: 2)
        }
        for append in story.appends.joined() { _ = try await store.commit(batch(append)) }
        let entry = try #require(
            try await store.history(HistoryQuery(conversation: ops.conversation, limit: 5)).entries
                .last)
        #expect(entry.references.count == Limits.referencesPerLog)
        let message = try #require(Message(entry, by: Keyring()))
        let counts = ReactionCount.count(message.reactions, person: { _ in nil }) { _ in false }
        #expect(counts.map(\.sign) == (25...40).map { "s\($0)" })
        #expect(try await Self.faults(store).isEmpty)
    }

    @Test(
        "of more than are looked at the same count, whatever came first, and those of known people",
        arguments: 1...4 as ClosedRange<UInt64>)
    func flooded(_ seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        var story = Story()
        let first = story.write(.text("first words"), in: 0)
        story.write(.edit("the right words", of: first), in: 1)
        story.write(.reaction(try #require(Reaction("mine", to: first))), in: 2)
        let count = Limits.references / Limits.referencesPerLog + 8
        var appends = try Self.crowd(
            count, saying: Limits.referencesPerLog + 4, of: first, at: story.clock + 10)
        for number in 0..<count {
            var log = LogWriter(Person(UInt8(20 + number)))
            let edits = (0..<20).map { edit in
                entry(.edit("fooled", of: first), at: time(story.clock + 10 + UInt64(edit)))
            }
            appends.append(log.append(edits))
        }
        var found: [[EntryID]] = []
        for _ in 0..<2 {
            let directory = try TemporaryDirectory()
            let store = try await directory.open()
            var knowing = Batch(number: 1)
            knowing.people = [bob.id: .known]
            _ = try await store.commit(knowing)
            let early = appends.shuffled(using: &random)
            let isFirst = found.isEmpty
            for append in isFirst ? early : [] { _ = try await store.commit(batch(append)) }
            try await Self.commit(story, to: store, using: &random)
            for append in isFirst ? [] : early { _ = try await store.commit(batch(append)) }
            let entry = try #require(try await store.entry(first.id))
            let message = try #require(Message(entry, by: Keyring()))
            #expect(message.content.text == "the right words")
            #expect(message.reactions.contains { $0.author == bob.id })
            #expect(message.reactions.count > Limits.references / 2)
            found.append(entry.references.map(\.id))
            #expect(try await Self.faults(store).isEmpty)
        }
        #expect(Set(found[0]) == Set(found[1]) && found[0].count == found[1].count)
    }

    @Test("what came before its message is told behind it, and the message with it")
    func told() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var story = Story()
        let first = story.write(.text("lunhc?"), in: 0)
        story.write(.edit("lunch?", of: first), in: 1)
        story.write(.reaction(try #require(Reaction("ok", to: first))), in: 2)
        for append in story.appends[1] + story.appends[2] {
            #expect(try await store.commit(batch(append)).filled.isEmpty)
        }
        var outcome: BatchOutcome?
        for append in story.appends[0] { outcome = try await store.commit(batch(append)) }
        let filled = try #require(outcome?.filled).sorted { $0.cursor < $1.cursor }
        let messages = filled.compactMap { Message($0, by: Keyring()) }
        #expect(filled.first?.id == first.id && messages.first?.content.text == "lunch?")
        #expect(messages.first?.reactions.count == 1 && messages.count == 3)
        let read = try await store.entries(after: filled[0].cursor, limit: 9)
        #expect(read.entries.map(\.id) == filled.dropFirst().map(\.id))
        #expect(try await Self.faults(store).isEmpty)
    }

    @Test("what a fork puts in dispute counts no longer, though it did")
    func disputed() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var story = Story()
        let first = story.write(.text("pay 100"), in: 0)
        story.write(.edit("pay 100 today", of: first), in: 0)
        for append in story.appends.joined() { _ = try await store.commit(batch(append)) }
        var (one, other) = (story.logs[0], story.logs[0])
        let clock = story.clock
        let runs = [
            one.run([entry(.edit("pay 100 to ada", of: first), at: time(clock + 1))]),
            other.run([entry(.edit("pay 900 to eve", of: first), at: time(clock + 1))]),
        ]
        var append = Append(run: runs[0], heldFrom: .max)
        append.person = Story.person(of: 0)
        _ = try await store.commit(batch(append))
        #expect(try await Self.lines(store).first?.hasPrefix("pay 100 to ada") == true)
        var proving = Batch(number: 9)
        proving.proofs = [try #require(ForkProof(runs[0], runs[1]))]
        _ = try await store.commit(proving)
        #expect(try await Self.lines(store).first?.hasPrefix("pay 100 today") == true)
        #expect(try await Self.faults(store).isEmpty)
    }

    /// Strangers who put so many signs on a message.
    private static func crowd(
        _ count: Int, saying signs: Int, of target: EntryTarget, at clock: UInt64
    ) throws -> [Append] {
        try (0..<count).map { number in
            var log = LogWriter(Person(UInt8(100 + number)))
            let reactions = try (0..<signs).map { sign in
                let reaction = try #require(Reaction("s\(sign)", to: target))
                return entry(.reaction(reaction), at: time(clock + UInt64(sign)))
            }
            return log.append([entry(.join(nil), at: time(clock - 1))] + reactions)
        }
    }

    @Test(
        "what strangers say of a message keeps none of its author's edits out, before it or behind",
        arguments: [false, true])
    func crowded(isBefore: Bool) async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var story = Story()
        let first = story.write(.text("first words"), in: 0)
        story.write(.edit("the right words", of: first), in: 1)
        let signs = Limits.referencesPerLog
        let crowd = try Self.crowd(
            Limits.references / signs, saying: signs, of: first, at: story.clock + 10)
        let (message, edit) = (story.appends[0], story.appends[1])
        for append in isBefore ? crowd + edit + message : message + crowd + edit {
            _ = try await store.commit(batch(append))
        }
        let page = try await store.history(
            HistoryQuery(conversation: ops.conversation, limit: 1_000))
        let entry = try #require(page.entries.first { $0.id == first.id })
        #expect(Message(entry, by: Keyring())?.content.text == "the right words")
        #expect(try await Self.faults(store).isEmpty)
    }
}
