package import Crypto

/// An author's signature over a position in its log; vouches for all entries up to it.
///
/// `Docs/Protocol/Entries.md` section 5.
package enum Attestation {
    private static let context = Array("stoa.attestation.v2\0".utf8)

    /// The bytes that are signed.
    package static func message(key: LogKey, seq: UInt64, id: EntryID) -> [UInt8] {
        var writer = WireWriter(capacity: 136)
        writer.raw(Self.context)
        writer.raw(key.conversation.hash)
        writer.raw(key.name.author.key)
        writer.u64(key.name.incarnation)
        writer.u64(seq)
        writer.raw(id.hash)
        return writer.bytes
    }

    /// Attests a position of an own log.
    package static func sign(key: LogKey, seq: UInt64, id: EntryID, by signer: Signer) -> Bytes64 {
        signer.sign(Self.message(key: key, seq: seq, id: id))
    }

    /// Whether a signature attests a position; costs about 50 microseconds.
    package static func isValid(
        _ signature: Bytes64, key: LogKey, seq: UInt64, id: EntryID
    ) -> Bool {
        Ed25519.verify(
            signature: signature, message: Self.message(key: key, seq: seq, id: id),
            publicKey: key.name.author.key)
    }
}
