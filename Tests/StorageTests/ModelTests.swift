import Engine
import Formats
import Crypto
import Storage
import TestSupport
import Testing

/// The store as a list of all entries, with everything else worked out from it each time.
struct Model {
    struct Item {
        let key: LogKey
        let seq: UInt64
        let id: EntryID
        let entry: Entry
        var visibility: Visibility

        var isHeld: Bool { self.visibility == .held }
        var isDisputed: Bool { self.visibility.isDisputed }
        let verdict: EntryVerdict
        var attendance: Attendance? {
            self.verdict.attendance.map {
                Attendance(
                    isPresent: $0, time: self.entry.time,
                    incarnation: self.key.name.incarnation, seq: self.seq)
            }
        }
    }

    var items: [Item] = []
    var forks: [LogKey: UInt64] = [:]
    var shown: [ConversationID: HybridTime] = [:]
    var held: [Item] { self.items.filter(\.isHeld) }

    static func isShown(_ item: Item) -> Bool { item.visibility.isShown }

    static func isOrdered(_ left: Item, _ right: Item) -> Bool {
        (left.entry.time, left.key.name, left.seq) < (right.entry.time, right.key.name, right.seq)
    }

    mutating func apply(_ batch: Batch) {
        for append in batch.appends {
            for (index, entry) in append.run.run.entries.enumerated() {
                self.items.append(
                    Item(
                        key: append.run.run.key, seq: append.run.run.first + UInt64(index),
                        id: append.run.ids[index], entry: entry,
                        visibility: index >= append.heldFrom ? .held : .shown,
                        verdict: append.verdicts[index]))
            }
        }
        for proof in batch.proofs {
            let point = min(proof.point, self.forks[proof.key] ?? .max)
            self.forks[proof.key] = point
            for index in self.items.indices
            where self.items[index].key == proof.key && self.items[index].seq >= point {
                self.items[index].visibility = self.items[index].visibility.proven
            }
        }
        if let release = batch.release {
            for index in self.items.indices where self.items[index].entry.time <= release.others {
                self.items[index].visibility = self.items[index].visibility.released
            }
        }
        for item in self.items where Self.isShown(item) {
            let shown = self.shown[item.key.conversation] ?? item.entry.time
            self.shown[item.key.conversation] = max(shown, item.entry.time)
        }
    }

    var logs: [LogKey: StoredLog] {
        var logs: [LogKey: StoredLog] = [:]
        for (key, point) in self.forks {
            let isHere = self.items.contains { $0.key == key }
            logs[key] = StoredLog(
                head: .start, forkPoint: point, isHeadShown: false, person: isHere ? somebody : nil)
        }
        for item in self.items where item.seq < self.forks[item.key] ?? .max {
            if let log = logs[item.key], log.head.seq > item.seq { continue }
            logs[item.key] = StoredLog(
                head: Head(seq: item.seq, id: item.id, time: item.entry.time),
                forkPoint: self.forks[item.key], isHeadShown: Self.isShown(item))
        }
        for (key, held) in Dictionary(grouping: self.held, by: \.key) {
            let seqs = held.map(\.seq)
            if let first = seqs.min(), let last = seqs.max() { logs[key]?.held = first...last }
        }
        return logs
    }

    func seen(in conversation: ConversationID) -> [Item] {
        self.items.filter {
            $0.key.conversation == conversation && Self.isShown($0) && $0.verdict.isSeen
        }.sorted(by: Self.isOrdered)
    }

    func members(of conversation: ConversationID) -> Set<PeerID> {
        var latest: [PeerID: Attendance] = [:]
        let items = self.items.filter {
            $0.key.conversation == conversation && $0.verdict.isSeen && $0.visibility.takesEffect
        }
        for item in items.sorted(by: Self.isOrdered) {
            if let attendance = item.attendance { latest[item.key.name.author] = attendance }
        }
        return Set(latest.filter(\.value.isPresent).keys)
    }
}

/// Makes batches as a node would, from authors who sometimes lie.
struct BatchMaker {
    var random: SeededRandom
    var writers: [LogWriter]
    /// Runs that were written and not yet received, by log.
    var pending: [[VerifiedRun]]
    var forks: [Int: UInt64] = [:]
    var proofs: [(log: Int, proof: ForkProof)] = []
    var known: [EntryID] = []
    var clock: UInt64 = 1_000
    let rooms = [ops, room("dev")]

    init(seed: UInt64) {
        self.random = SeededRandom(seed: seed)
        self.writers = []
        for person in [ada, bob, eve] {
            for room in self.rooms {
                for incarnation: UInt64 in [1, .max] {
                    self.writers.append(LogWriter(person, room, incarnation: incarnation))
                }
            }
        }
        self.pending = self.writers.map { _ in [] }
    }

