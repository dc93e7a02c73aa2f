/// Payloads that were left out of the runs that brought their entries: which, and who is asked.
///
/// `Docs/Protocol/Sync.md` section 9. Each link is asked one thing at a time, and the same thing
/// once an hour; what is asked of one link is not asked of another. So a relay that withholds
/// payloads delays them by one question, and who lies costs what it sends.
struct PayloadWants: Sendable {
    /// What a link is being asked for.
    struct Ask: Hashable, Sendable {
        var key: LogKey
        /// What is left of the answer.
        var rest: ClosedRange<UInt64>
        var deadline: UInt64
    }

    /// What a link was asked for and did not bring, until it may be asked again.
    private struct Tried: Sendable {
        var seqs = SeqRanges()
        var until: UInt64
    }

    private struct Asked: Sendable {
        var ask: Ask?
        var tried: [LogKey: Tried] = [:]
    }

    /// What is wanted of each log, but for what is on its way to the disk.
    private var wanted: [LogKey: SeqRanges] = [:]
    /// What has come and is not yet on disk.
    private var arriving: [LogKey: SeqRanges] = [:]
    /// The logs of which something is wanted, ascending.
    private var keys: [LogKey] = []
    private var links: [LinkID: Asked] = [:]
    /// Links that may have to be asked for something.
    private var due: Set<LinkID> = []
    private var armedAt: UInt64?

    /// Whether nothing is wanted.
    var isEmpty: Bool { self.wanted.isEmpty }

    /// Whether a link is to be asked; never without a want.
    var isDue: Bool { !self.due.isEmpty }

    /// The first entry of a log whose payload is wanted; nil where there is none.
    func lowest(of key: LogKey) -> UInt64? { self.wanted[key]?.lowest }

    /// Whether something is wanted of a log.
    func wants(_ key: LogKey) -> Bool { self.wanted[key] != nil }

    /// How many stretches are wanted of all logs, and how many logs links were asked for.
    var count: (stretches: Int, tried: Int) {
        (
            self.wanted.values.reduce(0) { $0 + $1.all.count },
            self.links.values.reduce(0) { $0 + $1.tried.count }
        )
    }

    /// How many links are being asked, and how many answers are on their way to the disk.
    var openCount: Int {
        self.links.values.count { $0.ask != nil } + self.arriving.count
    }

    // MARK: What is wanted

    /// Entries of a log are on disk without their payloads.
    mutating func want(_ key: LogKey, _ seqs: ClosedRange<UInt64>) {
        if self.wanted[key] == nil {
            let index = self.keys.firstIndex { $0 > key } ?? self.keys.count
            self.keys.insert(key, at: index)
        }
        self.wanted[key, default: SeqRanges()].insert(seqs)
        self.due = Set(self.links.keys)
    }

    /// Entries of a log have their payloads, or will never have them.
    mutating func settle(_ key: LogKey, _ seqs: ClosedRange<UInt64>) {
        guard self.wanted[key] != nil else { return }
        self.wanted[key]?.remove(seqs)
        guard self.wanted[key]?.isEmpty == true else { return }
        self.wanted[key] = nil
        self.keys.removeAll { $0 == key }
        for link in self.links.keys { self.links[link]?.tried[key] = nil }
    }

    /// A log ends before an entry.
    mutating func end(_ key: LogKey, before point: UInt64) {
        self.settle(key, point...UInt64(Int64.max))
    }

    // MARK: Links

    /// A link shares one conversation more, or the peer has told something new.
    mutating func look(at link: LinkID) {
        self.links[link, default: Asked()].ask = self.links[link]?.ask
        if !self.wanted.isEmpty { self.due.insert(link) }
    }

    /// The peer of a link has told that it has all payloads of a log up to an entry.
    mutating func hear(_ key: LogKey, on link: LinkID) {
        guard self.wanted[key] != nil else { return }
        self.links[link]?.tried[key] = nil
        self.look(at: link)
    }

    /// A link has ended; others may be asked for what it was asked.
    mutating func drop(_ link: LinkID) {
        self.links[link] = nil
        self.due.remove(link)
        self.lookAtAll()
    }

    /// A link does not share a conversation any longer.
    mutating func drop(_ conversation: ConversationID, of link: LinkID) {
        guard self.links[link]?.ask?.key.conversation == conversation else { return }
        self.links[link]?.ask = nil
        self.lookAtAll()
    }

    private mutating func lookAtAll() {
        if !self.wanted.isEmpty { self.due.formUnion(self.links.keys) }
    }

    // MARK: Asking

