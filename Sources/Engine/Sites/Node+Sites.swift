internal import Crypto
package import Formats

/// What goes to other sites and comes from there, by way of servers that keep it: one more peer that stores.
///
/// `Docs/Protocol/Sites.md`.
extension Node {
    // MARK: What goes out

    /// What names and seals each conversation of a realm, and each with one person there, by the newest secret of the
    /// realm; and whose runs of it go out.
    package func sitePlaces(of realm: Realm) -> [ConversationID: SitePlace] {
        let secret = RealmSecret(realm: realm.id, bytes: realm.secret)
        var places: [ConversationID: SitePlace] = [:]
        for (id, conversation) in self.conversations.table {
            guard let scope = self.siteScope(of: conversation, in: realm.id),
                let root = SiteRoot(conversation.kind, by: secret) ?? self.groups.newestRoot(of: id)
            else { continue }
            let sort: SitePlace.Sort =
                switch conversation.kind {
                case .room, .secret: .room
                case .direct: .direct
                case .group: .group
                }
            places[id] = SitePlace(root: root, scope: scope, sort: sort)
        }
        return places
    }

    /// The roots by their tags, also by the secret before a renewal while that counts.
    package func siteTags(of realm: Realm) -> [String: SiteRoot] {
        var tags: [String: SiteRoot] = [:]
        for secret in realm.secrets(at: self.now.wall) {
            tags[SiteRoot(secret).tag] = SiteRoot(secret)
            let inbox = SiteInbox(secret, of: self.own.person.publicKeys).root
            tags[inbox.tag] = inbox
            for conversation in self.conversations.table.values
            where self.siteScope(of: conversation, in: realm.id) == .all {
                guard let root = SiteRoot(conversation.kind, by: secret) else { continue }
                tags[root.tag] = root
            }
        }
        for conversation in self.conversations.table.values
        where conversation.kind.group != nil
            && self.siteScope(of: conversation, in: realm.id) == .all
        {
            for root in self.groups.siteRoots(of: conversation.id) { tags[root.tag] = root }
        }
        return tags
    }

    /// The records that members of a realm are told, ascending; each with what seals it.
    ///
    /// What belongs to no conversation goes to all of the realm where its author writes in an open room, and to those who
    /// are in another conversation with its author.
    package func siteRecords(of realm: Realm) -> [(record: Record, root: SiteRoot)] {
        let everybody = SiteRoot(RealmSecret(realm: realm.id, bytes: realm.secret))
        var told: Set<RecordKey> = []
        var found: [(Record, SiteRoot)] = []
        for (id, place) in self.sitePlaces(of: realm).sorted(by: { $0.key < $1.key })
        where place.scope == .all && (place.sort != .group || self.mayTell(id)) {
            let isOpen = self.conversations.table[known: id].kind.room != nil
            for record in self.countedRecords(of: id) {
                guard record.conversation == nil, isOpen else {
                    found.append((record, place.root))
                    continue
                }
                if told.insert(record.key).inserted { found.append((record, everybody)) }
            }
        }
        return found
    }

    /// Another number whenever ``siteRecords(of:)`` may give something else: with each record that is settled, and with each
    /// log that begins, since records count for those alone who write there.
    package var recordChanges: UInt64 {
        self.conversations.table.values.reduce(self.persons.profiles.changes) {
            $0 &+ UInt64($1.logs.count)
        }
    }

    /// Whose runs of a conversation go to the sites of a realm; nil for nobody's.
    ///
    /// It is a room there, or a conversation with somebody who writes in one.
    /// Whoever has a person's X can read all that is kept of their conversations with one other, also a device that was
    /// lost and revoked. So these stay where links refuse such a device, and so do the user's notes.
    func siteScope(of conversation: Conversation, in realm: RealmID) -> SiteScope? {
        guard !conversation.isRequest else { return nil }
        guard let direct = conversation.kind.direct else {
            guard conversation.kind.realm == realm else { return nil }
            if conversation.isJoined || conversation.isDeparting { return .all }
            // Of a group also that they have left it.
            if conversation.kind.group != nil { return .own }
            return conversation.count(of: self.id) > 0 ? .own : nil
        }
        let own = self.own.certificate.personID
        let other = direct.person.id
        guard conversation.isJoined, other != own, self.tier(of: direct.device) != .blocked,
            self.persons.people.revocationCount(by: own) == 0,
            self.persons.people.revocationCount(by: other) == 0
        else { return nil }
        let devices = self.persons.people.devices(of: other)
        let writes = self.conversations.table.values.contains { room in
            room.kind.realm == realm && devices.contains { room.count(of: $0) > 0 }
        }
        let isByLetter =
            self.conversations.privates.isByLetter(conversation.id)
            || conversation.authors.contains { author in
                conversation.names(of: author).contains {
                    conversation.log($0).charge.source == .sites
                }
            }
        return writes || isByLetter ? .all : nil
    }

