import Testing

@testable import Engine
@testable import Formats

@Suite("Logs that a peer has and that are not known here") struct UnknownLogsTests {
    private static func row(_ tag: UInt64, _ seq: UInt64 = 4) -> ClockRow {
        ClockRow(tag: tag, state: .open, seq: seq, headTag: 1)
    }

    private static func fetch(_ tag: UInt64) -> Fetch {
        Fetch(link: LinkID(1), tag: tag, through: 1, deadline: 10, patience: 5)
    }

    @Test("those that have entries are asked for, by their tags' order")
    func chosen() {
        var unknown = UnknownLogs()
        for (tag, seq) in [(9, 40), (4, 50), (5, 0)] as [(UInt64, UInt64)] {
            _ = unknown.receive(Self.row(tag, seq), page: nil)
        }
        #expect(unknown.choose(atMost: 64) == [4, 9])
        #expect(unknown.choose(atMost: 1) == [4])
        unknown.begin(Self.fetch(4), patience: 5)
        #expect(unknown.choose(atMost: 64) == [9])
        #expect(unknown.isPatient(at: 4) && !unknown.isPatient(at: 5))
    }

    @Test(
        "one that was asked for in vain is asked for again when the peer tells of it, or of a digest"
    )
    func inVain() {
        var unknown = UnknownLogs()
        func ask() -> Int {
            unknown.begin(Self.fetch(4), patience: 5)
            return unknown.giveUp { _ in true }
        }
        _ = unknown.receive(Self.row(4), page: 7)
        for _ in 0..<2 {
            #expect(ask() == 1)
            #expect(unknown.choose(atMost: 64) == [])
            let isAny = unknown.retry()
            #expect(isAny)
            #expect(unknown.choose(atMost: 64) == [4])
        }
        #expect(ask() == 1)
        let isNews = unknown.receive(Self.row(4), page: 7)
        #expect(!isNews)
        #expect(unknown.choose(atMost: 64) == [4])
        let isAny = unknown.retry()
        #expect(!isAny)
    }

    @Test("a newer page drops what it does not hold, and nothing that others told of")
    func pages() {
        var unknown = UnknownLogs()
        for tag in 1...3 as ClosedRange<UInt64> { _ = unknown.receive(Self.row(tag), page: 7) }
        _ = unknown.receive(Self.row(4), page: 8)
        _ = unknown.receive(Self.row(5), page: nil)
        let isNews = [unknown.endPage(7, [Self.row(2)]), unknown.endPage(7, [Self.row(2)])]
        #expect(isNews == [true, false])
        #expect(unknown.choose(atMost: 64) == [2, 4, 5])
        // What a delta tells again stays on its page.
        _ = unknown.receive(Self.row(2, 9), page: nil)
        _ = unknown.endPage(7, [])
        #expect(unknown.choose(atMost: 64) == [4, 5])
    }

    @Test("no more are kept than a conversation has logs, whatever pages they are on")
    func bound() {
        var unknown = UnknownLogs()
        for tag in 0..<UInt64(Limits.logsPerConversation) + 50 {
            _ = unknown.receive(Self.row(tag), page: UInt8(truncatingIfNeeded: tag))
            _ = unknown.receive(Self.row(tag % 10), page: UInt8(truncatingIfNeeded: tag / 10))
        }
        #expect(unknown.count == Limits.logsPerConversation)
        for bucket in LogBucket.all { _ = unknown.endPage(bucket, []) }
        #expect(unknown.isEmpty)
    }
}
