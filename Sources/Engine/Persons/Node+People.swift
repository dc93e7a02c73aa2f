package import Formats
internal import Letters

/// Who people are here, and how far they are trusted; nothing here changes it.
extension Node {
    /// The names that people go by here.
    package var names: [String] { self.persons.profiles.authors.map { self.profile(of: $0).name } }

    /// The user, as messages call them.
    var mentioned: MentionedUser {
        MentionedUser(
            name: self.profile(of: self.id).name, device: self.id,
            person: self.own.certificate.personID)
    }

    /// Everybody of whom there is a name, an address, a link or a message, and this node itself.
    private var everybody: Set<PeerID> {
        var all = Set(self.persons.profiles.authors).union(self.dialling.known.keys)
        all.formUnion(self.links.peers)
        all.formUnion(self.persons.people.standings.keys)
        all.formUnion(self.conversations.requests.all.values.map(\.device))
        all.formUnion(self.persons.people.authors.keys)
        all.insert(self.id)
        return all
    }

    /// Whose device a peer is; nil while that is not known here.
    package func person(of peer: PeerID) -> PersonID? {
        self.persons.people.person(
            of: peer, own: self.ownKeys, self.links, known: self.dialling.known)
    }

    var ownKeys: OwnKeys { OwnKeys(device: self.id, person: self.own.certificate.personID) }

    /// Whether two devices are those of one person.
    private func areOfOnePerson(_ one: PeerID, _ other: PeerID) -> Bool {
        guard let person = self.person(of: one) else { return false }
        return person == self.person(of: other)
    }

    /// The device that is named, and others of the same person that have written here; some at most.
    package func writingDevices(of peer: PeerID) -> [PeerID] {
        guard let person = self.person(of: peer) else { return [peer] }
        let others = self.persons.people.authors.filter { $0.value == person && $0.key != peer }
            .keys
        return [peer] + others.sorted().prefix(Limits.devicesPerPerson)
    }

    /// Somebody whom the user knows, and whose name somebody else's could be taken for; nil where nobody
    /// is.
    func namesake(of peer: PeerID) -> PeerID? {
        self.persons.people.namesakes.known(behindNameOf: peer) {
            self.areOfOnePerson($0, peer) ? .stranger : self.tier(of: $0)
        }
    }

    /// What to compare with somebody; nil while their keys are not known here.
    package func verificationCode(with peer: PeerID) -> VerificationCode? {
        self.keys(of: peer).map { VerificationCode(self.own.certificate.personID, $0.id) }
    }

    /// How far somebody is trusted here.
    package func tier(of peer: PeerID) -> Tier {
        if peer == self.id { return .own }
        if let tier = self.persons.people.tier(of: peer) { return tier }
        if self.isOwnDevice(peer) { return .verified }
        if let link = self.links.id(of: peer), self.links[link].realms.isFellow { return .fellow }
        // Only who has had the secret, or was brought in, could write there.
        let isFellow = self.conversations.table.keys.contains {
            self.conversations.table[known: $0].isFellow(peer)
        }
        return isFellow ? .fellow : .stranger
    }

    /// Whether a peer is this device or another one of the own person, as its certificate proves.
    package func isOwnDevice(_ peer: PeerID) -> Bool {
        self.person(of: peer) == self.own.certificate.personID
    }

    /// How far each of many is trusted here, as ``tier(of:)`` says it of one.
    package func tiers(of peers: some Collection<PeerID>) -> [PeerID: Tier] {
        self.persons.people.tiers(
            of: peers, own: self.ownKeys, self.links, self.conversations,
            known: self.dialling.known)
    }

    /// Whether the name of somebody needs a mark, the beginning of the key: it could be taken for that
    /// of somebody as trusted or more, for a key, or for none.
    ///
    /// Judged against all people known here; a name of lower trust marks nobody whom the user knows.
    package func isAmbiguous(_ peer: PeerID) -> Bool {
        self.persons.people.namesakes.isAmbiguous(peer) {
            $0 != peer && self.areOfOnePerson($0, peer) ? .blocked : self.tier(of: $0)
        }
    }

    /// The person that `@me`, a name, the beginning of a name or, from eight characters on, of a key means,
    /// with `@` or without.
    ///
    /// Upper and lower case are the same. Whole names come first; only where nobody has one do the
    /// beginnings of names and of their words count. Of several those count who are trusted most. A name
    /// never means the user, or a message to a namesake would become a note. Throws ``NameError`` with
    /// all that match.
    package func person(named text: String, for purpose: NamePurpose) throws(NameError) -> PeerID {
        let name = SoughtName(text)
        guard !name.text.isEmpty else { throw .malformed(text) }
        if name.isMe { return self.id }
        let everybody = self.everybody
        if name.isKey {
            let keyed = self.onePerPerson(
                everybody.filter { self.isKey(name, of: $0) }.sorted())
            if keyed.count > 1 { throw .ambiguous(text, candidates: keyed) }
            if let only = keyed.first {
                // The user by the id of their person, on whatever device.
                return self.isOwnDevice(only) && !name.isKey(of: only) ? self.id : only
            }
        }
        let others = everybody.filter { !self.isOwnDevice($0) }
        let chosen = self.candidates(others, for: purpose)
        let (found, isWhole) = self.bearers(of: name, among: chosen)
        let matches = self.onePerPerson(
            purpose == .waiting ? found.sorted() : self.mostTrusted(found))
        if purpose == .reach, !isWhole {
            // Somebody the user does not know has the very name: whom it means is for the user to say.
            let (strangers, isTheirs) = self.bearers(of: name, among: others.subtracting(chosen))
            if !strangers.isEmpty, isTheirs || matches.isEmpty {
                throw .stranger(text, candidates: matches + self.onePerPerson(strangers.sorted()))
            }
        }
        if matches.count > 1 { throw .ambiguous(text, candidates: matches) }
        if let only = matches.first { return only }
        if purpose == .waiting || purpose == .blocked {
            return try self.person(named: text, for: .look)
        }
        if !name.isKey, everybody.contains(where: { self.isKey(name, of: $0) }) {
            throw .tooShort(text)
        }
        guard self.bearers(of: name, among: everybody.filter(self.isOwnDevice)).found.isEmpty else {
            throw .own(text)
        }
        throw .notFound(text)
    }

