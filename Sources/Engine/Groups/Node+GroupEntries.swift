internal import Crypto
internal import Formats

/// Entries of groups, and of two people one of whom has revoked a device: with which key own ones are written, and which
/// of others are taken.
///
/// Of such a log a node takes what its keys open, or never will, and its roster allows. It does not ask for the rest
/// until that changes, so that nothing that is on disk has to be opened later. `Docs/Protocol/Groups.md` section 6.
extension Node {
    // MARK: What acts say

    func keyToWrite(in group: ConversationID) -> KeyToWrite {
        guard self.conversations.table[group]?.kind.direct == nil else {
            return self.conversations.directKeys.keyToWrite(in: group)
        }
        return self.groups.table[group]?.writing ?? .none(.waitsForActs)
    }

    /// Whether entry number `seq` of a log is taken, by who wrote it.
    func shows(
        _ seq: UInt64, of log: LogName, by person: PersonID?, in group: ConversationID
    ) -> Bool {
        self.conversations.table[group]?.kind.direct != nil
            || self.groups.shows(seq, of: log, by: person, in: group)
    }

    /// The members.
    func people(of group: ConversationID) -> Set<PersonID> {
        Set(self.groups.table[group]?.view.roster.members.keys ?? [:].keys)
    }

    // MARK: Writing

    /// What own entries are sealed with, and the entry that announces it where it is new.
    ///
    /// A new one goes to the disk with what is sealed with it.
    mutating func ownKey(
        in id: ConversationID, _ flight: inout InFlight
    ) throws(RequestError) -> (key: ConversationKey?, announcement: Draft?) {
        let kind = self.conversations.table[known: id].kind
        guard kind.epochSuite != nil else { return (self.keyring.current(in: id), nil) }
        switch self.keyToWrite(in: id) {
        case .root: return (kind.key, nil)
        case .none(let obstacle): throw .group(obstacle)
        case .use(let held):
            guard let key = ConversationKey(held, in: kind) else { throw .cannotSeal }
            self.keyring.use(key)
            return (key, nil)
        case .make(let basis, let people):
            if let made = flight.madeKeys.last(where: { $0.group == id }),
                let key = ConversationKey(made, in: kind)
            {
                return (key, nil)
            }
            let bytes = self.random.bytes32()
            let announcement = EpochAnnouncement(
                of: bytes, in: id, by: self.id, basis: basis, people: people)
            let epoch = Epoch(
                id: announcement.id, maker: self.own.certificate.personID, device: self.id,
                basis: announcement.basis, people: people)
            let held = HeldEpoch(group: id, epoch: epoch, key: bytes, isPlaced: true)
            guard let key = ConversationKey(held, in: kind) else { throw .cannotSeal }
            flight.batch.groups.epochs.append(held)
            flight.madeKeys.append(held)
            return (
                key,
                Draft(
                    conversation: id, content: .epoch(announcement), request: nil, outgoing: nil)
            )
        }
    }

    /// Has the next key of a group made, though nothing is written with it yet; nothing where none is due.
    mutating func askForKey(of id: ConversationID) {
        guard self.disk.commits.drafts.isEmpty,
            case .make(let basis, let people) = self.keyToWrite(in: id)
        else { return }
        let due = EpochAnnouncement(of: .zero, in: id, by: self.id, basis: basis, people: people)
        self.disk.commits.add(
            Draft(conversation: id, content: .epoch(due), request: nil, outgoing: nil))
    }

    /// Keys that a batch has brought to the disk are used from here on, before anybody gets what they seal.
    mutating func settleMadeKeys(_ made: [HeldEpoch]) {
        for held in made {
            guard let kind = self.conversations.table[held.group]?.kind,
                let key = ConversationKey(held, in: kind)
            else { continue }
            self.keyring.use(key)
        }
    }

    /// Opens entries with keys of others, which are on the disk, or go there before or with whatever they open.
    mutating func open(with keys: [HeldEpoch]) {
        for held in keys {
            guard let group = self.groups.table[held.group]?.group,
                let key = ConversationKey(held, of: group)
            else { continue }
            self.keyring.add(key)
        }
    }

    /// Why nothing can be written in a conversation by the keys that are here; nil where something can.
    func sealingObstacle(in id: ConversationID) -> RequestError? {
        switch self.conversations.table[known: id].kind {
        case .room: return nil
        case .direct: return nil
        case .secret: return self.keyring.current(in: id) == nil ? .cannotSeal : nil
        case .group(let group):
            guard group.suite.isAvailable else { return .cannotSeal }
            guard case .none(let obstacle) = self.keyToWrite(in: id) else { return nil }
            return .group(obstacle)
        }
    }

