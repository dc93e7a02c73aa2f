package import Crypto

/// A room that only those can find, read and join who have its root: 32 bytes that a phrase gives, or
/// a link carries.
///
///     id = K(root, "stoa secret room", suite)
///
/// `Docs/Protocol/Entries.md` section 1. Nobody can be removed from it.
package struct SecretRoom: Hashable, Sendable {
    /// The realm that it belongs to.
    package let realm: RealmID
    /// What it is called; whoever is in it calls it so.
    package let name: RoomName
    /// How its entries are sealed.
    package let suite: ConversationKey.Suite
    /// What everything of it is made of, 32 bytes.
    package let root: Bytes32
    /// The room's id; the suite is bound into it.
    package let id: ConversationID

    package init(realm: RealmID, name: RoomName, suite: ConversationKey.Suite, root: Bytes32) {
        self.realm = realm
        self.name = name
        self.suite = suite
        self.root = root
        self.id = ConversationID(
            root.withBytes { root in
                BLAKE2b.hash256([suite.rawValue].span.bytes, key: root, personal: .secretRoom)
            })
    }

    var key: ConversationKey? {
        ConversationKey(root: self.root, suite: self.suite, of: self.id)
    }
}

extension SecretRoom: CustomStringConvertible {
    /// Its name; the root is never shown.
    package var description: String { "secret room \(self.name)" }
}
