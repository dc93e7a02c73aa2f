import Crypto
import Testing

@testable import Engine

@Suite("Two sessions become a link, or neither does")
struct SessionHandshakeTests {
    private let ada = PeerID(Dialogue.ada.signer.publicKey)
    private let bea = PeerID(Dialogue.bea.signer.publicKey)

    private func checkEstablished(_ dialogue: borrowing Dialogue) throws {
        let ofInitiator = dialogue.info(.initiator)
        let ofResponder = dialogue.info(.responder)
        let hash = try #require(ofInitiator?.handshakeHash)
        #expect(
            ofInitiator
                == LinkInfo(
                    peer: self.bea, boot: 0xb0, isInitiator: true, dial: 7, version: 1,
                    listenPort: nil, handshakeHash: hash))
        #expect(
            ofResponder
                == LinkInfo(
                    peer: self.ada, boot: 0xa0, isInitiator: false, dial: 7, version: 1,
                    listenPort: 4_242, handshakeHash: hash))
        let areOpen = dialogue.initiator.isEstablished && dialogue.responder.isEstablished
        #expect(areOpen)
    }

    @Test("both ends know each other and the same handshake, whatever portions bytes come in")
    func established() throws {
        for portion in [Int.max, 1, 2, 3, 13, 64] {
            var dialogue = Dialogue()
            dialogue.run(portion: portion)
            try self.checkEstablished(dialogue)
        }
    }

    @Test("the initiator speaks first, with the preface and message 1 together")
    func first() {
        var dialogue = Dialogue()
        let early = dialogue.responder.output(limit: 1_000)
        #expect(early.isEmpty)
        let bytes = dialogue.initiator.output(limit: 1_000)
        #expect(Array(bytes.prefix(12)) == Preface.ours.encoded)
        #expect(Array(bytes[12..<14]) == [0, 32])
        #expect(bytes.count == 12 + 2 + 32)
        let isOpen = dialogue.initiator.isEstablished
        #expect(!isOpen)
    }

    @Test("two handshakes of the same two have different hashes")
    func fresh() {
        var hashes: Set<Bytes64> = []
        for _ in 0..<3 {
            var dialogue = Dialogue()
            dialogue.run()
            if let info = dialogue.info(.initiator) { hashes.insert(info.handshakeHash) }
        }
        #expect(hashes.count == 3)
    }

    @Test("the expected key is let in")
    func expected() throws {
        var dialogue = Dialogue(expecting: self.bea)
        dialogue.run()
        try self.checkEstablished(dialogue)
    }

    @Test("another key than the expected one is sent no message 3")
    func otherKey() {
        var dialogue = Dialogue(expecting: self.ada)
        dialogue.deliver(dialogue.initiator.output(limit: 1_000), from: .initiator)
        dialogue.deliver(dialogue.responder.output(limit: 1_000), from: .responder)
        #expect(dialogue.failure(.initiator) == .otherKey(expected: self.ada, got: self.bea))
        let (hasMore, rest) = (
            dialogue.initiator.hasOutput, dialogue.initiator.output(limit: 1_000)
        )
        #expect(!hasMore)
        #expect(rest.isEmpty)
        #expect(dialogue.info(.initiator) == nil)
        #expect(dialogue.info(.responder) == nil)
    }

    /// Everything that passes in a handshake: how much each side says.
    private static let lengths: [Dialogue.Side: Int] = {
        var dialogue = Dialogue()
        dialogue.run()
        return dialogue.passed
    }()

    @Test(
        "with any one bit turned, not both ends come to a link",
        arguments: [Dialogue.Side.initiator, .responder], [UInt8(0), 3, 7])
    func turnedBits(side: Dialogue.Side, bit: UInt8) throws {
        let length = try #require(Self.lengths[side])
        #expect(length > 190)
        // The lengths before messages 1, 2 and 3: one that is turned may leave an end waiting for more.
        let lengthFields = side == .initiator ? [12, 13, 46, 47] : [1, 2]
        for index in 0..<length {
            var dialogue = Dialogue()
            dialogue.run { speaker, place, bytes in
                guard speaker == side, (place..<place + bytes.count).contains(index) else {
                    return bytes
                }
                var bytes = bytes
                bytes[index - place] ^= 1 << bit
                return bytes
            }
            let (one, other) = (dialogue.info(.initiator), dialogue.info(.responder))
            #expect(one == nil || other == nil, "byte \(index), bit \(bit) of the \(side)")
            if !lengthFields.contains(index) {
                #expect(
                    dialogue.failure(.initiator) != nil || dialogue.failure(.responder) != nil,
                    "byte \(index), bit \(bit) of the \(side)")
            }
        }
    }

    @Test("a byte lost or doubled on the way: not both ends come to a link")
    func lostBytes() throws {
        for side in [Dialogue.Side.initiator, .responder] {
            // The very last byte doubled is no fault: it is the beginning of a transport message.
            let length = try #require(Self.lengths[side])
            for index in stride(from: 0, to: length - 1, by: 3) {
                for isLost in [true, false] {
                    var dialogue = Dialogue()
                    var isFault = true
                    dialogue.run { speaker, place, bytes in
                        guard speaker == side, (place..<place + bytes.count).contains(index)
                        else { return bytes }
                        var changed = bytes
                        if isLost {
                            changed.remove(at: index - place)
                        } else {
                            changed.insert(bytes[index - place], at: index - place)
                            // Nor is one whose followers are all its like.
                            isFault = !changed.starts(with: bytes)
                        }
                        return changed
                    }
                    guard isFault else { continue }
                    let (one, other) = (dialogue.info(.initiator), dialogue.info(.responder))
                    #expect(one == nil || other == nil, "byte \(index) of the \(side)")
                }
            }
        }
    }

    @Test("no common version: the answer is 00 and the own range, on both ends a failure")
    func noVersion() {
        for (lowest, highest) in [(UInt8(2), UInt8(3)), (2, 1), (0, 0), (255, 255)] {
            var dialogue = Dialogue()
            let preface = Preface(lowest: lowest, highest: highest).encoded
            dialogue.deliver(preface + [0, 32] + preface, from: .initiator)
            #expect(dialogue.failure(.responder) == .version(lowest: lowest, highest: highest))
            let answer = dialogue.responder.output(limit: 1_000)
            #expect(answer == [0, 1, 1])
            let more = dialogue.responder.hasOutput
            #expect(!more)
            #expect(dialogue.events[.responder]?.count == 1)
        }
        for portion in [1, 3] {
            var dialogue = Dialogue()
            dialogue.deliver([0, 2, 4], from: .responder, portion: portion)
            #expect(dialogue.failure(.initiator) == .version(lowest: 2, highest: 4))
        }
    }

    @Test(
        "a range that holds version 1 is answered with it", arguments: [(0, 1), (1, 9), (0, 255)])
    func commonVersion(lowest: UInt8, highest: UInt8) {
        var dialogue = Dialogue()
        dialogue.deliver(
            Preface(lowest: lowest, highest: highest).encoded, from: .initiator)
        #expect(dialogue.failure(.responder) == nil)
        let answer = dialogue.responder.output(limit: 1_000)
        #expect(answer == [1])
    }

    @Test("what is not Stoa is closed without an answer")
    func notStoa() {
        var dialogue = Dialogue()
        dialogue.deliver(Array("GET / HTTP/1.1\r\n\r\n".utf8), from: .initiator)
        #expect(dialogue.failure(.responder) == .notStoa)
        let answer = dialogue.responder.output(limit: 1_000)
        #expect(answer.isEmpty)
        for version in [UInt8(2), 72, 255] {
            var other = Dialogue()
            other.deliver([version], from: .responder)
            #expect(other.failure(.initiator) == .notStoa)
        }
    }

    @Test("a handshake message of zero or of 65,535 bytes is refused by its length")
    func lengths() {
        var dialogue = Dialogue()
        dialogue.deliver(Preface.ours.encoded + [0, 0], from: .initiator)
        #expect(dialogue.failure(.responder) == .length(0))
        var other = Dialogue()
        other.deliver([1, 0xff, 0xff], from: .responder)
        #expect(other.failure(.initiator) == .length(65_535))
    }

    @Test("nobody can send more than 64 KiB before the handshake is done")
    func tooMuch() {
        let junk = [UInt8](repeating: 7, count: 65_534)
        var dialogue = Dialogue()
        let beginning = Preface.ours.encoded + [0xff, 0xfe]
        dialogue.deliver(beginning + junk.prefix(65_536 - beginning.count), from: .initiator)
        #expect(dialogue.failure(.responder) == nil)
        dialogue.deliver([7], from: .initiator)
        #expect(dialogue.failure(.responder) == .handshakeTooLarge)
        var whole = Dialogue()
        whole.deliver(beginning + junk, from: .initiator)
        #expect(whole.failure(.responder) != nil)

        var other = Dialogue()
        other.deliver([1, 0xff, 0xfe] + junk.dropLast(2), from: .responder, portion: 4_096)
        #expect(other.failure(.initiator) == nil)
        other.deliver([7, 7], from: .responder)
        #expect(other.failure(.initiator) != nil)
    }

    @Test("frames that come together with message 3 are received, however many")
    func gluedToHandshake() {
        var dialogue = Dialogue()
        dialogue.deliver(dialogue.initiator.output(limit: 1_000), from: .initiator)
        dialogue.deliver(dialogue.responder.output(limit: 1_000), from: .responder)
        let ping = Frame.ping(nonce: 1, clock: 2)
        let record = Frame.digest(ConversationID(.zero), .zero)
        for _ in 0..<2_000 { _ = dialogue.initiator.send(record.encoded) }
        _ = dialogue.initiator.send(ping.encoded)
        let glued = dialogue.initiator.output(limit: 1_000_000)
        #expect(glued.count > 65_536)
        dialogue.deliver(glued, from: .initiator)
        #expect(dialogue.info(.responder) != nil)
        #expect(dialogue.frames(.responder).count == 2_001)
        #expect(dialogue.frames(.responder).first == ping)
    }

    @Test("a handshake cannot be replayed to the responder")
    func replay() {
        var heard: [UInt8] = []
        var dialogue = Dialogue()
        dialogue.run { side, _, bytes in
            if side == .initiator { heard += bytes }
            return bytes
        }
        var again = Dialogue()
        again.deliver(heard, from: .initiator)
        #expect(again.info(.responder) == nil)
        #expect(again.failure(.responder) == .decryptFailed)
    }
}