    // MARK: Taking

    /// Takes note of keys that a verified run of a group's log announces, and holds the log back where not all of the
    /// run is taken; false then.
    ///
    /// - Parameter id: nil for what other sites bring.
    mutating func takesGroupRun(
        _ run: VerifiedRun, by person: PersonID?, on id: LinkID?
    ) -> Bool {
        let key = run.run.key
        guard self.conversations.table[known: key.conversation].group != nil else { return true }
        var waiting: WaitingLog?
        // Also of what is not taken: a key counts only with what its maker says of it.
        let announced = self.readAnnouncements(in: run, by: person)
        for index in run.ids.indices where waiting == nil {
            let seq = run.run.first + UInt64(index)
            let epoch = announced[index] ?? run.run.entries[index].epoch
            if !self.shows(seq, of: key.name, by: person, in: key.conversation) {
                waiting = WaitingLog(seq: seq, reason: .standing)
            } else if !self.isSettled(epoch, in: key.conversation)
                || announced[index] != nil
                    && self.isOfAnother(epoch, than: key.name.author, in: key.conversation)
            {
                waiting = WaitingLog(seq: seq, reason: .key(epoch))
            }
        }
        guard let waiting else { return true }
        self.holdBack(key, waiting, told: run.run.last, on: id)
        return false
    }

    /// Has the disk take a key for placed in the batch that brings its announcement, so that it is never without.
    mutating func placeKeys(in flight: inout InFlight) {
        guard self.hasEpochs else { return }
        for append in flight.batch.appends[flight.ownAppends...] {
            let (group, author) = (append.run.run.key.conversation, append.run.run.key.name.author)
            for announcement in self.announcements(in: append) {
                let coming = flight.batch.groups.epochs.last {
                    $0.epoch.id == announcement.id && $0.group == group
                }
                // What its maker says otherwise of it is of no use to others.
                guard var held = coming ?? self.heldEpoch(announcement.id, of: group),
                    !held.isPlaced, held.epoch.isTold(by: announcement, of: author)
                else { continue }
                held.isPlaced = true
                flight.batch.groups.epochs.append(held)
                flight.placedKeys.append(held)
            }
        }
    }

    /// Takes note that the announcements of a batch are on the disk, also for keys that came meanwhile.
    mutating func settlePlacedKeys(_ flight: InFlight) {
        guard self.hasEpochs else { return }
        for append in flight.batch.appends[flight.ownAppends...] {
            let (group, author) = (append.run.run.key.conversation, append.run.run.key.name.author)
            for announcement in self.announcements(in: append) {
                self.groups.table[group]?.notePlaced(announcement, by: author)
                self.conversations.directKeys.notePlaced(announcement, of: group, by: author)
                self.disk.commits.placeKey(announcement, of: group, by: author)
            }
        }
    }

    /// The keys that a run announces; none where the conversation has none that come and go.
    private func announcements(in append: Append) -> [EpochAnnouncement] {
        let id = append.run.run.key.conversation
        guard self.groups.table[id] != nil || self.conversations.directKeys.table[id] != nil else {
            return []
        }
        return append.run.ids.indices.compactMap { index in
            guard append.run.run.entries[index].epoch == .zero,
                case .epoch(let announcement)? = self.content(of: append, at: index)
            else { return nil }
            return announcement
        }
    }

    /// A run that a site has brought lies behind what is taken of its log, or its log is not taken: it is read for
    /// announcements where its author was ever brought in.
    mutating func readAtSite(_ run: VerifiedRun, by person: PersonID?) {
        let key = run.run.key
        let known = self.conversations.table[known: key.conversation]
        let author = person ?? known.log(key.name).person ?? known.group?.authors[key.name]
        _ = self.readAnnouncements(in: run, by: author)
    }

    /// Whether the key for want of which a log is held back is on its way to the disk.
    func isKeyComing(for key: LogKey) -> Bool {
        let logs = self.conversations.table[known: key.conversation].group
        guard case .key(let name)? = logs?.waiting[key.name]?.reason else { return false }
        return self.groups.table[key.conversation]?.pendingEpochs[name] != nil
    }

