internal import Crypto
internal import Engine
internal import Formats
internal import Posix

/// A file of which some parts are here.
final class PartialBlob {
    private var tree: BlobTree
    private let file: RandomAccessFile
    private let writer: BulkWriter
    private let nodes: RandomAccessFile
    private(set) var standing: BlobStanding

    /// Opens what is there and reads it through: what is right counts.
    ///
    /// The file of hashes is made also where there are none: it says that the file is to be here.
    init(_ tree: BlobTree, path: String, treePath: String) throws(SystemError) {
        let layout = tree.layout
        let file = try RandomAccessFile(writing: path)
        let nodes = try RandomAccessFile(writing: treePath)
        var tree = tree
        var standing = BlobStanding(chunks: ChunkSet(of: layout.chunkCount))
        for node in layout.nodes {
            let bytes = try nodes.read(
                at: layout.treeOffset(of: node), count: layout.byteCount(of: node))
            if tree.add(bytes, as: node) { standing.nodes.insert(node) }
        }
        if standing.nodes.count < layout.nodes.count, let known = Self.hashed(file, as: tree) {
            for node in layout.nodes {
                try nodes.write(known.bytes(of: node) ?? [], at: layout.treeOffset(of: node))
            }
            (tree, standing.nodes) = (known, Set(layout.nodes))
        }
        if file.size != layout.size { try file.setSize(layout.size) }
        var place: UInt64 = 0
        while place < layout.size, let data = file.firstData(from: place) {
            let chunk = Int(data / UInt64(BlobLayout.chunkBytes))
            let bytes = Self.bytes(of: chunk, in: file, layout) ?? []
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

    /// A chunk; nil where the disk cannot read it, and another one is to be written in its place.
    private static func bytes(
        of chunk: Int, in file: RandomAccessFile, _ layout: BlobLayout
    ) -> [UInt8]? {
        try? file.read(at: layout.offset(of: chunk), count: layout.byteCount(of: .chunk(chunk)))
    }

    /// The hashes made anew, where only they are lost and all else is there; nil where it is not.
    private static func hashed(_ file: RandomAccessFile, as tree: BlobTree) -> BlobTree? {
        let layout = tree.layout
        guard file.size == layout.size else { return nil }
        var hashes: [Bytes32] = []
        hashes.reserveCapacity(layout.chunkCount)
        for chunk in 0..<layout.chunkCount {
            let (place, count) = (layout.offset(of: chunk), layout.byteCount(of: .chunk(chunk)))
            // What has a hole was never whole.
            guard let data = file.firstData(from: place), data < place + UInt64(count),
                let bytes = Self.bytes(of: chunk, in: file, layout)
            else { return nil }
            hashes.append(BlobTree.hash(bytes, at: 0))
        }
        let found = BlobTree(layout: layout, chunks: hashes)
        return found.id == tree.id ? found : nil
    }

    /// Stores a part where it is right; gives whether it was.
    func store(_ bytes: [UInt8], as part: BlobPart) throws(SystemError) -> Bool {
        let layout = self.tree.layout
        guard part.isChunk else {
            guard self.tree.add(bytes, as: part) else { return false }
            try self.nodes.write(bytes, at: layout.treeOffset(of: part))
            self.standing.nodes.insert(part)
            return true
        }
        guard self.tree.verifies(bytes, as: part) == true else { return false }
        try self.writer.write(bytes, at: layout.offset(of: part.index))
        self.standing.chunks.insert(part.index)
        return true
    }

    /// A part that is here; nil for another one, and ``BlobFailure/damaged`` where it is wrong.
    func read(_ part: BlobPart) throws(BlobFailure) -> [UInt8]? {
        guard part.isChunk else { return self.tree.bytes(of: part) }
        guard self.standing.chunks.contains(part.index) else { return nil }
        guard let bytes = Self.bytes(of: part.index, in: self.file, self.tree.layout),
            self.tree.verifies(bytes, as: part) == true
        else { throw .damaged }
        return bytes
    }

    /// Makes it durable.
    func sync() throws(SystemError) {
        try self.nodes.sync()
        try self.file.sync()
    }
}