    private mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &self.random) < percent
    }

    private mutating func entries(after last: HybridTime) -> [Entry] {
        var previous = last
        // The first entry of a log is attested by itself.
        let most = last == Head.start.time ? 1 : 4
        return (0..<Int.random(in: 1...most, using: &self.random)).map { _ in
            self.clock += UInt64.random(in: 0...3, using: &self.random)
            var at = time(self.clock)
            // Sometimes far ahead, sometimes with the time of others.
            if self.chance(4) { at = time(self.clock + 1_000_000) }
            at = max(at, HybridTime(previous.rawValue + 1))
            previous = at
            var deps: Set<EntryID> = []
            while self.chance(35),
                let dep = self.known.suffix(20).randomElement(using: &self.random)
            {
                deps.insert(dep)
            }
            var content = Content.text("m\(at.rawValue % 1_000)")
            if self.chance(10) {
                content =
                    self.chance(50) ? .leave : .join((self.chance(50) ? ops : self.rooms[1]).name)
            }
            var made = entry(content, at: at, deps: Array(deps))
            if self.chance(3) { made.entryClass = 77 }
            return made
        }
    }

    /// Writes a few runs, forks now and then, and gives some of what is on the way.
    mutating func next(number: UInt64) -> Batch {
        for _ in 0..<Int.random(in: 1...4, using: &self.random) {
            let index = Int.random(in: 0..<self.writers.count, using: &self.random)
            var other = self.writers[index]
            let run = self.writers[index].run(self.entries(after: self.writers[index].head.time))
            if self.chance(2) {
                let twin = other.run(self.entries(after: other.head.time))
                if let proof = ForkProof(run, twin) { self.proofs.append((index, proof)) }
            }
            self.pending[index].append(run)
            self.known += run.ids
        }
        var batch = Batch(number: number)
        for index in self.writers.indices where self.chance(60) {
            while let run = self.pending[index].first, self.chance(70) {
                self.pending[index].removeFirst()
                guard run.run.first < self.forks[index] ?? .max else { continue }
                let limit = time(self.clock + 300_000)
                let heldFrom = run.run.entries.firstIndex { $0.time > limit } ?? .max
                batch.appends.append(Append(run: run, heldFrom: heldFrom))
            }
        }
        if !self.proofs.isEmpty && self.chance(10) {
            let (index, proof) = self.proofs.removeFirst()
            batch.proofs.append(proof)
            self.forks[index] = min(self.forks[index] ?? .max, proof.point)
        }
        if self.chance(5) { self.clock += 400_000 }
        if self.chance(30) {
            let due = time(self.clock + 300_000)
            batch.release = Due(known: due, others: due)
        }
        return batch
    }
}

@Suite("Model")
struct ModelTests {
    @Test(
        "random batches give what a simple model gives, also after opening again", arguments: 1...12
    )
    func agrees(seed: UInt64) async throws {
        let directory = try TemporaryDirectory()
        // Some seeds index ids at once, some in stretches of a few, some never.
        let idBatchCount = [1, 8, 40, 1_000][Int(seed) % 4]
        var store = try await directory.open(idBatchCount: idBatchCount)
        var maker = BatchMaker(seed: seed)
        var model = Model()
        var cursors: Set<Cursor> = []
        for number in UInt64(1)...60 {
            let batch = maker.next(number: number)
            model.apply(batch)
            let outcome = try await store.commit(batch)

            let shown = Dictionary(
                uniqueKeysWithValues: model.items.map { ($0.id, Model.isShown($0)) })
            let released = Set(outcome.released.map(\.id))
            for (append, given) in zip(batch.appends, outcome.cursors) {
                for (id, cursor) in zip(append.run.ids, given) {
                    #expect((cursor != nil) == (shown[id] == true && !released.contains(id)))
                    if let cursor { #expect(cursors.insert(cursor).inserted) }
                }
            }
            for entry in outcome.released { #expect(cursors.insert(entry.cursor).inserted) }
            #expect(outcome.held.count == model.held.count)
            #expect(outcome.held.first == model.held.map(\.entry.time).min())

            if number % 20 == 0 {
                await store.close()
                store = try await directory.open(idBatchCount: idBatchCount)
            }
            if number % 5 == 0 { try await self.compare(store, model, maker.rooms) }
        }
        #expect(try await store.check() == [])
    }

    func compare(_ store: MessageStore, _ model: Model, _ rooms: [Room]) async throws {
        let snapshot = try await store.snapshot()
        #expect(snapshot.logs == model.logs)
        #expect(snapshot.latestShown == model.shown)
        #expect(try await store.counts().entries == model.items.count)
        let summaries = try await store.summaries()
        for item in model.items {
            let stored = try await store.entry(item.id)
            #expect(stored?.id == item.id && stored?.key == item.key && stored?.seq == item.seq)
        }
        for room in rooms {
            let conversation = room.conversation
            let seen = model.seen(in: conversation)
            #expect(snapshot.members[conversation] ?? [] == model.members(of: conversation))
            let page = try await store.history(
                HistoryQuery(conversation: conversation, limit: 10_000))
            #expect(page.entries.map(\.id) == seen.map(\.id))
            #expect(page.entries.map(\.isDisputed) == seen.map(\.isDisputed))
            let arrivals = try await store.entries(
                after: Cursor(0), limit: 10_000, in: conversation)
            #expect(Set(arrivals.entries.map(\.id)) == Set(seen.map(\.id)))
            guard let summary = summaries.first(where: { $0.conversation == conversation }) else {
                continue
            }
            #expect(summary.lastMessage?.id == seen.last { $0.verdict.countsAsUnread }?.id)
            let unread = arrivals.entries.count {
                $0.envelope.entryClass == EntryClass.content.rawValue
                    && $0.key.name.author != ada.id && $0.cursor > summary.readCursor
            }
            #expect(summary.unread == unread)
            if let middle = arrivals.entries.dropFirst(arrivals.entries.count * 2 / 3).first {
                try await store.markRead(conversation, through: middle.cursor)
            }
        }
    }
}
