/// What makes somebody the same person on another machine: keys, realms, contacts and rooms.
///
/// Never the device: whoever is restored is one more device of the same person, with logs of its own,
/// so nothing can fork. Messages are not part of it; they come from whoever has them.
/// `Docs/Data.md`.
public struct Backup: Sendable {
    /// The keys of the person.
    public var person: PersonKeys
    /// When it was made, wall-clock milliseconds.
    public var time: UInt64
    /// The realms that the user is in and that no administrator has installed.
    public var realms: [Realm]
    /// Whom the user knows, and where the user is.
    public var contacts: Contacts

    /// Puts a backup together.
    public init(person: PersonKeys, time: UInt64, realms: [Realm], contacts: Contacts) {
        self.person = person
        self.time = time
        self.realms = realms
        self.contacts = contacts
    }
}

/// Whom a user knows, and the conversations that the user is in.
public struct Contacts: Hashable, Sendable {
    /// The other person of a conversation of two.
    public struct Partner: Hashable, Sendable {
        /// The device by which the user named them.
        public var device: PeerID
        /// Their keys, of which the conversation's are made.
        public var person: PublicPerson
    }

    /// The own name, status and picture.
    public var profile: Profile
    /// The content of that picture; empty where there is none, or it is not here.
    public var picture: [UInt8] = []
    /// What the user has said of people.
    public var standings: [PeerID: Standing] = [:]
    /// Where and when those people were linked last, with their keys.
    public var peers: [KnownPeer] = []
    /// What those people call themselves, signed by them.
    public var records: [Record] = []
    /// The open rooms that the user is in.
    public var rooms: [Room] = []
    /// The secret rooms that the user is in, with their keys.
    public var secretRooms: [SecretRoom] = []
    /// With whom the user talks alone.
    public var partners: [Partner] = []

    /// Knows nobody.
    public init(profile: Profile) { self.profile = profile }
}
