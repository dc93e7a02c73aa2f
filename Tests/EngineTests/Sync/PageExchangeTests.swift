import Crypto
import Testing

@testable import Engine
@testable import Formats

@Suite("Clock pages on a link") struct PageExchangeTests {
    /// Tags that show which hash they are of.
    private static func tag(_ hash: Bytes32) -> UInt64 { UInt64(hash.bytes[0]) + 1_000 }

    /// Bucket hashes: zeros but for these.
    private static func hashes(_ some: [UInt8: UInt8]) -> [Bytes32] {
        LogBucket.all.map { some[$0].map { fixed32($0) } ?? .zero }
    }

    private static func buckets(_ some: [UInt8: UInt8]) -> [UInt64] {
        Self.hashes(some).map { Self.tag($0) }
    }

    private static func toSend(
        _ pages: inout PageExchange, own: [UInt8: UInt8], theirs: [UInt8: UInt8]
    ) -> [UInt8] {
        pages.receiveBuckets(Self.buckets(theirs), own: Self.hashes(own), tag: Self.tag).toSend
    }

    @Test("the pages of buckets that differ are sent, and the peer's awaited")
    func differing() {
        var pages = PageExchange()
        #expect(!pages.isPeerKnown)
        let finding = pages.receiveBuckets(
            Self.buckets([1: 1, 2: 2, 4: 4]), own: Self.hashes([1: 1, 2: 3, 3: 3]), tag: Self.tag)
        #expect(finding.toSend == [2, 3, 4])
        #expect(finding.equal.members.count == 253)
        #expect(!pages.isPeerKnown)
        for bucket in [2, 3, 4] as [UInt8] { pages.noteReceived(bucket) }
        #expect(pages.isPeerKnown)
    }

    @Test("what differs for good is sent once; what changes on either side is sent again")
    func once() {
        var pages = PageExchange()
        func round(_ own: UInt8, _ theirs: UInt8) -> [UInt8] {
            pages.noteDigestSent()
            return Self.toSend(&pages, own: [5: own, 6: 6], theirs: [5: theirs, 6: 6])
        }
        #expect(round(1, 2) == [5])
        #expect(round(1, 2) == [])
        #expect(round(1, 2) == [])
        #expect(round(3, 2) == [5])
        #expect(round(3, 4) == [5])
        #expect(round(3, 4) == [])
    }

    @Test("a page that was sent since the digest does not answer the peer's page")
    func sent() {
        var pages = PageExchange()
        pages.noteAllSent(Self.hashes([5: 1]))
        let isDue = pages.isToAnswer(5, own: fixed32(1), isNews: true)
        #expect(!isDue)
        // What the peer's buckets ask for is sent, once for each pair.
        let asked = (2...3 as ClosedRange<UInt8>).flatMap { theirs in
            (0..<2).map { _ in Self.toSend(&pages, own: [5: 1], theirs: [5: theirs]) }
        }
        #expect(asked == [[5], [], [5], []])
    }

    @Test("a page is answered once per digest, and not where nothing is new on either side")
    func answers() {
        var pages = PageExchange()
        func answer(_ own: UInt8, isNews: Bool) -> Bool {
            pages.isToAnswer(9, own: fixed32(own), isNews: isNews)
        }
        #expect(answer(1, isNews: true))
        #expect(!answer(1, isNews: true))
        pages.noteDigestSent()
        #expect(!answer(1, isNews: false))
        #expect(answer(1, isNews: true))
        pages.noteDigestSent()
        #expect(answer(2, isNews: false))
    }

    @Test("a digest that equals the own one says all that the peer has")
    func equal() {
        var pages = PageExchange()
        _ = Self.toSend(&pages, own: [1: 1], theirs: [1: 2])
        pages.noteDigestReceived(isEqual: false)
        #expect(pages.isPeerKnown)
        var others = PageExchange()
        others.noteDigestReceived(isEqual: false)
        #expect(!others.isPeerKnown)
        others.noteDigestReceived(isEqual: true)
        #expect(others.isPeerKnown)
    }
}
