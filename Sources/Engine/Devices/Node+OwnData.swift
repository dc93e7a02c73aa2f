internal import Crypto
internal import Formats

/// What is the user's follows them to all of their devices: by what each batch changes, and by what comes in the notes.
extension Node {
    /// The conversation with oneself, where it has begun.
    var notesID: ConversationID? {
        self.conversations.privates.direct(with: self.own.certificate.personID)?.id
    }

    /// The conversation with oneself, whether or not it has begun.
    var notes: DirectConversation? {
        self.conversations.privates.direct(with: self.own.certificate.personID)
            ?? (try? DirectConversation(
                of: self.own.person, with: self.own.person.publicKeys, at: self.id))
    }

    // MARK: What is told

    /// Takes what the notes say at a start.
    mutating func restoreOwn(_ snapshot: Snapshot) {
        for (device, words) in self.persons.people.revocations {
            self.mine.revoke(device, from: words[self.own.certificate.personID])
        }
        for stored in snapshot.own
        where !stored.isDisputed && stored.key.conversation == self.notesID {
            guard case .own(let entry)? = self.keyring.read(stored.envelope).content else {
                continue
            }
            let name = stored.key.name
            self.mine.take(
                entry, stored.id, by: name, at: stored.time, isBounded: name.author != self.id)
        }
        if snapshot.peers.contains(where: { $0.id != self.id && self.isOwnDevice($0.id) }) {
            self.mine.isShared = true
        }
    }

    /// A link is to another device of the user: the older one tells the newer one what it does not know, and each tells
    /// the other one whom it trusts most and least.
    mutating func meetOwnDevice(_ info: LinkInfo) {
        guard info.peer != self.id else { return }
        self.mine.isShared = true
        let other = info.certificate.added
        let isOlder = (self.own.certificate.added, self.id) < (other, info.peer)
        self.mine.offers.formUnion(isOlder ? Set(OwnSet.allCases) : [.verified, .blocked])
    }

    /// Takes what a run in the notes says; whether it says anything.
    mutating func takeOwn(_ append: Append) -> Bool {
        let run = append.run.run
        guard self.mine.isShared, append.person == self.own.certificate.personID,
            run.key.conversation == self.notesID
        else { return false }
        let log = self.conversations.table[known: run.key.conversation].log(run.key.name)
        var says = false
        for index in append.verdicts.indices
        where append.verdicts[index].kind == EntryKind.own.rawValue
            && !log.isBeyondFork(run.first + UInt64(index))
        {
            guard case .own(let entry)? = self.content(of: append, at: index) else { continue }
            self.mine.take(
                entry, append.run.ids[index], by: run.key.name, at: run.entries[index].time,
                isBounded: run.key.name.author != self.id)
            says = true
            if entry.set == OwnSet.devices.rawValue { self.changed(.devices) }
        }
        return says
    }

    // MARK: What is written

    /// Has a batch say in the notes what it changes of what is the user's, and some of what was never said.
    mutating func placeOwn(in flight: inout InFlight) {
        // What a revoked device writes counts nowhere, so it would be written again and again.
        guard !self.isRevoked(self.id, as: self.own.certificate.personID) else {
            self.mine.offers = []
            return
        }
        // While the store rests, only what goes into this batch is said in it.
        let isResting = self.disk.commits.isResting
        guard self.mine.isShared, !isResting || !flight.batch.membership.isEmpty,
            let notes = self.notes
        else { return }
        var entries: [OwnItem: OwnEntry] = [:]
        for (item, state) in self.changedOwn(flight, besides: notes.id) {
            entries[item] = self.mine.entry(item, state)
        }
        // A mark counts only of who has written there.
        let here = OwnItem(.devices, self.id)
        if self.mine.state(of: here)?.isIn != true {
            entries[here] = self.mine.entry(here, OwnData.State(isIn: true))
        }
        if !isResting { self.tellRealms(&entries) }
        if !self.mine.offers.isEmpty, !isResting {
            let sets = Set(self.mine.offers.map(\.rawValue))
            var offered = 0
            for (item, state) in self.allOwn(besides: notes.id)
            where offered < Limits.ownOffered && sets.contains(item.set) && entries[item] == nil
                && self.mine.state(of: item) == nil
            {
                guard let entry = self.mine.entry(item, state) else { continue }
                entries[item] = entry
                offered += 1
            }
            if offered == 0 { self.mine.offers = [] }
        }
        guard !entries.isEmpty else { return }
        if !self.isJoinedOrWillBe(notes.id) { self.begin(.direct(notes)) }
        let drafts = entries.sorted { $0.key < $1.key }.map {
            Draft(conversation: notes.id, content: .own($0.value), request: nil, outgoing: nil)
        }
        self.place(drafts, in: notes.id, &flight)
    }