    /// Everybody but the user whom a name or the beginning of a key may mean, the most trusted first.
    package func people(named text: String) throws(NameError) -> [PeerID] {
        let name = SoughtName(text)
        guard !name.text.isEmpty else { throw .malformed(text) }
        if name.isMe { return [self.id] }
        let everybody = self.everybody
        var found = self.bearers(of: name, among: everybody.filter { !self.isOwnDevice($0) }).found
        if name.isKey { found.formUnion(everybody.filter { self.isKey(name, of: $0) }) }
        guard !found.isEmpty else { return [try self.person(named: text, for: .look)] }
        let tiers = self.tiers(of: found)
        return found.sorted { (tiers[$0] ?? .stranger, $1) > (tiers[$1] ?? .stranger, $0) }
    }

    /// Whether what was typed begins the key of a device, or the id of the person whose it is.
    private func isKey(_ name: SoughtName, of peer: PeerID) -> Bool {
        if name.isKey(of: peer) { return true }
        let person =
            self.person(of: peer)
            ?? self.conversations.requests.all.values.first { $0.device == peer }?.person.id
        return person.map { $0.description.hasPrefix(name.text) } ?? false
    }

    /// Those among whom a name is looked for.
    private func candidates(_ others: Set<PeerID>, for purpose: NamePurpose) -> Set<PeerID> {
        switch purpose {
        case .look: return others
        case .waiting: return others.intersection(self.pendingRequests.map(\.device))
        case .blocked: return others.filter { self.standing(of: $0) == .blocked }
        case .reach:
            var devices: Set<PeerID> = []
            var persons: Set<PersonID> = []
            for id in self.conversations.table.keys where self.isJoinedOrWillBe(id) {
                guard let direct = self.conversations.table[known: id].kind.direct else { continue }
                devices.insert(direct.device)
                persons.insert(direct.person.id)
            }
            let tiers = self.tiers(of: others)
            return others.filter { peer in
                (tiers[peer] ?? .stranger) >= .known || devices.contains(peer)
                    || self.person(of: peer).map(persons.contains) == true
            }
        }
    }

    /// Who has a name; where nobody has it whole, whose name or a word of it begins so.
    private func bearers(
        of name: SoughtName, among known: Set<PeerID>
    ) -> (found: Set<PeerID>, isWhole: Bool) {
        let names = known.map { (id: $0, name: self.profile(of: $0).name.sought) }
        let whole = names.filter { $0.name == name.text }
        guard whole.isEmpty else { return (Set(whole.map(\.id)), true) }
        let begun = names.filter { _, other in
            other.begins(with: name.text)
                || other.split(separator: " ").contains { $0.begins(with: name.text) }
        }
        return (Set(begun.map(\.id)), false)
    }

    /// Of several devices of one person the one that is linked, or was last.
    private func onePerPerson(_ candidates: [PeerID]) -> [PeerID] {
        guard candidates.count > 1 else { return candidates }
        var found: [PeerID] = []
        for peer in candidates {
            if let place = found.firstIndex(where: { self.areOfOnePerson($0, peer) }) {
                if self.lastSeen(of: peer) > self.lastSeen(of: found[place]) { found[place] = peer }
            } else {
                found.append(peer)
            }
        }
        return found
    }

    private func lastSeen(of peer: PeerID) -> UInt64 {
        self.links.id(of: peer) != nil ? .max : self.dialling.known[peer]?.lastSeen ?? 0
    }

    private func mostTrusted(_ candidates: Set<PeerID>) -> [PeerID] {
        guard candidates.count > 1 else { return Array(candidates) }
        let tiers = self.tiers(of: candidates)
        let highest = tiers.values.max()
        return candidates.filter { tiers[$0] == highest }.sorted()
    }
}

/// A name or a key as somebody typed it.
private struct SoughtName {
    /// Without `@`, as names are compared.
    let text: String

    /// The shortest beginning of a key that may stand for it: 40 bits.
    private static let keyCharacters = 8

    init(_ typed: String) {
        self.text = (typed.hasPrefix("@") ? String(typed.dropFirst()) : typed).sought
    }

    var isMe: Bool { self.text == "me" }
    /// Whether it is long enough for a key.
    var isKey: Bool { self.text.count >= Self.keyCharacters }

    func isKey(of peer: PeerID) -> Bool { peer.description.hasPrefix(self.text) }
}
