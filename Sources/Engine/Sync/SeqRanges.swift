/// Numbers of entries of one log, as stretches of neighbours.
///
/// At most ``limit`` stretches are kept: beyond that the two with the smallest gap become one, so
/// that a few more numbers are held than were put in. Whoever uses one must bear that.
package struct SeqRanges: Hashable, Sendable {
    /// The most stretches: what is wanted of a log lies together, unless somebody makes holes.
    package static let limit = 64

    /// The stretches, ascending, with a gap before each but the first.
    package private(set) var all: [ClosedRange<UInt64>] = []

    package init() {}

    /// Makes one of a single stretch.
    init(_ range: ClosedRange<UInt64>) { self.all = [range] }

    /// Whether no number is in it.
    package var isEmpty: Bool { self.all.isEmpty }

    /// The smallest number; nil where there is none.
    package var lowest: UInt64? { self.all.first?.lowerBound }

    /// Whether a number is in it.
    package func contains(_ seq: UInt64) -> Bool {
        let index = self.index(reaching: seq)
        return index < self.all.count && self.all[index].lowerBound <= seq
    }

    /// Adds all numbers of a stretch.
    package mutating func insert(_ range: ClosedRange<UInt64>) {
        // Neighbours grow together, so the stretch is looked for one number further on either side.
        let first = self.index(reaching: max(1, range.lowerBound) - 1)
        var (low, high) = (range.lowerBound, range.upperBound)
        var end = first
        while end < self.all.count, self.all[end].lowerBound <= high.addingOne {
            low = min(low, self.all[end].lowerBound)
            high = max(high, self.all[end].upperBound)
            end += 1
        }
        self.all.replaceSubrange(first..<end, with: [low...high])
        if self.all.count > Self.limit { self.joinNearest() }
    }

    /// Takes all numbers of a stretch out; one that lies inside another may stay where there is no
    /// room for one stretch more.
    package mutating func remove(_ range: ClosedRange<UInt64>) {
        let first = self.index(reaching: range.lowerBound)
        var rest: [ClosedRange<UInt64>] = []
        var end = first
        while end < self.all.count, self.all[end].lowerBound <= range.upperBound {
            let found = self.all[end]
            if found.lowerBound < range.lowerBound {
                rest.append(found.lowerBound...(range.lowerBound - 1))
            }
            if found.upperBound > range.upperBound {
                rest.append((range.upperBound + 1)...found.upperBound)
            }
            end += 1
        }
        self.all.replaceSubrange(first..<end, with: rest)
        if self.all.count > Self.limit { self.joinNearest() }
    }

    /// Takes out all numbers of another one.
    mutating func remove(_ other: SeqRanges) {
        for range in other.all { self.remove(range) }
    }

    /// The first stretch up to a number, at most so many numbers of it; nil where there is none.
    func first(through limit: UInt64, atMost count: UInt64) -> ClosedRange<UInt64>? {
        guard let first = self.all.first, first.lowerBound <= limit else { return nil }
        let last = min(first.upperBound, limit)
        return first.lowerBound...min(last, first.lowerBound + (count - 1))
    }

    /// The index of the first stretch that ends at a number or above it.
    private func index(reaching seq: UInt64) -> Int {
        var (low, high) = (0, self.all.count)
        while low < high {
            let middle = (low + high) / 2
            if self.all[middle].upperBound < seq { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func joinNearest() {
        let gaps = zip(self.all, self.all.dropFirst()).map { $1.lowerBound - $0.upperBound }
        guard let least = gaps.min(), let index = gaps.firstIndex(of: least) else { return }
        self.all.replaceSubrange(
            index...(index + 1),
            with: [self.all[index].lowerBound...self.all[index + 1].upperBound])
    }
}

extension UInt64 {
    /// The next number; the greatest one is its own.
    fileprivate var addingOne: UInt64 { self == .max ? self : self + 1 }
}
