import Crypto
import Testing

@testable import Engine
@testable import Formats

@Suite("Whose logs give way on a disk that is shared") struct DiskSharesTests {
    /// A quarter of it is 400.
    private static let bounds = DiskBounds(all: 1_600)

    private static func claim(
        _ author: UInt8, _ bytes: UInt64, _ tier: Tier = .stranger, from source: Int = 1,
        log: UInt64 = 1, isForked: Bool = false
    ) -> DiskShares.Claim {
        DiskShares.Claim(
            key: LogKey(
                conversation: ConversationID(fixed32(9)),
                name: LogName(author: PeerID(fixed32(author)), incarnation: log)),
            tier: tier, source: Source("192.0.2.\(source):4100"), bytes: bytes,
            isForked: isForked)
    }

    /// One of some thousands.
    private static func peer(_ number: Int) -> PeerID {
        let bytes =
            Array(repeating: UInt8(7), count: 30) + [UInt8(number >> 8), UInt8(number & 255)]
        return PeerID(Bytes32(bytes.span) ?? fixed32(0))
    }

    private static func victims(_ claims: [DiskShares.Claim]) -> [UInt8] {
        var shares = DiskShares()
        return shares.giveWay(claims, Self.bounds).map { $0.key.name.author.key.bytes[0] }
    }

