internal import Crypto
internal import Formats

/// Records: the own profile, and what peers tell of others.
///
/// `Docs/Protocol/Sync.md` section 9.
extension Node {
    /// Sets the own profile; one that nobody has asked for is written again where the disk refuses it.
    mutating func setProfile(_ profile: Profile, request: RequestID?) {
        var time = HybridTime(wallMilliseconds: self.clocks.own.now)
        // One from a clock that ran ahead is ignored by everybody: it is not to be outdone.
        if let next = self.record(self.ownProfile)?.time.next, !self.clocks.own.isAhead(next) {
            time = max(time, next)
        }
        let record = Record(
            kind: Record.Kind.profile, author: self.id, conversation: nil, time: time,
            value: profile.encoded, signer: self.own.signer)
        guard let request else { return self.disk.commits.records.add(record, isFirst: true) }
        self.disk.commits.choices.profile = record
        self.disk.commits.answers.append((request, .profile(profile)))
    }

    /// Signs the own profile anew where a clock that ran ahead has dated it: nobody takes it until then.
    mutating func renewProfile() {
        guard let record = self.record(self.ownProfile), self.clocks.own.isAhead(record.time),
            let profile = record.profile
        else { return }
        self.setProfile(profile, request: nil)
    }

    var ownProfile: RecordKey {
        RecordKey(author: self.id, conversation: nil, kind: Record.Kind.profile)
    }

    /// A record that is on disk: it stands, and linked peers who may know its author get it.
    mutating func settleRecord(_ record: Record) {
        let earlier = self.persons.profiles.profile(of: record.author)
        self.disk.commits.records.dropped.formUnion(self.persons.profiles.settle(record))
        self.persons.people.name(record)
        self.settleRevocation(record)
        if record.kind == Record.Kind.profile {
            self.notePicture(of: record.author)
            if record.profile != earlier {
                self.tellProfile(of: record.author, isFirst: earlier == nil)
            }
        }
        self.warnOfNamesake(record.author)
        var counting: [ConversationID] = []
        for id in self.conversations.table.keys where self.isCounted(record, in: id) {
            self.conversations.table[known: id].recordsChanged()
            counting.append(id)
        }
        let isMark = record.kind == Record.Kind.mark && record.author != self.id
        if isMark, let id = record.conversation { self.watchHoles(in: id) }
        let links = isMark ? self.passedOn(record) : self.links.ids
        let frame = Frame.records([record]).encoded
        let author = self.links.id(of: record.author)
        let isOwnProfile = record.key == self.ownProfile
        guard isOwnProfile || isMark || self.isPassedOn(record, frame) else { return }
        for link in links where link != author {
            if isOwnProfile {
                self.links[link].isProfileTold = false
                self.tellProfile(on: link)
            } else if let conversation = self.links.firstShared(of: counting, on: link) {
                self.passOn(record.key, frame, in: conversation, on: link)
            }
        }
    }

    /// Has subscribers told that somebody whom the user knows, or the user, calls themselves otherwise.
    private mutating func tellProfile(of author: PeerID, isFirst: Bool) {
        guard self.tier(of: author) >= .known else { return self.changed(.peers) }
        guard !isFirst || author != self.id else { return }
        self.disk.commits.add([Notice(.profiled(author), at: self.now.wall)])
    }

    /// Whether others are told of a record at once: of strangers' some are, however many come.
    private mutating func isPassedOn(_ record: Record, _ frame: EncodedFrame) -> Bool {
        self.isKnown(record.author)
            || self.persons.profiles.pace.take(frame.bytes.count, at: self.now.monotonic)
    }

    /// Passes a record on, at once or when there is credit: strangers can bring more of them at once than may
    /// wait on a link, and nobody is let go for what others have written.
    private mutating func passOn(
        _ key: RecordKey, _ frame: EncodedFrame, in conversation: ConversationID, on id: LinkID
    ) {
        if self.links[id].flow.takesNow(frame) {
            self.sendEncoded(frame, on: id)
        } else {
            self.oweRecords([key], of: conversation, on: id)
        }
    }

    /// Whether a peer may know of a record: it shares a conversation with its author.
    func mayTell(_ record: Record, on id: LinkID) -> Bool {
        record.key == self.ownProfile && self.conversations.maySeeOwnProfile(id, of: self.links)
            || self.links[id].shared.keys.contains { self.isCounted(record, in: $0) }
            || self.isWordOfTwo(record, on: id)
    }

    /// Warns where somebody's new name is that of somebody whom the user knows: of the trust in that one
    /// they have none.
    private mutating func warnOfNamesake(_ author: PeerID) {
        guard let known = self.namesake(of: author) else { return }
        let name = self.profile(of: known).name
        self.raiseAlert(
            .namesake, about: known,
            "somebody with another key, @\(author.shortText), uses the name of your contact \(name); "
                + "they are a different person unless \(name) tells you otherwise: stoa verify @\(author.shortText)",
            lasting: Limits.alertMilliseconds)
    }

