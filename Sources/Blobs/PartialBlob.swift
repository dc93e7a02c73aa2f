internal import Crypto
internal import Engine
internal import Posix

/// A file of which some parts are here.
final class PartialBlob {
    private var tree: BlobTree
    private let file: RandomAccessFile
    private let writer: BulkWriter
    private let nodes: RandomAccessFile?
    private(set) var standing: BlobStanding

    /// Opens what is there and reads it through: what is right counts.
    init(_ tree: BlobTree, path: String, treePath: String) throws(SystemError) {
        var tree = tree
        let layout = tree.layout
        let file = try RandomAccessFile(writing: path)
        let nodes = layout.nodes.isEmpty ? nil : try RandomAccessFile(writing: treePath)
        var standing = BlobStanding(chunks: ChunkSet(of: layout.chunkCount))
        if let nodes {
            for node in layout.nodes {
                let bytes = try nodes.read(
                    at: layout.treeOffset(of: node), count: layout.byteCount(of: node))
                if tree.add(bytes, as: node) { standing.nodes.insert(node) }
            }
        }
        if file.size != layout.size { try file.setSize(layout.size) }
        var place: UInt64 = 0
        while place < layout.size, let data = file.firstData(from: place) {
            let chunk = Int(data / UInt64(BlobLayout.chunkBytes))
            let bytes = try file.read(
                at: layout.offset(of: chunk), count: layout.byteCount(of: .chunk(chunk)))
            if tree.verifies(bytes, as: .chunk(chunk)) == true { standing.chunks.insert(chunk) }
            place = layout.offset(of: chunk + 1)
        }
        if layout.size == 0, tree.verifies([], as: .chunk(0)) == true { standing.chunks.insert(0) }
        self.tree = tree
        self.file = file
        self.writer = BulkWriter(file, bytes: layout.size)
        self.nodes = nodes
        self.standing = standing
    }

    /// Stores a part where it is right; gives whether it was.
    func store(_ bytes: [UInt8], as part: BlobPart) throws(SystemError) -> Bool {
        let layout = self.tree.layout
        guard part.isChunk else {
            guard self.tree.add(bytes, as: part) else { return false }
            try self.nodes?.write(bytes, at: layout.treeOffset(of: part))
            self.standing.nodes.insert(part)
            return true
        }
        guard self.tree.verifies(bytes, as: part) == true else { return false }
        try self.writer.write(bytes, at: layout.offset(of: part.index))
        self.standing.chunks.insert(part.index)
        return true
    }

    /// A part that is here; nil for another one.
    func read(_ part: BlobPart) throws(SystemError) -> [UInt8]? {
        guard part.isChunk else { return self.tree.bytes(of: part) }
        guard self.standing.chunks.contains(part.index) else { return nil }
        let layout = self.tree.layout
        return try self.file.read(
            at: layout.offset(of: part.index), count: layout.byteCount(of: part))
    }

    /// Makes it durable.
    func sync() throws(SystemError) {
        try self.nodes?.sync()
        try self.file.sync()
    }
}

/// The files that were read last and are whole, kept open.
struct WholeBlobs {
    private static let limit = 16
    private var open: [(blob: BlobID, file: RandomAccessFile)] = []

    /// An open file; nil where there is none.
    mutating func file(
        _ blob: BlobID, at path: String
    ) throws(SystemError) -> RandomAccessFile? {
        if let known = self.open.first(where: { $0.blob == blob }) { return known.file }
        let file: RandomAccessFile
        do throws(SystemError) { file = try RandomAccessFile(reading: path) } catch {
            if error.meansNotFound { return nil }
            throw error
        }
        if self.open.count == Self.limit { self.open.removeFirst() }
        self.open.append((blob, file))
        return file
    }

    mutating func forget(_ blob: BlobID) { self.open.removeAll { $0.blob == blob } }
}
