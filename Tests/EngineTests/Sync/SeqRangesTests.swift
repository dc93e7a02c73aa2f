import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Stretches of numbers") struct SeqRangesTests {
    @Test("neighbours grow together, and what is taken out of the middle leaves two")
    func stretches() {
        var ranges = SeqRanges()
        ranges.insert(5...6)
        ranges.insert(9...9)
        ranges.insert(7...8)
        #expect(ranges.all == [5...9])
        ranges.remove(7...7)
        #expect(ranges.all == [5...6, 8...9])
        ranges.remove(1...5)
        #expect(ranges.all == [6...6, 8...9])
        #expect(ranges.lowest == 6)
        ranges.insert(1...UInt64.max)
        #expect(ranges.all == [1...UInt64.max])
        ranges.remove(1...UInt64.max)
        #expect(ranges.isEmpty)
    }

    @Test("hold what a set of numbers would hold")
    func model() {
        for seed in UInt64(1)...200 {
            var random = SeededRandom(seed: seed)
            var (ranges, model) = (SeqRanges(), Set<UInt64>())
            for _ in 0..<40 {
                let first = UInt64.random(in: 1...90, using: &random)
                let last = first + UInt64.random(in: 0...9, using: &random)
                if Bool.random(using: &random) {
                    ranges.insert(first...last)
                    model.formUnion(first...last)
                } else {
                    ranges.remove(first...last)
                    model.subtract(first...last)
                }
                #expect(ranges.all.flatMap { Array($0) } == model.sorted())
                #expect((1...100).allSatisfy { ranges.contains($0) == model.contains($0) })
            }
        }
    }

    @Test("are never more than so many: the two that lie nearest become one")
    func bounded() {
        var ranges = SeqRanges()
        for number in UInt64(1)...200 { ranges.insert(number * 10...number * 10) }
        #expect(ranges.all.count == SeqRanges.limit)
        #expect((1...200).allSatisfy { ranges.contains($0 * 10) })
        ranges.remove(1...1_999)
        #expect(ranges.all == [2_000...2_000])
    }

    @Test("a question is for the first stretch, up to a number and of a number of entries")
    func first() {
        var ranges = SeqRanges()
        ranges.insert(3...9)
        ranges.insert(20...30)
        #expect(ranges.first(through: 2, atMost: 5) == nil)
        #expect(ranges.first(through: 4, atMost: 5) == 3...4)
        #expect(ranges.first(through: .max, atMost: 5) == 3...7)
        #expect(SeqRanges().first(through: .max, atMost: 5) == nil)
    }
}
