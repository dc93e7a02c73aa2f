import Crypto
import Testing

@testable import Engine

@Suite("Ephemeral frames") struct EphemeralTests {
    private static let ops = EngineTests.room("ops")

    private func piece(in room: Room = ops, bytes: Int = 10) -> Frame {
        .ephemeral(
            EphemeralPiece(
                conversation: room.conversation, stream: 7,
                bytes: [UInt8](repeating: 1, count: bytes)))
    }

    private func linked() -> Harness {
        var harness = Harness()
        harness.join(Self.ops)
        harness.settle()
        harness.link(2, in: [Self.ops])
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

    @Test("that come too fast are dropped, by number and by bytes, and the link stays")
    func tooFast() {
        var harness = self.linked()
        for _ in 0..<1_000 { harness.give(self.piece(bytes: 1), from: 2) }
        #expect(
            harness.node.links[LinkID(2)].ephemeral.taken == Limits.ephemeralFramesPerSecond)
        harness.pass(milliseconds: 1_000)
        for _ in 0..<1_000 { harness.give(self.piece(bytes: Limits.ephemeralBytes), from: 2) }
        let large = Limits.ephemeralBytesPerSecond / self.piece(bytes: 1_024).encoded.bytes.count
        #expect(
            harness.node.links[LinkID(2)].ephemeral.taken
                == Limits.ephemeralFramesPerSecond + large)
        #expect(harness.node.links.has(LinkID(2)))
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
