import Crypto
import Engine
import Formats
import Glibc
import Posix
import TestSupport
import Testing

@testable import Blobs

@Suite("A file that is sent") struct SentFileTests {
    private let folder: TestFolder
    private let store: BlobStore

    init() throws {
        self.folder = try TestFolder()
        self.store = try BlobStore(
            folder: self.folder("files"), quota: 64 << 20,
            executor: try ThreadExecutor(name: "test-files"))
    }

    private func file(_ bytes: Int) throws -> RandomAccessFile {
        let file = try RandomAccessFile(writing: self.folder("source"))
        try file.write([UInt8](repeating: 1, count: bytes), at: 0)
        return file
    }

    /// Copies a file of several chunks; something becomes of it when so many are copied.
    private func copy(
        after chunks: Int, _ act: (RandomAccessFile) throws -> Void
    ) throws -> BlobTree {
        let file = try self.file(1 << 20)
        var taking = BlobImport(file, to: self.folder("copy"), nil, reserved: file.size)
        var (copied, goesOn) = (0, true)
        while goesOn {
            if copied == chunks { try act(file) }
            goesOn = try taking.copyChunk { _ in }
            copied += 1
        }
        if chunks >= copied { try act(file) }
        while try taking.compareChunk() {}
        return taking.tree
    }

    @Test(
        "is refused where it was written over in place, though its size is the same",
        arguments: [1, 3, 9])
    func rewritten(chunks: Int) throws {
        let places: [UInt64] = [0, 262_144, (1 << 20) - 1]
        for place in places {
            do {
                let tree = try self.copy(after: chunks) { file in try file.write([2], at: place) }
                // What was not read yet when it was written is one state as well.
                #expect(place >= UInt64(chunks) * 262_144)
                #expect(tree.layout.size == 1 << 20)
            } catch { #expect(error as? BlobFailure == .sourceChanged) }
        }
    }

    @Test("is refused where it was cut meanwhile", arguments: [1, 3, 9])
    func cut(chunks: Int) throws {
        #expect(throws: BlobFailure.sourceChanged) {
            try self.copy(after: chunks) { try $0.setSize(5) }
        }
    }

    @Test("is what it was at one moment where something is appended meanwhile", arguments: [1, 9])
    func appended(chunks: Int) throws {
        let tree = try self.copy(after: chunks) { try $0.write([2], at: 1 << 20) }
        #expect(tree.layout.size == (1 << 20) + (chunks == 1 ? 1 : 0))
    }

    @Test("leaves nothing where more comes than files may take")
    func growing() async throws {
        let small = try BlobStore(
            folder: self.folder("small"), quota: 10,
            executor: try ThreadExecutor(name: "test-files"))
        let file = try RandomAccessFile(reading: "/proc/version")
        await #expect(throws: BlobFailure.quota) { try await small.take(file, key: nil) }
        #expect(TestFiles.names(in: self.folder("small")).isEmpty)
        #expect(await small.usedBytes == 0)
    }

    @Test(
        "is read to its end where it does not say how large it is",
        arguments: [
            "/proc/version", "/proc/self/status", "/sys/kernel/mm/transparent_hugepage/enabled",
        ])
    func withoutSize(path: String) async throws {
        guard Files.exists(path) else { return }
        let content = try #require(TestFiles.read(path))
        let file = try RandomAccessFile(reading: path)
        #expect(file.size != UInt64(content.count))
        let taken = try await self.store.take(file, key: nil)
        let stored = try #require(TestFiles.read(self.folder("files/\(taken.blob)")))
        #expect(!stored.isEmpty && stored.count == Int(taken.size))
        if path == "/proc/version" { #expect(stored == content) }
        #expect(await self.store.usedBytes == taken.size)
    }
}
