internal import Crypto
internal import Formats

/// Keys of two people, and of notes, once a device of theirs was revoked: what ``DirectKeys`` decides is taken to links
/// and to the disk.
extension Node {
    /// Whose a conversation of two is; nil where it is another one.
    private func directPeople(of id: ConversationID) -> Set<PersonID>? {
        self.conversations.table[id]?.kind.direct.map {
            [self.own.certificate.personID, $0.person.id]
        }
    }

    mutating func restoreDirectKeys(_ snapshot: Snapshot) {
        for id in Set(snapshot.epochs.keys).union(snapshot.announced.keys) {
            guard let people = self.directPeople(of: id) else { continue }
            self.conversations.directKeys.restore(
                snapshot.epochs[id] ?? [], snapshot.announced[id] ?? [], of: id, for: people)
        }
    }

    /// Chooses with which key own entries of two people are sealed from here on, by what they say of their devices.
    mutating func chooseDirectKey(of id: ConversationID) {
        guard let people = self.directPeople(of: id) else { return }
        var words: [PersonID: [PeerID: RevocationWord]] = [:]
        for person in people { words[person] = self.persons.people.words[person] }
        self.conversations.directKeys.choose(
            in: id, of: people, words,
            for: OwnedDevice(person: self.own.certificate.personID, device: self.id))
    }

    // MARK: What is here

    /// Whether any conversation has keys that come and go.
    var hasEpochs: Bool { !self.groups.table.isEmpty || self.conversations.directKeys.isUsed }

    /// A key on the disk, of a group or of two people.
    func heldEpoch(_ name: Bytes32, of id: ConversationID) -> HeldEpoch? {
        self.groups.table[id]?.epochs[name] ?? self.conversations.directKeys.table[id]?.held[name]
    }

    /// Whether a key that is here was made by a device other than the one that announces it.
    func isOfAnother(_ name: Bytes32, than device: PeerID, in id: ConversationID) -> Bool {
        self.groups.isOfAnother(name, than: device, in: id)
            || self.conversations.directKeys.isOfAnother(name, than: device, in: id)
    }

    /// Whether what a site has brought of two people is sealed with the key that both make: those that come after it are
    /// given on links alone.
    func isOfRoot(_ run: Run) -> Bool {
        guard let kind = self.conversations.table[run.key.conversation]?.kind,
            kind.direct != nil, let root = kind.key?.id
        else { return true }
        return run.entries.allSatisfy { $0.epoch == root }
    }

    // MARK: Taking

    /// Takes in that a log announces a key.
    mutating func announced(
        _ announcement: EpochAnnouncement, in key: LogKey, of person: PersonID
    ) {
        let id = key.conversation
        guard let people = self.directPeople(of: id) else {
            return self.perform(
                self.groups.announced(announcement, in: key.name, of: person, in: id))
        }
        let device = OwnedDevice(person: person, device: key.name.author)
        let held = self.conversations.directKeys.announced(
            announcement, by: device, in: id, of: people)
        self.take(held.map { [$0] } ?? [], of: id)
    }

    /// Tells of words about devices to whoever shares a conversation of two with the person, whether or not anybody has
    /// written there.
    private mutating func tellWords(_ records: [Record], on link: LinkID) {
        for start in stride(from: 0, to: records.count, by: Limits.recordsPerFrame) {
            let end = min(start + Limits.recordsPerFrame, records.count)
            self.send(.records(Array(records[start..<end])), on: link)
        }
    }

    /// A conversation of two is shared from here on.
    mutating func beginDirect(_ id: ConversationID, on link: LinkID) {
        guard let people = self.directPeople(of: id) else { return }
        for person in people.sorted() where self.persons.people.words[person] != nil {
            self.tellWords(self.persons.profiles.revocations(by: person), on: link)
        }
        self.giveDirectKeys(of: id, on: link)
    }

    /// Whether a record is a word about a device by somebody with whom a conversation of two is shared on a link.
    func isWordOfTwo(_ record: Record, on link: LinkID) -> Bool {
        guard let person = record.key.person else { return false }
        return self.links[link].shared.keys.contains {
            self.directPeople(of: $0)?.contains(person) ?? false
        }
    }

