import Testing

@testable import Engine
@testable import Formats

@Suite("In which order messages go that are more than is kept") struct RetentionOrderTests {
    typealias Claim = FairShare<LogName>.Claim

    private static func name(_ author: UInt8) -> LogName {
        LogName(author: Harness.peer(author), incarnation: 1)
    }

    private static func claim(
        _ author: UInt8, _ tier: Tier = .stranger, from source: String, bytes: Int,
        first: Bool = false
    ) -> Claim {
        Claim(
            key: Self.name(author), tier: tier, comesFirst: first,
            source: Source(description: source), author: Harness.peer(author), weight: bytes,
            number: Int64(author))
    }

    private static let claims = [
        Self.claim(1, .own, from: "here", bytes: 1_000),
        Self.claim(2, .known, from: "a", bytes: 1_000),
        Self.claim(3, .verified, from: "b", bytes: 1_000),
        Self.claim(4, .fellow, from: "c", bytes: 400),
        Self.claim(5, from: "flood", bytes: 3_000), Self.claim(6, from: "flood", bytes: 3_000),
        Self.claim(7, from: "d", bytes: 500), Self.claim(8, from: "e", bytes: 800, first: true),
    ]

    private static func names(_ step: RetentionStep) -> Set<LogName> { Set(step.shares.keys) }

    // Shows: daemon.retention
    @Test("strangers come first, then fellows, then known people together, and the user last")
    func tiers() {
        let steps = RetentionOrder.steps(Self.claims, above: 100)
        // Of strangers all has to go, so that no source is spared more than another.
        #expect(
            steps.map(Self.names)
                == [[5, 6, 7], [8], [4], [2, 3], [1]].map { authors in
                    Set(authors.map { Self.name($0) })
                })
        #expect(steps.allSatisfy { $0.most == [.max] })
    }

    @Test(
        "where some of strangers is kept, the source with most loses what it has more than others")
    func level() throws {
        let total = Self.claims.reduce(0) { $0 + $1.weight }
        let steps = RetentionOrder.steps(Self.claims, above: UInt64(total - 5_000))
        let first = try #require(steps.first)
        #expect(Self.names(first) == [Self.name(5), Self.name(6)])
        #expect(first.most == [5_000])
        #expect(first.shares[Self.name(5)] == first.shares[Self.name(6)])
        // More than it has beyond the others is taken of all.
        let more = RetentionOrder.steps(Self.claims, above: UInt64(total - 5_700))
        #expect(more[0].most.sorted() == [100, 5_600])
        #expect(Self.names(more[0]) == [Self.name(5), Self.name(6), Self.name(7)])
    }

    @Test("where less is here than is kept nothing is said to go")
    func enough() {
        let steps = RetentionOrder.steps(Self.claims, above: 100_000)
        #expect(steps.flatMap(\.most).allSatisfy { $0 == .max || $0 == 0 })
        #expect(RetentionOrder.steps([], above: 1).isEmpty)
    }
}
