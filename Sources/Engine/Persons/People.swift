internal import Formats

/// Whom the user knows, and whose names look alike.
///
/// The node says what is on disk, and how far it trusts whom the user has not chosen.
struct People: Sendable {
    /// What the user has said of whose devices.
    private(set) var standings: [PeerID: Standing]
    /// The keys of the people whose logs are here.
    private(set) var keys: [PersonID: PublicPerson]
    /// Whose devices the authors of the logs here are.
    private(set) var authors: [PeerID: PersonID] = [:]
    /// How many of these are each person's.
    private var authorCounts: [PersonID: Int] = [:]
    /// The devices of which the user has said something, by person where that is known.
    private var chosen: [PersonID: Set<PeerID>] = [:]
    /// Who has revoked each device, and from when that counts: each person speaks only for themselves.
    private(set) var revocations: [PeerID: [PersonID: HybridTime]] = [:]
    /// The last word of people about each of their devices, also that it stands again.
    private(set) var words: [PersonID: [PeerID: RevocationWord]] = [:]
    /// How many of those whom the user does not know are remembered.
    var strangers = Strangers()
    /// Who is called what, among all people known here.
    var namesakes = Namesakes()
    private let own: OwnKeys

    init(_ snapshot: Snapshot, own: OwnKeys) {
        self.own = own
        self.standings = snapshot.people
        self.keys = snapshot.persons
        for record in snapshot.records { self.name(record) }
        for peer in snapshot.peers {
            if let person = peer.person { self.met(peer.id, of: person.id) }
        }
        for (key, log) in snapshot.logs {
            guard let person = log.person else { continue }
            self.note(key.name.author, of: person)
            self.met(key.name.author, of: person)
        }
    }

    /// Takes the keys of somebody whose log begins here.
    mutating func learn(_ author: PeerID, _ person: PersonID, _ keys: PublicPerson) {
        self.keys[person] = keys
        self.note(author, of: person)
        self.met(author, of: person)
    }

    /// Of an author no log is left here.
    mutating func unlearn(_ author: PeerID) {
        guard let person = self.authors.removeValue(forKey: author) else { return }
        self.discount(person)
        if self.authorCounts[person] == nil { self.keys[person] = nil }
    }

    private mutating func note(_ author: PeerID, of person: PersonID) {
        let earlier = self.authors.updateValue(person, forKey: author)
        guard earlier != person else { return }
        self.authorCounts[person, default: 0] += 1
        if let earlier { self.discount(earlier) }
    }

    private mutating func discount(_ person: PersonID) {
        let left = self.authorCounts[person, default: 1] - 1
        self.authorCounts[person] = left == 0 ? nil : left
    }

    /// Whose device an author is, as a log here says; nil where none does.
    func person(of author: PeerID) -> PersonID? { self.authors[author] }

    /// A device has shown whose it is.
    mutating func met(_ peer: PeerID, of person: PersonID) {
        if self.standings[peer] != nil { self.chosen[person, default: []].insert(peer) }
    }

    /// The devices of a person of which the user has said something.
    func devices(of person: PersonID) -> Set<PeerID> { self.chosen[person] ?? [] }

    /// Whether the user knows somebody by any of their devices, and wants none of them gone.
    func isKnown(_ person: PersonID) -> Bool {
        let standings = (self.chosen[person] ?? []).map { self.standing(of: $0) }
        return !standings.contains(.blocked)
            && standings.contains { $0.tier.map { $0 >= .known } ?? false }
    }

    /// What the user has said of a person by another device of theirs, and what a new one begins with;
    /// nil where that is nothing, or where something was said of this one.
    func inherited(by peer: PeerID, of person: PersonID) -> Standing? {
        guard self.standings[peer] == nil, let devices = self.chosen[person],
            devices.count < Limits.devicesPerPerson
        else { return nil }
        return devices.compactMap { self.standings[$0] }.max { $0.rawValue < $1.rawValue }
    }

    /// What the user has said of somebody.
    func standing(of peer: PeerID) -> Standing { self.standings[peer] ?? .unsaid }

    /// The devices of a person that have written here.
    func authors(of person: PersonID) -> [PeerID] {
        self.authorCounts[person] == nil
            ? [] : self.authors.filter { $0.value == person }.map(\.key)
    }

    /// How far somebody is trusted by what the user has said, or by a revocation; nil where that is nothing.
    func tier(of peer: PeerID) -> Tier? {
        let tier = self.standing(of: peer).tier
        return self.isRevoked(peer) && tier != .blocked ? .stranger : tier
    }

    /// Whether somebody has revoked a device that has shown itself as theirs, or the user has.
    ///
    /// Of what others say of it nothing comes: anybody can certify any device.
    func isRevoked(_ peer: PeerID) -> Bool {
        guard let words = self.revocations[peer] else { return false }
        return words.keys.contains { person in
            person == self.own.person || self.authors[peer] == person
                || self.devices(of: person).contains(peer)
        }
    }

    /// Whether the user, or somebody whom they know, has revoked a device: that is not forgotten.
    func isRevokedByKnown(_ peer: PeerID) -> Bool {
        guard let words = self.revocations[peer] else { return false }
        return words.keys.contains { $0 == self.own.person || self.isKnown($0) }
    }

    /// How many devices somebody has revoked.
    func revocationCount(by person: PersonID) -> Int {
        self.revocations.values.count { $0[person] != nil }
    }

    private mutating func note(_ word: RevocationWord?, of device: PeerID, by person: PersonID) {
        self.words[person, default: [:]][device] = word
        if self.words[person]?.isEmpty == true { self.words[person] = nil }
    }

    /// Nothing is kept of somebody any more.
    mutating func forget(_ peer: PeerID) {
        for person in self.words.keys { self.note(nil, of: peer, by: person) }
        self.revocations[peer] = nil
        self.namesakes.name(peer, "")
    }

    /// Takes what the user says from here on of a device, and whose it is where that is known.
    mutating func settle(_ peer: PeerID, _ standing: Standing, of person: PersonID?) {
        self.standings[peer] = standing == .unsaid ? nil : standing
        if standing != .unsaid { self.namesakes.choose(peer) }
        guard let person else { return }
        if standing != .unsaid {
            self.met(peer, of: person)
        } else if self.chosen[person]?.remove(peer) != nil, self.chosen[person]?.isEmpty == true {
            self.chosen[person] = nil
        }
    }

    /// Takes a record that stands; only profiles have names.
    mutating func name(_ record: Record) {
        if let revocation = record.revocation {
            let person = revocation.certificate.personID
            self.note(
                RevocationWord(time: record.time, stands: revocation.stands), of: record.author,
                by: person)
            self.revocations[record.author, default: [:]][person] =
                revocation.stands ? nil : record.time
            if self.revocations[record.author]?.isEmpty == true {
                self.revocations[record.author] = nil
            }
        }
        guard let profile = record.profile else { return }
        let isChosen = record.author == self.own.device || self.standings[record.author] != nil
        self.namesakes.name(record.author, profile.name, isChosen: isChosen)
    }
}
