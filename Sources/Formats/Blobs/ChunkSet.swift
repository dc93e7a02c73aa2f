/// Which chunks of a file somebody has.
package struct ChunkSet: Hashable, Sendable {
    /// How many chunks the file has.
    package let total: Int
    private var words: [UInt64]
    /// How many there are of them.
    package private(set) var count = 0

    /// None of so many chunks.
    package init(of total: Int) {
        self.total = total
        self.words = [UInt64](repeating: 0, count: (total + 63) / 64)
    }

    /// All of so many chunks.
    package init(all total: Int) {
        self.init(of: total)
        for chunk in 0..<total { self.insert(chunk) }
    }

    /// Whether none is missing.
    package var isWhole: Bool { self.count == self.total }

    /// Whether a chunk is among them.
    package func contains(_ chunk: Int) -> Bool {
        self.words[chunk / 64] >> UInt64(chunk % 64) & 1 == 1
    }

    /// Whether some of them are not among others of the same file.
    package func hasMore(than other: ChunkSet) -> Bool {
        zip(self.words, other.words).contains { $0 & ~$1 != 0 }
    }

    /// Adds a chunk.
    package mutating func insert(_ chunk: Int) {
        guard !self.contains(chunk) else { return }
        self.words[chunk / 64] |= 1 << UInt64(chunk % 64)
        self.count += 1
    }

    /// The first chunk from a number on that is missing; nil where none is.
    package func firstMissing(from start: Int) -> Int? {
        var chunk = start
        while chunk < self.total {
            let word = ~self.words[chunk / 64] >> UInt64(chunk % 64)
            if word == 0 {
                chunk = (chunk / 64 + 1) * 64
            } else {
                chunk += word.trailingZeroBitCount
                return chunk < self.total ? chunk : nil
            }
        }
        return nil
    }

    /// A bit for each chunk, the first one in the lowest bit of the first byte.
    package var bytes: [UInt8] {
        (0..<(self.total + 7) / 8).map {
            UInt8(truncatingIfNeeded: self.words[$0 / 8] >> UInt64($0 % 8 * 8))
        }
    }

    /// Reads what ``bytes`` gives; nil where there are not as many, or where there are bits beyond them.
    package init?(_ bytes: [UInt8], of total: Int) {
        guard bytes.count == (total + 7) / 8 else { return nil }
        self.init(of: total)
        for (index, byte) in bytes.enumerated() {
            self.words[index / 8] |= UInt64(byte) << UInt64(index % 8 * 8)
            self.count += byte.nonzeroBitCount
        }
        if total % 64 > 0, let last = self.words.last, last >> UInt64(total % 64) != 0 {
            return nil
        }
    }
}
