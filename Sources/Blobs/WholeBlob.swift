internal import Engine
internal import Formats
internal import Posix

/// A file that is whole, of which nothing is read that its hashes do not vouch for.
///
/// The hashes are checked from the root down, as far as they are needed, and kept.
final class WholeBlob {
    let layout: BlobLayout
    private var tree: BlobTree
    private let file: RandomAccessFile
    private let nodes: RandomAccessFile?

    /// Opens a file and proves its size by its root; throws ``BlobFailure/damaged`` where that is wrong.
    init(_ blob: BlobID, path: String, treePath: String) throws(BlobFailure) {
        let file = try BlobFailure.of { () throws(SystemError) in
            try RandomAccessFile(reading: path)
        }
        guard let layout = BlobLayout(size: file.size) else { throw .damaged }
        self.file = file
        self.layout = layout
        self.tree = BlobTree(id: blob, layout: layout)
        if layout.nodes.isEmpty {
            self.nodes = nil
        } else {
            do throws(SystemError) { self.nodes = try RandomAccessFile(reading: treePath) } catch {
                throw error.meansNotFound ? .damaged : BlobFailure(error)
            }
        }
        _ = try self.verified(layout.root)
    }

    /// A part of it; nil where it has no such part, and ``BlobFailure/damaged`` where it is wrong.
    func read(_ part: BlobPart) throws(BlobFailure) -> [UInt8]? {
        self.layout.contains(part) ? try self.verified(part) : nil
    }

    private func verified(_ part: BlobPart) throws(BlobFailure) -> [UInt8] {
        let parent = self.layout.parent(of: part)
        if let parent, !self.tree.has(parent) {
            _ = self.tree.add(try self.verified(parent), as: parent)
        }
        let bytes = try self.bytes(of: part)
        guard self.tree.verifies(bytes, as: part) == true else { throw .damaged }
        return bytes
    }

    /// What the disk gives, where a sector that it cannot read is damage like any other.
    private func bytes(of part: BlobPart) throws(BlobFailure) -> [UInt8] {
        let count = self.layout.byteCount(of: part)
        do throws(SystemError) {
            if part.isChunk {
                return try self.file.read(at: self.layout.offset(of: part.index), count: count)
            }
            return try self.nodes?.read(at: self.layout.treeOffset(of: part), count: count) ?? []
        } catch { throw error.meansUnreadable ? .damaged : BlobFailure(error) }
    }

    /// Has what was read of it leave the memory.
    func letGo() { self.file.letGo() }
}

/// The files that were read last and are whole, kept open.
struct WholeBlobs {
    private static let limit = 16
    private var open: [(blob: BlobID, file: WholeBlob)] = []

    func file(_ blob: BlobID) -> WholeBlob? { self.open.first { $0.blob == blob }?.file }

    mutating func keep(_ file: WholeBlob, as blob: BlobID) {
        if self.open.count == Self.limit { self.open.removeFirst() }
        self.open.append((blob, file))
    }

    mutating func forget(_ blob: BlobID) { self.open.removeAll { $0.blob == blob } }
}