    @Test("within its share nobody gives way, whatever people whom the user knows have written")
    func within() {
        #expect(
            Self.victims([
                Self.claim(1, 200), Self.claim(2, 200), Self.claim(3, 800, .fellow),
                Self.claim(4, 9_000, .known), Self.claim(5, 9_000, .verified),
                Self.claim(6, 9_000, .own),
            ]).isEmpty)
    }

    // Shows: daemon.disk
    @Test("the source with most bytes loses the largest log of the author with most, and no more")
    func largest() {
        #expect(
            Self.victims([
                Self.claim(1, 90, from: 1), Self.claim(2, 100, from: 2, log: 1),
                Self.claim(2, 110, from: 2, log: 2), Self.claim(3, 120, from: 2),
            ]) == [2])
        // Many small ones of one source go before a large one of another.
        let many = (10..<30).map { Self.claim($0, 15, from: 2) }
        let victims = Self.victims([Self.claim(1, 140, from: 1)] + many)
        #expect(!victims.contains(1) && victims.count == 6)
    }

    // Shows: daemon.disk
    @Test("of one source those who have signed two histories give way first")
    func forked() {
        let flood = (UInt8(10)..<20).map { Self.claim($0, 30, isForked: true) }
        #expect(Self.victims([Self.claim(1, 110)] + flood) == [19, 18])
        // An author's other logs have a turn of their own.
        let one = Self.claim(2, 10, log: 2, isForked: true)
        #expect(Self.victims([Self.claim(1, 300), Self.claim(2, 120), one]) == [2, 1])
        // Who has most is still a matter of sources.
        let other = Self.claim(2, 110, from: 2, isForked: true)
        #expect(Self.victims([Self.claim(1, 300, from: 1), other]) == [1])
    }

    @Test("fellows have a share of their own, in which strangers have none and take none")
    func fellows() {
        #expect(Self.victims([Self.claim(1, 300), Self.claim(2, 801, .fellow)]) == [2])
        #expect(Self.victims([Self.claim(1, 401), Self.claim(2, 799, .fellow)]) == [1])
        #expect(Self.victims([Self.claim(1, 500, .blocked), Self.claim(2, 10)]) == [1])
    }

    @Test("thousands of small logs of as many authors give way at once, and nobody else's")
    func small() {
        let bounds = DiskBounds(all: 4 << 20)
        var shares = DiskShares()
        let flood = (0..<2_000).map { number in
            DiskShares.Claim(
                key: LogKey(
                    conversation: ConversationID(fixed32(9)),
                    name: LogName(
                        author: Self.peer(number), incarnation: 1)),
                tier: .stranger, source: Source("192.0.2.1:4100"), bytes: 1_024)
        }
        let honest = Self.claim(1, 100_000, from: 2)
        let victims = shares.giveWay(flood + [honest], bounds)
        let left = 2_000 * 1_024 + 100_000 - victims.reduce(0) { $0 + Int($1.bytes) }
        #expect(left <= 7 << 17 && left > 7 << 17 - 1_024)
        #expect(!victims.contains { $0.source == honest.source })
    }

    @Test("what gives way waits for its turn, but what is gone by then, and nothing is looked at")
    func turns() {
        let bounds = DiskBounds(all: 4 << 20)
        var shares = DiskShares()
        let claims = (UInt8(1)...4).map { Self.claim($0, 1 << 20) }
        for author in UInt8(1)...4 { Self.note(&shares, author, 1 << 20) }
        let victims = shares.giveWay(claims, bounds)
        #expect(victims.count == 4)
        shares.wait(victims)
        Self.note(&shares, 5, 8 << 20)
        #expect(!shares.isLookDue(bounds))
        shares.remove(victims[1].key)
        for place in [0, 2, 3] {
            #expect(!shares.isLookDue(bounds))
            #expect(shares.nextVictim() == victims[place].key)
        }
        #expect(shares.nextVictim() == nil && shares.isLookDue(bounds))
        shares.wait(victims)
        shares.forget()
        #expect(shares.nextVictim() == nil)
    }

    @Test("where three quarters are taken, no log begins from the source with most, and others do")
    func refusals() {
        let one = Source("192.0.2.1:4100")
        var shares = DiskShares()
        _ = shares.giveWay([Self.claim(1, 200, from: 1), Self.claim(2, 90, from: 2)], Self.bounds)
        #expect(!shares.refuses(.stranger, from: one))
        _ = shares.giveWay([Self.claim(1, 220, from: 1), Self.claim(2, 90, from: 2)], Self.bounds)
        #expect(shares.refuses(.stranger, from: one) && shares.refuses(.blocked, from: one))
        #expect(!shares.refuses(.stranger, from: Source("192.0.2.2:4100")))
        #expect(!shares.refuses(.fellow, from: one) && !shares.refuses(.known, from: one))
        #expect(!shares.refuses(.known, from: nil))
        _ = shares.giveWay([Self.claim(2, 90, from: 2)], Self.bounds)
        #expect(!shares.refuses(.stranger, from: one))
    }

    @Test("who begins is taken from there, too, while somebody from there has much")
    func spared() {
        let one = Source("192.0.2.1:4100")
        let bounds = DiskBounds(all: 4 << 20)
        var shares = DiskShares()
        _ = shares.giveWay([Self.claim(1, 900_000), Self.claim(2, 500)], bounds)
        #expect(!shares.refuses(.stranger, from: one))
        _ = shares.giveWay((0..<100).map { Self.claim($0, 9_000) }, bounds)
        #expect(shares.refuses(.stranger, from: one))
    }

    /// Notes what a log takes.
    private static func note(
        _ shares: inout DiskShares, _ author: UInt8, _ bytes: Int64
    ) {
        shares.note(LogSize(key: Self.claim(author, 0).key, bytes: bytes))
    }

    @Test("what has given way does not put off the next look")
    func nextLook() {
        let bounds = DiskBounds(all: 8 << 20)
        var shares = DiskShares()
        for author in UInt8(1)...3 { Self.note(&shares, author, 1 << 20) }
        #expect(shares.isLookDue(bounds))
        let claims = (UInt8(1)...3).map { Self.claim($0, 1 << 20) }
        let victims = shares.giveWay(claims, bounds)
        #expect(victims.count == 2)
        for victim in victims { shares.remove(victim.key) }
        #expect(!shares.isLookDue(bounds))
        Self.note(&shares, 4, 1 << 19)
        #expect(!shares.isLookDue(bounds))
        Self.note(&shares, 4, 2 << 20)
        #expect(shares.isLookDue(bounds))
    }

    @Test(
        "it is looked again once as much has come as may matter, or somebody is trusted otherwise")
    func looks() {
        let bounds = DiskBounds(all: 64 << 20)
        let claims = [Self.claim(1, 9 << 20), Self.claim(2, 8 << 20, .known)]
        var shares = DiskShares()
        Self.note(&shares, 1, 9 << 20)
        #expect(!shares.isLookDue(bounds) && shares.bytes(of: claims[0].key) == 9 << 20)
        Self.note(&shares, 2, 8 << 20)
        #expect(shares.isLookDue(bounds))
        #expect(shares.giveWay(claims, bounds).isEmpty)
        #expect(!shares.isLookDue(bounds))
        Self.note(&shares, 3, 3 << 20)
        #expect(!shares.isLookDue(bounds))
        Self.note(&shares, 3, 4 << 20)
        #expect(shares.isLookDue(bounds))
        _ = shares.giveWay(claims, bounds)
        #expect(!shares.isLookDue(bounds))
        shares.forget()
        #expect(shares.isLookDue(bounds))
        #expect(!shares.isLookDue(DiskBounds()))
    }

    @Test("a size that only damage can have made neither traps nor makes others give way twice")
    func damaged() {
        var shares = DiskShares()
        for author in UInt8(1)...200 { Self.note(&shares, author, .max) }
        Self.note(&shares, 201, .min)
        #expect(shares.bytes(of: Self.claim(1, 0).key) == 1 << 40)
        #expect(shares.bytes(of: Self.claim(201, 0).key) == 0)
    }

    @Test("people are told once of each tier whose largest logs go, of strangers last")
    func told() {
        var shares = DiskShares()
        let claims = [
            Self.claim(1, 500), Self.claim(2, 300), Self.claim(3, 900, .fellow, from: 2),
        ]
        let isDue = shares.settle(
            claims.map { LogSize(key: $0.key, bytes: Int64($0.bytes)) }, within: Self.bounds)
        #expect(isDue)
        let told = shares.look(claims, within: Self.bounds)
        #expect(told.map { $0.prefix(7) } == ["fellows", "strange"])
        let isDueAgain = shares.settle([], within: Self.bounds)
        #expect(!isDueAgain, "some wait already")
        let victim = shares.nextVictim()
        #expect(victim == claims[0].key)
        let use = DiskShares.use(claims)
        #expect(use.strangers == 800)
        #expect(use.fellows == 900)
    }
}
