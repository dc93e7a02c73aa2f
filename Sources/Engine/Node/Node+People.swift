/// Who people are here, and how far they are trusted; nothing here changes it.
extension Node {
    /// The shortest key prefix that may stand for a key: 40 bits.
    private static var keyPrefixCharacters: Int { 8 }

    /// The names that people go by here.
    public var names: [String] { self.profiles.authors.map { self.profile(of: $0).name } }

    /// The user, as messages call them.
    var mentioned: MentionedUser {
        MentionedUser(
            name: self.profile(of: self.id).name, device: self.id,
            person: self.own.certificate.personID)
    }

    /// Everybody of whom there is a name, an address, a link or a message, and this node itself.
    private var everybody: Set<PeerID> {
        var all = Set(self.profiles.authors).union(self.dialling.known.keys)
        all.formUnion(self.links.peers)
        all.formUnion(self.people.standings.keys)
        all.formUnion(self.requests.all.values.map(\.device))
        all.formUnion(self.people.authors.keys)
        all.insert(self.id)
        return all
    }

    /// Whose device a peer is; nil while that is not known here.
    public func person(of peer: PeerID) -> PersonID? {
        if peer == self.id { return self.own.certificate.personID }
        return self.links.id(of: peer).map { self.links[$0].info.certificate.personID }
            ?? self.people.person(of: peer) ?? self.dialling.known[peer]?.person?.id
    }

    /// Whether two devices are those of one person.
    private func areOfOnePerson(_ one: PeerID, _ other: PeerID) -> Bool {
        guard let person = self.person(of: one) else { return false }
        return person == self.person(of: other)
    }

    /// The device that is named, and others of the same person that have written here; some at most.
    public func writingDevices(of peer: PeerID) -> [PeerID] {
        guard let person = self.person(of: peer) else { return [peer] }
        let others = self.people.authors.filter { $0.value == person && $0.key != peer }.keys
        return [peer] + others.sorted().prefix(Limits.devicesPerPerson)
    }

    /// Somebody whom the user knows, and whose name somebody else's could be taken for; nil where nobody
    /// is.
    func namesake(of peer: PeerID) -> PeerID? {
        self.people.namesakes.known(behindNameOf: peer) {
            self.areOfOnePerson($0, peer) ? .stranger : self.tier(of: $0)
        }
    }

    /// What to compare with somebody; nil while their keys are not known here.
    public func verificationCode(with peer: PeerID) -> VerificationCode? {
        self.keys(of: peer).map { VerificationCode(self.own.certificate.personID, $0.id) }
    }

    /// How far somebody is trusted here.
    public func tier(of peer: PeerID) -> Tier {
        if peer == self.id { return .own }
        if let tier = self.people.tier(of: peer) { return tier }
        if self.isOwnDevice(peer) { return .verified }
        if let link = self.links.id(of: peer), self.links[link].realms.isFellow { return .fellow }
        // Only who has had the secret could write there.
        let isFellow = self.conversationTable.keys.contains {
            self.conversationTable[known: $0].isOfFellows
                && self.conversationTable[known: $0].attendance[peer] != nil
        }
        return isFellow ? .fellow : .stranger
    }

    /// Whether a peer is this device or another one of the own person, as its certificate proves.
    public func isOwnDevice(_ peer: PeerID) -> Bool {
        self.person(of: peer) == self.own.certificate.personID
    }

    /// How far each of many is trusted here, as ``tier(of:)`` says it of one.
    public func tiers(of peers: some Collection<PeerID>) -> [PeerID: Tier] {
        guard !peers.isEmpty else { return [:] }
        var fellows: Set<PeerID> = []
        for link in self.links.ids where self.links[link].realms.isFellow {
            fellows.insert(self.links[link].info.peer)
        }
        for id in self.conversationTable.keys where self.conversationTable[known: id].isOfFellows {
            fellows.formUnion(self.conversationTable[known: id].attendance.keys)
        }
        var tiers: [PeerID: Tier] = [:]
        for peer in peers {
            if peer == self.id {
                tiers[peer] = .own
            } else if let tier = self.people.tier(of: peer) {
                tiers[peer] = tier
            } else if self.isOwnDevice(peer) {
                tiers[peer] = .verified
            } else {
                tiers[peer] = fellows.contains(peer) ? .fellow : .stranger
            }
        }
        return tiers
    }

    /// Whether the name of somebody needs a mark, the beginning of the key: it could be taken for that
    /// of somebody as trusted or more, for a key, or for none.
    ///
    /// Judged against all people known here; a name of lower trust marks nobody whom the user knows.
    public func isAmbiguous(_ peer: PeerID) -> Bool {
        self.people.namesakes.isAmbiguous(peer) {
            $0 != peer && self.areOfOnePerson($0, peer) ? .blocked : self.tier(of: $0)
        }
    }

    /// The person that a name, the beginning of a name or, from eight characters on, of a key means,
    /// with `@` or without.
    ///
    /// Upper and lower case are the same. Whole names come first; only where nobody bears one do the
    /// beginnings of names and of their words count. Of several those count who are trusted most, so
    /// that no stranger stands in the way of somebody known; this node itself only where nobody else
    /// is meant, or what is for a namesake would become a note. Throws ``NameError`` with all that match.
    public func person(named text: String) throws(NameError) -> PeerID {
        let sought = (text.hasPrefix("@") ? String(text.dropFirst()) : text).lowercased()
        guard !sought.isEmpty else { throw .malformed(text) }
        if sought == "me" { return self.id }
        do throws(NameError) {
            return try self.person(
                sought, typed: text, among: self.everybody.filter { !self.isOwnDevice($0) })
        } catch {
            if case .ambiguous = error { throw error }
            let own = self.everybody.filter { self.isOwnDevice($0) }
            guard (try? self.person(sought, typed: text, among: own)) != nil else { throw error }
            return self.id
        }
    }

    private func person(
        _ sought: String, typed text: String, among known: Set<PeerID>
    ) throws(NameError) -> PeerID {
        let names = known.map { (id: $0, name: self.profile(of: $0).name.lowercased()) }
        var named = names.filter { $0.name == sought }
        if named.isEmpty {
            named = names.filter { _, name in
                name.hasPrefix(sought)
                    || name.split(separator: " ").contains { $0.hasPrefix(sought) }
            }
        }
        let keyed = known.filter { $0.description.hasPrefix(sought) }
        let isKey = sought.count >= Self.keyPrefixCharacters
        let candidates = self.onePerPerson(
            self.mostTrusted(Set(named.map(\.id) + (isKey ? Array(keyed) : []))))
        if candidates.count > 1 { throw .ambiguous(text, candidates: candidates) }
        if let only = candidates.first { return only }
        if !isKey && !keyed.isEmpty { throw .tooShort(text) }
        throw .notFound(text)
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
