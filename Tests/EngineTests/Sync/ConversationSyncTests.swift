import Crypto
import Testing

@testable import Engine
@testable import Formats

@Suite("A conversation on a link") struct ConversationSyncTests {
    private static let name = LogName(author: Harness.peer(2), incarnation: 1)
    private static let tags = LinkTags(exporter: .zero, role: .initiator)
    private static let head = EntryID(fixed32(7))

    private static func log(_ seq: UInt64, tail: UInt64? = nil) -> LogProgress {
        let time = HybridTime(5)
        var log = LogProgress()
        log.head = Head(seq: seq, id: Self.head, time: time)
        log.tail = Head(seq: tail ?? seq, id: Self.head, time: time)
        return log
    }

    private static func row(_ seq: UInt64, head: EntryID = head) -> ClockRow {
        ClockRow(tag: 3, state: .open, seq: seq, headTag: Self.tags.head(head, by: .responder))
    }

    private static func step(
        _ row: ClockRow, _ log: LogProgress, isOwn: Bool = false, isComplete: Bool = false
    ) -> RowFinding.Step {
        var sync = ConversationSync(newsTold: 0)
        return sync.receiveRow(
            row, of: Self.name, 0, log, Self.tags, isOwn: isOwn, isComplete: isComplete
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
}
