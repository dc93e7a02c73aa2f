internal import Crypto

/// An open room: where it is, and what it is called there.
///
/// The same name in two realms is two rooms. `Docs/Protocol/Entries.md` section 1.
public struct Room: Hashable, Comparable, Sendable {
    /// The realm that it belongs to.
    public var realm: RealmID
    /// Its name in that realm.
    public var name: RoomName

    /// Names a room of a realm.
    public init(_ name: RoomName, in realm: RealmID) {
        self.realm = realm
        self.name = name
    }

    /// The id of the room's conversation: `H("stoa room 2", realm id ‖ name)`.
    public var conversation: ConversationID {
        ConversationID(
            BLAKE2b.hash256(self.realm.hash.bytes + Array(self.name.text.utf8), personal: .room))
    }

    /// Orders by realm, then by name.
    public static func < (left: Room, right: Room) -> Bool {
        left.realm == right.realm ? left.name < right.name : left.realm < right.realm
    }
}
