package import Formats

/// What the user says of people: it holds for each device of a person, and is kept by device.
extension Node {
    /// Of whom the user has said something, by key: those known, verified and blocked.
    package var chosenPeople: [PeerID] { self.persons.people.standings.keys.sorted() }

    /// What the user has said of somebody.
    package func standing(of peer: PeerID) -> Standing { self.persons.people.standing(of: peer) }

    /// Whether the user may say something of one more.
    func hasRoom(for peer: PeerID) -> Bool {
        self.persons.people.standings[peer] != nil
            || self.persons.people.standings.count < Limits.people
    }

    /// Whether nothing is wanted of whoever has shaken hands, also by another device of theirs.
    func isBlocked(_ info: LinkInfo) -> Bool {
        self.isBlocked(info.peer, of: info.certificate.personID)
    }

    /// Whether nothing is wanted of a device of somebody.
    func isBlocked(_ peer: PeerID, of person: PersonID) -> Bool {
        self.standing(of: peer) == .blocked
            || self.persons.people.devices(of: person).contains {
                self.standing(of: $0) == .blocked
            }
    }

    mutating func stand(_ peer: PeerID, _ standing: Standing, _ request: RequestID) {
        guard standing == .unsaid || self.hasRoom(for: peer) else {
            return self.answer(request, .failed(.tooManyPeople))
        }
        let others = self.person(of: peer).map { self.persons.people.devices(of: $0) } ?? []
        for device in others.union([peer]) { self.disk.commits.people[device] = standing }
        self.letIn(peer, as: standing)
        self.disk.commits.answers.append((request, .standing(peer, standing)))
    }

    /// Forgets a person and their addresses: they have to ask before they write again.
    ///
    /// What they wrote in rooms stays under their name.
    mutating func forget(_ peer: PeerID, _ request: RequestID) {
        let standing = self.standing(of: peer)
        if self.links.id(of: peer) == nil { self.disk.commits.choices.forgotten.insert(peer) }
        self.leaveDirect(with: peer)
        self.stand(peer, standing == .blocked ? .blocked : .unsaid, request)
    }

    /// The user has typed what somebody else reads aloud.
    mutating func verify(_ peer: PeerID, _ typed: String, _ request: RequestID) {
        guard let code = self.verificationCode(with: peer) else {
            return self.answer(request, .failed(.keysUnknown(peer)))
        }
        guard code.matches(typed) else { return self.answer(request, .failed(.codesDiffer(peer))) }
        self.stand(peer, .verified, request)
    }

    /// A device has shown whose it is: it stands as that person does.
    mutating func inheritStanding(_ peer: PeerID, of person: PersonID) {
        guard peer != self.id, self.disk.commits.people[peer] == nil, self.hasRoom(for: peer),
            let standing = self.persons.people.inherited(by: peer, of: person)
        else { return }
        self.disk.commits.people[peer] = standing
    }

    /// What the user has said is on disk.
    mutating func settleStandings(_ standings: [PeerID: Standing]) {
        if !standings.isEmpty { self.conversations.diskShares.forget() }
        for (peer, standing) in standings.sorted(by: { $0.key < $1.key }) {
            let person = self.person(of: peer)
            self.persons.people.settle(peer, standing, of: person)
            if let person, self.tier(of: peer) < .known { self.dropAbsence(of: person) }
            guard standing == .blocked else {
                self.performDialling(self.dialling.unblock(peer, at: self.now))
                // Of a device that has inherited this, nothing was let in before.
                self.letIn(peer, as: standing)
                self.readmit(peer)
                continue
            }
            self.performDialling(self.dialling.block([peer]))
            self.perform(self.signals.silence(peer, self.links, at: self.now))
            if let link = self.links.id(of: peer) { self.close(link, .blocked, "not wanted") }
            if self.endRequest(of: peer) { self.tellDecided(peer, isAccepted: false) }
        }
        if !standings.isEmpty {
            for id in self.catchUp.holes.conversations { self.watchHoles(in: id) }
        }
        if !standings.isEmpty { self.wantKnown() }
        if !standings.isEmpty { self.seekPictures(of: standings.keys.sorted()) }
    }

    /// Has people whom the user knows, and own devices, be dialled before all others.
    mutating func wantKnown() {
        // Also those of whom it is not kept where they were, as who was linked for a moment only.
        let tiers = self.tiers(of: Set(self.dialling.known.keys).union(self.chosenPeople))
        self.dialling.setWanted(Set(tiers.filter { $0.value >= .known }.keys))
        self.seek()
    }
}
