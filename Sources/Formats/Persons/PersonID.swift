package import Crypto

/// Who people see: a hash over both public keys of a person.
///
/// `Docs/Protocol/Entries.md` section 1.
package struct PersonID: Hashable, Comparable, Sendable {
    /// The hash, 32 bytes.
    package let hash: Bytes32

    package init(_ hash: Bytes32) { self.hash = hash }

    /// Names the person of a key that certifies devices and one for direct conversations.
    package init(signing: Bytes32, address: Bytes32) {
        var hasher = BLAKE2b.Hasher(personal: .person)
        hasher.update(signing)
        hasher.update(address)
        self.hash = hasher.finalize()
    }

    package static func < (left: PersonID, right: PersonID) -> Bool { left.hash < right.hash }
}
