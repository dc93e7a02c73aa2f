package import Crypto

/// Payloads 2 and 3 of the handshake: who speaks, proven by a signature over this very handshake.
///
/// `Docs/Protocol/Wire.md` section 2.
package struct Introduction: Hashable, Sendable {
    package var version: UInt8
    package var device: PeerID
    package var signature: Bytes64
    package var boot: UInt64
    package var dial: UInt64
    package var certificate: Certificate
    package var features: Features
    package var listenPort: UInt16?

    private static let context = Array("stoa.handshake.v2\0".utf8)
    private static let listenPortType: UInt64 = 2

    private static func message(_ context: PayloadContext) -> [UInt8] {
        guard let senderStatic = context.senderStatic else {
            preconditionFailure("payloads 2 and 3 follow the sender's static key")
        }
        let role: LinkRole = context.sender == .initiator ? .initiator : .responder
        var writer = WireWriter(capacity: 128)
        writer.raw(Self.context)
        writer.byte(role.rawValue)
        writer.raw(context.handshakeHash)
        writer.raw(senderStatic)
        #if MUTANTS
            if Mutant.dropRoleByte.isActive {
                return Self.context + writer.bytes.dropFirst(Self.context.count + 1)
            }
        #endif
        return writer.bytes
    }

    /// Introduces this node.
    package init(version: UInt8, of node: SessionIdentity, dial: UInt64, context: PayloadContext) {
        self.version = version
        self.device = PeerID(node.signer.publicKey)
        self.signature = node.signer.sign(Self.message(context))
        self.boot = node.boot
        self.dial = dial
        self.certificate = node.certificate
        self.features = node.features
        self.listenPort = node.listenPort
    }

    /// Whether the device signed this handshake.
    package func isSigned(in context: PayloadContext) -> Bool {
        Ed25519.isAcceptable(publicKey: self.device.key)
            && Ed25519.verify(
                signature: self.signature, message: Self.message(context),
                publicKey: self.device.key)
    }

    package var encoded: [UInt8] {
        var area = WireWriter()
        if let listenPort = self.listenPort {
            area.varint(Self.listenPortType)
            area.varint(2)
            area.u16(listenPort)
        }
        var writer = WireWriter(capacity: 300)
        writer.byte(self.version)
        writer.raw(self.device.key)
        writer.raw(self.signature)
        writer.u64(self.boot)
        writer.u64(self.dial)
        writer.raw(self.certificate.encoded)
        self.features.write(to: &writer)
        writer.sized(area.bytes)
        return writer.bytes
    }

    package init(decoding bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes)
        self.version = try reader.byte("introduction version")
        self.device = PeerID(try reader.bytes32("introduction device"))
        self.signature = try reader.bytes64("introduction signature")
        self.boot = try reader.u64("introduction boot")
        self.dial = try reader.u64("introduction dial")
        self.certificate = try Certificate(from: &reader)
        self.features = try Features(from: &reader)
        let area = try reader.sized("introduction area", limit: Limits.introductionAreaBytes)
        try reader.finish("introduction")
        var port: UInt16?
        var unknown: UInt64?
        var isPortValid = true
        try Extensions.forEach(area) { type, value in
            if type == Self.listenPortType {
                isPortValid = value.count == 2
                port = value.count == 2 ? UInt16(value[0]) << 8 | UInt16(value[1]) : nil
            } else if type % 2 == 1 {
                unknown = type
            }
        }
        guard unknown == nil, isPortValid, port != 0 else {
            throw .value(field: "introduction area")
        }
        self.listenPort = port
    }
}
