package import Crypto

/// A group, as its maker has founded it; nothing of this ever changes.
///
///     id = H("stoa group", P ‖ X ‖ nonce ‖ realm ‖ history ‖ suite ‖ name)
///
/// `Docs/Protocol/Groups.md` section 1. The owner is part of the id, so nobody else can ever own it.
package struct Group: Hashable, Sendable {
    /// What newcomers may read.
    package enum History: UInt8, Hashable, Sendable, CaseIterable {
        /// Everything.
        case all = 1
        /// What is written once they are in.
        case joined = 2
    }

    /// The keys of its owner.
    package let owner: PublicPerson
    /// Random, so that one person can found several of one name.
    package let nonce: Bytes32
    package let realm: RealmID
    package let history: History
    /// How its entries are sealed.
    package let suite: ConversationKey.Suite
    /// What it is called until its admins say otherwise.
    package let name: RoomName
    package let id: ConversationID

    package init(
        owner: PublicPerson, nonce: Bytes32, realm: RealmID, history: History,
        suite: ConversationKey.Suite, name: RoomName
    ) {
        self.owner = owner
        self.nonce = nonce
        self.realm = realm
        self.history = history
        self.suite = suite
        self.name = name
        var writer = WireWriter(capacity: 384)
        writer.raw(owner.encoded)
        writer.raw(nonce)
        writer.raw(realm.hash)
        writer.byte(history.rawValue)
        writer.byte(suite.rawValue)
        writer.text(name.text)
        self.id = ConversationID(BLAKE2b.hash256(writer.bytes, personal: .group))
    }
}