    /// Takes note of the keys that a run announces; gives which, by the places of their entries.
    private mutating func readAnnouncements(
        in run: VerifiedRun, by person: PersonID?
    ) -> [Int: Bytes32] {
        let key = run.run.key
        var found: [Int: Bytes32] = [:]
        for index in run.ids.indices where run.run.entries[index].epoch == .zero {
            guard
                case .epoch(let announcement)? =
                    self.keyring.read(run.envelope(at: index)).content
            else { continue }
            found[index] = announcement.id
            guard let person else { continue }
            self.announced(announcement, in: key, of: person)
        }
        return found
    }

    /// A run has come that lies behind what is taken of its log: of somebody who is out it is read for announcements.
    mutating func readOnly(_ run: Run, on id: LinkID) {
        let key = run.key
        let known = self.conversations.table[known: key.conversation]
        let person = known.log(key.name).person ?? known.group?.authors[key.name]
        if known.group?.reads(key.name) == true, run.first <= known.end(of: key.name) + 1 {
            guard let verified = run.verified() else {
                return self.violation(id, "forged run of \(key.name.author.shortText)")
            }
            _ = self.readAnnouncements(in: verified, by: person)
            self.conversations.table[known: key.conversation].group?
                .noteRead(key.name, through: run.last)
        }
        self.noteHeldBack(key, told: run.last, on: id)
    }

    /// The log of somebody who is out is refused from its beginning: what that announces is read, and what follows may be.
    mutating func readRefused(_ run: VerifiedRun, by person: PersonID, on id: LinkID) {
        let key = run.run.key
        let known = self.conversations.table[known: key.conversation]
        guard known.kind.group != nil, known.log(key.name).isRefused else { return }
        _ = self.readAnnouncements(in: run, by: person)
        self.conversations.table[known: key.conversation].group?.hold(key.name, of: person)
        self.conversations.table[known: key.conversation].group?
            .noteRead(key.name, through: run.run.last)
        self.noteHeldBack(key, told: run.run.last, on: id)
        self.planFetches(in: key.conversation, for: id)
    }

    /// Looks whether a key is here of which no log has told, or none right; then its announcement is looked for in logs of
    /// those who are out, or that wait for it.
    mutating func lookForAnnouncements(in id: ConversationID) {
        guard self.conversations.table.has(id), let logs = self.conversations.table[known: id].group
        else { return }
        let lacks = self.groups.lacksAnnouncement(of: logs.keysAwaited, in: id)
        let mistold = self.groups.mistold(logs.keysAwaited, in: id)
        guard logs.readsOn != lacks || logs.mistold != mistold else { return }
        let names = self.conversations.table[known: id].group?.readOn(mistold, all: lacks) ?? []
        for name in names { self.seekAgain(LogKey(conversation: id, name: name)) }
    }

    /// Whether it is known if entries under a key can be read here: it has come, or never will.
    func isSettled(_ epoch: Bytes32, in group: ConversationID) -> Bool {
        epoch == .zero || self.keyring.key(epoch, of: group) != nil
            || self.groups.isForOthers(epoch, in: group)
    }

    private mutating func holdBack(
        _ key: LogKey, _ waiting: WaitingLog, told last: UInt64, on id: LinkID?
    ) {
        let conversation = key.conversation
        let isNews =
            self.conversations.table[known: conversation].group?.hold(key.name, waiting) ?? false
        self.conversations.table[known: conversation].group?.noteRead(key.name, through: last)
        if let id { self.noteHeldBack(key, told: last, on: id) }
        if isNews { self.lookForAnnouncements(in: conversation) }
        guard let id else { return }
        self.endFetch(key)
        // An author ends a run before a new key, so what is before it can be had alone; but not from whom only a longer
        // run has come.
        let tail = self.conversations.table[known: conversation].log(key.name).tail.seq
        if isNews, tail + 1 < waiting.seq { self.seek(key, on: id, from: self.now.monotonic) }
        self.planFetches(in: conversation, for: id)
    }

    /// A peer has more of a log that is held back: it is asked for that later.
    mutating func noteHeldBack(_ key: LogKey, told last: UInt64, on id: LinkID) {
        let number = self.conversations.table[known: key.conversation].numbers.number(of: key.name)
        self.links[id].shared[known: key.conversation].noteMore(number, seq: last)
        let known = self.conversations.table[known: key.conversation]
        let told = self.links[id].shared[known: key.conversation].seq(of: key.name, known.numbers)
        if known.group?.reads(key.name) == true, told > known.end(of: key.name) {
            return self.seek(key, on: id, from: self.now.monotonic)
        }
        self.links[id].shared[known: key.conversation].giveUp(number)
    }

