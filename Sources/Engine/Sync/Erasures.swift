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

    /// By the log, then by the entry, then by the device.
    private var waiting: [LogKey: [EntryTarget: [PeerID: UInt64]]] = [:]
    private var numbered: [UInt64: Erasure] = [:]
    private var erasers: [PeerID: Wanted] = [:]
    /// The devices by how many of theirs wait: keys cost nothing, so there may be thousands.
    private var ranks: [Int: ListedSet<PeerID>] = [:]
    /// How many wait of whoever has most.
    private var most = 0
    private var lastNumber: UInt64 = 0

    var count: Int { self.numbered.count }

    var isEmpty: Bool { self.numbered.isEmpty }

    /// Keeps one; gives the one that has to go for it, if any.
    mutating func wait(_ erasure: Erasure) -> Erasure? {
        guard self.number(of: erasure) == nil else { return nil }
        self.lastNumber += 1
        self.numbered[self.lastNumber] = erasure
        let device = erasure.eraser.device
        self.waiting[erasure.key, default: [:]][erasure.target, default: [:]][device] =
            self.lastNumber
        self.erasers[device, default: Wanted()].numbers.append(self.lastNumber)
        let count = (self.erasers[device]?.count ?? 0) + 1
        self.erasers[device]?.count = count
        self.rank(device, from: count - 1, to: count)
        guard self.count > Limits.waitingErasures else { return nil }
        // Of several, the last that came to have as many.
        let last = self.ranks[self.most]?.elements.last
        guard let oldest = last.flatMap({ self.oldest(of: $0) }) else { return nil }
        self.forget(oldest)
        return oldest
    }

    /// Notes that of a device one more or one less waits.
    private mutating func rank(_ device: PeerID, from before: Int, to count: Int) {
        if count > 0 { self.ranks[count, default: ListedSet()].insert(device) }
        self.ranks[before]?.remove(device)
        if self.ranks[before]?.isEmpty == true { self.ranks[before] = nil }
        if count > self.most || self.ranks[self.most] == nil { self.most = count }
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
        self.waiting[erasure.key]?[erasure.target]?[erasure.eraser.device]
    }

    /// Whether entries of a log are waited for.
    func isWaiting(for key: LogKey) -> Bool { self.waiting[key] != nil }

    /// What waits for some entries of a log, by their numbers, in the order in which it came.
    func due(_ key: LogKey, where isDue: (UInt64) -> Bool) -> [Erasure] {
        let numbers = (self.waiting[key] ?? [:]).filter { isDue($0.key.seq) }
            .values.flatMap(\.values)
        return numbers.sorted().compactMap { self.numbered[$0] }
    }

    /// Whether an entry of a log is to be erased before it is stored.
    func erases(_ id: EntryID, at seq: UInt64, in key: LogKey, by person: PersonID?) -> Bool {
        let target = EntryTarget(log: key.name, seq: seq, id: id)
        guard let numbers = self.waiting[key]?[target] else { return false }
        let author = Authorship(device: key.name.author, person: person)
        return numbers.values.contains { self.numbered[$0]?.eraser.mayChange(author) == true }
    }

    /// Forgets one that is done, or never will be.
    mutating func forget(_ erasure: Erasure) {
        guard let number = self.number(of: erasure) else { return }
        self.numbered[number] = nil
        self.waiting[erasure.key]?[erasure.target]?[erasure.eraser.device] = nil
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
        self.rank(device, from: wanted.count + 1, to: wanted.count)
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