    mutating func receiveDirectKeys(_ keys: [EpochKey], of id: ConversationID, on link: LinkID) {
        guard let kind = self.conversations.table[id]?.kind, self.concerns(kind, link),
            !self.isRevoked(link)
        else { return }
        let taken = self.conversations.directKeys.receive(keys, of: id, on: link)
        self.take(taken, of: id)
        guard !taken.isEmpty, self.conversations.table[known: id].isRequest else { return }
        // What they open was passed over.
        self.shareAnew(id)
        self.announce(id)
    }

    /// Keys have come of which logs tell: they open entries once they are on the disk, and in what somebody writes who
    /// waits to be let in at once.
    private mutating func take(_ keys: [HeldEpoch], of id: ConversationID) {
        guard !keys.isEmpty else { return }
        guard self.conversations.table[known: id].isRequest, !self.isJoinedOrWillBe(id) else {
            self.disk.commits.groups.epochs += keys
            return
        }
        let kind = self.conversations.table[known: id].kind
        for held in keys {
            if let key = ConversationKey(held, in: kind) { self.keyring.add(key) }
        }
        self.conversations.directKeys.takeAnew(id)
        self.chooseKey(of: id)
    }

    /// Takes note of keys of which somebody's log tells who waits to be let in.
    mutating func readRequestKeys(in run: VerifiedRun, by direct: DirectConversation) {
        for index in run.ids.indices where run.run.entries[index].epoch == .zero {
            guard
                case .epoch(let announcement)? =
                    self.keyring.read(run.envelope(at: index)).content,
                self.keyring.key(announcement.id, of: direct.id) == nil
            else { continue }
            self.announced(announcement, in: run.run.key, of: direct.person.id)
        }
    }

    /// A conversation begins: what opened somebody's request is given anew, and then goes to the disk.
    mutating func addKeys(of kind: ConversationKind) {
        guard kind.direct != nil else { return self.keyring.add(kind) }
        let held = self.conversations.directKeys.table[kind.id]?.held ?? [:]
        if held.isEmpty { self.keyring.remove(kind.id) }
        self.keyring.add(kind)
        self.chooseKey(of: kind.id)
    }

    // MARK: Giving

    /// Whether keys of a conversation of two may be told on a link: to a device of theirs that is not revoked.
    func mayTellDirectKeys(of id: ConversationID, on link: LinkID) -> Bool {
        self.links.has(link) && self.links.isShared(id, on: link) && !self.isRevoked(link)
    }

    /// Whether the peer's device has been revoked: the link ends once the revocation is on the disk.
    private func isRevoked(_ link: LinkID) -> Bool {
        let info = self.links[link].info
        return self.isRevoked(info.peer, as: info.certificate.personID)
    }

    mutating func giveDirectKeys(of id: ConversationID, on link: LinkID) {
        guard self.conversations.directKeys.isUsed, self.mayTellDirectKeys(of: id, on: link),
            self.links[link].info.features.contains(.groups)
        else { return }
        let info = self.links[link].info
        let device = OwnedDevice(person: info.certificate.personID, device: info.peer)
        for frame in self.conversations.directKeys.give(of: id, on: link, to: device) {
            self.send(frame, on: link)
        }
    }

    // MARK: What has changed

    /// Keys are on the disk: they open entries, and are used and given on.
    mutating func settleDirectKeys(_ epochs: [HeldEpoch]) {
        guard !epochs.isEmpty else { return }
        let changed = self.conversations.directKeys.stored(
            epochs.filter { self.groups.table[$0.group] == nil })
        for (id, keys) in changed.sorted(by: { $0.key < $1.key }) {
            guard let kind = self.conversations.table[id]?.kind else { continue }
            for held in keys {
                if let key = ConversationKey(held, in: kind) { self.keyring.add(key) }
            }
            self.releaseLogs(of: id)
            for link in self.links.sharing(id) { self.giveDirectKeys(of: id, on: link) }
        }
    }

    /// Somebody's word about a device is on the disk: other keys may be due in what is theirs, or may be given.
    mutating func settleDirectKeys(after record: Record, of person: PersonID) {
        let directs = self.conversations.privates.allDirects.filter {
            $0.isOf(person, own: self.own.certificate.personID)
        }.map(\.id).sorted()
        for id in directs where self.conversations.table.has(id) {
            self.chooseKey(of: id)
            for link in self.links.sharing(id) {
                self.tellWords([record], on: link)
                self.giveDirectKeys(of: id, on: link)
            }
        }
    }
}