    /// Whether the digest of a conversation counts a record, if it stands.
    ///
    /// One of a device that has not written there counts where another of the person has, if that is known.
    func isCounted(_ record: Record, in conversation: ConversationID) -> Bool {
        guard record.kind != Record.Kind.address,
            (record.conversation ?? conversation) == conversation
        else { return false }
        let known = self.conversations.table[known: conversation]
        guard known.count(of: record.author) == 0 else { return true }
        guard let person = record.key.person, self.isKnown(record.key.person) else { return false }
        return person == self.own.certificate.personID
            ? known.count(of: self.id) > 0
            : self.persons.people.devices(of: person).contains { known.count(of: $0) > 0 }
    }

    mutating func receiveRecords(_ records: [Record], on id: LinkID) {
        for record in records {
            let standing = self.record(record.key)
            // What stands here was verified when it came.
            guard record != standing, record.kind != Record.Kind.address,
                self.isTimely(record, on: id)
            else { continue }
            guard self.persons.profiles.checked.contains(record) || record.isValid else {
                return self.violation(id, "forged record of \(record.author.shortText)")
            }
            guard record.isUsable, self.takes(record), !self.clocks.own.isAhead(record.time)
            else { continue }
            // Of who writes nowhere no more is kept than they are called.
            let isPeers =
                record.kind == Record.Kind.profile && record.author == self.links[id].info.peer
            let shared = self.links[id].shared.keys
            // The word of the user, and of whoever is known, of a device counts also where that writes nowhere.
            var isCounted = isPeers || self.isKnown(record.key.person)
            // No closure: that would take a copy of the node.
            for conversation in shared where !isCounted {
                isCounted = self.isCounted(record, in: conversation)
            }
            if isCounted && self.isOfItsPerson(record) {
                if record.kind == Record.Kind.mark {
                    self.markReceived(record)
                } else {
                    self.take(record)
                }
            } else if record.conversation.map({ shared.contains($0) }) ?? !shared.isEmpty {
                self.keepEarly(record, on: id)
            }
        }
    }

    /// Whether a record may take the place of what is here, and there is room for it.
    func takes(_ record: Record) -> Bool {
        self.hasRoom(for: record)
            && Profiles.takesPlace(record, of: self.record(record.key), self.clocks.own)
            && (record.key.person != nil
                || !self.isRevoked(
                    record.author, in: self.person(of: record.author), at: record.time))
    }

    /// Whether a record is heeded.
    ///
    /// A revocation is heeded only from the user, from known people, and from whomever the device has shown to belong to.
    /// Anybody can certify any device with their own keys, so others prove nothing.
    ///
    /// Each person speaks for themselves alone, so what another one says of the same device changes nothing.
    func isOfItsPerson(_ record: Record) -> Bool {
        guard let person = record.key.person else { return true }
        if self.isKnown(record.key.person) {
            return person == self.own.certificate.personID || self.record(record.key) != nil
                || self.persons.people.revocationCount(by: person) < Limits.revocationsPerPerson
        }
        let isInLog = self.conversations.table.keys.contains {
            self.conversations.table[known: $0].shows(record.author, as: person)
        }
        // To show somebody else on a link costs nothing, so few people are heeded for that alone.
        let others = self.persons.people.revocations[record.author]?.count ?? 0
        return isInLog
            || self.person(of: record.author) == person
                && (self.record(record.key) != nil || others < Limits.revocationsPerDevice)
    }

    /// Whether there is room for a record beside those of its author, and where the user does not know them,
    /// beside those of all such authors.
    ///
    /// What is left out comes again with a later digest.
    private func hasRoom(for record: Record) -> Bool {
        // No flood is to wash a revocation away; there are no more of them than logs, but for people who are known.
        guard record.key.person == nil else { return true }
        let author = record.author
        guard self.persons.profiles.hasRoom(for: record.key) else { return false }
        if self.disk.commits.records.byteCount + self.receipts.marks.arrivedBytes
            >= Limits.waitingRecordBytes,
            self.tier(of: author) < .known, self.links.id(of: author) == nil
        {
            return false
        }
        let waiting = self.disk.commits.records.byteCount(of: author)
        return !self.persons.profiles.refuses(record, waiting: waiting, at: self.now.monotonic) {
            self.claim(of: author, self.tier(of: author))
        }
    }

    /// Drops records where those whom the user does not know have too much of them together.
    mutating func thinRecords() {
        guard self.persons.profiles.isThinningDue() else { return }
        let claims = self.tiers(of: self.persons.profiles.allAuthors).map { self.claim(of: $0, $1) }
        let gone = self.persons.profiles.giveWay(claims, at: self.now.monotonic)
        guard !gone.isEmpty else { return }
        self.disk.commits.records.dropped.formUnion(gone)
        for key in gone where key.kind == Record.Kind.profile {
            self.forgetPicture(of: key.author)
            self.persons.people.namesakes.name(key.author, "")
        }
        let authors = Set(gone.map(\.author))
        for id in self.conversations.table.keys
        where self.conversations.table[known: id].authors.contains(where: authors.contains) {
            self.conversations.table[known: id].recordsChanged()
        }
    }

