public import Crypto

/// Who people see: a hash over both public keys of a person.
///
/// `Docs/Protocol/Entries.md` section 1.
public struct PersonID: Hashable, Comparable, Sendable {
    /// The hash, 32 bytes.
    public let hash: Bytes32

    /// Wraps a hash.
    public init(_ hash: Bytes32) { self.hash = hash }

    /// Names the person of a key that certifies devices and one for direct conversations.
    public init(signing: Bytes32, address: Bytes32) {
        var hasher = BLAKE2b.Hasher(personal: .person)
        hasher.update(signing)
        hasher.update(address)
        self.hash = hasher.finalize()
    }

    /// Orders by bytes.
    public static func < (left: PersonID, right: PersonID) -> Bool { left.hash < right.hash }
}
