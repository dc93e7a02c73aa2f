/// Erasures that came before what they erase: kept until it comes, so that it never reaches the disk.
///
/// `Docs/Protocol/Entries.md` section 9. Bounded over all: where there is no room, the device that
/// has most loses its oldest one. However many wait, one costs the same to find.
struct Erasures: Sendable {
    /// What one device wants erased, in the order in which it came.
    private struct Wanted: Sendable {
        /// Numbers of erasures, of which some may be done.
        var numbers: [UInt64] = []
        /// Those before this index are done.
        var start = 0
        /// How many wait.
        var count = 0
    }

    /// By the log, then by the entry: of one entry at most one of each device.
    private var waiting: [LogKey: [EntryTarget: [UInt64]]] = [:]
    private var numbered: [UInt64: Erasure] = [:]
    private var erasers: [PeerID: Wanted] = [:]
    private var lastNumber: UInt64 = 0

    var count: Int { self.numbered.count }

    var isEmpty: Bool { self.numbered.isEmpty }

    /// Keeps one; gives the one that has to go for it, if any.
    mutating func wait(_ erasure: Erasure) -> Erasure? {
        guard self.number(of: erasure) == nil else { return nil }
        self.lastNumber += 1
        self.numbered[self.lastNumber] = erasure
        self.waiting[erasure.key, default: [:]][erasure.target, default: []].append(self.lastNumber)
        self.erasers[erasure.eraser.device, default: Wanted()].numbers.append(self.lastNumber)
        self.erasers[erasure.eraser.device]?.count += 1
        guard self.count > Limits.waitingErasures else { return nil }
        let most = self.erasers.max { ($0.value.count, $0.key) < ($1.value.count, $1.key) }
        guard let oldest = most.flatMap({ self.oldest(of: $0.key) }) else { return nil }
        self.forget(oldest)
        return oldest
    }

    /// The oldest of a device that waits.
    private mutating func oldest(of device: PeerID) -> Erasure? {
        guard var wanted = self.erasers.removeValue(forKey: device) else { return nil }
        defer { self.erasers[device] = wanted }
        while wanted.start < wanted.numbers.count {
            if let found = self.numbered[wanted.numbers[wanted.start]] { return found }
            wanted.start += 1
        }
        return nil
    }

    private func number(of erasure: Erasure) -> UInt64? {
        self.waiting[erasure.key]?[erasure.target]?.first {
            self.numbered[$0]?.eraser.device == erasure.eraser.device
        }
    }

    /// Whether entries of a log are waited for.
    func isWaiting(for key: LogKey) -> Bool { self.waiting[key] != nil }

    /// What waits for some entries of a log, by their numbers, in the order in which it came.
    func due(_ key: LogKey, where isDue: (UInt64) -> Bool) -> [Erasure] {
        let numbers = (self.waiting[key] ?? [:]).filter { isDue($0.key.seq) }.values.joined()
        return numbers.sorted().compactMap { self.numbered[$0] }
    }

    /// Whether an entry of a log is to be erased before it is stored.
    func erases(_ id: EntryID, at seq: UInt64, in key: LogKey, by person: PersonID?) -> Bool {
        let target = EntryTarget(log: key.name, seq: seq, id: id)
        guard let numbers = self.waiting[key]?[target] else { return false }
        let author = Authorship(device: key.name.author, person: person)
        return numbers.contains { self.numbered[$0]?.eraser.mayChange(author) == true }
    }

    /// Forgets one that is done, or never will be.
    mutating func forget(_ erasure: Erasure) {
        guard let number = self.number(of: erasure) else { return }
        self.numbered[number] = nil
        self.waiting[erasure.key]?[erasure.target]?.removeAll { $0 == number }
        if self.waiting[erasure.key]?[erasure.target]?.isEmpty == true {
            self.waiting[erasure.key]?[erasure.target] = nil
        }
        if self.waiting[erasure.key]?.isEmpty == true { self.waiting[erasure.key] = nil }
        self.forgetNumber(of: erasure.eraser.device)
    }

    /// Notes that one less waits of a device, and forgets what is done once that is most of it.
    private mutating func forgetNumber(of device: PeerID) {
        guard var wanted = self.erasers.removeValue(forKey: device) else { return }
        wanted.count -= 1
        guard wanted.count > 0 else { return }
        if wanted.numbers.count > 2 * wanted.count {
            wanted.numbers.removeAll { self.numbered[$0] == nil }
            wanted.start = 0
        }
        self.erasers[device] = wanted
    }
}

extension Erasure {
    /// What is the same whatever is decided of it.
    var undecided: Erasure {
        Erasure(
            conversation: self.conversation, target: self.target,
            eraser: Authorship(device: self.eraser.device, person: nil), step: .wait)
    }
}