    /// Takes a link that may have to be asked, in order.
    mutating func takeDue() -> LinkID? {
        guard let first = self.due.min() else { return nil }
        return self.due.remove(first)
    }

    /// What to ask a link for at this moment; nil for nothing.
    ///
    /// - Parameter whole: up to which entry of a log the peer says that it has all payloads; nil
    ///   where it cannot be asked. Asked are those first, then what it may have of the others.
    mutating func ask(
        _ link: LinkID, at now: UInt64, whole: (LogKey) -> UInt64?
    ) -> Ask? {
        guard let asked = self.links[link], asked.ask == nil else { return nil }
        var second: (key: LogKey, seqs: ClosedRange<UInt64>)?
        for key in self.keys {
            guard let claimed = whole(key) else { continue }
            let free = self.free(key, on: link, asked, at: now)
            if let seqs = free.first(through: claimed, atMost: Limits.wantEntries) {
                return self.begin(key, seqs, on: link, at: now)
            }
            if second == nil, let seqs = free.first(through: .max, atMost: Limits.wantEntries) {
                second = (key, seqs)
            }
        }
        return second.map { self.begin($0.key, $0.seqs, on: link, at: now) }
    }

    /// What a link may be asked for of a log.
    private mutating func free(
        _ key: LogKey, on link: LinkID, _ asked: Asked, at now: UInt64
    ) -> SeqRanges {
        guard var free = self.wanted[key] else { return SeqRanges() }
        if let tried = asked.tried[key] {
            if tried.until > now {
                free.remove(tried.seqs)
            } else {
                self.links[link]?.tried[key] = nil
            }
        }
        if let arriving = self.arriving[key] { free.remove(arriving) }
        for other in self.links.values {
            if let ask = other.ask, ask.key == key { free.remove(ask.rest) }
        }
        return free
    }

    private mutating func begin(
        _ key: LogKey, _ seqs: ClosedRange<UInt64>, on link: LinkID, at now: UInt64
    ) -> Ask {
        let ask = Ask(key: key, rest: seqs, deadline: now + Limits.wantMilliseconds)
        self.links[link]?.ask = ask
        // Whatever comes of it, the same is not asked again soon.
        let until = now + Limits.payloadWantMilliseconds
        self.links[link]?.tried[key, default: Tried(until: until)].seqs.insert(seqs)
        return ask
    }

    // MARK: Answers

    /// A part of an answer has come: gives whether it was asked for.
    mutating func receive(
        _ key: LogKey, from seq: UInt64, count: Int, on link: LinkID, at now: UInt64
    ) -> Bool {
        guard var ask = self.links[link]?.ask, ask.key == key, seq == ask.rest.lowerBound else {
            return false
        }
        let next = seq + UInt64(count)
        if count == 0 || next > ask.rest.upperBound {
            self.links[link]?.ask = nil
            self.lookAtAll()
        } else {
            ask.rest = next...ask.rest.upperBound
            ask.deadline = now + Limits.wantMilliseconds
            self.links[link]?.ask = ask
        }
        return true
    }

    /// Payloads that have come are on their way to the disk: nobody else is asked for them.
    mutating func arrive(_ key: LogKey, _ seqs: ClosedRange<UInt64>) {
        self.arriving[key, default: SeqRanges()].insert(seqs)
    }

    /// They are there, or will not be.
    mutating func arrived(_ key: LogKey, _ seqs: ClosedRange<UInt64>) {
        self.arriving[key]?.remove(seqs)
        if self.arriving[key]?.isEmpty == true { self.arriving[key] = nil }
        self.lookAtAll()
    }

    // MARK: Time

    /// Gives up what is not answered in time, and lets links be asked again whose hour is over.
    mutating func wake(at now: UInt64) {
        self.armedAt = nil
        for link in self.links.keys where self.links[link]?.ask.map({ $0.deadline <= now }) ?? false
        {
            self.links[link]?.ask = nil
        }
        self.lookAtAll()
    }

    /// When to be woken next; nil where an earlier wake-up stands, or there is nothing to wait for.
    mutating func nextWake(after now: UInt64) -> UInt64? {
        var next: UInt64?
        for asked in self.links.values {
            if let ask = asked.ask { next = min(next ?? .max, ask.deadline) }
            for tried in asked.tried.values where tried.until > now {
                next = min(next ?? .max, tried.until)
            }
        }
        guard let next, self.armedAt.map({ next < $0 }) ?? true else { return nil }
        self.armedAt = max(next, now)
        return self.armedAt
    }
}
