import CSQLite
import Glibc
import Storage
import TestSupport
import Testing

/// The file that SQLite writes its log to, below the store.
@Suite("The file of the write-ahead log")
struct LogFileTests {
    /// An open log, used as SQLite does; closed by the test.
    private final class Log {
        let path: String
        private let file: UnsafeMutablePointer<sqlite3_file>
        private let name: UnsafePointer<CChar>

        private var methods: sqlite3_io_methods { self.file.pointee.pMethods.pointee }

        init(in directory: TemporaryDirectory) throws {
            self.path = directory.database + "-wal"
            let vfs = try #require(sqlite3_vfs_find("stoa"))
            let bytes = UnsafeMutableRawPointer.allocate(
                byteCount: Int(vfs.pointee.szOsFile), alignment: 16)
            bytes.initializeMemory(as: UInt8.self, repeating: 0, count: Int(vfs.pointee.szOsFile))
            self.file = bytes.assumingMemoryBound(to: sqlite3_file.self)
            self.name = UnsafePointer(try #require(strdup(self.path)))
            let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_WAL
            let open = try #require(vfs.pointee.xOpen)
            let code = open(vfs, self.name, self.file, flags, nil)
            try #require(code == SQLITE_OK)
        }

        /// What is in the file, as everybody else sees it.
        var bytes: [UInt8] { get throws { try readFile(self.path) } }

        func write(_ bytes: [UInt8], at offset: Int64) -> Int32 {
            self.methods.xWrite(self.file, bytes, Int32(bytes.count), offset)
        }

        func sync() -> Int32 { self.methods.xSync(self.file, SQLITE_SYNC_NORMAL) }

        func truncate(to size: Int64) -> Int32 { self.methods.xTruncate(self.file, size) }

        var size: Int64 {
            var size: Int64 = -1
            return self.methods.xFileSize(self.file, &size) == SQLITE_OK ? size : -1
        }

        func read(_ count: Int, at offset: Int64) -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: count)
            let code = self.methods.xRead(self.file, &bytes, Int32(count), offset)
            return code == SQLITE_OK ? bytes : nil
        }

        func close() {
            _ = self.methods.xClose(self.file)
            UnsafeMutableRawPointer(self.file).deallocate()
            free(UnsafeMutableRawPointer(mutating: self.name))
        }
    }

    private static func directory() async throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        await (try directory.open()).close()
        return directory
    }

    @Test("what is written one behind the other is in the file with the sync, not before")
    func gathered() async throws {
        let directory = try await Self.directory()
        let log = try Log(in: directory)
        let pages = (0..<5).map { [UInt8](repeating: $0, count: 4_096) }
        for (index, page) in pages.enumerated() {
            #expect(log.write([9, 9, 9], at: Int64(index) * 4_099) == SQLITE_OK)
            #expect(log.write(page, at: Int64(index) * 4_099 + 3) == SQLITE_OK)
        }
        #expect(try log.bytes.isEmpty)
        #expect(log.sync() == SQLITE_OK)
        #expect(try log.bytes == pages.flatMap { [9, 9, 9] + $0 })
        log.close()
    }

    @Test("whoever looks at the file sees what was written last, wherever and however much it was")
    func model() async throws {
        let directory = try await Self.directory()
        for seed in 0..<30 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let log = try Log(in: directory)
            #expect(log.truncate(to: 0) == SQLITE_OK)
            var model: [UInt8] = []
            for _ in 0..<200 {
                switch Int.random(in: 0..<12, using: &random) {
                case 0..<8:
                    // Mostly on, now and then over what is there, and more than is kept.
                    let isOn = Int.random(in: 0..<5, using: &random) > 0
                    let place = isOn ? model.count : Int.random(in: 0...model.count, using: &random)
                    let large = Int.random(in: 0..<20, using: &random) == 0
                    let count = Int.random(in: 1...(large ? 90_000 : 5_000), using: &random)
                    let byte = UInt8.random(in: 0...255, using: &random)
                    let bytes = [UInt8](repeating: byte, count: count)
                    model += [UInt8](repeating: 0, count: max(0, place + count - model.count))
                    model.replaceSubrange(place..<place + count, with: bytes)
                    #expect(log.write(bytes, at: Int64(place)) == SQLITE_OK)
                case 8: #expect(log.size == Int64(model.count))
                case 9:
                    let place = Int.random(in: 0...model.count, using: &random)
                    let count = min(7_000, model.count - place)
                    guard count > 0 else { continue }
                    #expect(
                        log.read(count, at: Int64(place)) == Array(model[place..<place + count]))
                case 10:
                    model = Array(model.prefix(Int.random(in: 0...model.count, using: &random)))
                    #expect(log.truncate(to: Int64(model.count)) == SQLITE_OK)
                default:
                    #expect(log.sync() == SQLITE_OK)
                    #expect(try log.bytes == model)
                }
            }
            let path = log.path
            log.close()
            #expect(try readFile(path) == model)
        }
    }

    @Test("a write that fails is told by the sync, and can be made again")
    func failing() async throws {
        let directory = try await Self.directory()
        let log = try Log(in: directory)
        // Behind the largest file that there can be.
        let end = Int64.max - 4_095
        #expect(log.write([1, 2, 3], at: end) == SQLITE_OK)
        #expect(log.sync() != SQLITE_OK)
        #expect(log.write([4, 5, 6], at: 0) == SQLITE_OK)
        #expect(log.sync() == SQLITE_OK)
        #expect(try log.bytes == [4, 5, 6])
        log.close()
    }
}
