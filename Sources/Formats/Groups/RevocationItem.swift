package import Crypto

/// A person's word about one of their devices, as the basis of a key of two people names it: which device, and which
/// word of those that were said of it.
///
///     item = first 24 bytes of H("stoa revoked", person 32 ‖ device 32) ‖ hlc u64
///
/// `Docs/Protocol/Groups.md` section 8. Who has a later word of the same device can tell that it is later.
package struct RevocationItem: Hashable, Sendable {
    /// Stands for person and device; its last 8 bytes are zero.
    package let subject: Bytes32
    /// The number of the word: that of the revocation.
    package let time: HybridTime

    private static let subjectBytes = 24

    package init(of device: PeerID, by person: PersonID, at time: HybridTime) {
        var hasher = BLAKE2b.Hasher(personal: .revoked)
        hasher.update(person.hash)
        hasher.update(device.key)
        self.subject = Self.joined(hasher.finalize().bytes, HybridTime(0))
        self.time = time
    }

    /// Reads one of a basis.
    package init(_ id: ActID) {
        self.subject = Self.joined(id.hash.bytes, HybridTime(0))
        self.time = HybridTime(
            id.hash.bytes[Self.subjectBytes...].reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// Its place in a basis.
    package var id: ActID { ActID(Self.joined(self.subject.bytes, self.time)) }

    private static func joined(_ subject: [UInt8], _ time: HybridTime) -> Bytes32 {
        var writer = WireWriter(capacity: 32)
        writer.raw(Array(subject.prefix(Self.subjectBytes)))
        writer.u64(time.rawValue)
        guard let joined = Bytes32(writer.bytes) else {
            preconditionFailure("24 bytes and 8 are 32")
        }
        return joined
    }
}
