internal import Crypto

/// Payloads 2 and 3 of the handshake: who speaks, proven by a signature over this very handshake.
///
/// `Docs/Protocol/Wire.md` section 2.
struct Introduction: Hashable, Sendable {
    var version: UInt8
    var identity: PeerID
    var signature: Bytes64
    var boot: UInt64
    var dial: UInt64
    var listenPort: UInt16?

    private static let context = Array("stoa.handshake.v1\0".utf8)
    private static let listenPortType: UInt64 = 2

    private static func message(_ context: PayloadContext) -> [UInt8] {
        guard let senderStatic = context.senderStatic else {
            preconditionFailure("payloads 2 and 3 follow the sender's static key")
        }
        var writer = WireWriter(capacity: 128)
        writer.raw(Self.context)
        writer.byte(context.sender == .initiator ? 1 : 2)
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
    init(
        version: UInt8, signer: Signer, boot: UInt64, dial: UInt64, listenPort: UInt16?,
        context: PayloadContext
    ) {
        self.version = version
        self.identity = PeerID(signer.publicKey)
        self.signature = signer.sign(Self.message(context))
        self.boot = boot
        self.dial = dial
        self.listenPort = listenPort
    }

    /// Whether the identity signed this handshake.
    func isSigned(in context: PayloadContext) -> Bool {
        Ed25519.isAcceptable(publicKey: self.identity.key)
            && Ed25519.verify(
                signature: self.signature, message: Self.message(context),
                publicKey: self.identity.key)
    }

    var encoded: [UInt8] {
        var capabilities = WireWriter()
        if let listenPort = self.listenPort {
            capabilities.varint(Self.listenPortType)
            capabilities.varint(2)
            capabilities.u16(listenPort)
        }
        var writer = WireWriter(capacity: 128)
        writer.byte(self.version)
        writer.raw(self.identity.key)
        writer.raw(self.signature)
        writer.u64(self.boot)
        writer.u64(self.dial)
        writer.sized(capabilities.bytes)
        return writer.bytes
    }

    init(decoding bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes)
        self.version = try reader.byte("introduction version")
        self.identity = PeerID(try reader.bytes32("introduction identity"))
        self.signature = try reader.bytes64("introduction signature")
        self.boot = try reader.u64("introduction boot")
        self.dial = try reader.u64("introduction dial")
        let area = try reader.sized("capabilities", limit: Limits.capabilityBytes)
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
        guard unknown == nil, isPortValid, port != 0 else { throw .value(field: "capabilities") }
        self.listenPort = port
    }
}
