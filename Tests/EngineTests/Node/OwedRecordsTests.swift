import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Records that a peer lacks and does not take") struct OwedRecordsTests {
    private static let ops = room("ops")
    private static let (bringer, known, reader) = (UInt8(2), UInt8(90), UInt8(9))
    private static let authors: ClosedRange<UInt8> = 100...219
    private static let strangers: ClosedRange<UInt8> = 10...17

    private var harness = Harness()

    /// In a room with some thousand records of strangers, and some of somebody whom the user knows.
    init() {
        self.harness.join(Self.ops)
        self.harness.settle()
        self.harness.link(Self.bringer, in: [Self.ops])
        self.harness.give(.request(RequestID(7), .stand(Harness.peer(Self.known), .known)))
        for author in Array(Self.authors) + [Self.known] {
            let log = TestLog(signer(author), in: Self.ops.conversation)
            self.harness.give(.liveRun(log.opening(of: personKeys(author, 41)).run), from: 2)
            for scope in [nil, Self.ops.conversation] {
                self.harness.give(.records(Self.records(of: author, in: scope)), from: 2)
            }
            self.harness.settle()
        }
    }

    private static func records(of author: UInt8, in scope: ConversationID?) -> [Record] {
        let own = scope == nil ? [Record.Kind.profile] : []
        return (own + Array(5...19)).map { kind in
            Record(
                kind: kind, author: Harness.peer(author), conversation: scope,
                time: HybridTime(wallMilliseconds: Harness().now.wall),
                value: kind == Record.Kind.profile
                    ? Profile(name: "eve", status: "").encoded
                    : [UInt8](repeating: kind, count: 600),
                signer: signer(author))
        }
    }

    private static var all: [Record] {
        (Array(Self.authors) + [Self.known]).flatMap { author in
            [nil, Self.ops.conversation].flatMap { Self.records(of: author, in: $0) }
        }
    }

    // Shows: daemon.peers
    @Test("are remembered by two thousand keys a link at most, however many there are")
    func bounded() {
        var test = self
        for peer in Self.strangers {
            test.harness.link(peer, in: [Self.ops])
            test.harness.give(.recordClock(Self.ops.conversation, []), from: peer)
        }
        let owed = test.harness.node.links.all.map(\.service.owedRecords.count)
        #expect(owed.max() ?? 0 <= 2 * Limits.owedRecords && owed.max() ?? 0 > 0)
        #expect(test.harness.closed.isEmpty && test.harness.node.excess == nil)
    }

    @Test("all come as they are taken, those of known people first")
    func all() throws {
        var test = self
        test.harness.link(Self.reader, in: [Self.ops])
        var has: [RecordKey: Record] = [:]
        var order: [PeerID] = []
        let due = Set(Self.all.map(\.key))
        var pings = 0
        while !due.isSubset(of: has.keys), pings < 12 {
            let frames = test.harness.take(from: Self.reader)
            guard !frames.isEmpty else {
                pings += 1
                test.harness.pass(milliseconds: Limits.pingMilliseconds)
                test.harness.give(.timer(.ping(LinkID(UInt64(Self.reader)))))
                continue
            }
            for frame in frames {
                if case .records(let records) = frame {
                    for record in records { has[record.key] = record }
                    order += records.map(\.author)
                }
                if case .digest = frame {
                    let rows = has.values.map { Harness.tags.row($0) }.sorted { $0.name < $1.name }
                    test.harness.give(.recordClock(Self.ops.conversation, rows), from: Self.reader)
                }
            }
            let bytes = frames.map(\.encoded).filter { $0.channel == .sync }
                .reduce(0) { $0 + $1.bytes.count }
            if bytes > 0 {
                test.harness.give(.credit(.sync, bytes: UInt64(bytes)), from: Self.reader)
            }
        }
        #expect(due.subtracting(has.keys).count == 0)
        #expect(order.count < 2 * due.count, "hardly any comes twice")
        #expect(order.prefix(40).contains(Harness.peer(Self.known)))
    }
}
