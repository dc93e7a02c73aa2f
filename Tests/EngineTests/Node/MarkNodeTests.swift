import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("What members have and have read") struct MarkNodeTests {
    private static let ops = room("ops")
    private static let conversation = ops.conversation

    /// A node in a room with peer 2, which has passed on that peer 3 is there, too; it knows both.
    private static func together(tellsReads: Bool = true) throws -> Harness {
        var harness = Harness(tellsReads: tellsReads)
        harness.link(2, in: [Self.ops])
        harness.join(Self.ops)
        harness.settle()
        for number: UInt8 in [2, 3] {
            harness.give(
                .request(RequestID(10 + UInt64(number)), .stand(Harness.peer(number), .known)))
            Self.arrive(
                &harness, [TestLog.entry(.join(Self.ops.name), at: Self.moment(1))], of: number)
        }
        harness.settle()
        return harness
    }

    private static func moment(_ milliseconds: UInt64) -> UInt64 {
        HybridTime(wallMilliseconds: 900_000 + milliseconds).rawValue
    }

    /// Entries of a log that begins come from peer 2.
    private static func arrive(
        _ harness: inout Harness, _ entries: [Entry], of number: UInt8,
        person: PersonKeys = personKeys(40, 41)
    ) {
        let log = TestLog(signer(number), in: Self.conversation)
        let opening = log.opening(at: Self.moment(0), of: person)
        for run in [opening, log.run(entries, first: 2, prev: opening.ids[0])] {
            harness.give(.liveRun(run.run), from: 2)
            harness.settle()
        }
    }

    private static func send(_ harness: inout Harness, _ wait: DeliveryWait) {
        harness.give(
            .request(
                RequestID(100),
                .send(Outgoing(conversation: Self.conversation, text: "who?", wait: wait))))
        harness.settle()
    }

    /// A mark of somebody comes from peer 2.
    private static func mark(
        _ harness: inout Harness, by number: UInt8, at milliseconds: UInt64 = 10,
        stored: UInt64? = nil, read: UInt64 = 0, headTag: UInt64? = nil, passOn: [PeerID] = []
    ) throws {
        let own = harness.node.ownLog
        let head = try #require(harness.node.conversations.table[Self.conversation]).log(own).head
        let row = Mark.Row(
            tag: Mark.tag(of: LogKey(conversation: Self.conversation, name: own)),
            stored: stored ?? head.seq, read: read, headTag: headTag ?? Mark.tag(of: head.id))
        let mark = Mark(
            rows: [row], passOn: passOn.map { Mark.tag(of: $0, in: Self.conversation) })
        var random = SeededRandom(seed: 1)
        let record = try #require(
            mark.record(
                in: Self.conversation, at: HybridTime(wallMilliseconds: 900_000 + milliseconds),
                by: signer(number), Keyring(), using: &random))
        harness.give(.records([record]), from: 2)
        harness.passMarks()
    }

    private static func deliveredTo(_ harness: Harness) -> [PeerID]? {
        guard case .sent(_, _, let peers)? = harness.answers(of: RequestID(100)).first else {
            return nil
        }
        return peers
    }

    /// The marks of the node, or of another author, that were sent to a peer.
    private static func marks(
        of author: PeerID = Harness.ownKey, to number: UInt8, _ harness: inout Harness
    ) -> [Mark] {
        harness.take(from: number).flatMap { frame -> [Record] in
            if case .records(let records) = frame { records } else { [] }
        }.filter { $0.author == author }.compactMap { Mark($0, by: Keyring()) }
    }

    @Test("who is linked through another one alone says by a mark what it has and has read")
    func relayed() throws {
        var harness = try Self.together()
        let wait = DeliveryWait(
            .named([Harness.peer(3)]), by: harness.now.monotonic + 30_000)
        Self.send(&harness, wait)
        #expect(Self.deliveredTo(harness) == nil)
        try Self.mark(&harness, by: 3)
        #expect(Self.deliveredTo(harness) == [Harness.peer(3)])
        harness = try Self.together()
        Self.send(
            &harness,
            DeliveryWait(
                .named([Harness.peer(3)]), isRead: true, by: harness.now.monotonic + 30_000))
        try Self.mark(&harness, by: 3)
        #expect(Self.deliveredTo(harness) == nil)
        let seq = try #require(harness.node.conversations.table[Self.conversation])
            .log(harness.node.ownLog).head.seq
        try Self.mark(&harness, by: 3, at: 20, read: seq)
        #expect(Self.deliveredTo(harness) == [Harness.peer(3)])
        let key = LogKey(conversation: Self.conversation, name: harness.node.ownLog)
        let outcomes = harness.node.outcomes(of: seq, in: key)
        #expect(outcomes.first { $0.peer == Harness.peer(3) }?.outcome == .read)
        #expect(outcomes.first { $0.peer == Harness.peer(2) }?.outcome == .waiting)
    }

    /// Invented members come from peer 2: an opening and a join each, and a text where they say something.
    private static func crowd(_ harness: inout Harness, saying: Bool = false) {
        for number: UInt8 in 100...170 {
            var entries = [TestLog.entry(.join(Self.ops.name), at: Self.moment(1))]
            if saying { entries.append(TestLog.text("hello", at: Self.moment(2))) }
            Self.arrive(&harness, entries, of: number, person: personKeys(number, 41))
        }
    }

    // Shows: shown.marks
    @Test(
        "of and to known people travel, however many members somebody has invented",
        arguments: [false, true])
    func invented(saying: Bool) throws {
        var harness = try Self.together()
        Self.crowd(&harness, saying: saying)
        Self.send(
            &harness,
            DeliveryWait(
                .named([Harness.peer(3)]), isRead: true, by: harness.now.monotonic + 30_000))
        let seq = try #require(harness.node.conversations.table[Self.conversation])
            .log(harness.node.ownLog).head.seq
        try Self.mark(&harness, by: 3, read: seq)
        #expect(Self.deliveredTo(harness) == [Harness.peer(3)])
        // And what the user reads is told.
        _ = harness.take(from: 2)
        harness.give(.request(RequestID(50), .read(Self.conversation, through: Cursor(9))))
        harness.settle()
        harness.passMarks()
        let mark = try #require(Self.marks(to: 2, &harness).last)
        #expect(mark.passOn.contains(Mark.tag(of: Harness.peer(3), in: Self.conversation)))
        #expect(!mark.passOn.contains(Mark.tag(of: Harness.peer(100), in: Self.conversation)))
        // Of the others none is taken that somebody else brings.
        try Self.mark(&harness, by: 150)
        let key = RecordKey(
            author: Harness.peer(150), conversation: Self.conversation, kind: Record.Kind.mark)
        #expect(harness.node.record(key) == nil)
    }

    @Test("one who is linked has a mark passed on to who may know them, in a large room, too")
    func relayedInCrowd() throws {
        var harness = try Self.together()
        Self.crowd(&harness)
        harness.link(3, in: [Self.ops])
        harness.link(4, in: [Self.ops])
        harness.give(.request(RequestID(60), .stand(Harness.peer(3), .unsaid)))
        harness.settle()
        _ = harness.take(from: 4)
        var random = SeededRandom(seed: 1)
        let mark = Mark(passOn: [Mark.tag(of: Harness.peer(4), in: Self.conversation)])
        let record = try #require(
            mark.record(
                in: Self.conversation, at: HybridTime(wallMilliseconds: 900_010),
                by: signer(3), Keyring(), using: &random))
        harness.give(.records([record]), from: 3)
        harness.passMarks()
        #expect(Self.marks(of: Harness.peer(3), to: 4, &harness).count == 1)
    }

    // Shows: shown.delivery
    @Test(
        "who claims more than there is or shows another entry has nothing, nor who writes for others"
    )
    func lies() throws {
        for (stored, headTag) in [(UInt64(1) << 40, nil), (nil, UInt64(7))] {
            var harness = try Self.together()
            Self.send(&harness, DeliveryWait(.all, by: harness.now.monotonic + 30_000))
            for number: UInt8 in [2, 3] {
                try Self.mark(
                    &harness, by: number, stored: stored, read: .max, headTag: headTag)
            }
            #expect(Self.deliveredTo(harness) == nil)
        }
        // What was read is not more than what has come.
        var harness = try Self.together()
        Self.send(
            &harness, DeliveryWait(.members(1), isRead: true, by: harness.now.monotonic + 30_000))
        try Self.mark(&harness, by: 3, stored: 1, read: .max, headTag: 0)
        #expect(Self.deliveredTo(harness) == nil)
    }

    @Test("what somebody had is known when they are away, and is on the way to the disk")
    func away() throws {
        var harness = try Self.together()
        Self.send(&harness, DeliveryWait(.members(1), by: harness.now.monotonic + 30_000))
        harness.give(.delta(Self.conversation, [try harness.ownRow(in: Self.ops)]), from: 2)
        #expect(Self.deliveredTo(harness) == [Harness.peer(2)])
        harness.passMarks()
        harness.give(.linkClosed(LinkID(2), nil))
        let key = LogKey(conversation: Self.conversation, name: harness.node.ownLog)
        let seq = try #require(harness.node.conversations.table[Self.conversation])
            .log(harness.node.ownLog).head.seq
        let outcomes = harness.node.outcomes(of: seq, in: key)
        #expect(outcomes.first { $0.peer == Harness.peer(2) }?.outcome == .delivered)
        #expect(outcomes.first { $0.peer == Harness.peer(3) }?.outcome == .away)
        #expect(harness.savedPositions[key]?[Harness.peer(2)] == MemberPosition(stored: seq))
        #expect(harness.node.reached.isEmpty)
        harness.say("nobody has this", in: Self.ops)
        harness.settle()
        #expect(harness.node.reached.map(\.seq) == [seq])
    }

    @Test("who was not heard of for a month does not hold up all")
    func longAway() throws {
        var harness = try Self.together()
        harness.now.wall += Limits.awayMilliseconds + 1_000_000
        Self.send(&harness, DeliveryWait(.all, by: harness.now.monotonic + 30_000))
        harness.give(.delta(Self.conversation, [try harness.ownRow(in: Self.ops)]), from: 2)
        #expect(Self.deliveredTo(harness) == [Harness.peer(2)])
    }

    @Test("what the user reads is told to who is linked, with whom that is not")
    func told() throws {
        var harness = try Self.together()
        _ = harness.take(from: 2)
        harness.give(.request(RequestID(50), .read(Self.conversation, through: Cursor(9))))
        harness.settle()
        harness.passMarks()
        let marks = Self.marks(to: 2, &harness)
        #expect(marks.count == 1)
        let mark = try #require(marks.first)
        #expect(mark.passOn == [Mark.tag(of: Harness.peer(3), in: Self.conversation)])
        let key = TestLog(signer(3), in: Self.conversation).key
        let row = try #require(mark.rows.first { $0.tag == Mark.tag(of: key) })
        #expect(row.stored == 2 && row.read == 2)
        // What is the same is not said again.
        harness.give(.request(RequestID(51), .read(Self.conversation, through: Cursor(9))))
        harness.settle()
        harness.passMarks()
        #expect(Self.marks(to: 2, &harness).isEmpty)
    }

    // Shows: told.read-marks
    @Test("who keeps that to themselves tells what has come, to those who need it, and no more")
    func quiet() throws {
        var harness = try Self.together(tellsReads: false)
        harness.give(.request(RequestID(50), .read(Self.conversation, through: Cursor(9))))
        harness.settle()
        harness.passMarks()
        let marks = Self.marks(to: 2, &harness)
        #expect(!marks.isEmpty && marks.allSatisfy { $0.rows.allSatisfy { $0.read == 0 } })
        // In a full mesh nobody needs it.
        var mesh = Harness(tellsReads: false)
        mesh.link(2, in: [Self.ops])
        mesh.join(Self.ops)
        mesh.settle()
        Self.arrive(&mesh, [TestLog.entry(.join(Self.ops.name), at: Self.moment(1))], of: 2)
        mesh.give(.request(RequestID(50), .read(Self.conversation, through: Cursor(9))))
        mesh.settle()
        mesh.passMarks()
        #expect(Self.marks(to: 2, &mesh).isEmpty)
    }

    // Shows: shown.marks
    @Test("a mark is passed on to those alone with whom its author is not linked")
    func passedOn() throws {
        var harness = try Self.together()
        harness.link(4, in: [Self.ops])
        harness.link(5, in: [Self.ops])
        harness.settle()
        for number: UInt8 in [4, 5] { _ = harness.take(from: number) }
        try Self.mark(&harness, by: 3, passOn: [Harness.ownKey, Harness.peer(5)])
        #expect(Self.marks(of: Harness.peer(3), to: 4, &harness).isEmpty)
        #expect(Self.marks(of: Harness.peer(3), to: 5, &harness).count == 1)
    }

    // Shows: shown.marks
    @Test("one who writes marks without end has few of them stored and passed on")
    func flood() throws {
        var harness = try Self.together()
        harness.link(4, in: [Self.ops])
        harness.settle()
        _ = harness.take(from: 4)
        var random = SeededRandom(seed: 1)
        for number in UInt64(1)...200 {
            let mark = Mark(passOn: [Mark.tag(of: Harness.peer(4), in: Self.conversation)])
            let record = try #require(
                mark.record(
                    in: Self.conversation, at: HybridTime(wallMilliseconds: 900_000 + number),
                    by: signer(3), Keyring(), using: &random))
            harness.give(.records([record]), from: 2)
            harness.pass(milliseconds: 100)
            harness.give(.timer(.marks))
            harness.settle()
        }
        let passed = Self.marks(of: Harness.peer(3), to: 4, &harness).count
        #expect((1...21).contains(passed))
    }

    @Test("what people say to have who are known is missing here; what strangers claim is not")
    func missing() throws {
        var harness = try Self.together()
        #expect(harness.node.missing(in: Self.conversation).isEmpty)
        let key = TestLog(signer(3), in: Self.conversation).key
        func claim(by number: UInt8) {
            let row = ClockRow(
                tag: Harness.tags.log(key.name, in: Self.conversation), state: .open, seq: 9,
                headTag: 7)
            harness.give(.delta(Self.conversation, [row]), from: number)
        }
        harness.link(4, in: [Self.ops])
        harness.settle()
        claim(by: 4)
        #expect(harness.node.missing(in: Self.conversation).isEmpty)
        claim(by: 2)
        let found = harness.node.missing(in: Self.conversation)
        #expect(found.map(\.author) == [Harness.peer(3)] && found.map(\.count) == [7])
        #expect(found.map(\.last) == [9] && found.map(\.holders) == [[Harness.peer(2)]])
        // Who is away has said so by a mark.
        harness = try Self.together()
        let mark = Mark(rows: [Mark.Row(tag: Mark.tag(of: key), stored: 5, read: 0, headTag: 7)])
        var random = SeededRandom(seed: 1)
        for (number, count) in [(UInt8(4), 0), (3, 3)] {
            let record = try #require(
                mark.record(
                    in: Self.conversation, at: HybridTime(wallMilliseconds: 900_000),
                    by: signer(number), Keyring(), using: &random))
            harness.give(.records([record]), from: 2)
            harness.passMarks()
            let found = harness.node.missing(in: Self.conversation)
            #expect(found.map(\.count) == (count > 0 ? [UInt64(count)] : []))
        }
    }
}
