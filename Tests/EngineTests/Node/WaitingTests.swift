import TestSupport
import Testing

@testable import Engine
@testable import Formats

/// Seed 307141 of the simulation: a profile that waited for credit went out when its reader had left the realm.
@Suite("What waits for credit while something is left") struct WaitingTests {
    private static let (ops, dev) = (room("ops"), room("dev"))
    private static let (author, reader) = (UInt8(2), UInt8(3))

    private var harness = Harness()
    private var credit = 0

    /// In two rooms with a peer that gives no credit back, and in one with somebody else.
    init() {
        for room in [Self.ops, Self.dev] { self.harness.join(room) }
        self.harness.settle()
        self.harness.link(Self.author, in: [Self.ops])
        let log = TestLog(signer(Self.author), in: Self.ops.conversation)
        self.harness.give(.liveRun(log.opening().run), from: Self.author)
        self.harness.settle()
        self.harness.link(Self.reader, in: [Self.ops, Self.dev])
        self.harness.settle()
        _ = self.harness.take(from: Self.reader)
        let link = LinkID(UInt64(Self.reader))
        self.credit = self.harness.node.links[link].flow.credit(on: .sync)
        self.harness.node.links[link].flow.spend(self.credit, on: .sync)
        // What waits from now on: the own profile and that of the author; the room's digest comes at a ping.
        self.harness.give(.request(RequestID(50), .profile(name: "own", status: nil)))
        self.harness.settle()
        self.harness.give(.records([self.profile]), from: Self.author)
        self.harness.settle()
        self.harness.node.refreshDigests(on: link)
        #expect(self.harness.take(from: Self.reader).isEmpty)
        #expect(self.harness.node.links[link].flow.outbox.count >= 2)
    }

    private var profile: Record {
        Record(
            kind: Record.Kind.profile, author: Harness.peer(Self.author), conversation: nil,
            time: HybridTime(wallMilliseconds: self.harness.now.wall),
            value: Profile(name: "author", status: "").encoded, signer: signer(Self.author))
    }

    /// What the peer is sent once it gives credit.
    private mutating func pay() -> [Frame] {
        self.harness.give(.credit(.sync, bytes: UInt64(self.credit)), from: Self.reader)
        return self.harness.take(from: Self.reader)
    }

    private static func authors(_ frames: [Frame]) -> Set<PeerID> {
        Set(
            frames.flatMap { frame -> [PeerID] in
                if case .records(let all) = frame { all.map(\.author) } else { [] }
            })
    }

    private static func digested(_ frames: [Frame]) -> Set<ConversationID> {
        Set(frames.compactMap { if case .digest(let room, _) = $0 { room } else { nil } })
    }

    @Test("all of it goes where nothing is left")
    func nothing() {
        var test = self
        let author = Harness.peer(Self.author)
        let sent = test.pay()
        #expect(Self.authors(sent) == [author, Harness.ownKey])
        #expect(Self.digested(sent).contains(Self.ops.conversation))
    }

    @Test("of a room that the peer has left nothing goes, nor a profile of who is in no other")
    func oneRoom() {
        var test = self
        test.harness.give(.roomsLeft([Self.ops.conversation]), from: Self.reader)
        let sent = test.pay()
        #expect(Self.authors(sent) == [Harness.ownKey])
        #expect(!Self.digested(sent).contains(Self.ops.conversation))
        // What did not go costs no credit.
        let link = test.harness.node.links[LinkID(UInt64(Self.reader))]
        #expect(link.flow.outbox.isEmpty && link.flow.waitingBytes == 0)
        let spent = sent.reduce(0) {
            $1.encoded.channel == .sync ? $0 + $1.encoded.bytes.count : $0
        }
        #expect(link.flow.credit(on: .sync) == test.credit - spent)
    }

    @Test("to who is in no room any longer no profile goes, and the own one once they are in one")
    func allRooms() {
        var test = self
        let rooms = [Self.ops.conversation, Self.dev.conversation]
        test.harness.give(.roomsLeft(rooms), from: Self.reader)
        let sent = test.pay()
        #expect(sent.allSatisfy { $0.encoded.channel != .sync })
        let info = LinkInfo(to: Harness.peer(Self.reader), boot: UInt64(Self.reader))
        test.harness.give(.rooms(Harness.openTag(info), [Self.dev.name]), from: Self.reader)
        #expect(Self.authors(test.harness.take(from: Self.reader)) == [Harness.ownKey])
    }
}