    /// What a batch changes.
    private func changedOwn(
        _ flight: InFlight, besides notes: ConversationID
    ) -> [(OwnItem, OwnData.State)] {
        let commits = self.disk.commits
        let begun = commits.membership.filter { !commits.isResting && !$0.value.kind.hasJoins }
        let entered = flight.batch.membership.merging(begun) { $1 }
        var changed = entered.filter { $0.key != notes }.flatMap {
            self.own(of: $0.value.kind, isIn: $0.value.isJoined)
        }
        guard !commits.isResting else { return changed }
        changed += commits.people.flatMap { self.own(of: $0, $1) }
        for (id, change) in commits.choices.arrangements where id != notes {
            guard let now = self.conversations.table[id]?.arrangement else { continue }
            changed += self.own(of: id, change.applied(to: now))
        }
        if let profile = commits.choices.profile?.profile {
            changed.append((.profile, OwnData.State(isIn: true, value: profile.encoded)))
        }
        return changed
    }

    /// All that is here.
    private func allOwn(
        besides notes: ConversationID
    ) -> [(item: OwnItem, state: OwnData.State)] {
        var all = self.persons.people.standings.flatMap { self.own(of: $0, $1) }
        for (id, conversation) in self.conversations.table
        where conversation.isJoined && id != notes {
            all += self.own(of: conversation.kind, isIn: true)
            all += self.own(of: id, conversation.arrangement)
        }
        let profile = self.profile(of: self.id)
        all.append((.profile, OwnData.State(isIn: true, value: profile.encoded)))
        return all.filter { $0.1.isIn }.sorted { $0.0 < $1.0 }
    }

    private func own(of peer: PeerID, _ standing: Standing) -> [(OwnItem, OwnData.State)] {
        guard !self.isOwnDevice(peer) else { return [] }
        let name = RecordKey(author: peer, conversation: nil, kind: Record.Kind.profile)
        var contact = OwnContact(person: self.keys(of: peer), profile: self.record(name))
        // Others choose how long their profile is: they are blocked without it.
        if contact.encoded.count > Limits.ownValueBytes { contact.profile = nil }
        let value = contact.encoded
        let isVerified = standing == .verified
        return [
            (OwnItem(.contacts, peer), .init(isIn: isVerified || standing == .known, value: value)),
            (OwnItem(.verified, peer), .init(isIn: isVerified)),
            (OwnItem(.blocked, peer), .init(isIn: standing == .blocked, value: value)),
        ]
    }

    private func own(of kind: ConversationKind, isIn: Bool) -> [(OwnItem, OwnData.State)] {
        let item = OwnItem(.conversations, kind.id)
        guard isIn else { return [(item, .init(isIn: false))] }
        let place: OwnPlace
        switch kind {
        case .room(let room): place = .room(room)
        case .secret(let room): place = .secret(room)
        case .direct(let direct): place = .direct(direct.device, direct.person)
        case .group(let group):
            guard let founding = self.groups.table[group.id]?.founding else { return [] }
            place = .group(founding)
        }
        return [(item, .init(isIn: true, value: place.encoded))]
    }

    private func own(
        of id: ConversationID, _ arrangement: Arrangement
    ) -> [(OwnItem, OwnData.State)] {
        [
            (OwnItem(.muted, id), .init(isIn: arrangement.contains(.muted))),
            (OwnItem(.archived, id), .init(isIn: arrangement.contains(.archived))),
        ]
    }

    // MARK: What is done here

    /// Does here what is told and is not so here; what the user changes at this moment stays.
    mutating func followOwn() {
        let told = self.mine.all
        guard !told.isEmpty else { return }
        let arranged = Set(self.disk.commits.choices.arrangements.keys)
        var people: Set<PeerID> = []
        for (item, state) in told {
            guard let set = OwnSet(rawValue: item.set) else { continue }
            switch set {
            case .contacts, .verified, .blocked:
                if let key = item.key { people.insert(PeerID(key)) }
            case .conversations:
                if let key = item.key { self.follow(ConversationID(key), state) }
            case .muted, .archived:
                guard let id = item.key.map({ ConversationID($0) }), !arranged.contains(id) else {
                    continue
                }
                self.follow(set == .muted ? .muted : .archived, of: id, state.isIn)
            case .profile: self.followProfile(state)
            case .realms:
                if let key = item.key { self.followRealm(RealmID(key), state) }
            case .devices: break
            }
        }
        for peer in people.sorted() { self.followStanding(of: peer) }
    }

