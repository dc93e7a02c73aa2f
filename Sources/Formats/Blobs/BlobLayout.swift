internal import Crypto

/// A part of a file that can be checked by itself: a chunk of it, or a node of the tree of hashes.
package struct BlobPart: Hashable, Comparable, Sendable {
    /// 0 for a chunk; a node of level n + 1 lists parts of level n.
    package var level: Int
    /// Which one of its level, from 0.
    package var index: Int

    /// Names a part.
    package init(level: Int, index: Int) {
        self.level = level
        self.index = index
    }

    package static func chunk(_ index: Int) -> BlobPart { BlobPart(level: 0, index: index) }

    /// Whether it is a chunk of the file, not a node.
    package var isChunk: Bool { self.level == 0 }

    /// Nodes before chunks, the root first.
    package static func < (left: BlobPart, right: BlobPart) -> Bool {
        (right.level, left.index) < (left.level, right.index)
    }
}

/// How a file of a size is cut: chunks of 256 KiB, and above them nodes of up to 2,048 hashes.
///
/// `Docs/Protocol/Files.md` section 1.
package struct BlobLayout: Hashable, Sendable {
    /// Bytes of each chunk but the last.
    package static let chunkBytes = 262_144
    /// How many hashes a node lists at most.
    package static let fanOut = 2_048
    /// The largest file: 16 GiB.
    package static let sizeLimit: UInt64 = 1 << 34
    /// The largest part that is not a chunk is smaller than a chunk.
    package static let partBytes = chunkBytes

    /// The file's bytes.
    package let size: UInt64
    /// How many parts there are of each level; one of the last.
    package let counts: [Int]

    /// Cuts a file; nil for one that is larger than ``sizeLimit``.
    package init?(size: UInt64) {
        guard size <= Self.sizeLimit else { return nil }
        self.size = size
        let chunk = UInt64(Self.chunkBytes)
        var counts = [max(1, Int((size + chunk - 1) / chunk))]
        while let last = counts.last, last > 1 {
            counts.append((last + Self.fanOut - 1) / Self.fanOut)
        }
        self.counts = counts
    }

    /// How many chunks it has: one also where it is empty.
    package var chunkCount: Int { self.counts[0] }

    /// The part of which the file's name is made.
    package var root: BlobPart { BlobPart(level: self.counts.count - 1, index: 0) }

    /// All nodes, the root first; none where there is one chunk.
    package var nodes: [BlobPart] {
        (1..<self.counts.count).reversed().flatMap { level in
            (0..<self.counts[level]).map { BlobPart(level: level, index: $0) }
        }
    }

    /// Whether there is such a part.
    package func contains(_ part: BlobPart) -> Bool {
        self.counts.indices.contains(part.level)
            && (0..<self.counts[part.level]).contains(part.index)
    }

    /// The node that lists a part; nil for the root.
    package func parent(of part: BlobPart) -> BlobPart? {
        part.level + 1 < self.counts.count
            ? BlobPart(level: part.level + 1, index: part.index / Self.fanOut) : nil
    }

    /// Where a chunk begins in the file.
    package func offset(of chunk: Int) -> UInt64 { UInt64(chunk) * UInt64(Self.chunkBytes) }

    /// How many bytes a part has.
    ///
    /// - Precondition: there is such a part.
    package func byteCount(of part: BlobPart) -> Int {
        precondition(self.contains(part), "a file has the parts of its layout")
        guard part.isChunk else { return self.children(of: part) * Bytes32.byteCount }
        return Int(min(UInt64(Self.chunkBytes), self.size - self.offset(of: part.index)))
    }

    /// How many hashes a node lists.
    func children(of node: BlobPart) -> Int {
        min(Self.fanOut, self.counts[node.level - 1] - node.index * Self.fanOut)
    }
}
