package import Crypto

/// The hashes over a file, as far as they are known: each part is checked by the node above it.
///
/// A value without I/O. `Docs/Protocol/Files.md` section 1.
package struct BlobTree: Sendable {
    /// The file's name.
    package let id: BlobID
    /// How the file is cut.
    package let layout: BlobLayout
    private var nodes: [BlobPart: [Bytes32]] = [:]

    /// Knows nothing yet but what a file is called and how large it is.
    package init(id: BlobID, layout: BlobLayout) {
        self.id = id
        self.layout = layout
    }

    /// Makes the tree of a file whose chunks have these hashes.
    ///
    /// - Precondition: there is a hash for each chunk of the layout.
    package init(layout: BlobLayout, chunks: [Bytes32]) {
        precondition(chunks.count == layout.chunkCount, "every chunk has a hash")
        var nodes: [BlobPart: [Bytes32]] = [:]
        var hashes = chunks
        for level in layout.counts.indices.dropFirst() {
            var above: [Bytes32] = []
            for index in 0..<layout.counts[level] {
                let start = index * BlobLayout.fanOut
                let end = min(start + BlobLayout.fanOut, hashes.count)
                let listed = Array(hashes[start..<end])
                nodes[BlobPart(level: level, index: index)] = listed
                above.append(Self.hash(Self.bytes(of: listed), at: level))
            }
            hashes = above
        }
        self.init(id: BlobID(size: layout.size, root: hashes[0]), layout: layout)
        self.nodes = nodes
    }

    /// The hash of a part's bytes.
    package static func hash(_ bytes: [UInt8], at level: Int) -> Bytes32 {
        SHA256.hash(level == 0 ? 0 : 1, bytes.span.bytes)
    }

    /// Whether a node is known.
    package func has(_ node: BlobPart) -> Bool { self.nodes[node] != nil }

    /// The bytes of a node; nil where it is not known.
    package func bytes(of node: BlobPart) -> [UInt8]? { self.nodes[node].map(Self.bytes) }

    /// Whether these are the bytes of a part; nil where what would say so is not known.
    package func verifies(_ bytes: [UInt8], as part: BlobPart) -> Bool? {
        guard self.layout.contains(part) else { return false }
        guard bytes.count == self.layout.byteCount(of: part) else { return false }
        #if MUTANTS
            if Mutant.believeWrongChunks.isActive { return true }
        #endif
        let hash = Self.hash(bytes, at: part.level)
        guard let parent = self.layout.parent(of: part) else {
            return BlobID(size: self.layout.size, root: hash) == self.id
        }
        guard let listed = self.nodes[parent] else { return nil }
        return listed[part.index % BlobLayout.fanOut] == hash
    }

    /// Takes a node on where it is right; gives whether it was.
    package mutating func add(_ bytes: [UInt8], as node: BlobPart) -> Bool {
        guard !node.isChunk, self.verifies(bytes, as: node) == true else { return false }
        var reader = WireReader(bytes)
        var listed: [Bytes32] = []
        while let hash = try? reader.bytes32("hash of a part") { listed.append(hash) }
        self.nodes[node] = listed
        return true
    }

    private static func bytes(of hashes: [Bytes32]) -> [UInt8] {
        var writer = WireWriter(capacity: hashes.count * Bytes32.byteCount)
        for hash in hashes { writer.raw(hash) }
        return writer.bytes
    }
}
