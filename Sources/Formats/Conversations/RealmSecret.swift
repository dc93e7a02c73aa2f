package import Crypto

/// The id of a realm, which never changes; zeros for the open one.
package struct RealmID: Hashable, Comparable, Sendable {
    /// The id, 32 bytes.
    package let hash: Bytes32

    package init(_ hash: Bytes32) { self.hash = hash }

    /// The realm that everybody is in who has not said otherwise.
    package static let open = RealmID(.zero)

    package static func < (left: RealmID, right: RealmID) -> Bool { left.hash < right.hash }
}

/// One secret of a realm: who holds it can link with all others who do.
///
/// `Docs/Protocol/Wire.md` section 1.
package struct RealmSecret: Hashable, Sendable {
    /// The length of the tag before a handshake, in bytes.
    package static let tagBytes = 16

    package let realm: RealmID
    /// The secret, 32 bytes; zeros for the open realm.
    package let bytes: Bytes32

    package init(realm: RealmID, bytes: Bytes32) {
        self.realm = realm
        self.bytes = bytes
    }

    /// What the open realm has for a secret.
    package static let open = RealmSecret(realm: .open, bytes: .zero)

    /// Says by which secret a handshake with this ephemeral key is made: 16 bytes.
    package func handshakeTag(_ ephemeral: Bytes32) -> [UInt8] {
        let tag = self.bytes.withBytes { key in
            ephemeral.withBytes { BLAKE2b.hash256($0, key: key, personal: .realmTag) }
        }
        return Array(tag.bytes.prefix(Self.tagBytes))
    }

    /// What the handshake mixes in.
    package var presharedKey: Bytes32 {
        guard self.realm != .open else { return .zero }
        return self.bytes.withBytes { key in
            self.realm.hash.withBytes { BLAKE2b.hash256($0, key: key, personal: .realmKey) }
        }
    }
}

extension RealmSecret: CustomStringConvertible {
    /// Which realm's; the secret itself is never shown.
    package var description: String { "a secret of realm \(self.realm)" }
}

extension [RealmSecret] {
    /// The secret that gives a tag with this ephemeral key.
    ///
    /// All are tried, and all of each tag is compared, so that the time tells nothing.
    package func secret(of tag: [UInt8], _ ephemeral: Bytes32) -> RealmSecret? {
        var found: RealmSecret?
        for secret in self {
            let difference = zip(secret.handshakeTag(ephemeral), tag).reduce(UInt8(0)) {
                $0 | ($1.0 ^ $1.1)
            }
            if difference == 0, found == nil { found = secret }
        }
        return found
    }
}
