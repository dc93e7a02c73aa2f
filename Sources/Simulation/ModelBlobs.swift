import Engine
import Formats
import Crypto

/// The content of files on the disk of one machine: what is promised of `BlobStore`, as plainly as it
/// can be written, and what a power cut may do to it.
///
/// What is right is said by ``BlobTree``, as in the real store.
struct ModelBlobs {
    /// What is there of one file.
    struct File {
        let layout: BlobLayout
        var nodes: [BlobPart: [UInt8]] = [:]
        var chunks: [Int: [UInt8]] = [:]
        /// What a power cut may take.
        var unsynced: Set<Int> = []
        /// Whether it lies under its name.
        var isWhole = false
        /// What is known to be right of one that is open; nil for others.
        var open: Open?

        /// Its content, as far as it has all chunks.
        var content: [UInt8]? {
            let all = (0..<self.layout.chunkCount).compactMap { self.chunks[$0] }
            return all.count == self.layout.chunkCount ? all.flatMap(\.self) : nil
        }
    }

    /// A file that is written.
    struct Open {
        var tree: BlobTree
        var standing: BlobStanding
    }

    private(set) var files: [BlobID: File] = [:]

    /// Copies a file of the user; gives its name.
    mutating func take(_ content: [UInt8]) -> BlobID {
        guard let layout = BlobLayout(size: UInt64(content.count)) else {
            preconditionFailure("files of the simulator are small")
        }
        var file = File(layout: layout)
        for chunk in 0..<layout.chunkCount {
            let start = Int(layout.offset(of: chunk))
            let end = start + layout.byteCount(of: .chunk(chunk))
            file.chunks[chunk] = Array(content[start..<end])
        }
        let hashes = (0..<layout.chunkCount).map { BlobTree.hash(file.chunks[$0] ?? [], at: 0) }
        let tree = BlobTree(layout: layout, chunks: hashes)
        for node in layout.nodes { file.nodes[node] = tree.bytes(of: node) }
        file.isWhole = true
        if self.files[tree.id]?.isWhole != true { self.files[tree.id] = file }
        return tree.id
    }

    /// Makes ready to store a file, or goes on with one: what is there is read and checked.
    mutating func open(
        _ blob: BlobID, _ layout: BlobLayout, isFull: Bool
    ) throws(TransferFailure) -> BlobStanding {
        if let standing = self.standing(of: blob, layout) { return standing }
        guard var file = self.files[blob] ?? (isFull ? nil : File(layout: layout)) else {
            throw .diskFull
        }
        var tree = BlobTree(id: blob, layout: layout)
        var standing = BlobStanding(chunks: ChunkSet(of: layout.chunkCount))
        for node in layout.nodes {
            if let bytes = file.nodes[node], tree.add(bytes, as: node) {
                standing.nodes.insert(node)
            } else {
                file.nodes[node] = nil
            }
        }
        for (chunk, bytes) in file.chunks {
            if tree.verifies(bytes, as: .chunk(chunk)) == true {
                standing.chunks.insert(chunk)
            } else {
                file.chunks[chunk] = nil
            }
        }
        file.open = Open(tree: tree, standing: standing)
        self.files[blob] = file
        return standing
    }

    /// What of a file is here; nil for nothing.
    func standing(of blob: BlobID, _ layout: BlobLayout) -> BlobStanding? {
        guard let file = self.files[blob], file.layout == layout else { return nil }
        if let open = file.open { return open.standing }
        guard file.isWhole else { return nil }
        return BlobStanding(
            chunks: ChunkSet(all: layout.chunkCount), nodes: Set(layout.nodes))
    }

    /// Stores a part where it is right; gives whether it was.
    mutating func store(
        _ bytes: [UInt8], as part: BlobPart, of blob: BlobID, isFull: Bool
    ) throws(TransferFailure) -> Bool {
        // One that has been given up meanwhile.
        guard var open = self.files[blob]?.open else { return true }
        guard part.isChunk else {
            guard open.tree.add(bytes, as: part) else { return false }
            if isFull { throw .diskFull }
            open.standing.nodes.insert(part)
            self.files[blob]?.open = open
            self.files[blob]?.nodes[part] = bytes
            return true
        }
        guard open.tree.verifies(bytes, as: part) == true else { return false }
        if isFull { throw .diskFull }
        self.files[blob]?.open?.standing.chunks.insert(part.index)
        self.files[blob]?.chunks[part.index] = bytes
        self.files[blob]?.unsynced.insert(part.index)
        return true
    }

    /// All parts of a file are stored: it is there under its name from here on.
    mutating func finish(_ blob: BlobID, isFull: Bool) throws(TransferFailure) {
        // One that was there already.
        guard self.files[blob]?.open != nil else { return }
        self.files[blob]?.open = nil
        if isFull { throw .diskFull }
        self.files[blob]?.unsynced = []
        self.files[blob]?.isWhole = true
    }

    /// Stores no more of a file.
    mutating func close(_ blob: BlobID, isRemoved: Bool) {
        self.files[blob]?.open = nil
        if isRemoved { self.files[blob] = nil }
    }

    /// A part of a file; nil where it is not here.
    func read(_ part: BlobPart, of blob: BlobID) -> [UInt8]? {
        guard let file = self.files[blob], file.layout.contains(part) else { return nil }
        if let open = file.open {
            guard part.isChunk else { return open.tree.bytes(of: part) }
            return open.standing.chunks.contains(part.index) ? file.chunks[part.index] : nil
        }
        guard file.isWhole else { return nil }
        return part.isChunk ? file.chunks[part.index] : file.nodes[part]
    }

    /// Whether a part is here, and known to be right.
    func has(_ part: BlobPart, of blob: BlobID) -> Bool {
        guard let file = self.files[blob] else { return false }
        guard let open = file.open else { return file.isWhole }
        return part.isChunk
            ? open.standing.chunks.contains(part.index) : open.standing.nodes.contains(part)
    }

    func isWhole(_ blob: BlobID) -> Bool { self.files[blob]?.isWhole == true }

    /// Nobody writes any more.
    ///
    /// - Parameter hasPower: false where what was not synced may be gone, or be there in part.
    mutating func stop(hasPower: Bool, _ random: inout SeededRandom) {
        for blob in self.files.keys.sorted() {
            guard var file = self.files[blob] else { continue }
            file.open = nil
            for chunk in hasPower ? [] : file.unsynced.sorted() {
                switch random.number(0...3) {
                case 0: file.chunks[chunk] = nil
                case 1:
                    // Blocks that were not written are zeros.
                    guard var bytes = file.chunks[chunk], !bytes.isEmpty else { continue }
                    let from = random.number(0...bytes.count - 1)
                    for index in from..<bytes.count { bytes[index] = 0 }
                    file.chunks[chunk] = bytes
                default: break
                }
            }
            file.unsynced = []
            self.files[blob] = file
        }
    }
}
