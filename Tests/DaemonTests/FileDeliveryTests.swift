import Blobs
import Crypto
import Engine
import Formats
import Glibc
import Loop
import Posix
import TestSupport
import Testing

@testable import Daemon

@Suite("A file on its way to a client") struct FileDeliveryTests {
    private static let chunks = 12
    private let folder: TestFolder
    private let delivery: FileDelivery

    init() throws {
        let folder = try TestFolder()
        let number = open(folder("taken"), O_WRONLY | O_CREAT, 0o600)
        try #require(number >= 0)
        let layout = try #require(BlobLayout(size: UInt64(Self.chunks * BlobLayout.chunkBytes)))
        self.folder = folder
        self.delivery = try FileDelivery(
            FileDescriptor(owning: number), BlobID(size: layout.size, root: .zero), key: nil,
            layout)
    }

    private static func bytes(_ chunk: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(chunk), count: BlobLayout.chunkBytes)
    }

    private func store(_ chunk: Int, besides others: Int = 0) -> Bool {
        self.delivery.stored(Self.bytes(chunk), as: chunk, besides: others)
    }

    /// Writes what is held, and reads and writes what is on the disk behind it; gives what was read.
    private func drain() throws -> [Int] {
        let loop = try EventLoop()
        var read: [Int] = []
        while self.delivery.write(on: loop, {}), let part = self.delivery.wanted {
            read.append(part.index)
            self.delivery.take(Self.bytes(part.index))
        }
        return read
    }

    @Test("what comes in turn is held, eight parts of it, and only the rest is read again")
    func held() throws {
        #expect((0..<Self.chunks).map { self.store($0) } == (0..<Self.chunks).map { $0 < 8 })
        #expect(self.delivery.held.count == 8 && self.delivery.wanted == nil)
        #expect(try self.drain() == [8, 9, 10, 11])
        #expect(self.delivery.isOver)
        #expect(TestFiles.read(self.folder("taken")) == (0..<Self.chunks).flatMap(Self.bytes))
    }

    @Test("where much is held for others, one part is held")
    func others() {
        #expect(self.store(0, besides: 64))
        #expect(!self.store(1, besides: 64))
        #expect(self.delivery.held.count == 1)
    }

    @Test("what was here before and what comes out of turn is read when its turn comes")
    func outOfTurn() throws {
        var here = ChunkSet(of: Self.chunks)
        for chunk in [1, 2, 7] { here.insert(chunk) }
        self.delivery.learn(here)
        #expect(self.delivery.wanted == nil, "the first one is not here")
        for chunk in [3, 4, 6, 5, 8] { #expect(!self.store(chunk)) }
        #expect(self.store(0))
        #expect(try self.drain() == [1, 2, 3, 4, 5, 6, 7, 8])
        for chunk in 9..<Self.chunks { #expect(self.store(chunk)) }
        #expect(try self.drain().isEmpty && self.delivery.isOver)
        #expect(TestFiles.read(self.folder("taken")) == (0..<Self.chunks).flatMap(Self.bytes))
    }

    @Test("what comes while its part is being read is not given twice")
    func reading() throws {
        self.delivery.isReading = true
        #expect(!self.store(0))
        self.delivery.isReading = false
        #expect(try self.drain() == [0])
    }
}
