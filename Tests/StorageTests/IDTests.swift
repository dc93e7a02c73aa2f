import Engine
import Formats
import Crypto
import TestSupport
import Testing

@testable import Storage

@Suite("Ids")
struct IDTests {
    static func place(_ prefix: Int64, _ arrival: Int64) -> RecentIDs.Place {
        RecentIDs.Place(prefix: prefix, arrival: arrival)
    }

    @Test("what gathers goes to the index sorted, as many as come, and is found until then")
    func stretches() {
        var random = SeededRandom(seed: 4)
        var recent = RecentIDs(
            RecentIDs.Progress(indexed: 100, end: 100, through: 0), batchCount: 1_024)
        var indexed: [RecentIDs.Place] = []
        var places: [RecentIDs.Place] = []
        var rounds: [[RecentIDs.Place]] = [[]]
        var newest: Int64 = 100
        while newest < 20_000 {
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                newest += 1
                // Few enough numbers that many come twice.
                let place = Self.place(.random(in: 0..<9_000, using: &random), newest)
                places.append(place)
                recent.add(place)
            }
            let before = recent.progress.indexed
            let taken = recent.take(newest: newest)
            // The rest of a round may be less.
            #expect(taken.isEmpty || taken.count >= 8 || recent.progress.indexed > before)
            indexed += taken
            rounds[rounds.count - 1] += taken
            if recent.progress.indexed > before { rounds.append([]) }
            #expect(recent.count <= 2 * 1_024)
        }
        #expect(rounds.count > 8 && rounds.allSatisfy { $0 == $0.sorted() })
        let present = Set(indexed)
        #expect(present.count == indexed.count)
        // The index has all that is noted, and what it lacks is found here.
        let progress = recent.progress
        #expect(
            places.allSatisfy {
                $0.arrival > progress.indexed
                    && ($0.arrival > progress.end || $0.prefix >= progress.through)
                    || present.contains($0)
            })
        for place in places {
            #expect(recent.find(place.prefix).contains(place.arrival) != present.contains(place))
        }
        #expect(recent.find(-1).isEmpty)
    }

    @Test("every entry is found by its id at each time, also after a crash or a refused batch")
    func found() async throws {
        let directory = try TemporaryDirectory()
        let ids = try Self.fill(directory)
        // One more start, with what a start usually keeps.
        let store = try StoreFile(offlineAt: directory.database, owner: ada.id, safe: safe)
        for id in ids { #expect(try store.entry(id)?.id == id) }
        #expect(try store.entry(EntryID(.zero)) == nil)
    }

    private static func fill(_ directory: TemporaryDirectory) throws -> [EntryID] {
        let store = try StoreFile(
            directory: directory.data, continuity: directory.continuity, owner: ada.id,
            safe: safe,
            idBatchCount: 64, identify: fileIdentity)
        var log = LogWriter(bob)
        var indexed: Set<Int64> = []
        for round in 0..<40 as Range<UInt64> {
            let entries = (0..<20).map { text("\(round) \($0)", at: round * 100 + UInt64($0)) }
            let append = log.append(entries)
            _ = try store.commit(batch(append))
            indexed.insert(try store.indexingProgress().indexed)
            for id in log.ids { #expect(try store.entry(id)?.id == id) }
            if round % 7 == 3 {
                // As after a crash: nothing but the file is left.
                store.recentIDs = nil
                #expect(store.check().isEmpty)
            }
            if round % 7 == 5 {
                let pages = try store.database.int("PRAGMA page_count")
                try store.database.execute("PRAGMA max_page_count = \(pages)")
                var other = log
                let large = other.append(
                    (0..<100).map {
                        text(String(repeating: "x", count: 900), at: round * 100 + 30 + $0)
                    })
                #expect(throws: SQLiteError.self) { try store.commit(batch(large)) }
                #expect(try store.entry(large.run.ids[0]) == nil)
                try store.database.execute("PRAGMA max_page_count = 1000000")
            }
        }
        // The index came closer behind all the time.
        #expect(indexed.count > 5)
        #expect(store.check().isEmpty)
        let rows = try store.database.int("SELECT count(*) FROM ids")
        #expect(rows > 500 && rows <= 800 - 32)
        return log.ids
    }

    @Test("an entry that is missing in the index, or there for nothing, is found by a check")
    func checked() async throws {
        let changes = [
            "DELETE FROM ids WHERE arrival = 7", "INSERT INTO ids VALUES (1, 2)",
            "UPDATE ids SET arrival = arrival + 1000 WHERE arrival = 9",
            "UPDATE indexing SET indexed = indexed + 1000", "UPDATE indexing SET until = -1",
            "UPDATE indexing SET prefix = 0x7fffffffffffffff, until = 400",
            "UPDATE indexing SET indexed = 400, until = 400", "DELETE FROM indexing",
        ]
        for change in changes {
            let directory = try TemporaryDirectory()
            let store = try StoreFile(
                directory: directory.data, continuity: directory.continuity, owner: ada.id,
                safe: safe,
                idBatchCount: 64, identify: fileIdentity)
            var log = LogWriter(bob)
            for round in 0..<20 as Range<UInt64> {
                let entries = (0..<20).map { text("m", at: round * 100 + UInt64($0)) }
                _ = try store.commit(batch(log.append(entries)))
            }
            #expect(store.check().isEmpty)
            try store.database.execute(change)
            #expect(!store.check().isEmpty, "\(change)")
        }
    }

    @Test("starts that each write a little leave no more behind than one that writes much")
    func starts() async throws {
        let directory = try TemporaryDirectory()
        var log = LogWriter(bob)
        for round in 0..<40 as Range<UInt64> {
            let store = try StoreFile(
                directory: directory.data, continuity: directory.continuity, owner: ada.id,
                safe: safe,
                idBatchCount: 64, identify: fileIdentity)
            let entries = (0..<30).map { text("m", at: round * 100 + UInt64($0)) }
            _ = try store.commit(batch(log.append(entries)))
            // Nothing is read before it is needed.
            #expect((store.recentIDs == nil) == (round < 2), "\(round)")
            #expect(store.recentIDs?.count ?? 0 <= 2 * 64 + 30, "\(round)")
            #expect(store.check().isEmpty)
        }
    }
}
