import Testing

@testable import Engine
@testable import Formats

@Suite("Searches for forks") struct ForkSearchesTests {
    private static let log = TestLog(signer(2), in: room("ops").conversation)
    private static let now = Instant(monotonic: 1, wall: 1)
    private static let link = LinkID(3)

    /// A run of texts that differ between two histories from a seq on.
    private static func run(_ count: UInt64, differsFrom point: UInt64) -> VerifiedRun {
        Self.log.run(
            (1...count).map { seq in
                TestLog.text(seq < point ? "same \(seq)" : "other \(seq)", at: seq * 65_536)
            })
    }

    @Test("a run that holds the difference is compared at once, and proves it")
    func atOnce() {
        var searches = ForkSearches()
        let (own, theirs) = (Self.run(5, differsFrom: 9), Self.run(5, differsFrom: 4))
        let first = searches.begin(Self.log.key, on: Self.link, head: 5, with: theirs, at: Self.now)
        #expect(first == .read(Self.log.key, from: 1, through: 5))
        guard case .proven(let proof) = searches.readOwn(own.run, of: Self.log.key, at: Self.now)
        else {
            Issue.record("nothing is proven")
            return
        }
        #expect(proof.point == 4)
        #expect(searches.count == 0)
    }

    @Test("a differing head is asked backwards, ever further")
    func backwards() {
        var searches = ForkSearches()
        let first = searches.begin(Self.log.key, on: Self.link, head: 900, with: nil, at: Self.now)
        #expect(first == .ask(Self.link, Self.log.key, at: 901 - UInt64(Limits.runEntries)))
    }

    @Test("are given up with their link and after their time")
    func ends() {
        var searches = ForkSearches()
        _ = searches.begin(Self.log.key, on: Self.link, head: 5, with: nil, at: Self.now)
        searches.end(of: LinkID(4))
        #expect(searches.count == 1)
        searches.endOverdue(at: Self.now.monotonic + Limits.wantMilliseconds)
        #expect(searches.count == 0)
    }

    @Test("are news once for each log and peer")
    func news() {
        var searches = ForkSearches()
        let isNews = [2, 2, 3].map { searches.isNews(Self.log.key, from: Harness.peer($0)) }
        #expect(isNews == [true, false, true])
    }
}
