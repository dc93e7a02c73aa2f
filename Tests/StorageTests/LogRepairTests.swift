import CPages
import Engine
import Formats
import Glibc
import Crypto
import TestSupport
import Testing

@testable import Storage

@Suite("Repair of the write-ahead log")
struct LogRepairTests {
    /// A store whose process was killed: database and log as they were.
    static func killed() async throws -> (story: RepairTests.Story, database: [UInt8], log: [UInt8])
    {
        let (story, store) = try await RepairTests.story(closing: false)
        let database = try readFile(story.directory.database)
        let log = try readFile(story.directory.database + "-wal")
        await store.close()
        return (story, database, log)
    }

    static func put(_ directory: TemporaryDirectory, _ database: [UInt8], _ log: [UInt8]) throws {
        try writeFile(directory.database, database)
        try writeFile(directory.database + "-wal", log)
    }

    @Test("a log without damage is read as SQLite reads it")
    func sound() async throws {
        let (story, database, log) = try await Self.killed()
        try Self.put(story.directory, database, log)
        #expect(log.count > 500_000)
        #expect(try WriteAheadLog(path: story.directory.database + "-wal")?.damage == nil)
        #expect(try RepairTests.check(story.directory).findings.isEmpty)
        let store = try await story.directory.open()
        #expect(try await RepairTests.history(store) == story.history)
        await store.close()
    }

    @Test("a flipped bit before the last commit is named, never opened over, and costs no more")
    func flipped() async throws {
        let (story, database, log) = try await Self.killed()
        var random = SeededRandom(seed: 4)
        // The header, the parts of the first frame's header, and anywhere before the last commit.
        var places = [0, 3, 9, 13, 17, 25, 33, 37, 41, 49, 53]
        let end = TornLogTests.place(try #require(TornLogTests.commits(in: log).last).lowerBound)
        for _ in 0..<60 { places.append(.random(in: 0..<end, using: &random)) }
        for (number, place) in places.enumerated() {
            var damaged = log
            damaged[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
            try Self.put(story.directory, database, damaged)
            let report = try RepairTests.check(story.directory)
            #expect(!report.findings.isEmpty, "byte \(place)")
            let failure = await #expect(throws: StoreFailure.self, "byte \(place)") {
                try await story.directory.open()
            }
            #expect(failure?.reason == .corrupt)
            #expect(try readFile(story.directory.database + "-wal") == damaged)
            guard number % 4 == 0 else { continue }
            let repair = try RepairTests.repair(story.directory)
            #expect(try readFile(try #require(repair.copy) + "-wal") == damaged)
            try await RepairTests.refill(story)
        }
    }

    @Test("a flipped bit of the last commit is named, and the commit is left out, which is said")
    func lastCommit() async throws {
        let (story, database, log) = try await Self.killed()
        let path = story.directory.database + "-wal"
        let frames = try #require(TornLogTests.commits(in: log).last)
        try Self.put(
            story.directory, database, Array(log[..<TornLogTests.place(frames.lowerBound)]))
        let store = try await story.directory.open()
        let before = try await RepairTests.history(store)
        await store.close()
        var random = SeededRandom(seed: 5)
        // Every bit of the last frame's header, and anywhere.
        let last = TornLogTests.place(frames.upperBound - 1)
        var bits = (0..<24).flatMap { byte in (0..<8).map { (last + byte, UInt8($0)) } }
        for _ in 0..<60 {
            let frame = TornLogTests.place(.random(in: frames, using: &random))
            let place = frame + .random(in: 0..<TornLogTests.frameBytes, using: &random)
            bits.append((place, .random(in: 0...7, using: &random)))
        }
        for (number, (place, bit)) in bits.enumerated() {
            var damaged = log
            damaged[place] ^= 1 << bit
            try Self.put(story.directory, database, damaged)
            #expect(try !RepairTests.check(story.directory).findings.isEmpty, "\(place).\(bit)")
            guard number % 8 == 0 else { continue }
            let store = try await story.directory.open()
            let leftOut = await store.leftOut
            #expect(leftOut?.hasPrefix(path) == true, "\(place).\(bit)")
            #expect(try await RepairTests.history(store) == before, "\(place).\(bit)")
            await store.close()
        }
    }

    @Test("a bit of a commit that was cut short is no damage; one before a frame that follows is")
    func cutShort() async throws {
        let (story, database, log) = try await Self.killed()
        let commits = TornLogTests.commits(in: log)
        let last = try #require(commits.last)
        let before = try #require(commits.dropLast().last)
        var torn = Array(log[..<TornLogTests.place(last.upperBound - 1)])
        torn[TornLogTests.place(last.lowerBound) + 2_000] ^= 1
        try Self.put(story.directory, database, torn)
        let store = try await story.directory.open()
        #expect(try await RepairTests.history(store).count < story.history.count)
        await store.close()
        torn[TornLogTests.place(last.lowerBound) + 2_000] ^= 1
        torn[TornLogTests.place(before.lowerBound) + 2_000] ^= 1
        try Self.put(story.directory, database, torn)
        let failure = await #expect(throws: StoreFailure.self) {
            try await story.directory.open()
        }
        #expect(failure?.reason == .corrupt)
    }

