import Engine
import Formats
import TestSupport
import Testing

@testable import Storage

/// What a loss of power leaves of a commit that was being written: of each 512-byte sector the new
/// bytes or what was there before, which is a frame of an earlier round of the log.
///
/// A frame is 24 bytes longer than a page of whole sectors; so every 64th header lies across two sectors behind its first eight
/// bytes, the page's number and the commit's mark, and every 64th behind its first sixteen.
@Suite("A write-ahead log that a power cut tore")
struct TornLogTests {
    static let frameBytes = 24 + pageBytes
    static let headerBytes = 32

    /// The log of a store that was killed, and where its commits are.
    struct Log {
        let story: RepairTests.Story
        let database: [UInt8]
        let bytes: [UInt8]
        /// The frames of each commit.
        let commits: [Range<Int>]

        init() async throws {
            (self.story, self.database, self.bytes) = try await LogRepairTests.killed()
            self.commits = TornLogTests.commits(in: self.bytes)
        }

        /// The commit of several frames that has a header cut behind `bytes`, not as its last.
        func torn(behind bytes: Int) throws -> (commit: Range<Int>, frame: Int) {
            for commit in self.commits.dropFirst(8) {
                let frame = commit.dropLast().first { (place($0) + bytes).isMultiple(of: 512) }
                if let frame { return (commit, frame) }
            }
            throw Missing()
        }

        /// Starts a store on a log and gives what is in it.
        func open(_ log: [UInt8]) async throws -> [StoredEntry] {
            try LogRepairTests.put(self.story.directory, self.database, log)
            let store = try await self.story.directory.open()
            let found = try await RepairTests.history(store)
            await store.close()
            return found
        }

        struct Missing: Error {}
    }

    /// The frames of each commit of a log; a mark behind the page's number tells its end.
    static func commits(in log: [UInt8]) -> [Range<Int>] {
        let ends = (0..<(log.count - Self.headerBytes) / Self.frameBytes)
            .filter { Self.word(log, Self.place($0) + 4) > 0 }.map { $0 + 1 }
        return zip([0] + ends, ends).map { $0..<$1 }
    }

    static func place(_ frame: Int) -> Int { Self.headerBytes + frame * Self.frameBytes }

    static func word(_ bytes: [UInt8], _ place: Int) -> UInt32 {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    static func put(_ number: UInt32, in bytes: inout [UInt8], at place: Int) {
        for index in 0..<4 {
            bytes[place + index] = UInt8(truncatingIfNeeded: number >> (24 - index * 8))
        }
    }

    /// The parts of each write that reach the disk together.
    static func parts(of frames: Range<Int>) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        for frame in frames {
            let start = Self.place(frame)
            for write in [start..<start + 24, start + 24..<start + Self.frameBytes] {
                var begin = write.lowerBound
                while begin < write.upperBound {
                    let end = min(write.upperBound, (begin / 512 + 1) * 512)
                    parts.append(begin..<end)
                    begin = end
                }
            }
        }
        return parts
    }

    /// A log up to a commit, and behind it frames of an earlier round whose headers begin with the
    /// eight bytes that `beginning` makes of those of the commit's.
    static func before(
        _ commit: Range<Int>, of log: [UInt8],
        beginning: (_ number: UInt32, _ mark: UInt32) -> [UInt32]
    ) -> [UInt8] {
        var old = Array(log[..<Self.place(commit.upperBound + 2)])
        var random = SeededRandom(seed: 3)
        for frame in commit.lowerBound..<commit.upperBound + 2 {
            let start = Self.place(frame)
            let words = beginning(Self.word(log, start), Self.word(log, start + 4))
            for place in start..<start + Self.frameBytes {
                old[place] = UInt8.random(in: 0...255, using: &random)
            }
            Self.put(words[0], in: &old, at: start)
            Self.put(words[1], in: &old, at: start + 4)
        }
        return old
    }

