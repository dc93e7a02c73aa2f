import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("What is worth nothing later, without a node") struct SignalsTests {
    private static let ops = room("ops").conversation
    private let now = Instant(monotonic: 1_000, wall: 1_000_000)

    private static func outlet(
        _ listeners: [UInt64] = [1, 2], isSealed: Bool = false
    ) -> SignalOutlet {
        SignalOutlet(
            conversation: Self.ops, own: Harness.ownKey, listeners: listeners.map { LinkID($0) },
            key: nil, isSealed: isSealed)
    }

    private static func link() -> Link {
        var info = LinkInfo(to: Harness.peer(2))
        info.features = .own
        return Link(
            id: LinkID(1), info: info, address: "192.0.2.2:1", dial: nil,
            now: Instant(monotonic: 1, wall: 1))
    }

    private static func signals(_ wanted: [SignalAction]) -> [Signal] {
        var all: [Signal] = []
        for case .perform(.signal(let signals)) in wanted { all += signals }
        return all
    }

    @Test("others are told that the user writes, and not again at once")
    func typing() {
        var signals = Signals(own: personKeys(40, 41).publicKeys.id)
        var random = SeededRandom(seed: 1)
        let first = signals.tellTyping(in: Self.outlet(), using: &random, at: self.now)
        #expect(first.told == 2)
        #expect(first.1.count == 1)
        let second = signals.tellTyping(in: Self.outlet(), using: &random, at: self.now)
        #expect(second.told == 0)
        #expect(second.1.isEmpty)
    }

    @Test("nothing goes out unsealed of a conversation that is sealed")
    func sealed() {
        var signals = Signals(own: personKeys(40, 41).publicKeys.id)
        var random = SeededRandom(seed: 1)
        let wanted = signals.tellTyping(
            in: Self.outlet(isSealed: true), using: &random, at: self.now)
        #expect(wanted.told == 0)
        #expect(wanted.1.isEmpty)
    }

    @Test("whoever writes has stopped once it is sent, or once the link has ended")
    func stopped() {
        var signals = Signals(own: personKeys(40, 41).publicKeys.id)
        var links = LinkTable()
        links.add(Self.link())
        let peer = Harness.peer(2)
        for isSent in [true, false] {
            let begun = signals.noteTyping(
                in: Self.ops, on: LinkID(1), of: links, .known, at: self.now)
            #expect(Self.signals(begun) == [.typing(peer, Self.ops, true)])
            #expect(signals.typing == [.typing(peer, Self.ops, true)])
            let message = Message(
                cursor: Cursor(1), id: EntryID(fixed32(1)), conversation: Self.ops,
                place: LogPosition(log: LogName(author: peer, incarnation: 1), seq: 1),
                content: .text("here"), time: HybridTime(1), isLate: false, isDisputed: false)
            let ended =
                isSent
                ? signals.shown([.message(message)])
                : signals.linkEnded(Self.link(), .lost, .known, in: [], at: self.now)
            #expect(Self.signals(ended) == [.typing(peer, Self.ops, false)])
            #expect(signals.typing.isEmpty)
        }
    }

    @Test("a stream is numbered from 1, and says when it ends")
    func stream() throws {
        var signals = Signals(own: personKeys(40, 41).publicKeys.id)
        var random = SeededRandom(seed: 1)
        let name = try #require(StreamName("music"))
        let opened = signals.openStream(
            name, in: Self.ops, isOrdered: true, using: &random, at: self.now)
        guard case .streamOpened(let stream) = opened else {
            Issue.record("\(opened)")
            return
        }
        #expect(signals.place(of: stream)?.conversation == Self.ops)
        let sent = signals.send(
            [1, 2], of: stream, to: Self.outlet(), using: &random, at: self.now)
        #expect(sent.0 == .packetSent(number: 1, told: 2))
        let unheard = signals.send([3], of: stream, to: nil, using: &random, at: self.now)
        #expect(unheard.0 == .packetSent(number: 2, told: 0))
        let closed = signals.close(stream, to: Self.outlet(), using: &random)
        #expect(closed.0 == .streamClosed)
        #expect(closed.1.count == 1)
        let late = signals.send([4], of: stream, to: nil, using: &random, at: self.now)
        #expect(late.0 == .failed(.unknownStream))
    }
}
