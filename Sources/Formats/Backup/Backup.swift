/// What makes somebody the same person on another machine: keys, realms, contacts and rooms.
///
/// Never the device: whoever is restored is one more device of the same person, with logs of its own,
/// so nothing can fork. Messages are not part of it; they come from whoever has them.
/// `Docs/Data.md`.
package struct Backup: Sendable {
    package var person: PersonKeys
    /// When it was made, wall-clock milliseconds.
    package var time: UInt64
    /// The realms that the user is in and that no administrator has installed.
    package var realms: [Realm]
    /// Whom the user knows, and where the user is.
    package var contacts: Contacts

    /// Puts a backup together.
    package init(person: PersonKeys, time: UInt64, realms: [Realm], contacts: Contacts) {
        self.person = person
        self.time = time
        self.realms = realms
        self.contacts = contacts
    }
}

/// Whom a user knows, and the conversations that the user is in.
package struct Contacts: Hashable, Sendable {
    /// The other person of a conversation of two.
    package struct Partner: Hashable, Sendable {
        /// The device by which the user named them.
        package var device: PeerID
        /// Their keys, of which the conversation's are made.
        package var person: PublicPerson

        package init(device: PeerID, person: PublicPerson) {
            self.device = device
            self.person = person
        }
    }

    /// The own name, status and picture.
    package var profile: Profile
    /// The content of that picture; empty where there is none, or it is not here.
    package var picture: [UInt8] = []
    /// What the user has said of people.
    package var standings: [PeerID: Standing] = [:]
    /// Where and when those people were linked last, with their keys.
    package var peers: [KnownPeer] = []
    /// What those people call themselves, signed by them, and which devices the user and they have revoked.
    package var records: [Record] = []
    /// The open rooms that the user is in.
    package var rooms: [Room] = []
    /// The secret rooms that the user is in, with their keys.
    package var secretRooms: [SecretRoom] = []
    /// With whom the user talks alone.
    package var partners: [Partner] = []
    /// What founded the groups that the user is in; all else of them comes from their members.
    package var groups: [Act] = []

    /// Knows nobody.
    package init(profile: Profile) { self.profile = profile }
}
