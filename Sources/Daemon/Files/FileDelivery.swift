internal import Blobs
internal import Crypto
internal import Engine
internal import Formats
internal import Loop
internal import Posix

/// The content of a file on its way to a client: written into its descriptor in order, as it comes.
///
/// Lives on the loop. What the client does not take at once is held, some parts of it; what comes when these
/// are held, or not in its turn, is read from the disk.
final class FileDelivery {
    private let descriptor: FileDescriptor
    let blob: BlobID
    private let key: Bytes32?
    let layout: BlobLayout
    private var chunk = 0
    /// Which chunks are to be read from the disk, as far as they are still to come.
    private var onDisk: ChunkSet
    /// What the client has not taken, in order.
    private(set) var held: [[UInt8]] = []
    /// How much it has taken of the first of them.
    private var start = 0
    private var watch: IOWatch?
    /// Whether the next chunk is being read.
    var isReading = false
    private(set) var isOver = false

    /// Two megabytes: a client that has to wait for its turn of a processor is so far behind at once.
    private static let heldParts = 8
    /// Sixteen megabytes, of all clients together; beyond it each has one part.
    static let heldByAll = 64

    /// Takes over a client's descriptor.
    ///
    /// - Parameter key: with what the content is encrypted; nil where it is not.
    init(
        _ descriptor: consuming FileDescriptor, _ blob: BlobID, key: Bytes32?, _ layout: BlobLayout
    ) throws(SystemError) {
        try descriptor.setNonblocking()
        self.descriptor = descriptor
        self.blob = blob
        self.key = key
        self.layout = layout
        self.onDisk = ChunkSet(of: layout.chunkCount)
    }

    /// The chunk to be read next; nil where that is not here, is being read, or is not waited for yet.
    var wanted: BlobPart? {
        guard !self.isOver, !self.isReading, self.held.isEmpty,
            self.chunk < self.layout.chunkCount, self.onDisk.contains(self.chunk)
        else { return nil }
        return .chunk(self.chunk)
    }

    func learn(_ chunks: ChunkSet) {
        for chunk in self.chunk..<self.layout.chunkCount where chunks.contains(chunk) {
            self.onDisk.insert(chunk)
        }
    }

    /// A chunk was stored: takes it where it is the next one, and gives whether it was; else it is read when
    /// its turn comes.
    ///
    /// - Parameter others: how many parts are held for all clients.
    func stored(_ bytes: [UInt8], as chunk: Int, besides others: Int) -> Bool {
        let limit = others < Self.heldByAll ? Self.heldParts : 1
        guard chunk == self.chunk, !self.isOver, !self.isReading, self.held.count < limit else {
            self.onDisk.insert(chunk)
            return false
        }
        self.take(bytes)
        return true
    }

    /// Takes the next chunk.
    func take(_ bytes: [UInt8]) {
        let place = self.layout.offset(of: self.chunk)
        self.held.append(self.key.map { XChaCha20.apply($0, to: bytes, at: place) } ?? bytes)
        self.chunk += 1
    }

    /// Writes what is there; true once the client has taken all of it and more may be read.
    func write(on loop: EventLoop, _ writable: @escaping () -> Void) -> Bool {
        guard !self.isOver else { return false }
        while let first = self.held.first {
            guard self.start < first.count else {
                self.held.removeFirst()
                self.start = 0
                continue
            }
            switch self.descriptor.write(first, from: self.start) {
            case .bytes(let count): self.start += count
            case .wouldBlock:
                if self.watch == nil {
                    self.watch = try? loop.watch(self.descriptor.number, for: .writable) { _ in
                        writable()
                    }
                    // A file that the loop cannot watch never has to be waited for.
                    if self.watch == nil { self.close() }
                } else {
                    self.watch?.set(.writable)
                }
                return false
            case .failed:
                // The client is gone.
                self.close()
                return false
            }
        }
        self.watch?.set([])
        if self.chunk == self.layout.chunkCount { self.close() }
        return !self.isOver
    }

    /// Closes the descriptor: the client reads the end.
    func close() {
        self.isOver = true
        self.watch?.cancel()
        self.watch = nil
        self.held = []
        self.start = 0
    }
}