    /// Keeps a record until its author's first entry comes.
    private mutating func keepEarly(_ record: Record, on id: LinkID) {
        self.persons.profiles.checked.insert(record)
        self.links[id].earlyRecords.keep(record)
        self.noteEarly(on: id)
        while let holder = self.persons.profiles.excessiveHolder {
            self.links[holder].earlyRecords = EarlyRecords()
            self.noteEarly(on: holder)
        }
    }

    private mutating func noteEarly(on id: LinkID) {
        let bytes = self.links[id].earlyRecords.byteCount
        guard bytes > 0 else { return self.persons.profiles.dropEarly(of: id) }
        let isKnown = self.tier(of: self.links[id].info.peer) >= .known
        self.persons.profiles.noteEarly(bytes, on: id, isKnown: isKnown)
    }

    /// The record that will stand once all is on disk.
    func record(_ key: RecordKey) -> Record? {
        self.receipts.marks.arrived(key) ?? self.disk.commits.record(key)
            ?? self.persons.profiles.record(key)
    }

    /// Takes on the records that a peer sent before the first entry of their author.
    ///
    /// Records answer a clock at once, entries only the wants that follow it.
    mutating func takeEarlyRecord(of author: PeerID) {
        for id in self.persons.profiles.holders {
            let records = self.links[id].earlyRecords.take(of: author)
            if !records.isEmpty { self.noteEarly(on: id) }
            for record in records where self.takes(record) && self.isOfItsPerson(record) {
                self.take(record)
            }
        }
    }

    mutating func take(_ record: Record) {
        self.disk.commits.records.add(record)
        guard record.revocation?.stands == false, let person = record.key.person else { return }
        self.groups.noteRevoked(record.author, of: person)
    }

    /// Tells which records are here of the authors of a conversation.
    mutating func sendRecordClock(of conversation: ConversationID, on id: LinkID) {
        let tags = self.links[id].tags
        let rows = self.countedRecords(of: conversation).map { tags.row($0) }
        self.send(
            .recordClock(
                conversation, Array(rows.sorted { $0.name < $1.name }.prefix(Limits.recordRows))),
            on: id)
    }

    /// The records that a conversation's digest counts.
    func countedRecords(of conversation: ConversationID) -> [Record] {
        let known = self.conversations.table[known: conversation]
        return known.authors.flatMap {
            known.counted(self.persons.profiles.records(of: $0, in: conversation))
        }.filter { !self.clocks.own.isAhead($0.time) }
    }

    mutating func receiveRecordClock(
        _ rows: [RecordRow], of conversation: ConversationID, on id: LinkID
    ) {
        let isAnswered = self.links[id].shared[known: conversation].digests
            .recordClocks.take(at: self.now.monotonic)
        guard isAnswered else { return }
        let tags = self.links[id].tags
        let theirs = Dictionary(uniqueKeysWithValues: rows.map { ($0.name, $0) })
        let lacking = self.countedRecords(of: conversation).filter { record in
            let own = tags.row(record)
            guard let row = theirs[own.name] else { return true }
            // Of one time there may be two, of which both sides are to have the same one.
            return row.time == own.time
                ? row.recordTag != own.recordTag : row.time < own.time
        }
        self.links[id].shared[known: conversation].digests.noteLacking(lacking.count)
        self.oweRecords(self.chosen(of: lacking.map(\.key)), of: conversation, on: id)
    }

    /// Puts those of records first that are to be remembered where a peer lacks more than that: of strangers
    /// profiles, since names are what people miss most, but half of them at most.
    ///
    /// Which of each is left to chance: what a clock had no room to tell is not lacking, and what the peer has
    /// left out will be left out again, so the same must not always stand before what it would take.
    private mutating func chosen(of keys: [RecordKey]) -> [RecordKey] {
        guard keys.count > Limits.owedRecords else { return keys }
        let known = keys.filter { self.isKnown($0.author) }
        let others = keys.filter { !self.isKnown($0.author) }
        let profiles = self.turned(others.filter { $0.kind == Record.Kind.profile })
        let rest = self.turned(others.filter { $0.kind != Record.Kind.profile })
        let half = Limits.owedRecords / 2
        return self.turned(known) + profiles.prefix(half) + rest + profiles.dropFirst(half)
    }

    /// Records in their order, from any of them on.
    private mutating func turned(_ keys: [RecordKey]) -> [RecordKey] {
        guard !keys.isEmpty else { return [] }
        let start = Int.random(in: keys.indices, using: &self.random)
        return Array(keys[start...] + keys[..<start])
    }
}
