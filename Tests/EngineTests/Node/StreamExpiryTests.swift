import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("What durable streams have brought") struct StreamExpiryTests {
    private static let ops = room("ops")
    private static let day = Limits.dayMilliseconds

    private static func moment(_ milliseconds: UInt64) -> UInt64 {
        HybridTime(wallMilliseconds: 900_000 + milliseconds).rawValue
    }

    private static func piece(_ offset: UInt64) throws -> StreamPiece {
        let name = try #require(StreamName("dump"))
        return try #require(StreamPiece(name: name, session: 1, offset: offset, bytes: [7]))
    }

    /// Somebody is a member from a moment on; peer 2 passes that on.
    private static func enter(_ number: UInt8, at milliseconds: UInt64, _ harness: inout Harness) {
        let log = TestLog(signer(number), in: Self.ops.conversation)
        let opening = log.opening(at: Self.moment(milliseconds))
        let join = log.run(
            [TestLog.entry(.join(Self.ops.name), at: Self.moment(milliseconds) + 1)], first: 2,
            prev: opening.ids[0])
        for run in [opening, join] {
            harness.give(.liveRun(run.run), from: 2)
            harness.settle()
        }
    }

    /// A node in a room of three, which has sent two pieces of a stream and a text.
    private static func sent() throws -> Harness {
        var harness = Harness()
        harness.join(Self.ops)
        harness.settle()
        for number: UInt8 in 2...3 { harness.link(number, in: [Self.ops]) }
        harness.settle()
        for number: UInt8 in 2...3 { Self.enter(number, at: 1, &harness) }
        for offset: UInt64 in 0...1 { try Self.send(offset, &harness) }
        harness.say("that is all", in: Self.ops)
        harness.settle()
        return harness
    }

    private static func send(_ offset: UInt64, _ harness: inout Harness) throws {
        let outgoing = Outgoing(
            conversation: Self.ops.conversation, content: .stream(try Self.piece(offset)))
        harness.give(.request(RequestID(200 + offset), .send(outgoing)))
        harness.settle()
    }

    /// A peer says to have so many of the own entries; nil for all.
    private static func claim(
        _ harness: inout Harness, by number: UInt8, seq: UInt64? = nil
    ) throws {
        var row = try harness.ownRow(in: Self.ops)
        if let seq {
            let key = LogKey(conversation: Self.ops.conversation, name: harness.node.ownLog)
            let stored = try #require(harness.stored(key).first { $0.seq == seq })
            let id = stored.entry.id(key: key, seq: seq, prev: stored.prev)
            (row.seq, row.headTag) = (seq, Harness.tags.head(id, by: Harness.tags.peer))
        }
        harness.give(.delta(Self.ops.conversation, [row]), from: number)
        harness.settle()
    }

    /// What became of the entries that bring data, in order.
    private static func states(_ harness: Harness, of author: PeerID? = nil) -> [PayloadState] {
        let name =
            author.map { LogName(author: $0, incarnation: 1) } ?? harness.node.ownLog
        return harness.stored(LogKey(conversation: Self.ops.conversation, name: name))
            .filter { $0.entry.entryClass == EntryClass.stream.rawValue }.map(\.state)
    }

    @Test("their sender keeps it until all have it who were members then, and the rest stays")
    func received() throws {
        var harness = try Self.sent()
        try Self.claim(&harness, by: 2)
        harness.passStreams(milliseconds: Self.day)
        #expect(Self.states(harness) == [.present, .present])
        let head = try harness.ownRow(in: Self.ops).seq
        // Peer 3 has the first piece of the two.
        try Self.claim(&harness, by: 3, seq: head - 2)
        harness.passStreams(milliseconds: 60_000)
        #expect(Self.states(harness) == [.expired, .present])
        // Who has joined since waits for nothing of it.
        Self.enter(4, at: 50_000_000, &harness)
        try Self.claim(&harness, by: 3)
        harness.passStreams(milliseconds: 60_000)
        #expect(Self.states(harness) == [.expired, .expired])
        let key = LogKey(conversation: Self.ops.conversation, name: harness.node.ownLog)
        #expect(harness.stored(key).last?.state == .present)
    }

    @Test("where nobody else was a member, or somebody is away, it is kept for seven days")
    func old() throws {
        var harness = try Self.sent()
        try Self.claim(&harness, by: 2)
        harness.passStreams(milliseconds: 7 * Self.day - 60_000)
        #expect(Self.states(harness) == [.present, .present])
        harness.passStreams(milliseconds: 2 * Limits.streamAgeMilliseconds)
        #expect(Self.states(harness) == [.expired, .expired])

        var alone = Harness()
        alone.join(Self.ops)
        alone.settle()
        try Self.send(0, &alone)
        alone.passStreams(milliseconds: 6 * Self.day)
        #expect(Self.states(alone) == [.present])
        alone.passStreams(milliseconds: 2 * Self.day)
        #expect(Self.states(alone) == [.expired])
    }

    @Test("others keep what they have received for seven days, and want nothing that is older")
    func ofOthers() throws {
        var harness = Harness()
        harness.link(2, in: [Self.ops])
        harness.join(Self.ops)
        harness.settle()
        let log = TestLog(signer(2), in: Self.ops.conversation)
        let opening = log.opening(at: Self.moment(1))
        let pieces = try (0...1).map {
            TestLog.entry(.stream(try Self.piece($0)), at: Self.moment(2 + $0))
        }
        let first = log.run([pieces[0]], first: 2, prev: opening.ids[0])
        for run in [opening, first] {
            harness.give(.liveRun(run.run), from: 2)
            harness.settle()
        }
        harness.passStreams(milliseconds: 6 * Self.day)
        #expect(Self.states(harness, of: Harness.peer(2)) == [.present])
        harness.passStreams(milliseconds: 2 * Self.day)
        #expect(Self.states(harness, of: Harness.peer(2)) == [.expired])
        let second = log.run([pieces[1]], first: 3, prev: first.ids[0])
        harness.give(.syncRun(second.run.withoutPayloads), from: 2)
        harness.settle()
        #expect(Self.states(harness, of: Harness.peer(2)) == [.expired, .expired])
    }

    @Test("a node without it is never woken for it, and one that had some no longer")
    func idle() throws {
        var harness = Harness()
        harness.join(Self.ops)
        harness.settle()
        harness.link(2, in: [Self.ops])
        Self.enter(2, at: 1, &harness)
        harness.say("no stream", in: Self.ops)
        harness.settle()
        try Self.claim(&harness, by: 2)
        harness.give(.preferences(NodePreferences()))
        #expect(harness.streamsAt == nil)
        try Self.send(0, &harness)
        try Self.claim(&harness, by: 2)
        #expect(harness.streamsAt != nil)
        harness.passStreams(milliseconds: 60_000)
        #expect(Self.states(harness) == [.expired])
        // The one that was arranged comes, and arranges no other.
        harness.passStreams(milliseconds: 2 * Limits.streamAgeMilliseconds)
        #expect(harness.streamsAt == nil)
    }

    @Test("a node that starts with some looks at it, and a shorter time counts at once")
    func restarted() throws {
        var snapshot = Snapshot()
        snapshot.streams = [Self.ops.conversation]
        #expect(Harness(snapshot: snapshot).streamsAt != nil)
        var harness = try Self.sent()
        harness.passStreams(milliseconds: 2 * Self.day)
        #expect(Self.states(harness) == [.present, .present])
        harness.give(.preferences(NodePreferences(streamsKeepDays: 1)))
        harness.passStreams(milliseconds: 60_000)
        #expect(Self.states(harness) == [.expired, .expired])
    }

    @Test("whoever was a member at a time and lacks an entry keeps it, whatever the others have")
    func readers() {
        func joined(_ milliseconds: UInt64) -> HybridTime {
            HybridTime(wallMilliseconds: milliseconds)
        }
        let readers = StreamReaders([
            (joined: joined(10), stored: 9), (joined: joined(20), stored: 4),
            (joined: joined(30), stored: 7), (joined: joined(40), stored: 0),
        ])
        #expect(!readers.have(1, of: joined(9)))
        #expect(readers.have(9, of: joined(10)) && !readers.have(10, of: joined(10)))
        #expect(readers.have(4, of: joined(20)) && !readers.have(5, of: joined(35)))
        #expect(!readers.have(1, of: joined(40)))
        #expect(!StreamReaders([]).have(1, of: joined(1)))
    }
}
