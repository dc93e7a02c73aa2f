import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Who is there and who writes") struct PresenceTests {
    private static let ops = EngineTests.room("ops")

    private func linked(_ harness: inout Harness, features: Features = .own, rooms: [Room] = [ops])
    {
        harness.join(Self.ops)
        harness.settle()
        harness.link(2, in: rooms, features: features)
        harness.settle()
    }

    private func presences(_ frames: [Frame]) -> [Presence] {
        frames.compactMap { if case .presence(let presence) = $0 { presence } else { nil } }
    }

    private func pieces(_ frames: [Frame]) -> [EphemeralPiece] {
        frames.compactMap { if case .ephemeral(let piece) = $0 { piece } else { nil } }
    }

    private func request(_ request: Request, _ harness: inout Harness) -> Answer? {
        let id = RequestID(900 + UInt64(harness.answers.count))
        harness.give(.request(id, request))
        return harness.answers(of: id).last
    }

    private func typing() -> Frame {
        .ephemeral(
            EphemeralPiece(conversation: Self.ops.conversation, stream: 0, bytes: [0, 1]))
    }

    // Shows: told.presence
    @Test("a peer is told once it shares a conversation, and of changes once in half a minute")
    func told() {
        var harness = Harness()
        self.linked(&harness, rooms: [])
        #expect(self.presences(harness.take(from: 2)).isEmpty)
        harness.give(
            .rooms(
                Harness.openTag(LinkInfo(to: Harness.peer(2), boot: 2)), [Self.ops.name]), from: 2)
        #expect(self.presences(harness.take(from: 2)) == [.online])
        #expect(self.request(.presence(.away), &harness) == .presence(.away))
        _ = self.request(.presence(.online), &harness)
        _ = self.request(.presence(.away), &harness)
        #expect(self.presences(harness.take(from: 2)).isEmpty)
        harness.passSignals(milliseconds: Limits.presenceMilliseconds - 1)
        #expect(self.presences(harness.take(from: 2)).isEmpty)
        harness.passSignals(milliseconds: 1)
        #expect(self.presences(harness.take(from: 2)) == [.away])
        _ = self.request(.presence(.online), &harness)
        _ = self.request(.presence(.away), &harness)
        harness.passSignals(milliseconds: 600_000)
        // It is what it was when they were told.
        #expect(self.presences(harness.take(from: 2)).isEmpty)
    }

    // Shows: told.presence
    @Test("where both are private nothing is sent, and neither to who would not understand it")
    func off() {
        for (tells, features) in [(false, Features.own), (true, Features([.dialBack]))] {
            var harness = Harness(tellsSignals: tells)
            self.linked(&harness, features: features)
            _ = self.request(.presence(.away), &harness)
            #expect(
                self.request(.typing(Self.ops.conversation), &harness) == .typing(told: 0))
            harness.passSignals(milliseconds: 100_000)
            let sent = harness.take(from: 2)
            #expect(self.presences(sent).isEmpty)
            #expect(self.pieces(sent).isEmpty)
            #expect(!sent.isEmpty)
        }
    }

    @Test(
        "from the moment on when it is private nothing is told, and from that when it is shown, all"
    )
    func changed() {
        var harness = Harness()
        self.linked(&harness)
        #expect(self.presences(harness.take(from: 2)) == [.online])
        _ = self.request(.presence(.away), &harness)
        // The peer would be told half a minute after the first time.
        harness.give(.preferences(NodePreferences(tellsPresence: false)))
        harness.passSignals(milliseconds: 100_000)
        _ = self.request(.presence(.online), &harness)
        _ = self.request(.presence(.away), &harness)
        harness.passSignals(milliseconds: 100_000)
        #expect(self.presences(harness.take(from: 2)).isEmpty)
        harness.give(.preferences(NodePreferences(tellsPresence: true)))
        #expect(self.presences(harness.take(from: 2)) == [.away])
    }

    // Shows: shown.signals
    @Test("what a peer tells is shown, too often told is not, and it is gone with its link")
    func heard() {
        var harness = Harness()
        self.linked(&harness)
        let peer = Harness.peer(2)
        harness.give(.presence(.online), from: 2)
        harness.give(.presence(.away), from: 2)
        #expect(harness.signals == [.presence(peer, .online)])
        harness.pass(milliseconds: Limits.presenceMilliseconds)
        harness.give(.presence(.away), from: 2)
        harness.pass(milliseconds: Limits.presenceMilliseconds)
        harness.give(.presence(.away), from: 2)
        let away = Coming(.away, in: [Self.ops.conversation])
        #expect(harness.signals == [.presence(peer, .online), .presence(peer, .away, away)])
        #expect(harness.node.presence(of: peer) == .away)
        #expect(harness.node.peerStatus(of: peer).presence == .away)
        harness.give(.linkClosed(LinkID(2), nil))
        #expect(
            harness.signals.last
                == .presence(peer, nil, Coming(.interrupted, in: [Self.ops.conversation])))
        #expect(harness.node.presence(of: peer) == nil)
    }

    // Shows: shown.signals
    @Test(
        "a restart of a peer is told in the conversation that both are in, once as gone and once as back"
    )
    func restart() {
        var harness = Harness()
        self.linked(&harness, rooms: [Self.ops, EngineTests.room("elsewhere")])
        let (peer, ops) = (Harness.peer(2), Self.ops.conversation)
        harness.give(.presence(.online), from: 2)
        harness.give(.goaway(.shutdown, ""), from: 2)
        harness.link(2, in: [Self.ops], features: .own)
        harness.settle()
        harness.give(.presence(.online), from: 2)
        #expect(
            harness.signals == [
                .presence(peer, .online), .presence(peer, nil, Coming(.left, in: [ops])),
            ])
        harness.passSignals(milliseconds: Limits.comingMilliseconds)
        #expect(
            harness.signals.dropFirst(2) == [
                .presence(peer, .online, Coming(.back, after: .left, in: [ops]))
            ])
        harness.passSignals(milliseconds: 100_000)
        harness.give(.linkClosed(LinkID(2), nil))
        #expect(
            harness.signals.last == .presence(peer, nil, Coming(.interrupted, in: [ops])))
    }

    @Test("of somebody with whom nothing is shared it is not heard")
    func nothingShared() {
        var harness = Harness()
        self.linked(&harness, rooms: [])
        harness.give(.presence(.away), from: 2)
        harness.give(self.typing(), from: 2)
        #expect(harness.signals.isEmpty)
    }

    @Test("others are told who writes once in three seconds, where the conversation is shared")
    func typingTold() {
        var harness = Harness()
        self.linked(&harness)
        harness.link(3, in: [], features: .own)
        harness.settle()
        #expect(self.request(.typing(Self.ops.conversation), &harness) == .typing(told: 1))
        #expect(self.request(.typing(Self.ops.conversation), &harness) == .typing(told: 0))
        harness.passSignals(milliseconds: Limits.typingMilliseconds)
        #expect(self.request(.typing(Self.ops.conversation), &harness) == .typing(told: 1))
        #expect(
            self.pieces(harness.take(from: 2)).map(\.bytes) == [[0, 1], [0, 1]])
        #expect(self.pieces(harness.take(from: 3)).isEmpty)
        #expect(
            self.request(.typing(EngineTests.room("other").conversation), &harness)
                == .failed(.unknownConversation))
    }

    @Test("who writes is shown until it was not heard again in time, or the link ends")
    func typingHeard() {
        var harness = Harness()
        self.linked(&harness)
        let (peer, ops) = (Harness.peer(2), Self.ops.conversation)
        harness.give(self.typing(), from: 2)
        harness.passSignals(milliseconds: 3_000)
        harness.give(self.typing(), from: 2)
        #expect(harness.signals == [.typing(peer, ops, true)])
        #expect(harness.node.standingSignals == [.typing(peer, ops, true)])
        harness.passSignals(milliseconds: Limits.typingLastsMilliseconds - 1)
        #expect(harness.signals.count == 1)
        harness.passSignals(milliseconds: 1)
        #expect(harness.signals.last == .typing(peer, ops, false))
        harness.give(self.typing(), from: 2)
        harness.give(.linkClosed(LinkID(2), nil))
        #expect(harness.signals.last == .typing(peer, ops, false))
        #expect(harness.node.standingSignals.isEmpty)
    }

    @Test("who has sent what they wrote writes no longer")
    func sent() throws {
        var harness = Harness()
        self.linked(&harness)
        harness.give(self.typing(), from: 2)
        let log = TestLog(signer(2), in: Self.ops.conversation)
        let opening = log.opening(at: 1)
        harness.give(.liveRun(opening.run), from: 2)
        let run = log.run([TestLog.text("hello", at: 2)], first: 2, prev: opening.ids[0])
        harness.give(.liveRun(run.run), from: 2)
        harness.settle()
        #expect(harness.messages(of: Harness.peer(2)).count == 1)
        #expect(
            harness.signals == [
                .typing(Harness.peer(2), Self.ops.conversation, true),
                .typing(Harness.peer(2), Self.ops.conversation, false),
            ])
    }

    // Shows: shown.signals
    @Test("who writes at a time is bounded over all that peers say")
    func bounded() {
        var typists = Typists()
        let ops = Self.ops.conversation
        var random = SeededRandom(seed: 1)
        for _ in 0..<2 * Limits.typists {
            let peer = PeerID(random.bytes32())
            _ = typists.receive(
                Typists.Place(conversation: ops, peer: peer), on: LinkID(1), at: 0, .stranger,
                from: Source(description: "a"))
        }
        #expect(typists.all.count == Limits.typists)
        #expect(typists.end(on: LinkID(1)).count == Limits.typists)
        #expect(typists.isEmpty)
    }

    // Shows: shown.signals
    @Test(
        "who writes takes the place of the newest of a larger source, and known people that of any stranger"
    )
    func knownWrite() {
        var typists = Typists()
        var random = SeededRandom(seed: 1)
        func place() -> Typists.Place {
            Typists.Place(conversation: Self.ops.conversation, peer: PeerID(random.bytes32()))
        }
        func receive(
            _ place: Typists.Place, _ tier: Tier = .stranger, from source: String = "flood"
        ) -> (isNews: Bool, ended: Typists.Place?) {
            typists.receive(
                place, on: LinkID(1), at: 1, tier, from: Source(description: source))
        }
        let flood = (0..<Limits.typists).map { _ in place() }
        for one in flood { #expect(receive(one).isNews) }
        // Who is heard again is no newer for that.
        #expect(!receive(flood[0]).isNews)
        #expect(receive(place(), from: "elsewhere").ended == flood.last)
        let late = receive(place())
        #expect(!late.isNews && late.ended == nil)
        let friends = (0..<Limits.typists).map { _ in place() }
        for friend in friends { #expect(receive(friend, .known).ended != nil) }
        #expect(typists.all == friends.sorted())
        #expect(!receive(place(), from: "elsewhere").isNews)
    }

    // Shows: told.presence
    @Test("in a sealed conversation only who has its key can say or learn it, each for themselves")
    func sealed() {
        let ops = Self.ops.conversation
        let key = conversationKey(9, of: ops)
        var random = SeededRandom(seed: 7)
        let (ada, bea) = (Harness.peer(1), Harness.peer(2))
        let piece = EphemeralBody.typing.piece(
            in: ops, stream: 0, by: ada, with: key, using: &random)
        #expect(piece.bytes.count > 64)
        var keyring = Keyring()
        keyring.use(key)
        #expect(keyring.read(piece, by: ada) == .typing)
        // Neither in another's name, nor as another stream, nor without the key.
        #expect(keyring.read(piece, by: bea) == nil)
        var other = piece
        other.stream = 1
        #expect(keyring.read(other, by: ada) == nil)
        #expect(Keyring().read(piece, by: ada) == nil)
        let plain = EphemeralBody.typing.piece(
            in: ops, stream: 0, by: ada, with: nil, using: &random)
        #expect(Keyring().read(plain, by: ada) == .typing)
        #expect(keyring.read(plain, by: ada) == nil)
    }
}
