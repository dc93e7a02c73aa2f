internal import Crypto
internal import Formats

/// The keys of a conversation of two people, or of notes, since a device of theirs was revoked.
struct DirectEpochs: Sendable {
    let people: Set<PersonID>
    /// What these have said of their devices.
    var words: RevocationWords
    /// Those on the disk.
    private(set) var held: [Bytes32: HeldEpoch] = [:]
    /// Those on their way there.
    private var pending: Set<Bytes32> = []
    /// Keys that logs announce and that are not here: of several announcements of one, at most one is right.
    private(set) var announced: [Bytes32: [AnnouncedEpoch]] = [:]
    /// What the next own entry is sealed with.
    private(set) var writing = KeyToWrite.root

    init(of people: Set<PersonID>, _ words: RevocationWords) {
        self.people = people
        self.words = words
    }

    /// Whether it says nothing that a conversation whose people never revoked anything does not.
    var isIdle: Bool {
        self.words.isEmpty && self.held.isEmpty && self.pending.isEmpty && self.announced.isEmpty
    }

    func has(_ name: Bytes32) -> Bool { self.held[name] != nil || self.pending.contains(name) }

    mutating func store(_ epoch: HeldEpoch) {
        self.pending.remove(epoch.epoch.id)
        self.held[epoch.epoch.id] = epoch
        self.announced[epoch.epoch.id] = nil
    }

    /// Notes that a log announces a key; false if it cannot be one, or there is no room for it.
    mutating func note(_ told: AnnouncedEpoch) -> Bool {
        let name = told.announcement.id
        guard self.people.contains(told.maker), !self.has(name),
            told.announcement.people == PersonID.digest(of: self.people),
            self.announced[name]?.contains(where: { $0.epoch == told.epoch }) != true,
            self.announced.values.joined().count(where: {
                self.shares($0.epoch, room: told.epoch.owner)
            })
                < Limits.announcedKeysOfPerson
        else { return false }
        self.announced[name, default: []].append(told)
        return true
    }

    /// Whether two keys take room of one share: what devices made that are revoked takes none from their person's others.
    private func shares(_ epoch: Epoch, room other: OwnedDevice) -> Bool {
        epoch.maker == other.person
            && self.words.isRevoked(epoch.owner) == self.words.isRevoked(other)
    }

    /// Takes a key of which a log tells, on its way to the disk; nil where none does, or its maker has made too many.
    mutating func take(_ key: EpochKey, in id: ConversationID) -> HeldEpoch? {
        guard !self.has(key.id),
            let told = self.announced[key.id]?.first(where: {
                $0.announcement.isOf(key.key, in: id, by: $0.device)
            })
        else { return nil }
        let made = self.held.values.filter { self.shares($0.epoch, room: told.epoch.owner) }
        guard made.count + self.pending.count < Limits.keysOfPerson,
            made.count(where: { !$0.isPlaced }) + self.pending.count < Limits.unplacedKeysOfPerson
        else { return nil }
        self.pending.insert(key.id)
        return HeldEpoch(group: id, epoch: told.epoch, key: key.key, isPlaced: told.isPlaced)
    }

    /// The run in which a device announces a key is on the disk.
    mutating func notePlaced(_ announcement: EpochAnnouncement, by device: PeerID) {
        let name = announcement.id
        guard
            let index = self.announced[name]?.firstIndex(where: {
                $0.epoch.isTold(by: announcement, of: device)
            })
        else { return }
        self.announced[name]?[index].isPlaced = true
    }

    /// Chooses what the next own entry is sealed with.
    mutating func choose(for own: OwnedDevice) {
        let usable = self.held.values.filter { $0.isPlaced && self.words.mayUse($0.epoch) }
        let best = usable.max {
            ($0.epoch.basis.count, $1.epoch.id) < ($1.epoch.basis.count, $0.epoch.id)
        }
        if let best {
            self.writing = .use(best)
        } else if self.words.basis.isEmpty || self.words.isRevoked(own) {
            // What a revoked device writes is shown to nobody, and it can keep nothing from itself.
            self.writing = .root
        } else {
            self.writing = .make(
                basis: self.words.basis, people: PersonID.digest(of: self.people))
        }
    }
}
