import Crypto
import Testing

@Suite("HandshakeState")
struct HandshakeStateTests {
    @Test("three messages give both ends the same hash, each other's key and working ciphers")
    func roundTrip() throws {
        var ends = try Ends()
        #expect(ends.initiator.turn == .write)
        #expect(ends.responder.turn == .read)
        let first = try ends.initiator.writeMessage(payload: [7])
        #expect(try ends.responder.readMessage(first).bytes == [7])
        #expect(ends.responder.remoteStatic == nil)
        let second = try ends.responder.writeMessage(payload: [8])
        #expect(try ends.initiator.readMessage(second).bytes == [8])
        #expect(ends.initiator.remoteStatic == ends.responder.localStaticKey)
        let third = try ends.initiator.writeMessage()
        #expect(try ends.responder.readMessage(third).bytes == [])
        #expect(ends.responder.remoteStatic == ends.initiator.localStaticKey)
        #expect(ends.initiator.isFinished && ends.responder.isFinished)
        #expect(ends.initiator.turn == nil)

        var initiator = ends.initiator.split()
        var responder = ends.responder.split()
        #expect(initiator.exporter == responder.exporter)
        #expect(initiator.remoteStatic == (try keyPair(3)).publicKey)
        #expect(responder.remoteStatic == (try keyPair(1)).publicKey)
        var wire: [UInt8] = []
        try initiator.encrypt([1, 2, 3], appendingTo: &wire)
        var plain: [UInt8] = []
        try responder.decrypt(wire, appendingTo: &plain)
        #expect(plain == [1, 2, 3])
        wire = []
        try responder.encrypt([9], appendingTo: &wire)
        try initiator.decrypt(wire, appendingTo: &plain)
        #expect(plain == [1, 2, 3, 9])
    }

    // Shows: wire.forward-secrecy
    @Test("handshakes with fresh ephemeral keys never repeat a byte of their first message")
    func freshEphemerals() throws {
        let staticKey = KeyPair.generate()
        var one = HandshakeState(role: .initiator, static: staticKey, presharedKey: .zero)
        var other = HandshakeState(role: .initiator, static: staticKey, presharedKey: .zero)
        #expect(try one.writeMessage() != other.writeMessage())
    }

    @Test("a flipped bit anywhere in the first message is refused and changes nothing")
    func flippedFirstMessage() throws {
        var ends = try Ends()
        let message = try ends.initiator.writeMessage(payload: [1, 2, 3])
        expectFlippedBitsRefused(message, by: &ends.responder)
        #expect(try ends.responder.readMessage(message).bytes == [1, 2, 3])
    }

