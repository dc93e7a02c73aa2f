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
        #expect(initiator.handshakeHash == responder.handshakeHash)
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

    @Test("handshakes with fresh ephemeral keys never repeat a byte of their first message")
    func freshEphemerals() throws {
        let staticKey = KeyPair.generate()
        var one = HandshakeState(role: .initiator, static: staticKey)
        var other = HandshakeState(role: .initiator, static: staticKey)
        #expect(try one.writeMessage() != other.writeMessage())
    }

    @Test("a flipped bit anywhere in the first message makes the second one unreadable")
    func flippedFirstMessage() throws {
        let count = try {
            var ends = try Ends()
            return try ends.initiator.writeMessage(payload: [0]).count
        }()
        for position in 0..<count {
            var ends = try Ends()
            var message = try ends.initiator.writeMessage(payload: [0])
            message[position] ^= 1
            // The first message carries no tag: its change shows when the second one is read.
            _ = try ends.responder.readMessage(message)
            let answer = try ends.responder.writeMessage(payload: [1])
            let initiator = ends.initiator.handshakeHash
            #expect(
                failure { () throws(CryptoError) in _ = try ends.initiator.readMessage(answer) }
                    == .decryptFailed)
            #expect(ends.initiator.handshakeHash == initiator)
            #expect(ends.initiator.remoteStatic == nil)
        }
    }

    @Test("a flipped bit anywhere in the second message is refused and changes nothing")
    func flippedSecondMessage() throws {
        var ends = try Ends()
        try ends.exchange(1)
        let message = try ends.responder.writeMessage(payload: [1, 2, 3])
        let before = ends.initiator.handshakeHash
        for position in message.indices {
            for bit in 0..<8 where !(position == 31 && bit == 7) {
                var changed = message
                changed[position] ^= 1 << bit
                #expect(
                    failure { () throws(CryptoError) in _ = try ends.initiator.readMessage(changed)
                    }
                        == .decryptFailed)
                #expect(ends.initiator.handshakeHash == before)
                #expect(ends.initiator.remoteStatic == nil)
                #expect(ends.initiator.turn == .read)
            }
        }
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
        let before = ends.responder.handshakeHash
        for position in message.indices {
            for bit in 0..<8 {
                var changed = message
                changed[position] ^= 1 << bit
                #expect(
                    failure { () throws(CryptoError) in _ = try ends.responder.readMessage(changed)
                    }
                        == .decryptFailed)
                #expect(ends.responder.handshakeHash == before)
                #expect(ends.responder.remoteStatic == nil)
                #expect(ends.responder.isFinished == false)
            }
        }
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
        let needed = [32, 96, 64]
        for index in 0..<3 {
            var ends = try Ends()
            try ends.exchange(index)
            let fromInitiator = index.isMultiple(of: 2)
            let message =
                fromInitiator
                ? try ends.initiator.writeMessage(payload: [1, 2, 3])
                : try ends.responder.writeMessage(payload: [1, 2, 3])
            #expect(message.count == needed[index] + 3)
            // The first message has no tag, so its payload may have any length.
            for count in 0..<(index == 0 ? needed[index] : message.count) {
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
                    payload: [UInt8](repeating: 0, count: limit - 31))
            } == .messageTooLong(limit: limit, got: limit + 1))
        #expect(ends.initiator.turn == .write)
        let largest = [UInt8](repeating: 5, count: limit - 32)
        let first = try ends.initiator.writeMessage(payload: largest)
        #expect(first.count == limit)
        #expect(try ends.responder.readMessage(first).bytes == largest)
        #expect(
            failure { () throws(CryptoError) in
                _ = try ends.responder.writeMessage(
                    payload: [UInt8](repeating: 0, count: limit - 95))
            } == .messageTooLong(limit: limit, got: limit + 1))
        let second = try ends.responder.writeMessage(payload: Array(largest.dropLast(64)))
        #expect(second.count == limit)
        #expect(try ends.initiator.readMessage(second).bytes == Array(largest.dropLast(64)))
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

    @Test("ends with different prologues do not understand each other")
    func differentPrologues() throws {
        var ends = try Ends(prologue: [1], responderPrologue: [2])
        _ = try ends.responder.readMessage(ends.initiator.writeMessage())
        let message = try ends.responder.writeMessage()
        #expect(
            failure { () throws(CryptoError) in _ = try ends.initiator.readMessage(message) }
                == .decryptFailed)
    }

    @Test("an ephemeral key of small order ends the handshake", arguments: SmallOrderVector.all)
    func smallOrderEphemeral(vector: SmallOrderVector) throws {
        var ends = try Ends()
        // The responder computes with the key when it writes, the initiator when it reads.
        _ = try ends.responder.readMessage(vector.key)
        #expect(
            failure { () throws(CryptoError) in _ = try ends.responder.writeMessage() }
                == .unusablePublicKey)
        #expect(ends.responder.turn == .write)
        var others = try Ends()
        try others.exchange(1)
        let message = try others.responder.writeMessage()
        #expect(
            failure { () throws(CryptoError) in
                _ = try others.initiator.readMessage(vector.key + message.dropFirst(32))
            } == .unusablePublicKey)
        _ = try others.initiator.readMessage(message)
    }

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
