import Crypto
import Testing

@testable import Engine
@testable import Formats

@Suite("Ephemeral frames") struct EphemeralTests {
    private static let ops = EngineTests.room("ops")

    private func piece(in room: Room = ops, bytes: Int = 10) -> Frame {
        .ephemeral(
            EphemeralPiece(
                conversation: room.conversation, stream: 7,
                bytes: [UInt8](repeating: 1, count: bytes)))
    }

    private func linked(_ rooms: [Room] = [ops]) -> Harness {
        var harness = Harness()
        for room in rooms {
            harness.join(room)
            harness.settle()
        }
        harness.link(2, in: rooms, features: .own)
        harness.settle()
        return harness
    }

    @Test("are counted where their conversation is shared, and ignored elsewhere")
    func shared() {
        var harness = self.linked()
        harness.give(self.piece(), from: 2)
        harness.give(self.piece(in: EngineTests.room("other")), from: 2)
        #expect(harness.node.links[LinkID(2)].ephemeral.taken == 1)
        #expect(harness.node.links[LinkID(2)].ephemeral.dropped == 0)
    }

    // Shows: daemon.ephemeral
    @Test("that come too fast are dropped, by number and by bytes, and the link stays")
    func tooFast() {
        let seconds = Int(Limits.ephemeralBurstMilliseconds / 1_000)
        var harness = self.linked()
        for _ in 0..<1_000 { harness.give(self.piece(bytes: 1), from: 2) }
        let small = seconds * Limits.ephemeralFramesPerSecond
        #expect(harness.node.links[LinkID(2)].ephemeral.taken == small)
        harness.pass(milliseconds: Limits.ephemeralBurstMilliseconds)
        for _ in 0..<1_000 { harness.give(self.piece(bytes: Limits.ephemeralBytes), from: 2) }
        let size = self.piece(bytes: Limits.ephemeralBytes).encoded.bytes.count
        let large = seconds * Limits.ephemeralBytesPerSecond / size
        #expect(harness.node.links[LinkID(2)].ephemeral.taken == small + large)
        #expect(harness.node.links.has(LinkID(2)))
    }

    // Shows: shown.signals
    @Test("of one conversation do not take the place of those of another; all together are bounded")
    func apart() {
        let rooms = (0..<20).map { EngineTests.room("room\($0)") }
        var harness = self.linked(rooms)
        let seconds = Int(Limits.ephemeralBurstMilliseconds / 1_000)
        let each = seconds * Limits.ephemeralFramesPerSecond
        for _ in 0..<2 * each { harness.give(self.piece(in: rooms[0], bytes: 1), from: 2) }
        for _ in 0..<each { harness.give(self.piece(in: rooms[1], bytes: 1), from: 2) }
        #expect(harness.node.links[LinkID(2)].ephemeral.taken == 2 * each)
        for room in rooms {
            for _ in 0..<each { harness.give(self.piece(in: room, bytes: 1), from: 2) }
        }
        let all = Limits.ephemeralConversations * each
        // What one conversation had too much of counts among all.
        #expect(harness.node.links[LinkID(2)].ephemeral.taken <= all)
        #expect(harness.node.links[LinkID(2)].ephemeral.taken >= all - 3 * each)
    }

    @Test("the longest fits its channel, and one byte more is refused")
    func longest() throws {
        let whole = self.piece(bytes: Limits.ephemeralBytes).encoded
        #expect(whole.channel == .ephemeral)
        #expect(whole.bytes.count <= Limits.ephemeralFrameBytes)
        var writer = WireWriter()
        writer.raw(Self.ops.conversation.hash)
        writer.u64(7)
        writer.sized([UInt8](repeating: 1, count: Limits.ephemeralBytes + 1))
        #expect(throws: WireError.self) {
            try Frame.decode(type: Frame.Kind.ephemeral.rawValue, body: writer.bytes)
        }
    }
}
