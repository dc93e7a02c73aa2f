import Crypto
import Testing

@testable import Engine

@Suite("A conversation on a link") struct ConversationSyncTests {
    private static let name = LogName(author: Harness.peer(2), incarnation: 1)
    private static let tags = LinkTags(handshakeHash: .zero)
    private static let head = EntryID(fixed32(7))

    private static func log(_ seq: UInt64, tail: UInt64? = nil) -> LogProgress {
        let time = HybridTime(5)
        var log = LogProgress()
        log.head = Head(seq: seq, id: Self.head, time: time)
        log.tail = Head(seq: tail ?? seq, id: Self.head, time: time)
        return log
    }

    private static func row(_ seq: UInt64, head: EntryID = head) -> ClockRow {
        ClockRow(tag: 3, seq: seq, headTag: Self.tags.head(head), state: .open)
    }

    private static func step(
        _ row: ClockRow, _ log: LogProgress, isOwn: Bool = false, isComplete: Bool = false
    ) -> RowFinding.Step {
        var sync = ConversationSync(names: [:], newsTold: 0)
        return sync.receiveRow(
            row, of: Self.name, log, Self.tags, isOwn: isOwn, isComplete: isComplete
        ).step
    }

    @Test("a row asks for what its log lacks, and for nothing that is on its way")
    func rows() {
        #expect(Self.step(Self.row(5), Self.log(4)) == .fetch)
        #expect(Self.step(Self.row(5), Self.log(4, tail: 5)) == .none)
        #expect(Self.step(Self.row(4), Self.log(4)) == .none)
        #expect(Self.step(Self.row(3), Self.log(4)) == .none)
    }

    @Test("another head at the same place asks for a search")
    func otherHead() {
        #expect(Self.step(Self.row(4, head: EntryID(fixed32(8))), Self.log(4)) == .searchFork)
    }

    @Test("a peer that lags behind an own log is fed, but not for its complete clock")
    func feed() {
        #expect(Self.step(Self.row(3), Self.log(4), isOwn: true) == .feed)
        #expect(Self.step(Self.row(3), Self.log(4), isOwn: true, isComplete: true) == .none)
    }

    @Test("an unchanged digest is sent again ever more rarely while the peer's differs")
    func digests() {
        var sync = ConversationSync(names: [:], newsTold: 0)
        let (own, theirs) = (fixed32(1), fixed32(2))
        var due: [UInt64] = []
        for second in 0..<UInt64(300) {
            guard sync.isDigestDue(own, at: second * 1_000) else { continue }
            due.append(second)
            sync.noteDigestSent(own)
            _ = sync.receiveDigest(theirs, own: own)
        }
        #expect(due == [0, 31, 91, 211])
        let isEqual = sync.receiveDigest(own, own: own)
        #expect(isEqual)
        let isDue = sync.isDigestDue(own, at: 900_000)
        #expect(!isDue)
    }

    @Test("of one unknown log all is asked for, of several the beginnings")
    func discoveries() {
        var sync = ConversationSync(names: [:], newsTold: 0)
        sync.receiveUnknown(ClockRow(tag: 9, seq: 40, headTag: 0, state: .open))
        #expect(sync.chooseDiscoveries(atMost: 64).map(\.through) == [40])
        sync.receiveUnknown(ClockRow(tag: 4, seq: 50, headTag: 0, state: .open))
        sync.receiveUnknown(ClockRow(tag: 5, seq: 0, headTag: 0, state: .open))
        let chosen = sync.chooseDiscoveries(atMost: 64)
        #expect(chosen.map(\.tag) == [4, 9])
        #expect(chosen.map(\.through) == [1, 1])
        #expect(sync.chooseDiscoveries(atMost: 1).map(\.tag) == [4])
    }
}