    // MARK: What has changed

    /// Looks again at a group: a key has come, an announcement was read, or the roster is another one.
    ///
    /// What was held back and is not any longer is asked for.
    mutating func releaseLogs(of id: ConversationID) {
        guard self.conversations.table.has(id), self.conversations.table[known: id].group != nil
        else { return }
        self.chooseKey(of: id)
        self.conversations.table[known: id].group?.note(
            brought: self.groups.table[id]?.view.roster.brought ?? [])
        self.lookForAnnouncements(in: id)
        let wasOther = self.takePeople(of: id)
        let waiting = self.conversations.table[known: id].group?.waiting ?? [:]
        for (name, log) in waiting.sorted(by: { $0.key < $1.key }) {
            let known = self.conversations.table[known: id]
            let person = known.log(name).person ?? known.group?.authors[name]
            let isOver =
                switch log.reason {
                case .key(let epoch): self.isSettled(epoch, in: id)
                case .standing: self.shows(log.seq, of: name, by: person, in: id)
                }
            guard isOver else { continue }
            if case .key = log.reason { self.takeMark(of: name.author, in: id) }
            self.conversations.table[known: id].group?.release(name)
            self.seekAgain(LogKey(conversation: id, name: name))
        }
        guard wasOther else { return }
        // Whose they are is not known before they come.
        let names = self.conversations.table[known: id].readmit { _ in true }
        for name in names { self.seekAgain(LogKey(conversation: id, name: name)) }
    }

    /// Has what is not an entry sealed with the key that may be used now, if there is one.
    mutating func chooseKey(of id: ConversationID) {
        let kind = self.conversations.table[known: id].kind
        if kind.direct != nil { self.chooseDirectKey(of: id) }
        let earlier = self.keyring.current(in: id)?.id
        let chosen: ConversationKey?
        switch self.keyToWrite(in: id) {
        case .root where earlier != nil && !self.conversations.directKeys.isUsed: return
        case .root: chosen = kind.key
        case .use(let held): chosen = ConversationKey(held, in: kind)
        case .make, .none: chosen = nil
        }
        guard let key = chosen else { return self.keyring.stopUsing(in: id) }
        self.keyring.use(key)
        guard earlier != key.id else { return }
        // What was to be told could not be while there was none, or was told under one that newer members lack.
        self.receipts.marks.noteRead([:], in: id, at: self.now.monotonic)
        self.armMarks()
    }

    /// Takes over who the members are; false where they are the same.
    private mutating func takePeople(of id: ConversationID) -> Bool {
        guard self.groups.table[id] != nil else { return false }
        let people = self.people(of: id)
        let earlier = self.conversations.table[known: id].group?.people ?? []
        guard people != earlier else { return false }
        self.conversations.table[known: id].group?.people = people
        self.noteDevices(in: id)
        self.changed(.members(id))
        for key in self.receipts.waits.keys(where: { $0 == id }) { self.checkDeliveries(of: key) }
        return true
    }

    /// Looks which devices the members of a group have, as far as that is known here.
    mutating func noteDevices(in id: ConversationID) {
        guard self.conversations.table[known: id].kind.group != nil,
            let people = self.conversations.table[known: id].group?.people
        else { return }
        var devices: Set<PeerID> = []
        for (name, log) in self.conversations.table[known: id].logs {
            if let person = log.person, people.contains(person) { devices.insert(name.author) }
        }
        for person in people { devices.formUnion(self.persons.people.devices(of: person)) }
        for link in self.links.all where people.contains(link.info.certificate.personID) {
            devices.insert(link.info.peer)
        }
        if people.contains(self.own.certificate.personID) { devices.insert(self.id) }
        self.conversations.table[known: id].group?.devices = devices.sorted()
    }
}

extension ConversationKey {
    init?(_ held: HeldEpoch, of group: Group) { self.init(held, in: .group(group)) }

    /// Takes over a key that came after others; nil where it is for others, or this machine cannot seal with it.
    init?(_ held: HeldEpoch, in kind: ConversationKind) {
        guard let bytes = held.key, let suite = kind.epochSuite,
            let made = try? ConversationKey(
                EpochKey(id: held.epoch.id, key: bytes), suite: suite, of: kind.id)
        else { return nil }
        self = made
    }
}