    @Test("a log that another process may be writing is left alone")
    func held() async throws {
        let (story, database, log) = try await Self.killed()
        var damaged = log
        damaged[log.count - 4] ^= 1
        try Self.put(story.directory, database, damaged)
        let descriptor = open(story.directory.database, O_RDWR | O_CLOEXEC)
        try #require(cpages_lock(descriptor) == 0)
        let failure = await #expect(throws: StoreFailure.self) {
            try await story.directory.open()
        }
        #expect(failure?.reason == .locked)
        cpages_unlock(descriptor)
        close(descriptor)
        #expect(try readFile(story.directory.database + "-wal") == damaged)
        let store = try await story.directory.open()
        #expect(await store.leftOut != nil)
        await store.close()
    }

    @Test("a lock that is given back is free, though a forked process has its descriptor still")
    func forked() throws {
        let directory = try TemporaryDirectory()
        try writeFile(directory.database, [0])
        let descriptor = open(directory.database, O_RDWR | O_CLOEXEC)
        let copy = dup(descriptor)
        let other = open(directory.database, O_RDWR | O_CLOEXEC)
        try #require(cpages_lock(descriptor) == 0)
        #expect(cpages_lock(other) == -1)
        cpages_unlock(descriptor)
        close(descriptor)
        #expect(cpages_lock(other) == 0)
        close(other)
        close(copy)
    }

    @Test(
        "the log of a later version or of another program is left alone",
        arguments: ["user_version = 99", "application_id = 7"])
    func others(pragma: String) async throws {
        let (story, database, log) = try await Self.killed()
        let directory = story.directory
        try Self.put(directory, database, log)
        let other: (database: [UInt8], log: [UInt8])
        do {
            let open = try Database(path: directory.database)
            try open.execute("PRAGMA journal_mode = WAL; PRAGMA \(pragma)")
            other = (
                try readFile(directory.database), try readFile(directory.database + "-wal")
            )
        }
        try Self.put(directory, other.database, other.log)
        let failure = await #expect(throws: StoreFailure.self) { try await directory.open() }
        let isNewer = failure?.reason == .newer(version: 99)
        let isForeign = failure?.detail.hasSuffix("not one of Stoa") ?? false
        #expect(isNewer == pragma.hasPrefix("user") && isForeign != isNewer, "\(failure as Any)")
        #expect(try readFile(directory.database) == other.database)
        #expect(try readFile(directory.database + "-wal") == other.log)
    }

    @Test(
        "a frame that was overwritten costs what it held and what follows it, until peers bring it back"
    )
    func overwritten() async throws {
        let (story, database, log) = try await Self.killed()
        var damaged = log
        let frames = (log.count - 32) / TornLogTests.frameBytes
        for index in 0..<512 {
            damaged[32 + (frames / 2) * TornLogTests.frameBytes + 100 + index] ^= 0x5A
        }
        try Self.put(story.directory, database, damaged)
        #expect(try !RepairTests.check(story.directory).findings.isEmpty)
        _ = try RepairTests.repair(story.directory)
        try await RepairTests.refill(story)
    }

    @Test("a last commit of which only later sectors reached the disk is a power cut, no damage")
    func reordered() async throws {
        let (story, database, log) = try await Self.killed()
        let last = try #require(TornLogTests.commits(in: log).last)
        try #require(last.count > 2)
        for frame in last.dropLast() {
            var torn = log
            for place in 512..<1_024 { torn[32 + frame * TornLogTests.frameBytes + place] = 0 }
            try Self.put(story.directory, database, torn)
            #expect(try WriteAheadLog(path: story.directory.database + "-wal")?.damage == nil)
            await (try await story.directory.open()).close()
        }
    }

    @Test("a log that ends within a frame, as after a power cut, is no damage")
    func torn() async throws {
        let (story, database, log) = try await Self.killed()
        for cut in [1, 100, TornLogTests.frameBytes - 1, TornLogTests.frameBytes] {
            try Self.put(story.directory, database, Array(log.dropLast(cut)))
            #expect(try WriteAheadLog(path: story.directory.database + "-wal")?.damage == nil)
            #expect(try RepairTests.check(story.directory).findings.isEmpty)
        }
    }
}
