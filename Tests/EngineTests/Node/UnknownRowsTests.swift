import Testing

@testable import Engine
@testable import Formats

@Suite("Logs that peers invent") struct UnknownRowsTests {
    private static let ops = room("ops")
    private static let friend: UInt8 = 2
    private static let strangers: ClosedRange<UInt8> = 30...49

    private var harness = Harness()

    /// In a room with somebody whom the user knows and with strangers.
    init() {
        self.harness.join(Self.ops)
        self.harness.settle()
        self.harness.link(Self.friend, in: [Self.ops])
        self.harness.give(.request(RequestID(7), .stand(Harness.peer(Self.friend), .known)))
        for number in Self.strangers { self.harness.link(number, in: [Self.ops]) }
        self.harness.settle()
    }

    private mutating func invent(_ count: Int, from number: UInt8) {
        let rows = (0..<UInt64(count)).map {
            ClockRow(tag: UInt64(number) << 32 + $0, state: .open, seq: 4, headTag: 1)
        }
        self.harness.give(.delta(Self.ops.conversation, rows), from: number)
    }

    private func count(on number: UInt8) -> Int {
        let link = self.harness.node.links[LinkID(UInt64(number))]
        return link.shared[known: Self.ops.conversation].unknown.count
    }

    // Shows: daemon.peers
    @Test(
        "rows of logs that strangers tell of take 16 MiB together at most: who tells of most loses them, and nobody whom the user knows"
    )
    func bounded() {
        var test = self
        test.invent(Limits.logsPerConversation, from: Self.friend)
        test.invent(40, from: 30)
        for number in Self.strangers.dropFirst() {
            test.invent(Limits.logsPerConversation, from: number)
        }
        let kept = Self.strangers.reduce(0) { $0 + test.count(on: $1) }
        let most = Limits.strangersUnknownBytes / Limits.unknownRowBytes
        #expect(kept <= most + Limits.rowsStep)
        #expect(kept > most - Limits.logsPerConversation)
        #expect(test.count(on: Self.friend) == Limits.logsPerConversation)
        #expect(test.count(on: 30) == 40)
    }
}
