import Engine
import Formats

/// What a disk keeps of groups, by the contract of ``GroupWrites``.
struct ModelGroups {
    /// In the order in which they came: each behind its basis.
    private(set) var acts: [ConversationID: [Act]] = [:]
    private(set) var known: [ConversationID: Set<ActID>] = [:]
    private(set) var epochs: [ConversationID: [HeldEpoch]] = [:]
    private(set) var requests: [ConversationID: GroupRequest] = [:]

    mutating func write(_ writes: GroupWrites) throws {
        for group in writes.forgotten {
            (self.acts[group], self.known[group], self.epochs[group]) = (nil, nil, nil)
        }
        for (group, gone) in writes.goneActs {
            self.acts[group]?.removeAll { gone.contains($0.id) }
            self.known[group]?.subtract(gone)
        }
        for act in writes.acts { try self.keep(act) }
        for held in writes.epochs {
            self.epochs[held.group]?.removeAll { $0.epoch.id == held.epoch.id }
            self.epochs[held.group, default: []].append(held)
        }
        for group in writes.endedRequests { self.requests[group] = nil }
        for request in writes.requests { self.requests[request.group] = request }
    }

    /// Keeps an act; one that is there already stays as it is.
    mutating func keep(_ act: Act) throws {
        guard self.known[act.group]?.contains(act.id) != true else { return }
        guard self.known[act.group, default: []].isSuperset(of: act.statement.basis) else {
            throw Violation("a node stores an act of a group before one that it follows")
        }
        self.acts[act.group, default: []].append(act)
        self.known[act.group, default: []].insert(act.id)
    }

    func fill(_ snapshot: inout Snapshot) {
        snapshot.acts = self.acts
        snapshot.epochs = self.epochs
        snapshot.groupRequests = self.requests.values.sorted { $0.group < $1.group }
    }
}

extension Snapshot {
    /// Notes what a log announces of a missing key.
    mutating func noteAnnouncement(_ entry: StoredEntry, _ person: PersonID?) {
        guard let person,
            case .epoch(let announcement)? = Keyring().read(entry.envelope).content
        else { return }
        let (id, device) = (entry.key.conversation, entry.key.name.author)
        let held = self.epochs[id]?.first { $0.epoch.id == announcement.id }
        guard held?.key == nil, held?.epoch.isTold(by: announcement, of: device) != true else {
            return
        }
        self.announced[id, default: []].append(
            AnnouncedEpoch(announcement, by: person, on: device, isPlaced: true))
    }
}

extension Machine {
    /// All keys that its user has: those of groups are on the disk.
    var keyring: Keyring {
        var keyring = self.access.keyring
        for held in self.store.groups.epochs.values.joined() {
            guard case .group(let group)? = self.store.rooms[held.group]?.kind,
                let key = ConversationKey(of: held, in: group)
            else { continue }
            keyring.add(key)
        }
        return keyring
    }

    var person: PersonID { self.identity.certificate.personID }
    var owned: OwnedDevice { OwnedDevice(person: self.person, device: self.id) }
}

extension ConversationKey {
    init?(of held: HeldEpoch, in group: Group) {
        guard let bytes = held.key,
            let made = try? ConversationKey(
                EpochKey(id: held.epoch.id, key: bytes), suite: group.suite, of: group.id)
        else { return nil }
        self = made
    }
}
