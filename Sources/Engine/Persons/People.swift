/// Whom the user knows, and whose names look alike.
///
/// The node says what is on disk, and how far it trusts whom the user has not chosen.
struct People: Sendable {
    /// What the user has said of whose devices.
    private(set) var standings: [PeerID: Standing]
    /// The keys of the people whose logs are here.
    private(set) var keys: [PersonID: PublicPerson]
    /// How many of those whom the user does not know are remembered.
    var strangers = Strangers()
    /// Who is called what, among all people known here.
    var namesakes = Namesakes()

    init(
        _ standings: [PeerID: Standing], _ records: [Record],
        _ keys: [PersonID: PublicPerson] = [:]
    ) {
        self.standings = standings
        self.keys = keys
        for record in records { self.name(record) }
    }

    /// Takes the keys of somebody whose log begins here.
    mutating func learn(_ person: PersonID, _ keys: PublicPerson) { self.keys[person] = keys }

    /// What the user has said of somebody.
    func standing(of peer: PeerID) -> Standing { self.standings[peer] ?? .unsaid }

    /// How far somebody is trusted by what the user has said; nil where that is nothing.
    func tier(of peer: PeerID) -> Tier? {
        switch self.standing(of: peer) {
        case .unsaid: nil
        case .known: .known
        case .verified: .verified
        case .blocked: .blocked
        }
    }

    /// Takes what the user says from here on.
    mutating func settle(_ changes: [PeerID: Standing]) {
        for (peer, standing) in changes {
            self.standings[peer] = standing == .unsaid ? nil : standing
        }
    }

    /// Takes a record that stands; only profiles have names.
    mutating func name(_ record: Record) {
        guard let profile = record.profile else { return }
        self.namesakes.name(record.author, profile.name)
    }
}
