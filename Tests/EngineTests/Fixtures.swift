import Crypto
import Engine
import TestSupport

extension SeededRandom {
    /// Any 32 bytes.
    mutating func bytes32() -> Bytes32 { fixed32(self.bytes(32)) }
}

/// A generator that gives the same byte for ever: the salts of the golden vectors.
struct RepeatedByte: RandomNumberGenerator {
    let byte: UInt8

    mutating func next() -> UInt64 { UInt64(self.byte) * 0x0101_0101_0101_0101 }
}

/// The 32 bytes of an array that has so many.
func fixed32(_ bytes: [UInt8]) -> Bytes32 {
    guard let fixed = Bytes32(bytes) else { preconditionFailure("32 bytes are due") }
    return fixed
}

/// One byte, thirty-two times.
func fixed32(_ byte: UInt8) -> Bytes32 { fixed32([UInt8](repeating: byte, count: 32)) }

/// The signer whose seed is one byte, thirty-two times.
func signer(_ byte: UInt8) -> Signer {
    let seed = [UInt8](repeating: byte, count: 32)
    guard let key = try? SigningKey(seed: seed.span.bytes) else {
        preconditionFailure("every 32 bytes are a seed")
    }
    return Signer(key)
}

/// The X25519 key pair whose secret is one byte, thirty-two times.
func keyPair(_ byte: UInt8) -> KeyPair {
    let secret = [UInt8](repeating: byte, count: 32)
    guard let key = try? SecretKey(secret.span.bytes) else {
        preconditionFailure("every 32 bytes are a secret")
    }
    return KeyPair(secret: key)
}

/// The room of that name, which must be one.
func room(_ text: String) -> RoomName {
    guard let name = RoomName(text) else { preconditionFailure("\(text) is a room name") }
    return name
}

/// A log of which a test writes entries.
struct TestLog {
    let signer: Signer
    let key: LogKey

    init(_ signer: Signer, incarnation: UInt64 = 1, in conversation: ConversationID) {
        self.signer = signer
        self.key = LogKey(
            conversation: conversation,
            name: LogName(author: PeerID(signer.publicKey), incarnation: incarnation))
    }

    /// A signed run of these entries.
    func run(_ entries: [Entry], first: UInt64 = 1, prev: EntryID? = nil) -> VerifiedRun {
        let bare = Run(
            key: self.key, first: first, prev: prev, attestation: .zero, entries: entries)
        let ids = bare.ids
        let run = Run(
            key: self.key, first: first, prev: prev,
            attestation: Attestation.sign(
                key: self.key, seq: bare.last, id: ids[ids.count - 1], by: self.signer),
            entries: entries)
        return VerifiedRun(run: run, ids: ids)
    }

    /// A message with a payload of suite 0 and a salt of zeros.
    static func text(_ text: String, at time: UInt64, deps: [EntryID] = []) -> Entry {
        var salt = RepeatedByte(byte: 0)
        let payload = Content.text(text).payload(using: &salt)
        return Entry(
            kind: EntryKind.text.rawValue, time: HybridTime(time), deps: deps,
            payload: .present(payload))
    }
}
