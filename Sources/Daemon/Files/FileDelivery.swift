internal import Blobs
internal import Crypto
internal import Engine
internal import Loop
internal import Posix

/// The content of a file on its way to a client: written into its descriptor in order, as it comes.
///
/// Lives on the loop. What the client does not take is waited for; a chunk is held at most.
final class FileDelivery {
    private let descriptor: FileDescriptor
    let blob: BlobID
    private let key: Bytes32?
    private let layout: BlobLayout
    private var chunk = 0
    private var output: [UInt8] = []
    private var start = 0
    private var watch: IOWatch?
    /// Whether the next chunk is being read.
    var isReading = false
    private(set) var isOver = false

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
    }

    /// The chunk to be read next; nil while one is being read or written, and at the end.
    var wanted: BlobPart? {
        guard !self.isOver, !self.isReading, self.start == self.output.count,
            self.chunk < self.layout.chunkCount
        else { return nil }
        return .chunk(self.chunk)
    }

    /// Takes the next chunk.
    func take(_ bytes: [UInt8]) {
        self.output =
            self.key.map {
                XChaCha20.apply($0, to: bytes, at: self.layout.offset(of: self.chunk))
            } ?? bytes
        self.start = 0
        self.chunk += 1
    }

    /// Writes what is there; true once the client has taken all of it and more may be read.
    func write(on loop: EventLoop, _ writable: @escaping () -> Void) -> Bool {
        guard !self.isOver else { return false }
        while self.start < self.output.count {
            switch self.descriptor.write(self.output, from: self.start) {
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
        self.output = []
        self.start = 0
    }
}
