import Testing

@testable import Engine
@testable import Formats

@Suite("What was asked of whom") struct FetchingTests {
    private static func key(_ author: UInt8, in name: String = "ops") -> LogKey {
        TestLog(signer(author), in: room(name).conversation).key
    }

    private static func fetch(_ link: UInt64, deadline: UInt64 = 10) -> Fetch {
        Fetch(link: LinkID(link), tag: link, through: 9, deadline: deadline, patience: 5)
    }

    @Test("a link's logs are found, and only those")
    func links() {
        var fetching = Fetching()
        let keys = [2, 3, 4].map { Self.key($0) }.sorted()
        for (key, link) in zip(keys, [UInt64(1), 2, 1]) { fetching.begin(key, Self.fetch(link)) }
        #expect(fetching.keys(of: LinkID(1)) == [keys[0], keys[2]])
        #expect(fetching.keys(of: LinkID(1)) { key, _ in key == keys[2] } == [keys[2]])
        #expect(fetching.isFetching(keys[0].conversation))
        #expect(!fetching.isFetching(room("dev").conversation))
    }

    @Test("one is overdue at its deadline, later where a run has come")
    func deadlines() {
        var fetching = Fetching()
        let (slow, quick) = (Self.key(2), Self.key(3))
        fetching.begin(slow, Self.fetch(1))
        fetching.begin(quick, Self.fetch(1))
        fetching.extend(quick, at: 7)
        #expect(fetching.overdue(at: 9).isEmpty)
        #expect(fetching.overdue(at: 10) == [slow])
        #expect(fetching.slow(at: 4).isEmpty && fetching.slow(at: 6) == [slow])
        let ended = fetching.end(slow)
        #expect(ended == Self.fetch(1))
        let quickEnds = 7 + Limits.wantMilliseconds
        #expect(fetching.overdue(at: quickEnds - 1).isEmpty)
        #expect(fetching.overdue(at: quickEnds) == [quick])
        #expect(fetching.slow(at: 6 + Limits.slowWantMilliseconds).isEmpty)
        #expect(fetching.slow(at: 7 + Limits.slowWantMilliseconds) == [quick])
    }

    @Test("an earlier wake-up stands until it has come")
    func wakeUps() {
        var fetching = Fetching()
        let armed = [20, 30, 10].map { fetching.arm(at: $0) }
        #expect(armed == [true, false, true])
        fetching.wokenUp(at: 10)
        let isArmed = fetching.arm(at: 30)
        #expect(isArmed)
    }

    @Test("freed links and open conversations are taken once, the oldest link first")
    func takenOnce() {
        var fetching = Fetching()
        for link: UInt64 in [3, 1, 3] { fetching.free(LinkID(link)) }
        let links = (0..<3).map { _ in fetching.takeFreed() }
        #expect(links == [LinkID(1), LinkID(3), nil])
        fetching.seek(room("ops").conversation)
        let open = [fetching.takeSeeking(), fetching.takeSeeking()]
        #expect(open == [[room("ops").conversation], []])
    }
}
