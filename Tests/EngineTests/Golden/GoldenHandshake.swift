import Crypto

@testable import Engine
@testable import Formats

/// The handshakes and the transport messages of `Docs/Protocol/Vectors.md`, by one realm's secret.
struct GoldenHandshake: ~Copyable {
    private(set) var lines: [String: [UInt8]] = [:]
    private(set) var transportOfInitiator: TransportState
    private(set) var transportOfResponder: TransportState

    /// What both ends of the link know of it alone.
    var exporter: Bytes64 { self.transportOfInitiator.exporter }

    /// - Parameter name: what stands behind `handshake` in the names of lines, with its dot.
    init(_ story: GoldenStory, _ secret: RealmSecret, name: String = "") throws {
        let ephemeral = keyPair(0x12)
        let tag = secret.handshakeTag(ephemeral.publicKey)
        let prologue = Attempt.prologue(Preface.ours.encoded, tag)
        var initiator = HandshakeState(
            role: .initiator, static: keyPair(0x11), ephemeral: ephemeral,
            presharedKey: secret.presharedKey, prologue: prologue.span.bytes)
        var responder = HandshakeState(
            role: .responder, static: keyPair(0x21), ephemeral: keyPair(0x22),
            presharedKey: secret.presharedKey, prologue: prologue.span.bytes)
        var lines: [String: [UInt8]] = [:]

        let first = try initiator.writeMessage(payload: OpeningPayload.empty)
        try OpeningPayload.check(try responder.readMessage(first).bytes)
        lines["attempt"] = tag + Self.framed(first)
        lines["message.1"] = Self.framed(first)

        let second = try responder.writeMessage { context in
            Self.note(context, "2", &lines)
            let bea = SessionIdentity(
                signer: story.bea, certificate: story.certificateOfBea, boot: 0xb0,
                listenPort: nil, realms: [])
            let payload = Introduction(version: 2, of: bea, dial: 0, context: context).encoded
            lines["payload.2"] = payload
            return payload
        }
        _ = try initiator.readMessage(second)
        lines["message.2"] = Self.framed(second)

        let third = try initiator.writeMessage { context in
            Self.note(context, "3", &lines)
            let ada = SessionIdentity(
                signer: story.ada, certificate: story.certificateOfAda, boot: 0xa0,
                listenPort: 4_242, realms: [], features: GoldenStory.features)
            let known = Introduction(version: 2, of: ada, dial: 7, context: context).encoded
            // The last five bytes are the area that this version writes; a type that it does not
            // know follows.
            var payload = WireWriter()
            payload.raw(Array(known.dropLast(5)))
            payload.sized(Array(known.suffix(4)) + [4, 5] + Array("later".utf8))
            lines["payload.3"] = payload.bytes
            return payload.bytes
        }
        _ = try responder.readMessage(third)
        lines["message.3"] = Self.framed(third)
        lines["hash"] = responder.handshakeHash.bytes

        self.transportOfInitiator = initiator.split()
        self.transportOfResponder = responder.split()
        lines["exporter"] = self.transportOfResponder.exporter.bytes
        for (line, bytes) in lines { self.lines["handshake.\(name)\(line)"] = bytes }
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
        lines["h.\(number)"] = context.handshakeHash.bytes
        var signed = WireWriter()
        signed.raw(Array("stoa.handshake.v2".utf8) + [0])
        signed.byte(context.sender == .initiator ? 1 : 2)
        signed.raw(context.handshakeHash)
        if let key = context.senderStatic { signed.raw(key) }
        lines["signed.\(number)"] = signed.bytes
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
