import Crypto

@testable import Engine
@testable import Formats

/// Keys that every run has, so that a find can be replayed.
enum Keys {
    /// The signers of those whose words are faked where an input asks for a signature that holds.
    static let ada = Self.signer(1)
    static let bea = Self.signer(2)

    /// Of the same person, in the same order.
    static let certificates = [Self.ada, Self.bea].map { Self.person.certify($0, at: 7) }
    static let person: PersonKeys = {
        let bytes = [UInt8](repeating: 3, count: PersonKeys.byteCount)
        guard let keys = try? PersonKeys(bytes.span.bytes) else {
            preconditionFailure("every 64 bytes are a person's")
        }
        return keys
    }()

    static let initiator = SessionIdentity(
        signer: Self.ada, certificate: Self.certificates[0], boot: 0xa0, listenPort: 4_242,
        realms: [.open])
    static let responder = SessionIdentity(
        signer: Self.bea, certificate: Self.certificates[1], boot: 0xb0, listenPort: nil,
        realms: [.open])

    /// The tag of the open realm under the ephemeral key of ``handshake(_:opening:)``.
    static let tag = RealmSecret.open.handshakeTag(Self.pair(0x12).publicKey)

    /// The signer whose seed is one byte, thirty-two times.
    static func signer(_ byte: UInt8) -> Signer {
        let seed = [UInt8](repeating: byte, count: 32)
        guard let key = try? SigningKey(seed: seed.span.bytes) else {
            preconditionFailure("every 32 bytes are a seed")
        }
        return Signer(key)
    }

    /// The X25519 key pair whose secret is one byte, thirty-two times.
    static func pair(_ byte: UInt8) -> KeyPair {
        let secret = [UInt8](repeating: byte, count: 32)
        guard let key = try? SecretKey(secret.span.bytes) else {
            preconditionFailure("every 32 bytes are a secret")
        }
        return KeyPair(secret: key)
    }

    /// One side of a Noise handshake with keys that are always the same.
    ///
    /// - Parameter opening: the preface and the tag that a session sent; nil for those of the fixed keys.
    static func handshake(_ role: HandshakeRole, opening: [UInt8]? = nil) -> HandshakeState {
        let prologue = opening ?? Attempt.prologue(Preface.ours.encoded, Self.tag)
        switch role {
        case .initiator:
            return HandshakeState(
                role: role, static: Self.pair(0x11), ephemeral: Self.pair(0x12),
                presharedKey: RealmSecret.open.presharedKey, prologue: prologue.span.bytes)
        case .responder:
            return HandshakeState(
                role: role, static: Self.pair(0x21), ephemeral: Self.pair(0x22),
                presharedKey: RealmSecret.open.presharedKey, prologue: prologue.span.bytes)
        }
    }

    /// What an honest node says of itself in payload 2 or 3.
    static func introduction(_ identity: SessionIdentity, in context: PayloadContext) -> [UInt8] {
        Introduction(
            version: 2, of: identity, dial: context.sender == .initiator ? 7 : 0, context: context
        ).encoded
    }
}

/// An honest message that an input changes: a byte says how much is cut off its end, the others are
/// added to its bytes, and what is more stands behind.
struct Patch {
    let bytes: [UInt8]
    /// Whether the message is still the honest one.
    let isIdentity: Bool

    init(of honest: [UInt8], by feed: inout Feed) {
        let cut = min(Int(feed.byte()), honest.count)
        var bytes = Array(honest.dropLast(cut))
        for (index, change) in feed.remainder().enumerated() {
            if index < bytes.count { bytes[index] ^= change } else { bytes.append(change) }
        }
        self.bytes = bytes
        self.isIdentity = bytes == honest
    }
}
