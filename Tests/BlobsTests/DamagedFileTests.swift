import Blobs
import Crypto
import Engine
import Formats
import Glibc
import Posix
import TestSupport
import Testing

@Suite("Files that are damaged on disk") struct DamagedFileTests {
    private let folder: TestFolder
    private let executor: ThreadExecutor

    init() throws {
        self.folder = try TestFolder()
        self.executor = try ThreadExecutor(name: "test-files")
    }

    /// What becomes of a file behind the store's back.
    enum Harm: CaseIterable {
        case flip, cut, empty, remove

        func hit(_ path: String) throws {
            switch self {
            case .remove: try Files.remove(path)
            case .cut: try #require(truncate(path, off_t(Files.size(path) ?? 0) - 1) == 0)
            case .empty: try #require(truncate(path, 0) == 0)
            case .flip:
                let file = try RandomAccessFile(writing: path)
                let byte = try file.read(at: file.size / 2, count: 1)
                try file.write([byte[0] ^ 1], at: file.size / 2)
            }
        }
    }

    /// Which of the files of the store is hit, of a small file or a chunked one.
    enum Target: CaseIterable {
        case small, chunked, hashes

        var bytes: Int { self == .small ? 1_000 : 3 * 262_144 + 5 }
        var suffix: String { self == .hashes ? ".tree" : "" }
    }

    private func store(_ name: String = "one") throws -> BlobStore {
        try BlobStore(folder: self.folder(name), quota: 1 << 30, executor: self.executor)
    }

