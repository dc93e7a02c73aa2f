import Crypto
import Testing

@testable import Engine
@testable import Formats

@Suite("Two sessions become a link, or neither does")
struct SessionHandshakeTests {
    private let ada = PeerID(Dialogue.ada.signer.publicKey)
    private let bea = PeerID(Dialogue.bea.signer.publicKey)

    private func checkEstablished(_ dialogue: borrowing Dialogue) throws {
        let ofInitiator = dialogue.info(.initiator)
        let ofResponder = dialogue.info(.responder)
        let exporter = try #require(ofInitiator?.exporter)
        #expect(
            ofInitiator
                == LinkInfo(
                    peer: self.bea, certificate: Dialogue.bea.certificate, boot: 0xb0,
                    role: .initiator, dial: 7, realm: .open, version: 2, features: Features(),
                    listenPort: nil, exporter: exporter))
        #expect(
            ofResponder
                == LinkInfo(
                    peer: self.ada, certificate: Dialogue.ada.certificate, boot: 0xa0,
                    role: .responder, dial: 7, realm: .open, version: 2, features: Features(),
                    listenPort: 4_242, exporter: exporter))
        let areOpen = dialogue.initiator.isEstablished && dialogue.responder.isEstablished
        #expect(areOpen)
    }

    @Test("both ends know each other and one exporter, whatever portions bytes come in")
    func established() throws {
        for portion in [Int.max, 1, 2, 3, 13, 64] {
            var dialogue = Dialogue()
            dialogue.run(portion: portion)
            try self.checkEstablished(dialogue)
        }
    }

    // Shows: told.tags
    @Test("who sees all bytes of a link, and knows its realm, does not have the key of its tags")
    func publicHash() throws {
        var dialogue = Dialogue()
        var seen: [Dialogue.Side: [UInt8]] = [:]
        dialogue.run { side, _, bytes in
            seen[side, default: []] += bytes
            return bytes
        }
        let established = dialogue.info(.initiator)
        let info = try #require(established)
        var initiator = WireReader(try #require(seen[.initiator]))
        var responder = WireReader(try #require(seen[.responder]))
        let prologue = try initiator.raw("preface and tag", count: 28)
        _ = try responder.byte("version")
        let first = try initiator.sizedMessage()
        let second = try responder.sizedMessage()
        let third = try initiator.sizedMessage()
        // Ephemeral key and payload; ephemeral key, static key and payload; static key and payload.
        let pieces = [
            first[..<32], first[32...], second[..<32], second[32..<80], second[80...],
            third[..<48], third[48...],
        ].map { Array($0) }

        let secret = RealmSecret.open.presharedKey.bytes
        let key = try SecretKey(secret.span.bytes)
        var observer = SymmetricState(protocolName: "Noise_XXpsk0_25519_ChaChaPoly_BLAKE2b")
        observer.mixHash(prologue.span.bytes)
        observer.mixKeyAndHash(key)
        for piece in pieces { observer.mixHash(piece.span.bytes) }
        let hash = observer.handshakeHash
        #expect(hash != info.exporter)
    }

    @Test("the initiator speaks first, with the preface and an attempt together")
    func first() {
        var dialogue = Dialogue()
        let early = dialogue.responder.output(limit: 1_000)
        #expect(early.isEmpty)
        let bytes = dialogue.initiator.output(limit: 1_000)
        #expect(Array(bytes.prefix(12)) == Preface.ours.encoded)
        #expect(Array(bytes[28..<30]) == [0, 49])
        #expect(bytes.count == 12 + 16 + 2 + 49)
        let isOpen = dialogue.initiator.isEstablished
        #expect(!isOpen)
    }

    @Test("two handshakes of the same two have different exporters")
    func fresh() {
        var exporters: Set<Bytes64> = []
        for _ in 0..<3 {
            var dialogue = Dialogue()
            dialogue.run()
            if let info = dialogue.info(.initiator) { exporters.insert(info.exporter) }
        }
        #expect(exporters.count == 3)
    }

    @Test("the expected key is let in")
    func expected() throws {
        var dialogue = Dialogue(expecting: self.bea)
        dialogue.run()
        try self.checkEstablished(dialogue)
    }

    // Shows: wire.pinned
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

    // Shows: wire.tampering
    @Test(
        "with any one bit turned, not both ends come to a link",
        arguments: [Dialogue.Side.initiator, .responder], [UInt8(0), 3, 7])
    func turnedBits(side: Dialogue.Side, bit: UInt8) throws {
        let length = try #require(Self.lengths[side])
        #expect(length > 190)
        // The lengths before messages 1, 2 and 3: one that is turned may leave an end waiting for more.
        let lengthFields = side == .initiator ? [28, 29, 79, 80] : [1, 2]
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

    // Shows: wire.tampering
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
        for (lowest, highest) in [(UInt8(3), UInt8(4)), (3, 2), (1, 1), (0, 0), (255, 255)] {
            var dialogue = Dialogue()
            let preface = Preface(lowest: lowest, highest: highest).encoded
            dialogue.deliver(preface + [0, 32] + preface, from: .initiator)
            #expect(dialogue.failure(.responder) == .version(lowest: lowest, highest: highest))
            let answer = dialogue.responder.output(limit: 1_000)
            #expect(answer == [0, 2, 2])
            let more = dialogue.responder.hasOutput
            #expect(!more)
            #expect(dialogue.events[.responder]?.count == 1)
        }
        for portion in [1, 3] {
            var dialogue = Dialogue()
            dialogue.deliver([0, 3, 5], from: .responder, portion: portion)
            #expect(dialogue.failure(.initiator) == .version(lowest: 3, highest: 5))
        }
    }

    @Test(
        "a range that holds version 2 is taken", arguments: [(0, 2), (2, 9), (0, 255)])
    func commonVersion(lowest: UInt8, highest: UInt8) throws {
        var dialogue = Dialogue()
        let preface = Preface(lowest: lowest, highest: highest).encoded
        let attempt = try Attempts.make(after: preface).bytes
        dialogue.deliver(preface + attempt, from: .initiator)
        #expect(dialogue.failure(.responder) == nil)
        let answer = dialogue.responder.output(limit: 1_000)
        #expect(answer.first == 2)
    }

    @Test("what is not Stoa is closed without an answer")
    func notStoa() {
        var dialogue = Dialogue()
        dialogue.deliver(Array("GET / HTTP/1.1\r\n\r\n".utf8), from: .initiator)
        #expect(dialogue.failure(.responder) == .notStoa)
        let answer = dialogue.responder.output(limit: 1_000)
        #expect(answer.isEmpty)
        for version in [UInt8(1), 3, 72, 254] {
            var other = Dialogue()
            other.deliver([version], from: .responder)
            #expect(other.failure(.initiator) == .notStoa)
        }
    }

    @Test("a handshake message of zero or of 65,535 bytes is refused by its length")
    func lengths() {
        var dialogue = Dialogue()
        dialogue.deliver(Preface.ours.encoded + Attempts.noTag + [0, 0], from: .initiator)
        #expect(dialogue.failure(.responder) == .length(0))
        var other = Dialogue()
        other.deliver([2, 0xff, 0xff], from: .responder)
        #expect(other.failure(.initiator) == .length(65_535))
    }

    @Test("message 1 has 49 to 2,096 bytes, whatever its tag", arguments: [48, 2_097, 65_535])
    func openingLengths(count: Int) {
        var dialogue = Dialogue()
        let length = [UInt8(count >> 8), UInt8(count & 0xff)]
        dialogue.deliver(Preface.ours.encoded + Attempts.noTag + length, from: .initiator)
        #expect(dialogue.failure(.responder) == .length(count))
        let answer = dialogue.responder.output(limit: 1_000)
        #expect(answer.isEmpty)
    }

    // Shows: daemon.handshakes
    @Test("nobody can send more than 64 KiB before the handshake is done")
    func tooMuch() throws {
        let junk = [UInt8](repeating: 7, count: 65_534)
        var dialogue = Dialogue()
        let attempt = try Attempts.make().bytes
        let beginning = Preface.ours.encoded + attempt + [0xff, 0xfe]
        dialogue.deliver(beginning + junk.prefix(65_536 - beginning.count), from: .initiator)
        #expect(dialogue.failure(.responder) == nil)
        dialogue.deliver([7], from: .initiator)
        #expect(dialogue.failure(.responder) == .handshakeTooLarge)
        var whole = Dialogue()
        whole.deliver(beginning + junk, from: .initiator)
        #expect(whole.failure(.responder) != nil)

        var other = Dialogue()
        other.deliver([2, 0xff, 0xfe] + junk.dropLast(2), from: .responder, portion: 4_096)
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
        let record = Frame.digest(ConversationID(.zero), .zeros)
        for _ in 0..<2_000 { _ = dialogue.initiator.send(record.encoded) }
        _ = dialogue.initiator.send(ping.encoded)
        let glued = dialogue.initiator.output(limit: 1_000_000)
        #expect(glued.count > 65_536)
        dialogue.deliver(glued, from: .initiator)
        #expect(dialogue.info(.responder) != nil)
        #expect(dialogue.frames(.responder).count == 2_001)
        #expect(dialogue.frames(.responder).first == ping)
    }

    // Shows: wire.signed
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

extension WireReader {
    /// A message of the handshake, after its length.
    fileprivate mutating func sizedMessage() throws -> [UInt8] {
        let count = try self.u16("length")
        return try self.raw("message", count: Int(count))
    }
}
