import Crypto
import Testing

@testable import Engine
@testable import Formats

@Suite("Frames over a link that stands")
struct SessionTransportTests {
    private func linked() -> Dialogue {
        var dialogue = Dialogue()
        dialogue.run()
        return dialogue
    }

    private func ping(_ nonce: UInt64) -> Frame { .ping(nonce: nonce, clock: 0) }

    /// A goaway is the last that the other side hears.
    private func checkGoodbye(_ dialogue: inout Dialogue, from side: Dialogue.Side) {
        let other: Dialogue.Side = side == .initiator ? .responder : .initiator
        dialogue.run()
        #expect(dialogue.frames(other).last == .goaway(.protocolViolation, ""))
        let isOpen =
            side == .initiator
            ? dialogue.initiator.isEstablished : dialogue.responder.isEstablished
        #expect(!isOpen)
    }

    @Test(
        "frames of all kinds and sizes arrive alike, whole, byte by byte and glued",
        arguments: 1...4)
    func portions(seed: UInt64) throws {
        for portion in [1, 2, 1_000, 16_402, Int.max] {
            var generator = Generator(seed: seed)
            var dialogue = self.linked()
            var sent: [Channel: [Frame]] = [:]
            for _ in 0..<30 {
                let frame = generator.frame(Generator.kinds[generator.number(0...16)])
                let encoded = frame.encoded
                sent[encoded.channel, default: []].append(frame)
                let isTaken = dialogue.initiator.send(encoded)
                #expect(isTaken)
            }
            let log = generator.log()
            let large = log.run([
                TestLog.text(String(repeating: "x", count: 60_000), at: 1)
            ]).run
            sent[.sync, default: []].append(.syncRun(large))
            _ = dialogue.initiator.send(Frame.syncRun(large).encoded)
            dialogue.run(portion: portion)
            var received: [Channel: [Frame]] = [:]
            for case .received(let frame) in dialogue.events[.responder] ?? [] {
                received[frame.channel, default: []].append(try #require(frame.frame))
            }
            #expect(received == sent, "portions of \(portion)")
        }
    }

    @Test("both sides speak at once")
    func bothSides() {
        var dialogue = self.linked()
        for number in 0..<100 as Range<UInt64> {
            _ = dialogue.initiator.send(self.ping(number).encoded)
            _ = dialogue.responder.send(self.ping(1_000 + number).encoded)
        }
        dialogue.run(portion: 7)
        #expect(dialogue.frames(.responder) == (0..<100).map { self.ping($0) })
        #expect(dialogue.frames(.initiator) == (1_000..<1_100).map { self.ping($0) })
    }

    @Test("an output limit is passed by one message at most")
    func outputLimit() {
        var dialogue = self.linked()
        let digest = Frame.digest(ConversationID(.zero), .zeros).encoded
        for _ in 0..<2_000 { _ = dialogue.initiator.send(digest) }
        let bytes = dialogue.initiator.output(limit: 40_000)
        #expect((40_000..<40_000 + 16_402).contains(bytes.count))
        let one = dialogue.initiator.output(limit: 1)
        #expect((1...16_402).contains(one.count))
        dialogue.deliver(bytes + one, from: .initiator)
        dialogue.run()
        #expect(dialogue.frames(.responder).count == 2_000)
        let rest = dialogue.initiator.output(limit: 1)
        #expect(rest.isEmpty)
    }

    @Test("an urgent frame does not wait for frames that have not left yet")
    func urgent() {
        var dialogue = self.linked()
        let digest = Frame.digest(ConversationID(.zero), .zeros)
        for _ in 0..<1_000 { _ = dialogue.initiator.send(digest.encoded) }
        dialogue.deliver(dialogue.initiator.output(limit: 1), from: .initiator)
        let before = dialogue.frames(.responder).count
        #expect(before < 300)
        _ = dialogue.initiator.send(self.ping(1).encoded)
        dialogue.deliver(dialogue.initiator.output(limit: 1), from: .initiator)
        #expect(dialogue.frames(.responder)[before] == self.ping(1))
    }

    @Test("a message of which a bit was turned ends the link", arguments: [0, 7, 17, -1])
    func tampered(index: Int) {
        var dialogue = self.linked()
        _ = dialogue.initiator.send(self.ping(1).encoded)
        var bytes = dialogue.initiator.output(limit: 1)
        bytes[index < 0 ? bytes.count + index : index + 2] ^= 0x10
        dialogue.deliver(bytes, from: .initiator)
        #expect(dialogue.failure(.responder) == .decryptFailed)
        #expect(dialogue.frames(.responder).isEmpty)
        self.checkGoodbye(&dialogue, from: .responder)
    }

    @Test("a message that comes twice, out of order or from the other direction ends the link")
    func replayed() {
        func check(
            from side: Dialogue.Side = .initiator, _ deliver: ([UInt8], [UInt8]) -> [UInt8]
        ) {
            var dialogue = self.linked()
            _ = dialogue.initiator.send(self.ping(1).encoded)
            let first = dialogue.initiator.output(limit: 1)
            _ = dialogue.initiator.send(self.ping(2).encoded)
            let second = dialogue.initiator.output(limit: 1)
            dialogue.deliver(deliver(first, second), from: side)
            let other: Dialogue.Side = side == .initiator ? .responder : .initiator
            #expect(dialogue.failure(other) == .decryptFailed)
        }
        check { first, _ in first + first }
        check { first, second in second + first }
        check { first, second in first + second + first }
        check(from: .responder) { first, _ in first }
    }

    @Test("a length outside its limits ends the link at once", arguments: [0, 16, 16_401, 65_535])
    func lengths(length: Int) {
        var dialogue = self.linked()
        dialogue.deliver(
            [UInt8(length >> 8), UInt8(length & 0xff)], from: .initiator, portion: 1)
        #expect(dialogue.failure(.responder) == .length(length))
        self.checkGoodbye(&dialogue, from: .responder)
    }

    // Shows: daemon.decoders
    @Test("what comes in one plaintext with a frame that is refused is not taken either")
    func refused() {
        var dialogue = self.linked()
        let bad = EncodedFrame(channel: .control, bytes: [0x7f, 0x00])
        _ = dialogue.initiator.send(self.ping(1).encoded)
        _ = dialogue.initiator.send(bad)
        dialogue.run()
        #expect(dialogue.failure(.responder) == .wire(.frameType(0x7f)))
        #expect(dialogue.frames(.responder).isEmpty)
        #expect(dialogue.frames(.initiator) == [.goaway(.protocolViolation, "")])
    }

    @Test("after the end nothing is received, queued or said")
    func afterEnd() {
        var dialogue = self.linked()
        dialogue.deliver([0, 0], from: .initiator)
        let count = dialogue.events[.responder]?.count
        _ = dialogue.responder.output(limit: 1_000)
        for number in 0..<10_000 as Range<UInt64> {
            let isTaken = dialogue.responder.send(self.ping(number).encoded)
            if !isTaken { Issue.record("a frame that is dropped is no reason to close") }
        }
        let (hasOutput, said) = (
            dialogue.responder.hasOutput, dialogue.responder.output(limit: 1_000)
        )
        #expect(!hasOutput)
        #expect(said.isEmpty)
        _ = dialogue.initiator.send(self.ping(1).encoded)
        dialogue.run()
        #expect(dialogue.events[.responder]?.count == count)
    }

    @Test("frames are not queued before the link stands")
    func early() {
        var dialogue = Dialogue()
        let isTaken = dialogue.initiator.send(self.ping(1).encoded)
        #expect(isTaken)
        dialogue.run()
        #expect(dialogue.frames(.responder).isEmpty)
    }

    @Test("what credit bounds is bounded also where the peer gives it for what it was not sent")
    func creditedBeforeSent() throws {
        var dialogue = self.linked()
        let rows = (1...1_000).map { ClockRow(tag: $0, state: .open, seq: 1, headTag: 1) }
        let frame = Frame.delta(room("ops").conversation, rows).encoded
        try #require(frame.channel == .sync)
        var taken = 0
        while taken < 1_000, dialogue.initiator.send(frame) { taken += 1 }
        #expect(taken == Limits.initialCredit / frame.bytes.count)
    }

    // Shows: daemon.peers
    @Test("the control queue is bounded: who does not read is to be closed")
    func notReading() {
        var dialogue = self.linked()
        var taken = 0
        while taken < 100_000, dialogue.initiator.send(self.ping(1).encoded) { taken += 1 }
        #expect(taken == Limits.controlQueueBytes / 18)
        // Once it reads again, there is room again.
        dialogue.run()
        let isTaken = dialogue.initiator.send(self.ping(1).encoded)
        #expect(isTaken)
    }

    @Test("a link goes on past the rekeys of either direction")
    func rekey() {
        var dialogue = self.linked()
        let rounds: UInt64 = 65_540
        for number in 0..<rounds {
            _ = dialogue.initiator.send(self.ping(number).encoded)
            let events = dialogue.responder.receive(dialogue.initiator.output(limit: 1))
            guard case .received(let frame)? = events.first, events.count == 1,
                frame.frame == self.ping(number)
            else {
                Issue.record("message \(number): \(events)")
                return
            }
        }
        _ = dialogue.responder.send(self.ping(1).encoded)
        dialogue.run()
        #expect(dialogue.frames(.initiator) == [self.ping(1)])
    }

    @Test("every failure is said in a sentence")
    func descriptions() {
        let failures: [SessionFailure] = [
            .notStoa, .version(lowest: 2, highest: 3),
            .otherKey(expected: PeerID(fixed32(1)), got: PeerID(fixed32(2))), .badSignature,
            .decryptFailed, .handshakeTooLarge, .length(3), .wire(.frameType(7)), .notReading,
        ]
        #expect(Set(failures.map { "\($0)" }).count == failures.count)
        for failure in failures { #expect(!"\(failure)".isEmpty) }
    }
}
