import Engine
import Formats
import Crypto
import Testing

@Suite("Learning which logs there are") struct NewcomerTests {
    private static let ops = room("ops")
    private static let authors: ClosedRange<UInt8> = 20...119

    /// A node with a log of each author, of two runs.
    private static func holder(_ number: UInt8) -> Harness {
        var holder = Harness(number)
        holder.join(Self.ops)
        holder.link(3, in: [Self.ops])
        holder.settle()
        for author in Self.authors {
            let log = TestLog(signer(author), in: Self.ops.conversation)
            let one = log.run([TestLog.text("one", at: 1 << 16)])
            let two = log.run(
                [TestLog.text("two", at: 2 << 16)], first: 2, prev: one.ids.last)
            holder.give(.syncRun(one.run), from: 3)
            holder.give(.syncRun(two.run), from: 3)
            holder.settle()
        }
        return holder
    }

    private static func newcomer() -> Harness {
        var newcomer = Harness()
        newcomer.join(Self.ops)
        newcomer.settle()
        return newcomer
    }

    /// Links two nodes; each is number 2 to the other.
    private static func connect(_ one: inout Harness, _ other: inout Harness) {
        one.link(2, in: [Self.ops])
        other.link(2, in: [Self.ops], as: .initiator)
    }

    /// Brings what one has sent to the other.
    private static func carry(_ frames: [Frame], to receiver: inout Harness) {
        for frame in frames { receiver.give(frame, from: 2) }
        receiver.settle()
    }

    private static func wants(_ frames: [Frame]) -> [Want] {
        frames.compactMap { if case .want(let want) = $0 { want } else { nil } }
    }

    private static func isWhole(_ node: Harness) -> Bool {
        Self.authors.allSatisfy { author in
            let key = TestLog(signer(author), in: Self.ops.conversation).key
            return node.node.audit.logs[key]?.head.seq == 2
        }
    }

    @Test("a newcomer learns a hundred logs in a few round trips, within its wants")
    func roundTrips() {
        var (holder, newcomer) = (Self.holder(4), Self.newcomer())
        Self.connect(&holder, &newcomer)
        var trips = 0
        while !Self.isWhole(newcomer), trips < 200 {
            let asked = newcomer.take(from: 2)
            #expect(newcomer.node.excess == nil)
            Self.carry(asked, to: &holder)
            Self.carry(holder.take(from: 2), to: &newcomer)
            trips += 1
        }
        // Two for digests and clocks, four for a hundred beginnings, and one for the last rest.
        #expect(trips <= 8)
        #expect(newcomer.node.audit.open.isEmpty)
    }

    @Test("many conversations to catch up with take turns at a link's wants, and none waits")
    func manyConversations() {
        let rooms = (100..<400).map { room("r\($0)") }
        var holder = Harness(4)
        holder.link(3, in: rooms)
        for room in rooms {
            holder.join(room)
            holder.settle()
            let log = TestLog(signer(20), in: room.conversation)
            holder.give(.syncRun(log.run([TestLog.text("one", at: 1 << 16)]).run), from: 3)
            holder.settle()
        }
        var newcomer = Harness()
        for room in rooms {
            newcomer.join(room)
            newcomer.settle()
        }
        holder.link(2, in: rooms)
        newcomer.link(2, in: rooms, as: .initiator)
        // No time passes: nothing is owed to a timer.
        for _ in 0..<20 {
            Self.carry(newcomer.take(from: 2), to: &holder)
            #expect(newcomer.node.excess == nil)
            Self.carry(holder.take(from: 2), to: &newcomer)
        }
        let whole = rooms.count { room in
            let key = TestLog(signer(20), in: room.conversation).key
            return newcomer.node.audit.logs[key]?.head.seq == 1
        }
        #expect(whole == rooms.count)
        #expect(newcomer.node.audit.open.isEmpty)
    }

    @Test("a log that is the only unknown one is asked for its first entry")
    func onlyOne() {
        var newcomer = Self.newcomer()
        newcomer.link(2, in: [Self.ops])
        let row = ClockRow(tag: 7, state: .open, seq: 9, headTag: 1)
        newcomer.give(.clock(Self.ops.conversation, Harness.pages([row])), from: 2)
        let wants = Self.wants(newcomer.take(from: 2))
        #expect(wants == [Want(conversation: Self.ops.conversation, tag: 7, from: 1, through: 1)])
    }

    @Test("a second peer is asked for unknown logs once the first has not answered for a while")
    func patience() {
        var newcomer = Self.newcomer()
        newcomer.link(2, in: [Self.ops])
        newcomer.link(3, in: [Self.ops])
        let rows = (1...100).map { ClockRow(tag: $0, state: .open, seq: 9, headTag: 1) }
        for number in [2, 3] as [UInt8] {
            newcomer.give(.clock(Self.ops.conversation, Harness.pages(rows)), from: number)
        }
        let first = Self.wants(newcomer.take(from: 2))
        #expect(first.map(\.tag) == Array(1...UInt64(Limits.discoveriesPerLink)))
        #expect(first.allSatisfy { $0.from == 1 && $0.through == 1 })
        newcomer.pass(milliseconds: Limits.discoveryMilliseconds - 1)
        #expect(Self.wants(newcomer.take(from: 3)).isEmpty)
        newcomer.pass(milliseconds: 1)
        #expect(Self.wants(newcomer.take(from: 3)).count == Limits.discoveriesPerLink)
        // What is not answered at all is given up, and the next are asked for.
        newcomer.pass(milliseconds: Limits.wantMilliseconds)
        let next = Self.wants(newcomer.take(from: 2)) + Self.wants(newcomer.take(from: 3))
        #expect(next.first?.tag == UInt64(Limits.discoveriesPerLink) + 1)
        #expect(newcomer.node.excess == nil)
    }
}
