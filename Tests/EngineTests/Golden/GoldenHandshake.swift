import Crypto

@testable import Engine

/// The handshake and the transport messages of `Docs/Protocol/Vectors.md`.
struct GoldenHandshake: ~Copyable {
    private(set) var lines: [String: [UInt8]] = [:]
    private(set) var transportOfInitiator: TransportState
    private(set) var transportOfResponder: TransportState
    let handshakeHash: Bytes64

    init(_ story: GoldenStory) throws {
        let preface = Preface(lowest: 1, highest: 1).encoded
        let staticOfInitiator = keyPair(0x11)
        let staticOfResponder = keyPair(0x21)
        var initiator = HandshakeState(
            role: .initiator, static: staticOfInitiator, ephemeral: keyPair(0x12),
            prologue: preface.span.bytes)
        var responder = HandshakeState(
            role: .responder, static: staticOfResponder, ephemeral: keyPair(0x22),
            prologue: preface.span.bytes)
        var lines: [String: [UInt8]] = [:]
        lines["handshake.static.initiator"] = staticOfInitiator.publicKey.bytes
        lines["handshake.static.responder"] = staticOfResponder.publicKey.bytes

        let first = try initiator.writeMessage()
        _ = try responder.readMessage(first)
        lines["handshake.message.1"] = Self.framed(first)

        let second = try responder.writeMessage { context in
            Self.note(context, "2", &lines)
            let payload = Introduction(
                version: 1, signer: story.bea, boot: 0xb0, dial: 0, listenPort: nil,
                context: context
            ).encoded
            lines["handshake.payload.2"] = payload
            return payload
        }
        _ = try initiator.readMessage(second)
        lines["handshake.message.2"] = Self.framed(second)

        let third = try initiator.writeMessage { context in
            Self.note(context, "3", &lines)
            let known = Introduction(
                version: 1, signer: story.ada, boot: 0xa0, dial: 7, listenPort: 4_242,
                context: context
            ).encoded
            // The last five bytes are the capabilities that this version writes; one that it does not know
            // follows them.
            var payload = WireWriter()
            payload.raw(Array(known.dropLast(5)))
            payload.sized(Array(known.suffix(4)) + [4, 5] + Array("later".utf8))
            lines["handshake.payload.3"] = payload.bytes
            return payload.bytes
        }
        _ = try responder.readMessage(third)
        lines["handshake.message.3"] = Self.framed(third)
        lines["handshake.hh"] = responder.handshakeHash.bytes

        self.lines = lines
        self.handshakeHash = responder.handshakeHash
        self.transportOfInitiator = initiator.split()
        self.transportOfResponder = responder.split()
    }

    static func framed(_ message: [UInt8]) -> [UInt8] {
        var writer = WireWriter()
        writer.u16(UInt16(message.count))
        writer.raw(message)
        return writer.bytes
    }

    private static func note(
        _ context: PayloadContext, _ number: String, _ lines: inout [String: [UInt8]]
    ) {
        lines["handshake.h.\(number)"] = context.handshakeHash.bytes
        var signed = WireWriter()
        signed.raw(Array("stoa.handshake.v1".utf8) + [0])
        signed.byte(context.sender == .initiator ? 1 : 2)
        signed.raw(context.handshakeHash)
        if let key = context.senderStatic { signed.raw(key) }
        lines["handshake.signed.\(number)"] = signed.bytes
    }

    /// Encrypts the same ping 131,073 times on each side, past two rekeys.
    mutating func encryptTransport() throws {
        let ping = Frame.ping(nonce: 1, clock: GoldenStory.milliseconds).encoded.bytes
        let noted: Set<Int> = [0, 1, 65_535, 65_536, 131_072]
        for number in 0...131_072 {
            var ofInitiator: [UInt8] = []
            var ofResponder: [UInt8] = []
            try self.transportOfInitiator.encrypt(ping, appendingTo: &ofInitiator)
            try self.transportOfResponder.encrypt(ping, appendingTo: &ofResponder)
            guard noted.contains(number) else { continue }
            self.lines["transport.initiator.\(number)"] = Self.framed(ofInitiator)
            self.lines["transport.responder.\(number)"] = Self.framed(ofResponder)
        }
    }
}
