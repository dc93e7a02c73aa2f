import Testing

@testable import Engine
@testable import Formats

@Suite("Token buckets") struct TokenBucketTests {
    private func taken(_ bucket: inout TokenBucket, at now: UInt64) -> Int {
        var count = 0
        while bucket.take(at: now) { count += 1 }
        return count
    }

    @Test("give what they hold at once, and as many again in their time, evenly")
    func refill() {
        var bucket = TokenBucket(capacity: 6, fullMilliseconds: 60_000, at: 100)
        var counts: [Int] = []
        for now in [100, 10_099, 10_100, 30_100, 10_000_000] as [UInt64] {
            counts.append(self.taken(&bucket, at: now))
        }
        #expect(counts == [6, 0, 1, 2, 6])
    }

    @Test("lose nothing to being asked often")
    func often() {
        var bucket = TokenBucket(capacity: 30_000, fullMilliseconds: 1_000)
        _ = bucket.take(30_000, at: 0)
        var count = 0
        for now in 0...1_000 as ClosedRange<UInt64> {
            while bucket.take(7, at: now) { count += 7 }
        }
        #expect(count == 29_995)
    }

    @Test("refuse more than they ever hold, and take nothing for what they refuse")
    func tooMuch() {
        var bucket = TokenBucket(capacity: 10, fullMilliseconds: 1_000)
        let refused = [bucket.take(11, at: 0), bucket.take(.max, at: 0), bucket.take(-1, at: 0)]
        #expect(refused == [false, false, false])
        #expect(bucket.isFull(at: 0))
        let all = bucket.take(10, at: 0)
        #expect(all && !bucket.isFull(at: 999) && bucket.isFull(at: 1_000))
    }

    @Test("do not mind a clock that goes back, nor one far ahead")
    func clocks() {
        var bucket = TokenBucket(capacity: 2, fullMilliseconds: 1_000, at: 5_000)
        let counts = [
            self.taken(&bucket, at: 10), self.taken(&bucket, at: 4_000),
            self.taken(&bucket, at: .max), self.taken(&bucket, at: 0),
        ]
        #expect(counts == [2, 0, 2, 0])
    }
}
