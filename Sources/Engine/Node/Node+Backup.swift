package import Formats

/// What of a user goes into a backup, and comes back from one.
extension Node {
    /// Whom the user knows and where the user is, as a backup keeps it.
    package var contacts: Contacts {
        var contacts = Contacts(profile: self.profile(of: self.id))
        for conversation in self.conversations.table.values where conversation.isJoined {
            switch conversation.kind {
            case .room(let room): contacts.rooms.append(room)
            case .secret(let room): contacts.secretRooms.append(room)
            case .group(let group):
                if let founding = self.groups.table[group.id]?.founding {
                    contacts.groups.append(founding)
                }
            case .direct(let direct):
                contacts.partners.append(
                    Contacts.Partner(device: direct.device, person: direct.person))
            }
        }
        contacts.standings = self.persons.people.standings
        let partners = contacts.partners.map(\.device)
        contacts.records += self.persons.profiles.revocations(by: self.own.certificate.personID)
        for peer in Set(contacts.standings.keys).union(partners) where peer != self.id {
            var known = self.dialling.known[peer] ?? KnownPeer(id: peer, addresses: [], lastSeen: 0)
            known.person = self.keys(of: peer)
            contacts.peers.append(known)
            let name = RecordKey(author: peer, conversation: nil, kind: Record.Kind.profile)
            if let record = self.persons.profiles.record(name) { contacts.records.append(record) }
            let revocations = self.persons.profiles.revocations(of: peer).filter {
                $0.key.person != self.own.certificate.personID && self.isKnown($0.key.person)
            }
            contacts.records += revocations
        }
        contacts.records = Array(contacts.records.prefix(Contacts.recordLimit))
        return contacts
    }

    /// Whether the user has been nowhere yet, so that this node may still become somebody else's.
    package var isUnused: Bool {
        self.conversations.table.values.allSatisfy { $0.isRequest && $0.logs.count == 0 }
            && self.disk.commits.drafts.isEmpty && self.disk.commits.membership.isEmpty
    }

    /// Takes on who is in a backup; the rooms and conversations are entered one by one.
    mutating func restorePeople(of contacts: Contacts, _ request: RequestID) {
        for (peer, standing) in contacts.standings where peer != self.id && self.hasRoom(for: peer)
        {
            self.disk.commits.people[peer] = standing
        }
        self.recall(contacts.records)
        self.performDialling(
            self.dialling.recall(contacts.peers.filter { $0.id != self.id }, at: self.now))
        let now = contacts.profile
        if now.isWithinLimits && !now.name.isEmpty { self.setProfile(now, request: nil) }
        self.disk.commits.answers.append((request, .restored))
    }

    /// Takes on what people have signed, as a backup or another device of the user has kept it.
    mutating func recall(_ records: [Record]) {
        // Their word for it is not enough.
        for record in records where record.isValid && record.isUsable {
            guard self.persons.profiles.hasRoom(for: record.key),
                Profiles.takesPlace(
                    record, of: self.persons.profiles.record(record.key), self.clocks.own)
            else { continue }
            self.disk.commits.records.add(record, isFirst: true)
        }
    }

    /// Enters a group of a backup: its members give this device its other acts and its keys.
    mutating func restoreGroup(_ founding: Act, _ request: RequestID) {
        // A backup's word for what somebody has signed is not enough.
        guard let group = founding.statement.kind.founded, founding.isValid(),
            self.own.realms.contains(group.realm)
        else { return self.answer(request, .failed(.notInRealm)) }
        self.enter(group, self.groups.begin(group, with: [founding]), nil)
        self.disk.commits.answers.append((request, .joined(group.id)))
    }

    /// A link may be to another device of the own person: a backup was restored, here or there.
    mutating func lookAtPerson(of info: LinkInfo, at address: String) {
        guard info.certificate.personID == self.own.certificate.personID else { return }
        self.meetOwnDevice(info)
        self.tellOtherDevice(info.peer, "at \(Source(address))")
    }

    /// A run may be of another device of the own person, which has written since this one is theirs.
    mutating func lookAtPerson(of append: Append) {
        let run = append.run.run
        guard append.person == self.own.certificate.personID, run.key.name.author != self.id,
            let last = run.entries.last, last.time.milliseconds > self.own.certificate.added
        else { return }
        self.tellOtherDevice(run.key.name.author, "writes as you")
    }

    /// Says so once of each device, which is remembered for that: who has two would see nothing else.
    private mutating func tellOtherDevice(_ peer: PeerID, _ sign: String) {
        let person = self.own.certificate.keys
        guard self.dialling.known[peer]?.person != person else { return }
        let device = KnownPeer(
            id: peer, addresses: [], lastSeen: self.now.wall, person: person)
        self.performDialling(self.dialling.recall([device], at: self.now))
        self.raiseAlert(
            .otherDevice,
            "another device is you: @\(peer.shortText) \(sign). If it is yours, both can go on; you are told "
                + "only once. If it is not yours, revoke it (stoa device revoke @\(peer.shortText)): somebody "
                + "has a backup of yours and its phrase, or your person.key",
            lasting: Limits.forkAlertMilliseconds)
    }
}
