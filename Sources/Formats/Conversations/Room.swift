internal import Crypto

/// An open room: where it is, and what it is called there.
///
/// The same name in two realms is two rooms. `Docs/Protocol/Entries.md` section 1.
package struct Room: Hashable, Comparable, Sendable {
    /// The realm that it belongs to.
    package var realm: RealmID
    /// Its name in that realm.
    package var name: RoomName

    package init(_ name: RoomName, in realm: RealmID) {
        self.realm = realm
        self.name = name
    }

    /// The id of the room's conversation: `H("stoa room 2", realm id ‖ name)`, the name without joiners.
    package var conversation: ConversationID {
        ConversationID(
            BLAKE2b.hash256(self.realm.hash.bytes + Array(self.name.key.utf8), personal: .room))
    }

    /// Orders by realm, then by name.
    package static func < (left: Room, right: Room) -> Bool {
        left.realm == right.realm ? left.name < right.name : left.realm < right.realm
    }
}