    static let beginnings: [(name: String, words: @Sendable (UInt32, UInt32) -> [UInt32])] = [
        ("ended a commit", { _, _ in [7, 40] }),
        ("held the same page", { number, mark in [number, mark] }),
        ("held a page whose number differs in one bit", { number, mark in [number ^ 1, mark] }),
        ("ended a commit with the same page", { number, _ in [number, 32] }),
        ("was never written", { _, _ in [0, 0] }),
    ]

    // MARK: Making logs

    /// Section 4.2 of <https://www.sqlite.org/fileformat2.html>.
    static func sum(_ start: [UInt32], _ bytes: ArraySlice<UInt8>, _ isBigEndian: Bool) -> [UInt32]
    {
        var sums = start
        for place in stride(from: bytes.startIndex, to: bytes.endIndex, by: 4) {
            let word = Self.word(Array(bytes[place..<place + 4]), 0)
            let isSecond = (place - bytes.startIndex) % 8 == 4
            sums[isSecond ? 1 : 0] &+=
                (isBigEndian ? word : word.byteSwapped) &+ sums[isSecond ? 0 : 1]
        }
        return sums
    }

    /// Frames of a log as a commit that goes on at the place of the first writes them.
    static func commit(_ frames: Range<Int>, of log: [UInt8]) -> [UInt8] {
        var bytes = Array(log[Self.place(frames.lowerBound)..<Self.place(frames.upperBound)])
        var sums = [16, 20].map { Self.word(log, Self.place(frames.lowerBound - 1) + $0) }
        for start in stride(from: 0, to: bytes.count, by: Self.frameBytes) {
            let isLast = start + Self.frameBytes == bytes.count
            Self.put(isLast ? 400 : 0, in: &bytes, at: start + 4)
            sums = Self.sum(sums, bytes[start..<start + 8], log[3] & 1 == 1)
            sums = Self.sum(
                sums, bytes[start + 24..<start + Self.frameBytes], log[3] & 1 == 1)
            Self.put(sums[0], in: &bytes, at: start + 16)
            Self.put(sums[1], in: &bytes, at: start + 20)
        }
        return bytes
    }

    // MARK: Tests

    @Test("is no damage, whichever sectors are missing and whatever was there before")
    func anySectors() async throws {
        let log = try await Log()
        var random = SeededRandom(seed: 5)
        var count = 0
        for bytes in [8, 16] {
            let (commit, frame) = try log.torn(behind: bytes)
            // What was synced, and that with the new commit.
            let last = try await log.open(Array(log.bytes[..<Self.place(commit.lowerBound)]))
            let new = try await log.open(Array(log.bytes[..<Self.place(commit.upperBound)]))
            #expect(last.count < new.count)
            let parts = Self.parts(of: commit)
            let own = parts.filter { Self.place(frame) - 512 < $0.lowerBound }
                .filter { $0.upperBound < Self.place(frame) + 1_024 }
            for (name, words) in Self.beginnings where bytes == 8 || name.hasSuffix("same page") {
                let old = Self.before(commit, of: log.bytes, beginning: words)
                // Every choice of the sectors around the header; then anywhere.
                var choices = (0..<(1 << own.count)).map { choice in
                    own.indices.filter { choice >> $0 & 1 == 1 }.map { own[$0] }
                }
                for _ in 0..<4 {
                    let of8 = UInt64.random(in: 1...7, using: &random)
                    choices.append(parts.filter { _ in random.next() % 8 < of8 })
                }
                for missing in choices {
                    var torn = Array(log.bytes[..<Self.place(commit.upperBound)])
                    torn += old[torn.count...]
                    for part in missing { torn.replaceSubrange(part, with: old[part]) }
                    count += 1
                    let words = "frame \(frame + 1) \(name); missing: \(missing)"
                    do {
                        let found = try await log.open(torn)
                        #expect(found == last || found == new, "\(words)")
                    } catch { Issue.record("\(words): \(error)") }
                }
            }
        }
        print("MEASURED \(count) torn logs")
    }

