import Crypto
import Testing

@testable import Engine
@testable import Formats

@Suite("What own entries follow") struct HeadsTests {
    private static let ada = LogName(author: Harness.peer(2), incarnation: 1)
    private static let eve = LogName(author: Harness.peer(3), incarnation: 1)
    private static let own = EntryID(fixed32(0))

    private static func id(_ number: UInt8) -> EntryID { EntryID(fixed32(number)) }
    private static func isUp(to limit: UInt64) -> (HybridTime) -> Bool {
        { $0 <= HybridTime(limit) }
    }

    /// Shows an entry whose id is its time.
    private static func show(
        _ number: UInt8, of log: LogName, deps: [UInt8] = [],
        in heads: inout Heads
    ) {
        let entry = TestLog.text("x", at: UInt64(number), deps: deps.map(Self.id))
        heads.show(Self.id(number), entry, of: log, isFollowed: false)
    }

    private static func deps(_ heads: inout Heads, upTo limit: UInt64 = 99) -> [UInt8] {
        heads.settle(isFollowed: Self.isUp(to: limit))
        return heads.deps(besides: Self.own, isFollowed: Self.isUp(to: limit)).ids.map {
            $0.hash.bytes[0]
        }
    }

    @Test("the ends of all logs, but not what they follow")
    func ends() {
        var heads = Heads()
        Self.show(1, of: Self.ada, in: &heads)
        Self.show(2, of: Self.ada, in: &heads)
        Self.show(3, of: Self.eve, in: &heads)
        #expect(Self.deps(&heads) == [2, 3])
        Self.show(4, of: Self.eve, deps: [2], in: &heads)
        #expect(Self.deps(&heads) == [4])
        let latest = heads.deps(besides: Self.own, isFollowed: Self.isUp(to: 99)).latest
        #expect(latest == HybridTime(4))
    }

    @Test("whoever dates an entry ahead hides nothing that it follows, and is followed in time")
    func early() {
        var heads = Heads()
        Self.show(1, of: Self.ada, in: &heads)
        Self.show(2, of: Self.eve, in: &heads)
        heads.showEarly(Self.id(50), at: HybridTime(50), of: Self.eve)
        heads.showEarly(Self.id(60), at: HybridTime(60), of: Self.eve)
        #expect(Self.deps(&heads, upTo: 20) == [1, 2])
        #expect(heads.count == 3)
        #expect(Self.deps(&heads, upTo: 60) == [1, 60])
        Self.show(61, of: Self.eve, in: &heads)
        #expect(Self.deps(&heads, upTo: 70) == [1, 61])
    }

    @Test("once its log goes on in time nothing is left of what was ahead")
    func caughtUp() {
        var heads = Heads()
        Self.show(2, of: Self.eve, in: &heads)
        heads.showEarly(Self.id(50), at: HybridTime(50), of: Self.eve)
        Self.show(51, of: Self.eve, in: &heads)
        #expect(Self.deps(&heads) == [51] && heads.count == 1)
        heads.release(
            Self.id(70), at: HybridTime(70), of: Self.eve, isFollowed: Self.isUp(to: 60))
        #expect(Self.deps(&heads, upTo: 60) == [51])
        heads.release(
            Self.id(71), at: HybridTime(71), of: Self.eve, isFollowed: Self.isUp(to: 90))
        #expect(Self.deps(&heads, upTo: 90).contains(71))
    }

    @Test("of a log one is a head, whichever of its entries was held and comes to be shown last")
    func held() {
        for isShownBefore in [false, true] {
            var heads = Heads()
            Self.show(1, of: Self.eve, in: &heads)
            if isShownBefore { Self.show(51, of: Self.eve, in: &heads) }
            heads.release(
                Self.id(50), at: HybridTime(50), of: Self.eve, isFollowed: Self.isUp(to: 40))
            if !isShownBefore { Self.show(51, of: Self.eve, in: &heads) }
            #expect(Self.deps(&heads) == [51] && heads.count == 1)
        }
        var heads = Heads()
        Self.show(1, of: Self.eve, in: &heads)
        heads.showEarly(Self.id(60), at: HybridTime(60), of: Self.eve)
        heads.release(Self.id(50), at: HybridTime(50), of: Self.eve, isFollowed: Self.isUp(to: 55))
        #expect(Self.deps(&heads, upTo: 55) == [50])
        #expect(Self.deps(&heads) == [60] && heads.count == 1)
        heads.drop(Self.eve)
        #expect(heads.count == 0)
    }

    @Test("an entry that is older than what it names as a dep takes no place from it")
    func olderThanItsDep() {
        var heads = Heads()
        Self.show(9, of: Self.ada, in: &heads)
        Self.show(3, of: Self.eve, deps: [9], in: &heads)
        #expect(Self.deps(&heads) == [3, 9])
    }

    @Test("what cannot be followed takes no place from what can")
    func places() {
        var heads = Heads()
        heads.restore(Self.id(1), at: HybridTime(1), of: Self.ada)
        for number in UInt8(100)..<130 {
            let log = LogName(author: Harness.peer(3), incarnation: UInt64(number))
            heads.restore(Self.id(number), at: HybridTime(UInt64(number)), of: log)
        }
        #expect(Self.deps(&heads, upTo: 50) == [1])
    }
}
