internal import Crypto
internal import Engine
internal import Formats
internal import Posix

/// A file of the user on its way into the folder: one state of it, or nothing.
///
/// It is read to its end and then a second time. Where each chunk is the same both times, the copy is what
/// the file was in between. What has no true size, as most of proc(5), is made anew for each reading, and
/// is read once.
struct BlobImport {
    private let source: RandomAccessFile
    private let key: Bytes32?
    private let path: String
    /// What the source said before it was read.
    private let stated: UInt64
    /// How many bytes were set aside for it.
    private(set) var reserved: UInt64
    private var copy: RandomAccessFile?
    private var size: UInt64 = 0
    /// Of the chunks as they are stored, and as they were read.
    private var hashes: [Bytes32] = []
    private var clear: [Bytes32] = []
    private var compared = 0

    init(_ source: RandomAccessFile, to path: String, _ key: Bytes32?, reserved: UInt64) {
        self.source = source
        self.path = path
        self.key = key
        self.stated = reserved
        self.reserved = reserved
    }

    /// Where it is copied to.
    var target: RandomAccessFile {
        guard let copy else { preconditionFailure("an empty file has a chunk, too") }
        return copy
    }

    /// The hashes of the copy.
    var tree: BlobTree {
        guard let layout = BlobLayout(size: self.size) else {
            preconditionFailure("what is too large was refused while it was read")
        }
        return BlobTree(layout: layout, chunks: self.hashes)
    }

    private static var chunkBytes: Int { BlobLayout.chunkBytes }

    /// Copies the next chunk; false where it was the last one.
    ///
    /// - Parameter reserve: sets so many more bytes aside, or throws where there is no room for them.
    mutating func copyChunk(
        _ reserve: (UInt64) throws(BlobFailure) -> Void
    ) throws(BlobFailure) -> Bool {
        if self.hashes.count == 4 { OpenSSL.load() }
        let bytes = try self.read(count: Self.chunkBytes)
        if bytes.isEmpty, !self.hashes.isEmpty { return false }
        let end = self.size + UInt64(bytes.count)
        guard end <= BlobLayout.sizeLimit else { throw .tooLarge }
        if end > self.reserved {
            try reserve(end - self.reserved)
            self.reserved = end
        }
        let stored = self.key.map { XChaCha20.apply($0, to: bytes, at: self.size) } ?? bytes
        try self.write(stored)
        self.hashes.append(BlobTree.hash(stored, at: 0))
        self.clear.append(
            self.key == nil ? self.hashes[self.hashes.count - 1] : BlobTree.hash(bytes, at: 0))
        self.size = end
        return bytes.count == Self.chunkBytes
    }

    private mutating func write(_ bytes: [UInt8]) throws(BlobFailure) {
        do throws(SystemError) {
            let target: RandomAccessFile
            if let copy { target = copy } else { target = try RandomAccessFile(writing: self.path) }
            self.copy = target
            try target.write(bytes, at: self.size)
        } catch { throw BlobFailure(error) }
    }

    /// Compares the next chunk with the source, which must be what it was; false where all are.
    mutating func compareChunk() throws(BlobFailure) -> Bool {
        guard self.hasTrueSize, self.compared < self.clear.count else { return false }
        let place = UInt64(self.compared * Self.chunkBytes)
        let bytes = try self.read(
            at: place, count: Int(min(self.size - place, UInt64(Self.chunkBytes))))
        guard BlobTree.hash(bytes, at: 0) == self.clear[self.compared] else { throw .sourceChanged }
        self.compared += 1
        return true
    }

    /// Whether the source says how large it is: a size that stays and is not what was read says nothing.
    private var hasTrueSize: Bool { self.stated == self.size || self.source.size != self.stated }

    private func read(at place: UInt64? = nil, count: Int) throws(BlobFailure) -> [UInt8] {
        let (source, place) = (self.source, place ?? self.size)
        return try BlobFailure.of { () throws(SystemError) in
            try source.read(at: place, count: count)
        }
    }
}