    @Test("is left out where one bit is all that is missing, of a page or of the last sum")
    func oneBit() async throws {
        let log = try await Log()
        let last = try #require(log.commits.last)
        let before = try await log.open(Array(log.bytes[..<Self.place(last.lowerBound)]))
        for place in [Self.place(last.lowerBound) + 2_000, Self.place(last.upperBound - 1) + 23] {
            var torn = log.bytes
            torn[place] ^= 1
            #expect(try await log.open(torn) == before)
        }
    }

    @Test("is no damage where it tore several times, each time fewer frames")
    func tornAgain() async throws {
        let log = try await Log()
        let path = log.story.directory.database
        let first = try #require(log.commits.dropFirst(8).first).lowerBound
        // The last one is whole; behind it is the rest of two that were never taken.
        var bytes = Array(log.bytes[..<Self.place(first)])
        for count in [3, 6, 9] {
            let commit = Self.commit(first..<first + count, of: log.bytes)
            bytes += commit[(bytes.count - Self.place(first))...]
        }
        try LogRepairTests.put(log.story.directory, log.database, bytes)
        let read = try #require(try WriteAheadLog(path: path + "-wal"))
        #expect(read.damage == nil)
        #expect(read.pageCount == 400)
    }

    @Test(
        "is told from a synced commit whose header was overwritten, which is damage",
        arguments: [8, 16])
    func synced(bytes: Int) async throws {
        let log = try await Log()
        let (commit, frame) = try log.torn(behind: bytes)
        try #require(commit.upperBound < log.commits.last?.upperBound ?? 0)
        let places = bytes == 8 ? [(0, true), (0, false), (4, false)] : [(8, true), (8, false)]
        for (place, isBit) in places {
            var damaged = log.bytes
            // One bit, or all of a number.
            for index in 0..<(isBit ? 1 : 4) {
                damaged[Self.place(frame) + place + 3 - index] ^= isBit ? 1 : 0x5A
            }
            try LogRepairTests.put(log.story.directory, log.database, damaged)
            #expect(try !RepairTests.check(log.story.directory).findings.isEmpty, "byte \(place)")
            let failure = await #expect(throws: StoreFailure.self, "byte \(place)") {
                try await log.story.directory.open()
            }
            #expect(failure?.reason == .corrupt)
            _ = try RepairTests.repair(log.story.directory)
            try await RepairTests.refill(log.story)
        }
    }

    @Test(
        "is told from a damaged frame that names a page of the schema, over which the rest is read",
        arguments: [UInt32(1), 2, 15])
    func schema(number: UInt32) async throws {
        let log = try await Log()
        var damaged = log.bytes
        Self.put(number, in: &damaged, at: Self.place(try log.torn(behind: 8).frame))
        try LogRepairTests.put(log.story.directory, log.database, damaged)
        _ = try RepairTests.repair(log.story.directory)
        try await RepairTests.refill(log.story)
    }

    @Test("is told from a synced commit whose end is damaged, though one commit alone follows it")
    func syncedEnd() async throws {
        let log = try await Log()
        let path = log.story.directory.database + "-wal"
        let end = try log.torn(behind: 8).frame
        var bytes = log.bytes
        // A page that was changed by both.
        let number = Self.word(bytes, Self.place(end - 3))
        Self.put(number, in: &bytes, at: Self.place(end + 1))
        for commit in [end - 3..<end + 1, end + 1..<end + 5] {
            let frames = Self.commit(commit, of: bytes)
            bytes.replaceSubrange(
                Self.place(commit.lowerBound)..<Self.place(commit.upperBound), with: frames)
        }
        bytes.removeLast(bytes.count - Self.place(end + 5))
        try LogRepairTests.put(log.story.directory, log.database, bytes)
        #expect(try WriteAheadLog(path: path)?.damage == nil)
        for index in 0..<512 { bytes[Self.place(end) + 1_000 + index] ^= 0x5A }
        try LogRepairTests.put(log.story.directory, log.database, bytes)
        #expect(
            try WriteAheadLog(path: path)?.damage
                == "frame \(end + 1) of the write-ahead log is damaged")
    }
}