    @Test("ends with different pre-shared keys do not understand each other")
    func differentPresharedKeys() throws {
        var ends = try Ends(presharedKey: 5, ofResponder: 6)
        let message = try ends.initiator.writeMessage()
        #expect(
            failure { () throws(CryptoError) in _ = try ends.responder.readMessage(message) }
                == .decryptFailed)
    }

    @Test("a prologue may be made of the ephemeral key, which message 1 begins with")
    func prologueOfEphemeral() throws {
        let ofInitiator = try keyPair(1)
        let ofResponder = try keyPair(3)
        var initiator = HandshakeState(
            role: .initiator, static: ofInitiator, presharedKey: .zero
        ) { [7] + $0.bytes }
        let message = try initiator.writeMessage(payload: [1])
        let prologue = [7] + message.prefix(32)
        var responder = HandshakeState(
            role: .responder, static: ofResponder, presharedKey: .zero,
            prologue: prologue.span.bytes)
        #expect(try responder.readMessage(message).bytes == [1])
    }

    @Test("a flipped bit anywhere in the second message is refused and changes nothing")
    func flippedSecondMessage() throws {
        var ends = try Ends()
        try ends.exchange(1)
        let message = try ends.responder.writeMessage(payload: [1, 2, 3])
        // X25519 leaves out the last bit of a public key.
        expectFlippedBitsRefused(message, by: &ends.initiator, butFor: (31, 7))
        #expect(try ends.initiator.readMessage(message).bytes == [1, 2, 3])
        let last = try ends.initiator.writeMessage(payload: [4])
        #expect(try ends.responder.readMessage(last).bytes == [4])
    }

    @Test("the bit of a public key that X25519 leaves out is covered by the handshake hash")
    func unusedKeyBit() throws {
        var ends = try Ends()
        try ends.exchange(1)
        var message = try ends.responder.writeMessage()
        message[31] ^= 0x80
        #expect(
            failure { () throws(CryptoError) in _ = try ends.initiator.readMessage(message) }
                == .decryptFailed)
    }

    @Test("a flipped bit anywhere in the third message is refused and changes nothing")
    func flippedThirdMessage() throws {
        var ends = try Ends()
        try ends.exchange(2)
        let message = try ends.initiator.writeMessage(payload: [1, 2, 3])
        expectFlippedBitsRefused(message, by: &ends.responder)
        #expect(ends.responder.isFinished == false)
        #expect(try ends.responder.readMessage(message).bytes == [1, 2, 3])
        var initiator = ends.initiator.split()
        var responder = ends.responder.split()
        var wire: [UInt8] = []
        try initiator.encrypt([5], appendingTo: &wire)
        var plain: [UInt8] = []
        try responder.decrypt(wire, appendingTo: &plain)
        #expect(plain == [5])
    }

    @Test("a message cut short says what was due, or does not verify, and changes nothing")
    func truncated() throws {
        // Without a payload each message has exactly the size that its pattern needs.
        let needed = [48, 96, 64]
        for index in 0..<3 {
            var ends = try Ends()
            try ends.exchange(index)
            let fromInitiator = index.isMultiple(of: 2)
            let message =
                fromInitiator
                ? try ends.initiator.writeMessage(payload: [1, 2, 3])
                : try ends.responder.writeMessage(payload: [1, 2, 3])
            #expect(message.count == needed[index] + 3)
            for count in message.indices {
                let cut = Array(message.prefix(count))
                let error =
                    fromInitiator
                    ? failure { () throws(CryptoError) in _ = try ends.responder.readMessage(cut) }
                    : failure { () throws(CryptoError) in _ = try ends.initiator.readMessage(cut) }
                #expect(
                    error
                        == (count < needed[index]
                            ? .messageTooShort(expected: needed[index], got: count)
                            : .decryptFailed))
            }
            let payload =
                fromInitiator
                ? try ends.responder.readMessage(message).bytes
                : try ends.initiator.readMessage(message).bytes
            #expect(payload == [1, 2, 3])
        }
    }

    @Test("a message above 65,535 bytes is neither read nor written, one of that size is")
    func oversized() throws {
        var ends = try Ends()
        let limit = HandshakeState.messageByteLimit
        let tooLong = [UInt8](repeating: 0, count: limit + 1)
        #expect(
            failure { () throws(CryptoError) in _ = try ends.responder.readMessage(tooLong) }
                == .messageTooLong(limit: limit, got: limit + 1))
        #expect(
            failure { () throws(CryptoError) in
                _ = try ends.initiator.writeMessage(
                    payload: [UInt8](repeating: 0, count: limit - 47))
            } == .messageTooLong(limit: limit, got: limit + 1))
        #expect(ends.initiator.turn == .write)
        let largest = [UInt8](repeating: 5, count: limit - 48)
        let first = try ends.initiator.writeMessage(payload: largest)
        #expect(first.count == limit)
        #expect(try ends.responder.readMessage(first).bytes == largest)
        #expect(
            failure { () throws(CryptoError) in
                _ = try ends.responder.writeMessage(
                    payload: [UInt8](repeating: 0, count: limit - 95))
            } == .messageTooLong(limit: limit, got: limit + 1))
        let second = try ends.responder.writeMessage(payload: Array(largest.dropLast(48)))
        #expect(second.count == limit)
        #expect(try ends.initiator.readMessage(second).bytes == Array(largest.dropLast(48)))
    }

    @Test("a call out of turn says what is due, and a finished handshake takes no call")
    func outOfTurn() throws {
        var ends = try Ends()
        var asked = false
        #expect(
            failure { () throws(CryptoError) in
                _ = try ends.responder.writeMessage { _ in
                    asked = true
                    return []
                }
            } == .outOfTurn(due: .read))
        #expect(!asked)
        #expect(
            failure { () throws(CryptoError) in _ = try ends.initiator.readMessage([]) }
                == .outOfTurn(due: .write))
        let first = try ends.initiator.writeMessage()
        #expect(
            failure { () throws(CryptoError) in _ = try ends.initiator.writeMessage() }
                == .outOfTurn(due: .read))
        _ = try ends.responder.readMessage(first)
        #expect(
            failure { () throws(CryptoError) in _ = try ends.responder.readMessage(first) }
                == .outOfTurn(due: .write))
        _ = try ends.initiator.readMessage(ends.responder.writeMessage())
        _ = try ends.responder.readMessage(ends.initiator.writeMessage())
        #expect(
            failure { () throws(CryptoError) in _ = try ends.initiator.writeMessage() }
                == .handshakeFinished)
        #expect(
            failure { () throws(CryptoError) in _ = try ends.responder.readMessage(first) }
                == .handshakeFinished)
    }

    // Shows: wire.tampering
    @Test("ends with different prologues do not understand each other")
    func differentPrologues() throws {
        var ends = try Ends(prologue: [1], responderPrologue: [2])
        let message = try ends.initiator.writeMessage()
        #expect(
            failure { () throws(CryptoError) in _ = try ends.responder.readMessage(message) }
                == .decryptFailed)
    }

    @Test("an ephemeral key of small order ends the handshake", arguments: SmallOrderVector.all)
    func smallOrderEphemeral(vector: SmallOrderVector) throws {
        // Message 2 in full under a key that its reader computes with.
        var ends = try Ends()
        try ends.exchange(1)
        let message = try ends.responder.writeMessage()
        #expect(
            failure { () throws(CryptoError) in
                _ = try ends.initiator.readMessage(vector.key + message.dropFirst(32))
            } == .unusablePublicKey)
        _ = try ends.initiator.readMessage(message)
    }

    @Test("who knows the pre-shared key and sends a key of small order gets no answer")
    func smallOrderFirst() throws {
        for vector in SmallOrderVector.all {
            var ends = try Ends()
            _ = try ends.responder.readMessage(try FirstMessage.of(vector.key))
            #expect(
                failure { () throws(CryptoError) in _ = try ends.responder.writeMessage() }
                    == .unusablePublicKey)
            #expect(ends.responder.turn == .write)
        }
    }

    // Shows: wire.signed
    @Test("both ends bind the same place in the handshake, and each payload another one")
    func payloadContexts() throws {
        var ends = try Ends()
        var contexts: [PayloadContext] = []
        for index in 0..<3 {
            var written: PayloadContext?
            let message =
                index.isMultiple(of: 2)
                ? try ends.initiator.writeMessage { context in
                    written = context
                    return [1]
                }
                : try ends.responder.writeMessage { context in
                    written = context
                    return [1]
                }
            let read =
                index.isMultiple(of: 2)
                ? try ends.responder.readMessage(message)
                : try ends.initiator.readMessage(message)
            #expect(read.context == written)
            contexts.append(read.context)
        }
        #expect(contexts.map(\.sender) == [.initiator, .responder, .initiator])
        #expect(
            contexts.map(\.senderStatic)
                == [nil, ends.responder.localStaticKey, ends.initiator.localStaticKey])
        #expect(Set(contexts.map(\.handshakeHash)).count == 3)
        #expect(!contexts.map(\.handshakeHash).contains(ends.initiator.handshakeHash))
    }

    @Test("splitting before the last message traps")
    func earlySplit() async {
        await #expect(processExitsWith: .failure) {
            var ends = try Ends()
            try ends.exchange(2)
            _ = ends.initiator.split()
        }
    }
}

