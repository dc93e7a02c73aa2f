import Glibc
import TestSupport
import Testing

@testable import Posix

@Suite("A file that is written in long stretches") struct BulkWriterTests {
    private static let stretch = 262_144

    private static func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
    }

    /// A place on the disk, and one on a file system that is nothing but a page cache.
    private static let places = ["/tmp", "/dev/shm"]

    @Test(
        "has all of it, whatever comes first and wherever it ends, and is read as it was written",
        arguments: places, [4_000, 4 << 20, 4 << 20 + 4_096, 5_000_001])
    func whole(parent: String, count: Int) throws {
        let folder = try TestFolder(in: parent)
        let bytes = Self.bytes(count)
        let file = try RandomAccessFile(writing: folder("large"))
        let writer = BulkWriter(file, bytes: UInt64(count))
        for start in stride(from: 0, to: count, by: Self.stretch).reversed() {
            let part = Array(bytes[start..<min(start + Self.stretch, count)])
            try writer.write(part, at: UInt64(start))
            #expect(try file.read(at: UInt64(start), count: part.count) == part)
        }
        #expect(file.size == UInt64(count))
        #expect(TestFiles.read(folder("large")) == bytes)
    }

    @Test("is gone on with where it was left, and what was there stays")
    func resumed() throws {
        let folder = try TestFolder()
        let bytes = Self.bytes(6 << 20)
        for half in 0..<2 {
            let file = try RandomAccessFile(writing: folder("large"))
            let writer = BulkWriter(file, bytes: 6 << 20)
            for start in stride(from: half * Self.stretch, to: 6 << 20, by: 2 * Self.stretch) {
                try writer.write(Array(bytes[start..<start + Self.stretch]), at: UInt64(start))
            }
            try file.sync()
        }
        #expect(TestFiles.read(folder("large")) == bytes)
    }

    @Test("takes room with its first stretch, so that what never comes takes none")
    func room() throws {
        let folder = try TestFolder()
        let file = try RandomAccessFile(writing: folder("large"))
        try file.setSize(8 << 20)
        let writer = BulkWriter(file, bytes: 8 << 20)
        func blocks() -> Int64 {
            var status = stat()
            return stat(folder("large"), &status) == 0 ? Int64(status.st_blocks) : -1
        }
        #expect(blocks() == 0)
        try writer.write(Self.bytes(Self.stretch), at: 0)
        #expect(blocks() >= 8 << 20 / 512)
        #expect(file.firstData(from: UInt64(Self.stretch)) == nil)
    }

    /// Whether the disk can be written past the page cache, as all that Debian installs on can.
    private static let isUncached: Bool = {
        guard let folder = try? TestFolder(in: "/var/tmp"),
            let file = try? RandomAccessFile(writing: folder("file"))
        else { return false }
        switch file.openUncached() {
        case .some: return true
        case .none: return false
        }
    }()

    @Test("leaves nothing of a large file in the page cache of a disk", .enabled(if: isUncached))
    func uncached() throws {
        let folder = try TestFolder(in: "/var/tmp")
        let bytes = 8 << 20
        let file = try RandomAccessFile(writing: folder("large"))
        let writer = BulkWriter(file, bytes: UInt64(bytes))
        for start in stride(from: 0, to: bytes, by: Self.stretch) {
            try writer.write(Self.bytes(Self.stretch), at: UInt64(start))
        }
        let number = open(folder("large"), O_RDONLY)
        defer { close(number) }
        let memory = mmap(nil, bytes, PROT_READ, MAP_SHARED, number, 0)
        defer { munmap(memory, bytes) }
        var pages = [UInt8](repeating: 0, count: bytes / Int(getpagesize()))
        #expect(mincore(memory, bytes, &pages) == 0)
        #expect(pages.count { $0 & 1 == 1 } < pages.count / 8)
    }

    @Test("where there is no room it says so at once, and takes none")
    func full() throws {
        let folder = try TestFolder(in: "/dev/shm")
        let file = try RandomAccessFile(writing: folder("large"))
        let writer = BulkWriter(file, bytes: 1 << 50)
        for _ in 0..<2 {
            let error = #expect(throws: SystemError.self) {
                try writer.write(Self.bytes(Self.stretch), at: 0)
            }
            #expect(error?.meansDiskFull == true)
        }
        var status = stat()
        #expect(stat(folder("large"), &status) == 0)
        #expect(status.st_size == 0 && status.st_blocks == 0)
    }
}
