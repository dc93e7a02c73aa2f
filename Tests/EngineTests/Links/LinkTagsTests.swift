import Crypto
import Testing

@testable import Engine
@testable import Formats

/// `Docs/Protocol/Sync.md` section 4.
@Suite("Tags of a link") struct LinkTagsTests {
    private static let ops = room("ops").conversation
    private static let (initiator, responder) = (
        LinkTags(exporter: .zero, role: .initiator), LinkTags(exporter: .zero, role: .responder)
    )

    @Test("what says that one has something differs from side to side")
    func roles() {
        let (id, hash) = (EntryID(fixed32(1)), fixed32(2))
        let heads = [Self.initiator, Self.responder].map { $0.head(id, by: $0.own) }
        #expect(heads[0] != heads[1])
        let buckets = [Self.initiator, Self.responder].map {
            $0.bucket(hash, of: Self.ops, by: $0.own)
        }
        #expect(buckets[0] != buckets[1])
    }

    @Test("each side knows what the other sends")
    func agreement() {
        let id = EntryID(fixed32(1))
        let (one, other) = (Self.initiator, Self.responder)
        #expect(one.head(id, by: one.own) == other.head(id, by: other.peer))
        #expect(one.head(id, by: one.peer) == other.head(id, by: other.own))
        let name = LogName(author: Harness.peer(2), incarnation: 1)
        #expect(one.log(name, in: Self.ops) == other.log(name, in: Self.ops))
        #expect(one.author(name.author) == other.author(name.author))
    }

    // Shows: told.tags
    @Test("a peer that sends one's own rows back has said nothing of what it has")
    func mirrored() throws {
        var harness = Harness()
        harness.join(room("ops"))
        harness.settle()
        harness.link(2, in: [room("ops")])
        let deadline = harness.now.monotonic + 60_000
        let outgoing = Outgoing(
            conversation: Self.ops, text: "hello", wait: DeliveryWait(by: deadline))
        harness.give(.request(RequestID(100), .send(outgoing)))
        harness.settle()
        _ = harness.take(from: 2)
        harness.give(.digest(Self.ops, .zeros), from: 2)
        let clocks = harness.take(from: 2).filter { if case .clock = $0 { true } else { false } }
        try #require(!clocks.isEmpty)
        for clock in clocks { harness.give(clock, from: 2) }
        #expect(harness.answers(of: RequestID(100)).isEmpty)
        harness.give(.delta(Self.ops, [try harness.ownRow(in: room("ops"))]), from: 2)
        #expect(harness.answers(of: RequestID(100)).count == 1)
    }
}
