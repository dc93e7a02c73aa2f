import Testing

@testable import Engine

@Suite("What records take of those whom the user does not know") struct RecordSharesTests {
    private static let (small, large, other): (UInt8, UInt8, UInt8) = (2, 3, 4)

    private var shares = RecordShares(limit: 1_600)

    init() {
        self.shares.note(500, of: Harness.peer(Self.small))
        self.shares.note(900, of: Harness.peer(Self.large))
        self.shares.note(800, of: Harness.peer(Self.other))
    }

    @Test("beyond the bound of its tier who has most gives way, and is not taken as it was again")
    func most() {
        var test = self
        let (small, large, other) = (
            Harness.peer(Self.small), Harness.peer(Self.large), Harness.peer(Self.other)
        )
        let isDue = test.shares.isLookDue()
        #expect(isDue)
        #expect(!test.shares.mayRefuse(5_000, of: small))
        let gone = test.shares.giveWay([small, large, other], of: .stranger)
        #expect(gone == [large])
        test.shares.note(-900, of: large)
        #expect(test.shares.refuses(900, of: large, .stranger))
        #expect(test.shares.refuses(900, of: large, .blocked))
        #expect(!test.shares.refuses(899, of: large, .stranger))
        #expect(!test.shares.refuses(900, of: large, .fellow))
        #expect(test.shares.mayRefuse(900, of: large) && !test.shares.mayRefuse(100, of: small))
        // Once little is left of it all may come again.
        test.shares.note(-800, of: other)
        #expect(!test.shares.mayRefuse(900, of: large))
    }

    @Test("strangers and fellows have as much each, and it is not looked at with every record")
    func tiers() {
        var test = self
        let tiers: [PeerID: Tier] = [
            Harness.peer(Self.small): .blocked, Harness.peer(Self.large): .fellow,
            Harness.peer(Self.other): .stranger, Harness.peer(9): .known, Harness.peer(1): .own,
        ]
        let groups = RecordShares.groups(tiers)
        #expect(groups.map(\.tier) == [.stranger, .fellow])
        #expect(Set(groups[0].authors) == [Harness.peer(Self.small), Harness.peer(Self.other)])
        #expect(groups[1].authors == [Harness.peer(Self.large)])
        let looks = (0..<2).map { _ in test.shares.isLookDue() }
        #expect(looks == [true, false])
        for (tier, authors) in groups {
            let gone = test.shares.giveWay(authors, of: tier)
            #expect(gone.isEmpty)
        }
        test.shares.note(100, of: Harness.peer(Self.small))
        let isDueAtOnce = test.shares.isLookDue()
        test.shares.note(1, of: Harness.peer(Self.small))
        let isDueLater = test.shares.isLookDue()
        #expect(!isDueAtOnce && isDueLater)
    }

    @Test("profiles are counted apart: who has filled the place of others has lost no name")
    func profiles() {
        func record(_ kind: UInt8, of author: UInt8, _ byteCount: Int) -> Record {
            Record(
                kind: kind, author: Harness.peer(author), conversation: nil, time: HybridTime(1),
                value: [UInt8](repeating: 1, count: byteCount), signer: signer(author))
        }
        var profiles = Profiles([])
        var tiers: [PeerID: Tier] = [:]
        for author: UInt8 in 2...254 {
            tiers[Harness.peer(author)] = .stranger
            _ = profiles.settle(record(Record.Kind.profile, of: author, 100))
            for kind: UInt8 in 5...20 {
                _ = profiles.settle(record(kind, of: author, author == 2 ? 10 : 4_096))
            }
        }
        let isDue = profiles.isThinningDue()
        #expect(isDue)
        let gone = profiles.giveWay(tiers)
        #expect(!gone.isEmpty && gone.allSatisfy { $0.kind != Record.Kind.profile })
        #expect(!gone.contains { $0.author == Harness.peer(2) })
        #expect(gone.allSatisfy { profiles.record($0) == nil })
        #expect(profiles.authors.count == 253)
        #expect(profiles.otherShares.total <= Limits.ofStrangers.recordBytes)
        for author in tiers.keys { profiles.forget(author) }
        #expect(profiles.otherShares.total == 0 && profiles.profileShares.total == 0)
    }
}