    private func source(_ count: Int) throws -> (file: RandomAccessFile, bytes: [UInt8]) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
        let file = try RandomAccessFile(writing: self.folder("source"))
        try file.write(bytes, at: 0)
        return (file, bytes)
    }

    /// All of a file, as far as the store gives it.
    private func content(
        _ blob: BlobID, _ layout: BlobLayout, in store: BlobStore
    ) async throws -> [UInt8] {
        var content: [UInt8] = []
        for chunk in 0..<layout.chunkCount {
            content += try #require(try await store.read(.chunk(chunk), of: blob))
        }
        return content
    }

    /// Gets a file that is not whole from a store that has it.
    private func fetch(
        _ blob: BlobID, _ layout: BlobLayout, from good: BlobStore, to store: BlobStore
    ) async throws -> Int {
        let standing = try await store.open(blob, layout)
        var stored = 0
        for node in layout.nodes where !standing.nodes.contains(node) {
            let bytes = try #require(try await good.read(node, of: blob))
            #expect(try await store.store(bytes, as: node, of: blob))
        }
        for chunk in 0..<layout.chunkCount where !standing.chunks.contains(chunk) {
            let bytes = try #require(try await good.read(.chunk(chunk), of: blob))
            #expect(try await store.store(bytes, as: .chunk(chunk), of: blob))
            stored += 1
        }
        try await store.finish(blob)
        return stored
    }

    // Shows: file.damage
    @Test(
        "give no wrong byte, at rest or while the store is open, and are whole again from a good copy",
        arguments: Harm.allCases, Target.allCases)
    func healed(harm: Harm, target: Target) async throws {
        for isOpen in [false, true] {
            let (file, bytes) = try self.source(target.bytes)
            let good = try self.store("good")
            var store = try self.store()
            let taken = try await store.take(file, key: nil)
            _ = try await good.take(file, key: nil)
            let (blob, layout) = (taken.blob, try #require(BlobLayout(size: taken.size)))
            if isOpen { #expect(try await self.content(blob, layout, in: store) == bytes) }
            try harm.hit(self.folder("one/\(blob)\(target.suffix)"))
            if !isOpen { store = try self.store() }
            let found = try await store.scrub(from: nil, bytes: .max)
            #expect(found.damaged == [blob] && found.next == nil, "\(isOpen)")
            let stored = try await self.fetch(blob, layout, from: good, to: store)
            // Only what is lost comes again, and hashes are made anew where only they are.
            #expect(
                stored
                    == (target == .hashes
                        ? 0 : harm == .flip || harm == .cut ? 1 : layout.chunkCount))
            #expect(try await self.content(blob, layout, in: store) == bytes)
            #expect(try await store.scrub(from: nil, bytes: .max).damaged.isEmpty)
            #expect(await store.usedBytes == taken.size)
            #expect(TestFiles.read(self.folder("one/\(blob)")) == bytes)
            try await store.close(blob, isRemoved: true)
            #expect(await store.usedBytes == 0 && TestFiles.names(in: self.folder("one")).isEmpty)
        }
    }

    @Test("are found on reading, where nobody has looked for it", arguments: Harm.allCases)
    func read(harm: Harm) async throws {
        let (file, _) = try self.source(300_000)
        let taken = try await self.store().take(file, key: nil)
        let layout = try #require(BlobLayout(size: taken.size))
        try harm.hit(self.folder("one/\(taken.blob)"))
        let store = try self.store()
        await #expect(throws: BlobFailure.damaged) {
            for chunk in 0..<layout.chunkCount {
                _ = try await store.read(.chunk(chunk), of: taken.blob)
            }
        }
        // From then on it is one that is not whole.
        let all = try await store.all()
        #expect(all.map(\.presence) == [harm == .remove ? .lost : .partial])
    }

    @Test("are whole again once the same content is sent again", arguments: Harm.allCases)
    func sentAgain(harm: Harm) async throws {
        for isFetching in [false, true] {
            let (file, bytes) = try self.source(300_000)
            let store = try self.store()
            let taken = try await store.take(file, key: nil)
            let layout = try #require(BlobLayout(size: taken.size))
            try harm.hit(self.folder("one/\(taken.blob)"))
            if isFetching {
                _ = try await store.scrub(from: nil, bytes: .max)
                #expect(try await !store.open(taken.blob, layout).chunks.isWhole)
            }
            #expect(try await store.take(file, key: nil).blob == taken.blob)
            try await store.finish(taken.blob)
            #expect(try await self.content(taken.blob, layout, in: store) == bytes)
            #expect(await store.usedBytes == taken.size)
            #expect(TestFiles.names(in: self.folder("one")).count == 2)
            try await store.close(taken.blob, isRemoved: true)
        }
    }

    @Test(
        "while they are fetched give no wrong byte, and go on with what is right",
        arguments: Harm.allCases)
    func partial(harm: Harm) async throws {
        let (file, bytes) = try self.source(3 * 262_144)
        let (good, store) = (try self.store("good"), try self.store())
        let taken = try await good.take(file, key: nil)
        let (blob, layout) = (taken.blob, try #require(BlobLayout(size: taken.size)))
        _ = try await store.open(blob, layout)
        for part in layout.nodes + [.chunk(1), .chunk(2)] {
            let bytes = try #require(try await good.read(part, of: blob))
            #expect(try await store.store(bytes, as: part, of: blob))
        }
        try harm.hit(self.folder("one/\(blob).part"))
        for chunk in [1, 2] {
            do throws(BlobFailure) {
                let read = try await store.read(.chunk(chunk), of: blob)
                let start = chunk * 262_144
                #expect(read == nil || read == Array(bytes[start..<start + 262_144]))
            } catch { #expect(error == .damaged) }
        }
        do throws(BlobFailure) {
            _ = try await self.failing { try await self.fetch(blob, layout, from: good, to: store) }
        } catch {
            // What was removed under it is noticed when it is to get its name.
            #expect(error == .damaged && harm == .remove)
            _ = try await self.fetch(blob, layout, from: good, to: store)
        }
        #expect(try await self.content(blob, layout, in: store) == bytes)
    }

    private func failing<Result>(
        _ body: () async throws -> Result
    ) async throws(BlobFailure) -> Result {
        do { return try await body() } catch let error as BlobFailure { throw error } catch {
            Issue.record(error)
            throw .damaged
        }
    }

    @Test("are not dropped because a message tells of another size")
    func otherSize() async throws {
        let (file, bytes) = try self.source(300_000)
        let store = try self.store()
        let taken = try await store.take(file, key: nil)
        let wrong = try #require(BlobLayout(size: 299_999))
        #expect(try await store.standing(of: taken.blob, wrong) == nil)
        let right = try #require(BlobLayout(size: 300_000))
        #expect(try await self.content(taken.blob, right, in: store) == bytes)
    }

    @Test("are looked for a share at a time, and each comes to its turn")
    func shares() async throws {
        let store = try self.store()
        for count in [5, 300_000, 700_000] {
            _ = try await store.take(try self.source(count).file, key: nil)
        }
        for name in TestFiles.names(in: self.folder("one")) where !name.hasSuffix(".tree") {
            try Harm.cut.hit(self.folder("one/\(name)"))
        }
        var (damaged, place, turns): ([BlobID], BlobPlaceOnDisk?, Int) = ([], nil, 0)
        repeat {
            let found = try await store.scrub(from: place, bytes: 1)
            (damaged, place, turns) = (damaged + found.damaged, found.next, turns + 1)
        } while place != nil
        #expect(Set(damaged).count == 3 && turns > 1)
    }
}