    /// Whether anybody else has written in a conversation.
    package func isAnswered(_ id: ConversationID) -> Bool {
        self.conversations.table[id]?.authors.contains { !self.isOwnDevice($0) } ?? false
    }

    /// The inbox of the other one of a conversation of two; nil for any other conversation.
    package func siteInbox(of id: ConversationID, in realm: Realm) -> SiteInbox? {
        guard let direct = self.conversations.table[id]?.kind.direct else { return nil }
        return SiteInbox(
            RealmSecret(realm: realm.id, bytes: realm.secret), of: direct.person)
    }

    /// What a run of the user's becomes in such an inbox.
    package func siteLetter(_ run: Run, to inbox: SiteInbox) -> SiteItem? {
        inbox.letter(.run(run), from: self.own.certificate)
    }

    // MARK: What comes in

    /// Takes items of a site, in their order, and answers when what is taken is on the disk.
    mutating func importItems(_ items: [SiteItem?], _ request: RequestID) {
        var verdicts: [SiteVerdict] = []
        var runs = 0
        var parts: [SitePart.Name: Int] = [:]
        for item in items {
            switch item {
            case .run(let run)?:
                verdicts.append(self.importRun(run, request))
                if verdicts.last == .taken { runs += 1 }
            case .record(let record)?: verdicts.append(self.importRecord(record))
            case .act(let act)?: verdicts.append(self.importAct(act))
            case .letter(let letter)?: verdicts.append(self.importLetter(letter))
            case .signal(let signal)?: verdicts.append(self.importSignal(signal))
            case .ask(let ask)?: verdicts.append(self.importAsk(ask))
            case .fork(let proof)?: verdicts.append(self.importProof(proof))
            case .part(let part)?:
                let verdict = self.importPart(part)
                if verdict == nil { parts[part.name] = verdicts.count }
                verdicts.append(verdict ?? .known)
            case .key?, .invitation?: verdicts.append(.refused(.foreign))
            case nil: verdicts.append(.refused(.unsealed))
            }
        }
        guard runs == 0, parts.isEmpty else {
            return self.disk.siteImports.begin(request, runs: runs, parts: parts, verdicts)
        }
        let isForDisk = verdicts.contains { verdict in
            if case .waits = verdict { true } else { verdict == .taken }
        }
        self.answerSite(request, verdicts, isForDisk: isForDisk)
    }

    /// A run or a part that a site has brought is on the disk, or will never be.
    mutating func settleSite(_ request: RequestID) {
        if let (verdicts, isForDisk) = self.disk.siteImports.end(request) {
            self.answerSite(request, verdicts, isForDisk: isForDisk)
        }
    }

    /// Answers behind the records that are on their way to the disk, where anything was taken.
    private mutating func answerSite(
        _ request: RequestID, _ verdicts: [SiteVerdict], isForDisk: Bool
    ) {
        guard isForDisk else {
            return self.answer(request, .imported(verdicts))
        }
        self.disk.commits.answers.append((request, .imported(verdicts)))
    }