/// Message 1 as somebody makes it who has no secret for the key in it; see `Ends` for the rest.
enum FirstMessage {
    static func of(_ ephemeral: [UInt8]) throws -> [UInt8] {
        var symmetric = SymmetricState(protocolName: "Noise_XXpsk0_25519_ChaChaPoly_BLAKE2b")
        let prologue: [UInt8] = [1, 2, 3]
        symmetric.mixHash(prologue.span.bytes)
        symmetric.mixKeyAndHash(try SecretKey(bytes32(5).bytes.span.bytes))
        symmetric.mixHash(ephemeral.span.bytes)
        symmetric.mixKey(ephemeral.span.bytes)
        var message = ephemeral
        try symmetric.encryptAndHash([UInt8]().span.bytes, appendingTo: &message)
        return message
    }
}

/// Flips each bit of a message: each is refused and changes nothing.
private func expectFlippedBitsRefused(
    _ message: [UInt8], by state: inout HandshakeState,
    butFor unused: (position: Int, bit: Int) = (-1, -1)
) {
    let before = state.handshakeHash
    for position in message.indices {
        for bit in 0..<8 where (position, bit) != unused {
            var changed = message
            changed[position] ^= 1 << bit
            #expect(
                failure { () throws(CryptoError) in _ = try state.readMessage(changed) }
                    == .decryptFailed)
            #expect(state.handshakeHash == before)
            #expect(state.remoteStatic == nil)
            #expect(state.turn == .read)
        }
    }
}
