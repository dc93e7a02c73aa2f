import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Who gives way where there is no room for all") struct FairShareTests {
    typealias Share = FairShare<Int>

    private static func source(_ number: Int) -> Source { Source(description: "192.0.2.\(number)") }

    /// A claim of its own author, unless it says whose it is.
    private static func claim(
        _ key: Int, _ tier: Tier = .stranger, from source: Int? = 1, of author: Int? = nil,
        first: Bool = false, weight: Int = 1
    ) -> Share.Claim {
        Share.Claim(
            key: key, tier: tier, comesFirst: first, source: source.map { Self.source($0) },
            author: Harness.peer(UInt8(author ?? key % 250)), weight: weight, number: Int64(key))
    }

    private static func order(_ claims: [Share.Claim]) -> [Int] {
        var share = Share(claims.shuffled())
        return share.giveWay(downTo: 0).map(\.key)
    }

    @Test("the lower tier gives way first, and within it who is neither linked nor answered")
    func tiers() {
        let claims = [
            Self.claim(1, .own), Self.claim(2, .verified), Self.claim(3, .known),
            Self.claim(4, .fellow), Self.claim(5, first: true), Self.claim(6),
            Self.claim(7, .blocked),
        ]
        // Compared keys make nobody's messages worth more than those of others whom the user knows.
        #expect(Self.order(claims) == [7, 6, 5, 4, 3, 2, 1])
    }

    @Test("of the source with most, and there of the author with most, the newest gives way")
    func newest() {
        let claims =
            (1...5).map { Self.claim($0, from: 1, of: 9) } + (6...8).map { Self.claim($0, from: 1) }
            + (9...12).map { Self.claim($0, from: 2) } + [Self.claim(13, from: nil)]
        var share = Share(claims)
        #expect(share.total == 13)
        #expect(share.giveWay(downTo: 9).map(\.key) == [5, 4, 3, 2])
        #expect(share.giveWay(downTo: 8).map(\.key) == [12], "both have four, and this is newer")
        #expect(share.total == 8)
    }

    @Test("of one author the largest gives way, but first what proves that its author cheated")
    func largest() {
        var forked = Self.claim(1, from: 1, of: 7, weight: 2)
        forked.isForked = true
        let claims = [
            forked, Self.claim(2, from: 1, of: 7, weight: 9),
            Self.claim(3, from: 1, of: 8, weight: 30), Self.claim(4, from: 1, of: 8, weight: 40),
            Self.claim(5, from: 2, of: 9, weight: 5),
        ]
        let largest = Share(claims).largest
        #expect(largest?.source == Self.source(1))
        #expect(largest?.mostOfAuthor == 70)
        #expect(Self.order(claims) == [1, 4, 3, 2, 5])
    }

    @Test("what weighs more counts for more, and what weighs nothing for one")
    func weights() {
        var share = Share([
            Self.claim(1, from: 1, weight: 50), Self.claim(2, from: 2, weight: 30),
            Self.claim(3, from: 2, weight: 30), Self.claim(4, from: 3, weight: 0),
        ])
        #expect(share.total == 111)
        #expect(share.giveWay(downTo: 61).map(\.key) == [3, 1])
        #expect(share.total == 31)
    }

    @Test(
        "a newcomer takes the place of a larger source's newest, and none of a source that would be as large"
    )
    func newcomers() throws {
        let here = (1...5).map { Self.claim($0, from: 1) } + (6...9).map { Self.claim($0, from: 2) }
        func gone(_ newcomer: Share.Claim) -> [Int]? {
            Share.room(for: newcomer, among: here, within: here.count)?.map(\.key)
        }
        #expect(gone(Self.claim(20, from: 3)) == [5])
        #expect(gone(Self.claim(20, from: 2)) == nil)
        #expect(gone(Self.claim(20, from: 1)) == nil)
        #expect(gone(Self.claim(20, from: 1, first: true)) == [5])
        #expect(gone(Self.claim(20, .known, from: 1)) == [5])
        #expect(gone(Self.claim(20, .blocked, from: 3)) == nil)
        #expect(Share.room(for: Self.claim(20, from: 1), among: here, within: 10)?.isEmpty == true)
    }

    @Test(
        "random claims, taken one by one, leave no source with more than a fair share: whoever was first"
    )
    func fair() {
        var random = SeededRandom(seed: 45)
        for _ in 0..<200 {
            let bound = Int.random(in: 4...40, using: &random)
            var here: [Share.Claim] = []
            var offered: [Source?: Int] = [:]
            for key in 0..<Int.random(in: 1...160, using: &random) {
                // One source brings most, and is first or last or in between.
                let source = Bool.random(using: &random) ? 0 : Int.random(in: 1...6, using: &random)
                let newcomer = Self.claim(key, from: source)
                offered[newcomer.source, default: 0] += 1
                guard let gone = Share.room(for: newcomer, among: here, within: bound) else {
                    continue
                }
                let keys = Set(gone.map(\.key))
                #expect(keys.isEmpty || here.count == bound)
                here = here.filter { !keys.contains($0.key) } + [newcomer]
            }
            let kept = Dictionary(grouping: here, by: \.source).mapValues(\.count)
            #expect(here.count == min(bound, offered.values.reduce(0, +)))
            let most = kept.values.max() ?? 0
            for (source, count) in offered where kept[source, default: 0] < count {
                #expect(kept[source, default: 0] >= most - 1, "of whom something was left out")
            }
        }
    }

    @Test("nobody gives way while somebody of a lower tier is left, whatever weighs how much")
    func lowestFirst() {
        var random = SeededRandom(seed: 7)
        for _ in 0..<100 {
            let tiers = Tier.allCases.filter { $0 != .verified }
            let claims = (0..<60).map { key in
                Self.claim(
                    key, tiers.randomElement(using: &random) ?? .stranger,
                    from: Int.random(in: 0...5, using: &random),
                    of: Int.random(in: 1...9, using: &random), first: Bool.random(using: &random),
                    weight: Int.random(in: 0...9, using: &random))
            }
            var share = Share(claims)
            let gone = share.giveWay(downTo: 0)
            #expect(share.total == 0 && Set(gone.map(\.key)).count == 60)
            for (one, next) in zip(gone, gone.dropFirst()) {
                #expect(one.tier <= next.tier)
                if one.tier == next.tier { #expect(!one.comesFirst || next.comesFirst) }
            }
        }
    }
}