    private mutating func importRun(_ run: Run, _ request: RequestID) -> SiteVerdict {
        let key = run.key
        guard let conversation = self.conversations.table[key.conversation],
            !conversation.isRequest,
            conversation.kind.group != nil
                || conversation.takes(key.name),
            conversation.kind.direct.map({ self.tier(of: $0.device) != .blocked }) ?? true
        else { return .refused(.foreign) }
        if self.isToCompare(run), let verified = run.verified() {
            return self.forkAtSite(verified)
        }
        switch self.judge(run, from: .site) {
        case .known: return .known
        case .unread:
            guard let verified = run.verified() else { return .refused(.forged) }
            self.readAtSite(verified, by: nil)
            return self.postponed(run)
        case .early:
            // Else anybody could have any number of them looked for.
            guard let prev = run.prev, run.verified() != nil else { return .refused(.forged) }
            return .waits(for: .run(through: prev))
        case .forged: return .refused(.forged)
        case .forking(let verified): return self.forkAtSite(verified)
        case .refused(let suffix, let person):
            guard conversation.kind.group != nil, let person else { return .refused(.room) }
            self.readAtSite(suffix, by: person)
            return self.postponed(run)
        case .new(let suffix, let opening):
            guard self.isOfRoot(suffix.run) else { return .refused(.foreign) }
            let log = conversation.log(key.name)
            guard self.takesGroupRun(suffix, by: opening?.person ?? log.person, on: nil) else {
                return self.postponed(run)
            }
            self.queueRun(suffix, opening, bytes: run.frameBytes, for: request)
            return .taken
        }
    }

    /// A run of a group that cannot be taken yet: it is brought again once its key is on the disk.
    private func postponed(_ run: Run) -> SiteVerdict {
        guard self.isKeyComing(for: run.key), let last = run.ids.last else {
            return .refused(.early)
        }
        return .waits(for: .run(through: last))
    }

    /// A letter begins what its sender would have begun on a link: the user is asked, or has let them in before.
    ///
    /// It counts as early until the run itself is here: so it is looked at again, also after a start, where the user has
    /// accepted meanwhile, or there is room.
    private mutating func importLetter(_ letter: SiteLetter) -> SiteVerdict {
        guard let (certificate, item) = letter.open(with: self.own.person) else {
            return .refused(.unsealed)
        }
        switch item {
        case .run(let run): return self.importLetter(of: run, from: certificate)
        case .key(let key, let group): return self.importKey(key, of: group, from: certificate)
        case .invitation(let invitation):
            return self.importInvitation(invitation, from: certificate)
        case .record, .act, .letter, .part, .signal, .ask, .fork: return .refused(.foreign)
        }
    }

    private mutating func importLetter(of run: Run, from certificate: Certificate) -> SiteVerdict {
        let peer = run.key.name.author
        let person = certificate.personID
        guard person != self.own.certificate.personID,
            let direct = try? DirectConversation(
                of: self.own.person, with: certificate.keys, at: peer),
            direct.id == run.key.conversation, !self.isBlocked(peer, of: person),
            self.persons.people.revocationCount(by: person) == 0
        else { return .refused(.foreign) }
        guard certificate.isValid(for: peer), let verified = run.verified() else {
            return .refused(.forged)
        }
        let tail = self.conversations.table[direct.id]?.log(run.key.name).tail.seq ?? 0
        guard let suffix = verified.suffix(from: tail + 1) else { return .known }
        // Its runs are read under its own tag.
        if self.isJoinedOrWillBe(direct.id) {
            self.conversations.privates.noteLetter(direct.id)
            return .refused(.early)
        }
        if let waiting = self.conversations.requests.all[person] {
            return waiting.isDeclined ? .known : .refused(.early)
        }
        var keyring = Keyring()
        keyring.add(.direct(direct))
        guard let text = suffix.firstText(by: keyring) else { return .refused(.early) }
        if self.ask(direct, text, from: .sites) {
            self.conversations.privates.noteLetter(direct.id)
        }
        return .refused(.early)
    }

    private mutating func importRecord(_ record: Record) -> SiteVerdict {
        // It goes over links of the realm alone.
        guard record.kind != Record.Kind.address else { return .refused(.foreign) }
        let standing = self.record(record.key)
        if record == standing { return .known }
        if let standing, !record.supersedes(standing), !self.clocks.own.isAhead(standing.time) {
            return .known
        }
        guard record.isValid, record.isUsable else { return .refused(.forged) }
        guard !self.clocks.own.isAhead(record.time), self.takes(record) else {
            return .refused(.early)
        }
        var isCounted = self.isKnown(record.key.person)
        // No closure: that would take a copy of the node.
        for conversation in self.conversations.table.keys where !isCounted {
            isCounted = self.isCounted(record, in: conversation)
        }
        guard isCounted, self.isOfItsPerson(record) else { return .refused(.early) }
        if record.kind == Record.Kind.mark {
            guard self.isTimely(record) else { return .refused(.early) }
            self.markReceived(record)
        } else {
            self.take(record)
        }
        return .taken
    }
}
