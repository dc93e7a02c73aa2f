/// Whom the user knows, and whose names look alike.
///
/// The node says what is on disk, and how far it trusts whom the user has not chosen.
struct People: Sendable {
    /// The devices of the people whom the user knows.
    private(set) var known: Set<PeerID>
    /// The keys of the people whose logs are here.
    private(set) var keys: [PersonID: PublicPerson]
    /// How many of those whom the user does not know are remembered.
    var strangers = Strangers()
    /// Who is called what, among all people known here.
    var namesakes = Namesakes()

    init(
        _ known: some Sequence<PeerID>, _ records: [Record],
        _ keys: [PersonID: PublicPerson] = [:]
    ) {
        self.known = Set(known)
        self.keys = keys
        for record in records { self.name(record) }
    }

    /// Takes the keys of somebody whose log begins here.
    mutating func learn(_ person: PersonID, _ keys: PublicPerson) { self.keys[person] = keys }

    /// Takes whom the user knows from here on, and whom no longer.
    mutating func settle(_ changes: [PeerID: Bool]) {
        for (peer, isKnown) in changes {
            if isKnown { self.known.insert(peer) } else { self.known.remove(peer) }
        }
    }

    /// Takes a record that stands; only profiles have names.
    mutating func name(_ record: Record) {
        guard let profile = record.profile else { return }
        self.namesakes.name(record.author, profile.name)
    }
}
