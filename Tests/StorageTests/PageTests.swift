import CPages
import Engine
import Formats
import Glibc
import Crypto
import TestSupport
import Testing

@testable import Storage

@Suite("Pages")
struct PageTests {
    /// A page of chance with its checksum.
    static func page(_ random: inout SeededRandom, number: UInt32) -> [UInt8] {
        var page = (0..<pageBytes).map { _ in UInt8.random(in: 0...255, using: &random) }
        cpages_write_checksum(&page, Int32(pageBytes), number)
        return page
    }

    @Test("every single flipped bit of a page is found")
    func singleBits() {
        var random = SeededRandom(seed: 5)
        let page = Self.page(&random, number: 7)
        #expect(cpages_has_checksum(page, Int32(pageBytes), 7) != 0)
        var missed = 0
        for bit in 0..<8 * pageBytes {
            var damaged = page
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            if cpages_has_checksum(damaged, Int32(pageBytes), 7) != 0 { missed += 1 }
        }
        #expect(missed == 0)
    }

    @Test("a page in another's place, a page of zeros and one with two flipped bits are damaged")
    func misplaced() {
        var random = SeededRandom(seed: 6)
        let page = Self.page(&random, number: 7)
        #expect(cpages_has_checksum(page, Int32(pageBytes), 8) == 0)
        let zeros = [UInt8](repeating: 0, count: pageBytes)
        #expect((1...1_000).allSatisfy { cpages_has_checksum(zeros, Int32(pageBytes), $0) == 0 })
        var damaged = page
        damaged[100] ^= 1
        damaged[pageBytes - 1_000] ^= 0x40
        #expect(cpages_has_checksum(damaged, Int32(pageBytes), 7) == 0)
    }

    @Test("the checksum is XXH64, seeded with the page's number")
    func vectors() {
        // Worked out in Python from the specification of XXH64.
        let page = (0..<4_096).map { UInt8(truncatingIfNeeded: $0 * 7) }
        #expect(cpages_sum(page, 2_048, 1) == 0x6F35_2CBC_9D1D_22EB)
        #expect(cpages_sum(page, 2_048, 262_145) == 0xDC19_A1FA_F9D1_9769)
        #expect(cpages_sum(page, 4_096, 1) == 0xE81F_13DE_B081_328A)
        #expect(cpages_sum(page, 4_096, 262_145) == 0x4E9C_2B02_AD18_7513)
    }

    @Test("a store's pages have checksums, all of them, and reading a damaged one says which")
    func sealed() async throws {
        let directory = try TemporaryDirectory()
        try await FailureTests.fill(directory, runs: 20)
        let bytes = try readFile(directory.database)
        #expect(bytes.count.isMultiple(of: pageBytes) && bytes.count > 20 * pageBytes)
        for index in 0..<bytes.count / pageBytes {
            let page = Array(bytes[index * pageBytes..<(index + 1) * pageBytes])
            #expect(
                cpages_has_checksum(page, Int32(pageBytes), UInt32(index) + 1) != 0,
                "page \(index + 1)")
        }
        var damaged = bytes
        damaged[9] ^= 4
        try writeFile(directory.database, damaged)
        let failure = await #expect(throws: StoreFailure.self) { try await directory.open() }
        #expect(failure?.reason == .corrupt)
        #expect(failure?.detail.contains("page 1 does not have its checksum") == true)
        #expect(failure?.remedy.contains("stoad --repair") == true)
    }

    @Test("the byte that switches checks on cannot be flipped to switch them off")
    func switchedOff() async throws {
        let directory = try TemporaryDirectory()
        try await FailureTests.fill(directory, runs: 1)
        let bytes = try readFile(directory.database)
        for place in [16, 17, 18, 19, 20, 28, 60, 63, 68, 71] {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[place] ^= 1 << UInt8(bit)
                try writeFile(directory.database, damaged)
                let failure = await #expect(throws: StoreFailure.self) {
                    try await directory.open()
                }
                #expect(failure?.reason == .corrupt, "byte \(place), bit \(bit)")
                #expect(try readFile(directory.database) == damaged)
            }
        }
    }

    @Test("a scrub reads what is on the disk, not what SQLite remembers, and names the page")
    func scrub() async throws {
        let directory = try TemporaryDirectory()
        try await FailureTests.fill(directory, runs: 40)
        let store = try await directory.open()
        _ = try await store.history(HistoryQuery(conversation: ops.conversation, limit: 5_000))
        let sound = try await store.scrub(from: 1, count: 10_000)
        #expect(sound.read == sound.pages && sound.pages > 60 && sound.damaged == 0)
        let descriptor = open(directory.database, O_RDWR | O_CLOEXEC)
        // Never closed while the store is open: that would drop SQLite's locks.
        var byte: UInt8 = 0
        let place = 46 * pageBytes + 11
        try #require(pread(descriptor, &byte, 1, off_t(place)) == 1)
        byte ^= 0x10
        try #require(pwrite(descriptor, &byte, 1, off_t(place)) == 1)
        let whole = try await store.scrub(from: 1, count: 10_000)
        #expect(whole.damaged == 1 && whole.firstDamaged == 47)
        #expect(try await store.scrub(from: 48, count: 10).damaged == 0)
        let end = try await store.scrub(from: whole.pages, count: 10)
        #expect(end.read == 1)
        var position = ScrubPosition()
        position.next = 78
        position.damagedInRound = 1
        await store.noteScrub(position)
        #expect(await store.scrubPosition() == position)
        await store.close()
        close(descriptor)
    }

    @Test("what is read of a sound store stays so whatever is written: no page is left unsealed")
    func churn() async throws {
        let directory = try TemporaryDirectory()
        let store = try FailureTests.open(directory)
        var log = LogWriter(bob)
        var random = SeededRandom(seed: 9)
        for round in 0..<30 {
            let size = Int.random(in: 1...9_000, using: &random)
            let entries = (1...20).map {
                text(String(repeating: "x", count: size), at: UInt64(round * 20 + $0))
            }
            _ = try store.commit(batch(log.append(entries)))
            // Freed pages are used again or stay behind.
            try store.database.execute("CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(50000))")
            try store.database.execute("DROP TABLE t")
            try store.database.execute("PRAGMA wal_checkpoint(PASSIVE)")
            let reading = try store.scrub(from: 1, count: 100_000)
            #expect(reading.damaged == 0 && reading.read == reading.pages)
        }
    }
}
