import Testing

@testable import Engine
@testable import Formats

@Suite("News of heads") struct NewsTests {
    private static let keys = [2, 3].map { TestLog(signer($0), in: room("ops").conversation).key }
        .sorted()

    @Test("a log that moves again is news again to who was told of its last move")
    func moves() {
        var news = News()
        news.note(Self.keys[0])
        news.note(Self.keys[1])
        #expect(news.since(1, atMost: 9).keys == [Self.keys[1]])
        news.note(Self.keys[0])
        #expect(news.number(of: Self.keys[0]) == 3)
        #expect(news.since(2, atMost: 9).keys == [Self.keys[0]])
        #expect(news.since(0, atMost: 9).keys == Self.keys.reversed())
    }

    @Test("what is fresh is taken once, and stays news for the turns")
    func fresh() {
        var news = News()
        for key in Self.keys.reversed() { news.note(key) }
        let taken = [news.takeFresh(), news.takeFresh()]
        #expect(taken == [Self.keys.reversed(), []])
        #expect(news.since(0, atMost: 9).keys == Self.keys.reversed())
    }

    // Shows: daemon.pace
    @Test("what is told in portions is all told, and costs nothing that was told before")
    func portions() {
        var news = News()
        let keys = (1...200).map { number in
            LogKey(
                conversation: room("ops").conversation,
                name: LogName(author: Harness.peer(2), incarnation: number))
        }
        for _ in 0..<5 { for key in keys { news.note(key) } }
        var (told, through): ([LogKey], UInt64) = ([], 0)
        var portions = 0
        while through < news.last {
            let portion = news.since(through, atMost: 50)
            told += portion.keys
            through = portion.through
            portions += 1
        }
        #expect(told.sorted() == keys.sorted())
        #expect(portions <= 10, "moves that count no longer are few")
        #expect(news.since(news.last - 1, atMost: 50).keys == [keys[199]])
        news.drop(through: news.last - 1)
        #expect(news.since(0, atMost: 50).keys == [keys[199]])
    }

    @Test("what all had their turn for is forgotten, and no more")
    func forgotten() {
        var news = News()
        for key in Self.keys { news.note(key) }
        news.drop(through: 1)
        #expect(news.since(0, atMost: 9).keys == [Self.keys[1]])
        news.drop(through: 2)
        #expect(news.isEmpty)
    }

    @Test("wake the node once, and again only while there are any")
    func wakeUps() {
        var news = News()
        let isIdle = news.arm()
        news.note(Self.keys[0])
        let armed = [news.arm(), news.arm()]
        news.wokenUp()
        let again = news.arm()
        news.wokenUp()
        news.drop(through: news.last)
        let isOver = news.arm()
        #expect([isIdle] + armed + [again, isOver] == [false, true, false, true, false])
    }
}
