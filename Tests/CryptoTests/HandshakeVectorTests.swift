import Crypto
import Testing

/// Replays what `noiseprotocol` and `dissononce` agreed on; see `Vectors/generate.py`.
@Suite("Handshake vectors")
struct HandshakeVectorTests {
    // Shows: wire.sealed
    @Test(
        "every byte of a handshake and its stream is that of two other implementations",
        arguments: zip(HandshakeVector.all, TransportVector.all))
    func replay(vector: HandshakeVector, stream: [TransportVector]) throws {
        var initiator = try self.state(
            .initiator, vector.initiatorStatic, vector.initiatorEphemeral, vector)
        var responder = try self.state(
            .responder, vector.responderStatic, vector.responderEphemeral, vector)
        for index in 0..<3 {
            if index.isMultiple(of: 2) {
                try self.exchange(index, of: vector, from: &initiator, to: &responder)
            } else {
                try self.exchange(index, of: vector, from: &responder, to: &initiator)
            }
        }
        #expect(initiator.handshakeHash.bytes == vector.handshakeHash)
        #expect(responder.handshakeHash.bytes == vector.handshakeHash)

        var initiatorStream = initiator.split()
        var responderStream = responder.split()
        #expect(initiatorStream.exporter.bytes == vector.exporter)
        #expect(responderStream.exporter.bytes == vector.exporter)
        for message in stream {
            let nonce = message.nonce
            if nonce != initiatorStream.messagesSent {
                // One message before the end of a key makes both ends change it by themselves.
                let last = nonce.isMultiple(of: TransportState.messagesPerKey) ? nonce - 1 : nonce
                initiatorStream.setNonces(sending: last, receiving: last)
                responderStream.setNonces(sending: last, receiving: last)
                if last < nonce {
                    try self.exchange([], from: &initiatorStream, to: &responderStream)
                    try self.exchange([], from: &responderStream, to: &initiatorStream)
                }
            }
            try self.exchange(
                message.plaintext, as: message.fromInitiator, from: &initiatorStream,
                to: &responderStream)
            try self.exchange(
                message.plaintext, as: message.fromResponder, from: &responderStream,
                to: &initiatorStream)
        }
    }

    private func state(
        _ role: HandshakeRole, _ staticKey: [UInt8], _ ephemeral: [UInt8],
        _ vector: HandshakeVector
    ) throws -> HandshakeState {
        HandshakeState(
            role: role, static: KeyPair(secret: try SecretKey(staticKey.span.bytes)),
            ephemeral: KeyPair(secret: try SecretKey(ephemeral.span.bytes)),
            presharedKey: try #require(Bytes32(vector.presharedKey)),
            prologue: vector.prologue.span.bytes)
    }

    private func exchange(
        _ index: Int, of vector: HandshakeVector, from writer: inout HandshakeState,
        to reader: inout HandshakeState
    ) throws {
        var written: PayloadContext?
        let message = try writer.writeMessage { context in
            written = context
            return vector.payloads[index]
        }
        #expect(message == vector.messages[index])
        let read = try reader.readMessage(message)
        #expect(read.bytes == vector.payloads[index])
        #expect(read.context == written)
        #expect(read.context.handshakeHash.bytes == vector.payloadHashes[index])
        #expect(read.context.sender == writer.role)
        #expect(read.context.senderStatic == (index == 0 ? nil : writer.localStaticKey))
    }

    private func exchange(
        _ plaintext: [UInt8], as expected: [UInt8]? = nil, from writer: inout TransportState,
        to reader: inout TransportState
    ) throws {
        var message: [UInt8] = []
        try writer.encrypt(plaintext, appendingTo: &message)
        #expect(message == expected ?? message)
        var read: [UInt8] = []
        try reader.decrypt(message, appendingTo: &read)
        #expect(read == plaintext)
    }
}