    private mutating func followStanding(of peer: PeerID) {
        func state(_ set: OwnSet) -> OwnData.State? { self.mine.state(of: OwnItem(set, peer)) }
        let (contact, block) = (state(.contacts), state(.blocked))
        // What nothing is told of stays as it is here.
        let here = self.standing(of: peer)
        let isKnown = contact?.isIn ?? (here == .known || here == .verified)
        let standing: Standing =
            block?.isIn ?? (here == .blocked)
            ? .blocked
            : state(.verified)?.isIn ?? (here == .verified)
                ? .verified : isKnown ? .known : .unsaid
        guard !self.isOwnDevice(peer), self.disk.commits.standing(of: peer) == nil,
            here != standing, standing == .unsaid || self.hasRoom(for: peer)
        else { return }
        self.disk.commits.people[peer] = standing
        guard standing != .unsaid, let value = (standing == .blocked ? block : contact)?.value
        else { return }
        let known = OwnContact(decoding: value)
        if let person = known.person, self.mayBe(peer, of: person.id) {
            let device = KnownPeer(id: peer, addresses: [], lastSeen: 0, person: person)
            self.performDialling(self.dialling.recall([device], at: self.now))
        }
        if let profile = known.profile, profile.author == peer { self.recall([profile]) }
    }

    /// Whether a device is taken for one of a person's because another device of the user says so: not where it is known
    /// as somebody else's, nor for the user's own.
    private func mayBe(_ device: PeerID, of person: PersonID) -> Bool {
        let known = [
            self.person(of: device), self.conversations.privates.direct(at: device)?.person.id,
        ]
        return person != self.own.certificate.personID
            && known.allSatisfy { ($0 ?? person) == person }
    }

    private mutating func follow(_ id: ConversationID, _ state: OwnData.State) {
        guard self.disk.commits.isJoined(id) == nil,
            state.isIn != self.isJoinedOrWillBe(id)
        else { return }
        guard state.isIn else { return self.leaveOwn(id) }
        guard let place = OwnPlace(decoding: state.value),
            self.conversations.table[id] != nil
                || self.conversations.table.count < Limits.conversations
        else { return }
        let kind: ConversationKind
        switch place {
        case .room(let room): kind = .room(room)
        case .secret(let room): kind = .secret(room)
        case .direct(let device, let person):
            guard self.standing(of: device) != .blocked, self.mayBe(device, of: person.id),
                let direct = try? DirectConversation(
                    of: self.own.person, with: person, at: device)
            else { return }
            kind = .direct(direct)
        case .group(let founding):
            guard let group = founding.statement.kind.founded else { return }
            kind = .group(group)
        }
        guard kind.id == id, kind.realm.map({ self.own.realms.contains($0) }) ?? true else {
            return
        }
        switch kind {
        case .room(let room):
            self.enterRoom(room, nil)
        case .secret(let room):
            guard room.suite.isAvailable else { return }
            self.begin(kind)
            self.disk.commits.add(
                Draft(conversation: id, content: .join(nil), request: nil, outgoing: nil))
        case .direct: self.begin(kind)
        case .group(let group):
            guard case .group(let founding) = place else { return }
            self.enterOwnGroup(group, founding)
        }
    }

    private mutating func leaveOwn(_ id: ConversationID) {
        guard let kind = self.conversations.table[id]?.kind else { return }
        if let direct = kind.direct { return self.leaveDirect(with: direct.device) }
        self.disk.commits.membership[id] = ConversationMembership(kind, isJoined: false)
        guard kind.hasJoins else { return }
        self.disk.commits.add(
            Draft(conversation: id, content: .leave, request: nil, outgoing: nil))
    }

    private mutating func follow(
        _ arrangement: Arrangement, of id: ConversationID, _ isIn: Bool
    ) {
        guard self.isJoinedOrWillBe(id),
            let now = self.conversations.table[id]?.arrangement,
            now.contains(arrangement) != isIn
        else { return }
        self.disk.commits.choices.arrange(
            id,
            isIn
                ? ArrangementChange(adding: arrangement) : ArrangementChange(removing: arrangement))
    }

    private mutating func followProfile(_ state: OwnData.State) {
        guard let profile = try? Profile(decoding: state.value), profile.isWithinLimits,
            self.disk.commits.record(self.ownProfile)?.profile ?? self.profile(of: self.id)
                != profile
        else { return }
        self.setProfile(profile, request: nil)
    }
}

extension Limits {
    /// Items of what is the user's that one batch says beside its changes: a run of theirs.
    static let ownOffered = 64
}
