/// Erasures that came before what they erase: kept until it comes, so that it never reaches the disk.
///
/// `Docs/Protocol/Entries.md` section 9. Bounded over all: where there is no room, the device that
/// has most loses its oldest one.
struct Erasures: Sendable {
    private var waiting: [LogKey: [Erasure]] = [:]
    /// Those of each device, oldest first.
    private var erasers: [PeerID: [Erasure]] = [:]
    private(set) var count = 0

    var isEmpty: Bool { self.count == 0 }

    /// Keeps one; gives the one that has to go for it, if any.
    mutating func wait(_ erasure: Erasure) -> Erasure? {
        guard !(self.waiting[erasure.key] ?? []).contains(where: { $0.isSame(as: erasure) }) else {
            return nil
        }
        self.waiting[erasure.key, default: []].append(erasure)
        self.erasers[erasure.eraser.device, default: []].append(erasure)
        self.count += 1
        guard self.count > Limits.waitingErasures else { return nil }
        let most = self.erasers.max { ($0.value.count, $0.key) < ($1.value.count, $1.key) }
        guard let oldest = most?.value.first else { return nil }
        self.forget(oldest)
        return oldest
    }

    /// Whether entries of a log are waited for.
    func isWaiting(for key: LogKey) -> Bool { self.waiting[key] != nil }

    /// What waits for entries of a log up to a number.
    func due(_ key: LogKey, through seq: UInt64) -> [Erasure] {
        (self.waiting[key] ?? []).filter { $0.target.seq <= seq }
    }

    /// Whether an entry of a log is to be erased before it is stored.
    func erases(_ id: EntryID, at seq: UInt64, in key: LogKey, by person: PersonID?) -> Bool {
        guard let waiting = self.waiting[key] else { return false }
        let author = Authorship(device: key.name.author, person: person)
        return waiting.contains {
            $0.target.seq == seq && $0.target.id == id && $0.eraser.mayErase(author)
        }
    }

    /// Forgets one that is done, or never will be.
    mutating func forget(_ erasure: Erasure) {
        guard let index = self.waiting[erasure.key]?.firstIndex(where: { $0.isSame(as: erasure) })
        else { return }
        self.waiting[erasure.key]?.remove(at: index)
        if self.waiting[erasure.key]?.isEmpty == true { self.waiting[erasure.key] = nil }
        self.count -= 1
        let device = erasure.eraser.device
        self.erasers[device]?.removeAll { $0.isSame(as: erasure) }
        if self.erasers[device]?.isEmpty == true { self.erasers[device] = nil }
    }
}

extension Erasure {
    /// Whether it is the same but for what is decided.
    fileprivate func isSame(as other: Erasure) -> Bool {
        self.target == other.target && self.conversation == other.conversation
            && self.eraser.device == other.eraser.device
    }
}
