import Testing

@testable import Engine
@testable import Formats

@Suite("The clocks of linked people") struct PeerClocksTests {
    private static let minute: Int64 = 60_000
    private static let now = Instant(monotonic: 5_000, wall: 1_000_000_000)

    private static func person(_ number: UInt8) -> PersonID { PersonID(fixed32(number)) }

    /// The clock of one person after the other, in minutes ahead of the own one.
    private static func clocks(
        _ offsets: [Int64], persons: [UInt8]? = nil, known: Set<Int> = []
    ) -> PeerClocks {
        var clocks = PeerClocks()
        for (index, offset) in offsets.enumerated() {
            let wall = Int64(Self.now.wall) + offset * Self.minute
            clocks.read(
                UInt64(bitPattern: wall) &- Self.now.monotonic,
                of: Self.person(persons?[index] ?? UInt8(index)), isKnown: known.contains(index),
                on: LinkID(UInt64(index)))
        }
        return clocks
    }

    private static func offset(_ offsets: [Int64], persons: [UInt8]? = nil) -> Int64 {
        Self.clocks(offsets, persons: persons).offset(at: Self.now) / Self.minute
    }

    @Test("the middle one counts, and of two the nearer")
    func middle() {
        #expect(Self.offset([]) == 0)
        #expect(Self.offset([9]) == 9)
        #expect(Self.offset([9, 2]) == 2)
        #expect(Self.offset([-9, 9, 9]) == 9)
        #expect(Self.offset([0, 0, 9, 9]) == 0)
        #expect(Self.offset([-60, -61, 5]) == -60)
    }

    @Test("everybody has one vote, however many devices they have")
    func votes() {
        #expect(Self.offset([60, 60, 60, 0, 0], persons: [1, 1, 1, 2, 3]) == 0)
    }

    @Test("where anybody is linked whom the user knows, strangers have none")
    func strangers() {
        #expect(Self.clocks([60, 60, 60, 0], known: [3]).warning(at: Self.now) == nil)
        let text = Self.clocks([0, 0, 60], known: [2]).warning(at: Self.now)
        #expect(text?.contains("60 minutes behind that of the one linked person; correct") == true)
        let unknown = Self.clocks([60, 60]).warning(at: Self.now)
        #expect(unknown?.contains("most of 2 linked people's, all strangers; correct") == true)
    }

    @Test("only where most differ by more than a minute people are told")
    func warning() {
        #expect(Self.clocks([]).warning(at: Self.now) == nil)
        #expect(Self.clocks([1, 1]).warning(at: Self.now) == nil)
        #expect(Self.clocks([0, 0, 600, 600]).warning(at: Self.now) == nil)
        let text = Self.clocks([-61, -62, 5]).warning(at: Self.now)
        #expect(text?.contains("61 minutes ahead of most of 3 linked people's") == true)
        let one = Self.clocks([1_441]).warning(at: Self.now)
        #expect(one?.contains("24 hours behind that of the one linked person") == true)
    }

    @Test("follows the own clock when that is set, and forgets links that have ended")
    func set() {
        var clocks = Self.clocks([60])
        let right = Instant(
            monotonic: Self.now.monotonic, wall: Self.now.wall + UInt64(60 * Self.minute))
        #expect(clocks.offset(at: right) == 0 && clocks.warning(at: right) == nil)
        clocks.drop(LinkID(0))
        #expect(clocks.offset(at: Self.now) == 0)
    }

    @Test("any clock may be claimed", arguments: [0, 1 << 62, 1 << 63, .max, UInt64(Int64.max)])
    func any(clock: UInt64) {
        var clocks = PeerClocks()
        for link in UInt8(0)..<3 {
            clocks.read(
                clock &- Self.now.monotonic, of: Self.person(link), isKnown: link == 1,
                on: LinkID(UInt64(link)))
        }
        for wall in [0, 1 << 62, 1 << 63, .max, Self.now.wall] {
            _ = clocks.warning(at: Instant(monotonic: 5_000, wall: wall))
        }
    }
}
