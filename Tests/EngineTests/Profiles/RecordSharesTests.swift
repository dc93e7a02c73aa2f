import Testing

@testable import Engine
@testable import Formats

@Suite("What records take of those whom the user does not know") struct RecordSharesTests {
    private static let (small, large, other): (UInt8, UInt8, UInt8) = (2, 3, 4)

    private var shares = RecordShares(limit: 1_600)

    init() {
        self.shares.note(500, of: Harness.peer(Self.small))
        self.shares.note(900, of: Harness.peer(Self.large))
        self.shares.note(800, of: Harness.peer(Self.other))
    }

    private static func claim(
        _ author: UInt8, _ tier: Tier = .stranger, from source: Int = 1, isLinked: Bool = false
    ) -> FairShare<PeerID>.Claim {
        let author = Harness.peer(author)
        return FairShare.Claim(
            key: author, tier: tier, comesFirst: isLinked,
            source: Source(description: "192.0.2.\(source)"), author: author, number: 0)
    }

    @Test("beyond the bound of its tier who has most gives way, and is not taken as it was again")
    func most() {
        var test = self
        let large = Harness.peer(Self.large)
        let isDue = test.shares.isLookDue()
        #expect(isDue && !test.shares.mayRefuse(at: 0))
        let claims = [Self.small, Self.large, Self.other].map { Self.claim($0) }
        let gone = test.shares.giveWay(claims, of: .stranger, at: 0)
        #expect(gone == [large])
        test.shares.note(-900, of: large)
        #expect(test.shares.refuses(900, of: Self.claim(Self.large), at: 0))
        #expect(test.shares.refuses(900, of: Self.claim(Self.large, .blocked), at: 0))
        #expect(!test.shares.refuses(899, of: Self.claim(Self.large), at: 0))
        #expect(!test.shares.refuses(900, of: Self.claim(Self.large, .fellow), at: 0))
        #expect(!test.shares.refuses(900, of: Self.claim(Self.large, .known), at: 0))
        // Nobody pays for another's source, nor who is linked, and not for ever.
        #expect(!test.shares.refuses(900, of: Self.claim(Self.large, from: 2), at: 0))
        #expect(!test.shares.refuses(900, of: Self.claim(Self.large, isLinked: true), at: 0))
        let end = Limits.recordRefusalMilliseconds
        #expect(test.shares.refuses(900, of: Self.claim(Self.large), at: end - 1))
        #expect(!test.shares.refuses(900, of: Self.claim(Self.large), at: end))
        // Once little is left of it all may come again.
        test.shares.note(-800, of: Harness.peer(Self.other))
        #expect(!test.shares.mayRefuse(at: 0))
    }

    // Shows: daemon.records
    @Test(
        "many small ones from one address give way to a larger one from another, and to who is linked"
    )
    func sources() {
        var shares = RecordShares(limit: 1_600)
        for author: UInt8 in 10..<30 { shares.note(80, of: Harness.peer(author)) }
        shares.note(300, of: Harness.peer(Self.large))
        shares.note(300, of: Harness.peer(Self.other))
        let flood = (UInt8(10)..<30).map { Self.claim($0) }
        let honest = [Self.claim(Self.large, from: 2), Self.claim(Self.other, isLinked: true)]
        let gone = shares.giveWay(flood + honest, of: .stranger, at: 0)
        // Down to 1,400, the newest of the flood first.
        #expect(gone == (UInt8(20)..<30).reversed().map { Harness.peer($0) })
    }

    @Test("strangers and fellows have as much each, and it is not looked at with every record")
    func tiers() {
        var test = self
        let claims = [
            Self.claim(Self.small, .blocked), Self.claim(Self.large, .fellow),
            Self.claim(Self.other), Self.claim(9, .known), Self.claim(1, .own),
        ]
        let groups = RecordShares.groups(claims)
        #expect(groups.map(\.tier) == [.stranger, .fellow])
        #expect(
            Set(groups[0].claims.map(\.key)) == [
                Harness.peer(Self.small), Harness.peer(Self.other),
            ]
        )
        #expect(groups[1].claims.map(\.key) == [Harness.peer(Self.large)])
        let looks = (0..<2).map { _ in test.shares.isLookDue() }
        #expect(looks == [true, false])
        for (tier, claims) in groups {
            let gone = test.shares.giveWay(claims, of: tier, at: 0)
            #expect(gone.isEmpty)
        }
        test.shares.note(100, of: Harness.peer(Self.small))
        let isDueAtOnce = test.shares.isLookDue()
        test.shares.note(1, of: Harness.peer(Self.small))
        let isDueLater = test.shares.isLookDue()
        #expect(!isDueAtOnce && isDueLater)
    }

    // Shows: daemon.records
    @Test("profiles are counted apart: who has filled the place of others has lost no name")
    func profiles() {
        func record(_ kind: UInt8, of author: UInt8, _ byteCount: Int) -> Record {
            Record(
                kind: kind, author: Harness.peer(author), conversation: nil, time: HybridTime(1),
                value: [UInt8](repeating: 1, count: byteCount), signer: signer(author))
        }
        var profiles = Profiles([])
        var claims: [FairShare<PeerID>.Claim] = []
        for author: UInt8 in 2...254 {
            claims.append(Self.claim(author))
            _ = profiles.settle(record(Record.Kind.profile, of: author, 100))
            for kind: UInt8 in 5...20 {
                _ = profiles.settle(record(kind, of: author, author == 2 ? 10 : 4_096))
            }
        }
        let isDue = profiles.isThinningDue()
        #expect(isDue)
        let gone = profiles.giveWay(claims, at: 0)
        #expect(!gone.isEmpty && gone.allSatisfy { $0.kind != Record.Kind.profile })
        #expect(!gone.contains { $0.author == Harness.peer(2) })
        #expect(gone.allSatisfy { profiles.record($0) == nil })
        #expect(profiles.authors.count == 253)
        #expect(profiles.otherShares.total <= Limits.ofStrangers.recordBytes)
        for claim in claims { profiles.forget(claim.author) }
        #expect(profiles.otherShares.total == 0 && profiles.profileShares.total == 0)
    }
}
