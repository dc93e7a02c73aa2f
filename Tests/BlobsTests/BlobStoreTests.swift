import Blobs
import Crypto
import Engine
import Formats
import Glibc
import Posix
import TestSupport
import Testing

@Suite("The content of files on disk") struct BlobStoreTests {
    private let folder: TestFolder
    private let executor: ThreadExecutor

    init() throws {
        self.folder = try TestFolder()
        self.executor = try ThreadExecutor(name: "test-files")
    }

    private func store(_ name: String, quota: UInt64 = 1 << 30) throws -> BlobStore {
        try BlobStore(folder: self.folder(name), quota: quota, executor: self.executor)
    }

    /// A file of some chunks, none like another.
    private func source(_ count: Int) throws -> (file: RandomAccessFile, bytes: [UInt8]) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
        let file = try RandomAccessFile(writing: self.folder("source"))
        try file.write(bytes, at: 0)
        return (file, bytes)
    }

    @Test("goes from one folder to another part by part", arguments: [0, 1, 262_144, 700_000])
    func parts(count: Int) async throws {
        let (file, bytes) = try self.source(count)
        let (one, two) = (try self.store("one"), try self.store("two"))
        let taken = try await one.take(file, key: nil)
        let layout = try #require(BlobLayout(size: taken.size))
        var standing = try await two.open(taken.blob, layout)
        for part in layout.nodes + (0..<layout.chunkCount).map({ .chunk($0) })
        where !standing.chunks.contains(part.isChunk ? part.index : 0) || !part.isChunk {
            let part = part
            let content = try #require(try await one.read(part, of: taken.blob))
            var wrong = content
            if !wrong.isEmpty {
                wrong[wrong.count / 2] ^= 1
                #expect(try await !two.store(wrong, as: part, of: taken.blob))
            }
            #expect(try await two.store(content, as: part, of: taken.blob))
        }
        standing = try #require(try await two.standing(of: taken.blob, layout))
        #expect(standing.chunks.isWhole)
        try await two.finish(taken.blob)
        #expect(TestFiles.read(self.folder("two/\(taken.blob)")) == bytes)
        #expect(await two.usedBytes == UInt64(count))
        try await two.close(taken.blob, isRemoved: true)
        #expect(TestFiles.names(in: self.folder("two")).isEmpty)
        #expect(await two.usedBytes == 0)
    }

    @Test("of one that is not whole it is known what was written, before it is read")
    func written() async throws {
        let (file, _) = try self.source(700_000)
        let one = try self.store("one")
        let taken = try await one.take(file, key: nil)
        let layout = try #require(BlobLayout(size: taken.size))
        do {
            let two = try self.store("two")
            #expect(await two.writtenBytes(of: taken.blob, layout) == 0)
            _ = try await two.open(taken.blob, layout)
            for part in layout.nodes + [.chunk(1)] {
                let content = try #require(try await one.read(part, of: taken.blob))
                #expect(try await two.store(content, as: part, of: taken.blob))
            }
        }
        let again = try self.store("two")
        #expect(await again.writtenBytes(of: taken.blob, layout) == 262_144)
    }

    @Test("one that is noted is there after a restart, and takes no room until it is begun")
    func noted() async throws {
        let (file, bytes) = try self.source(700_000)
        let (one, two) = (try self.store("one"), try self.store("two", quota: 700_000))
        let taken = try await one.take(file, key: nil)
        let layout = try #require(BlobLayout(size: taken.size))
        try await two.note(taken.blob)
        #expect(await two.usedBytes == 0)
        #expect(try await two.standing(of: taken.blob, layout) == nil)
        let again = try self.store("two", quota: 700_000)
        let all = try await again.all()
        #expect(all.map(\.blob) == [taken.blob] && all.map(\.presence) == [.partial])
        let standing = try await again.open(taken.blob, layout)
        #expect(standing.chunks.count == 0)
        #expect(await again.usedBytes == UInt64(bytes.count))
        // One that is under way is not noted again.
        try await again.note(taken.blob)
        let content = try #require(try await one.read(.chunk(0), of: taken.blob))
        for node in layout.nodes {
            let bytes = try #require(try await one.read(node, of: taken.blob))
            #expect(try await again.store(bytes, as: node, of: taken.blob))
        }
        #expect(try await again.store(content, as: .chunk(0), of: taken.blob))
        try await again.note(taken.blob)
        #expect(try await again.standing(of: taken.blob, layout)?.chunks.count == 1)
        try await again.close(taken.blob, isRemoved: true)
        #expect(TestFiles.names(in: self.folder("two")).isEmpty)
        #expect(await again.usedBytes == 0)
    }

    @Test("one that is noted and for which there is no room is noted no longer")
    func notedInVain() async throws {
        let (file, _) = try self.source(700_000)
        let taken = try await self.store("one").take(file, key: nil)
        let layout = try #require(BlobLayout(size: taken.size))
        let store = try self.store("small", quota: taken.size - 1)
        try await store.note(taken.blob)
        await #expect(throws: BlobFailure.quota) {
            _ = try await store.open(taken.blob, layout)
        }
        #expect(TestFiles.names(in: self.folder("small")).isEmpty)
    }

    @Test("one that cannot be begun leaves nothing, and takes nothing of what files may take")
    func unbegun() async throws {
        let (file, _) = try self.source(700_000)
        let one = try self.store("one")
        let taken = try await one.take(file, key: nil)
        let layout = try #require(BlobLayout(size: taken.size))
        let two = try self.store("two", quota: 700_000)
        let tree = self.folder("two/\(taken.blob).tree")
        try Files.makePrivateDirectory(tree)
        await #expect(throws: BlobFailure.self) { try await two.open(taken.blob, layout) }
        #expect(await two.usedBytes == 0)
        #expect(TestFiles.names(in: self.folder("two")) == ["\(taken.blob).tree"])
        #expect(rmdir(tree) == 0)
        _ = try await two.open(taken.blob, layout)
        #expect(await two.usedBytes == 700_000)
    }

    @Test("the beginning of a file that is whole is read, and of no other")
    func beginning() async throws {
        let (file, bytes) = try self.source(100)
        let store = try self.store("one")
        let taken = try await store.take(file, key: nil)
        #expect(try await store.beginning(of: taken.blob) == Array(bytes.prefix(12)))
        #expect(try await store.beginning(of: BlobID(size: 1, root: .zero)).isEmpty)
    }

    // Shows: file.parts
    @Test("what is right of a file that is not whole counts after a start, and nothing else")
    func resumes() async throws {
        let (file, _) = try self.source(3 * 262_144)
        let one = try self.store("one")
        let taken = try await one.take(file, key: nil)
        let layout = try #require(BlobLayout(size: taken.size))
        do {
            let two = try self.store("two")
            _ = try await two.open(taken.blob, layout)
            for part in layout.nodes + [.chunk(0), .chunk(2)] {
                let content = try #require(try await one.read(part, of: taken.blob))
                #expect(try await two.store(content, as: part, of: taken.blob))
            }
        }
        // As after a power cut: the chunk is there by its place, and its bytes are not.
        let part = try RandomAccessFile(writing: self.folder("two/\(taken.blob).part"))
        try part.write([0xFF], at: 2 * 262_144 + 5)
        let two = try self.store("two")
        #expect(try await two.all().map(\.presence) == [.partial])
        let standing = try await two.open(taken.blob, layout)
        #expect(standing.chunks.contains(0) && standing.chunks.count == 1)
        #expect(standing.nodes.count == 1)
        #expect(try await two.read(.chunk(2), of: taken.blob) == nil)
    }

    @Test("what is encrypted is not on the disk in clear, and opens with its key alone")
    func sealed() async throws {
        let (file, bytes) = try self.source(300_000)
        let one = try self.store("one")
        let key = XChaCha20.makeKey()
        let taken = try await one.take(file, key: key)
        let stored = try #require(TestFiles.read(self.folder("one/\(taken.blob)")))
        #expect(stored.count == bytes.count && stored != bytes)
        let first = try #require(try await one.read(.chunk(0), of: taken.blob))
        let second = try #require(try await one.read(.chunk(1), of: taken.blob))
        let opened =
            XChaCha20.apply(key, to: first, at: 0) + XChaCha20.apply(key, to: second, at: 262_144)
        #expect(opened == bytes)
        #expect(XChaCha20.apply(XChaCha20.makeKey(), to: first, at: 0) != Array(bytes[..<262_144]))
        // The same file under another key has another name: nobody sees that it is the same.
        #expect(try await one.take(file, key: XChaCha20.makeKey()).blob != taken.blob)
    }

    // Shows: file.quota
    @Test("no more is taken than files may take, and what was begun leaves nothing")
    func quota() async throws {
        let (file, _) = try self.source(300_000)
        let one = try self.store("one", quota: 299_999)
        await #expect(throws: BlobFailure.quota) { try await one.take(file, key: nil) }
        let layout = try #require(BlobLayout(size: 300_000))
        await #expect(throws: BlobFailure.quota) {
            try await one.open(BlobID(size: 300_000, root: .zero), layout)
        }
        #expect(TestFiles.names(in: self.folder("one")).isEmpty)
        #expect(await one.usedBytes == 0)
        // What a kill has left of a copy goes at the next start.
        _ = try RandomAccessFile(writing: self.folder("one/1.new"))
        _ = try self.store("one")
        #expect(TestFiles.names(in: self.folder("one")).isEmpty)
    }

    @Test("the same content is kept once")
    func once() async throws {
        let (file, _) = try self.source(300_000)
        let one = try self.store("one")
        let first = try await one.take(file, key: nil)
        let second = try await one.take(file, key: nil)
        #expect(first.isNew && !second.isNew && first.blob == second.blob)
        #expect(await one.usedBytes == 300_000)
        #expect(TestFiles.names(in: self.folder("one")).count == 2)
    }
}
