internal import Formats

/// Payloads that were left out of the runs that brought their entries: which, and who is asked.
///
/// `Docs/Protocol/Sync.md` section 9. Each link is asked one thing at a time, and the same thing
/// once an hour. People whom the user knows come first, whatever strangers were asked for. What is asked of
/// one link is asked of another once it is late, and of as many more as are late: so those who withhold
/// payloads delay them little, however many they are, and who lies costs what it sends.
///
/// Each link has queues of the logs that it may have to be asked for. A log comes into them when
/// something changes about it, and is looked at once for that; so what peers can make this cost grows
/// with what they send, however many logs are wanted. Links have their turns.
struct PayloadWants: Sendable {
    /// What a link is being asked for.
    struct Ask: Hashable, Sendable {
        var key: LogKey
        /// What is left of the answer.
        var rest: ClosedRange<UInt64>
        var deadline: UInt64
        /// When somebody else is asked, too.
        var patience: UInt64 = 0
        /// Whether that has come.
        var isLate = false

        /// So many bytes of the answer have come: the rest has as much longer as they are worth.
        mutating func extend(by bytes: Int) {
            let milliseconds = UInt64(bytes) / Limits.leastAnswerBytesPerMillisecond
            self.deadline += milliseconds
            self.patience += milliseconds
        }
    }

    /// What a link was asked for and did not bring, until it may be asked again.
    private struct Tried: Sendable {
        var seqs = SeqRanges()
        var until: UInt64
    }

    private struct Asked: Sendable {
        var ask: Ask?
        /// What was given up last, since a link that was silent may bring the answers yet.
        private(set) var late: [Ask] = []
        /// What the link was asked for of logs, by their numbers.
        var tried: [UInt32: Tried] = [:]
        /// What is to be looked at.
        var fresh = NumberTurns()
        /// What was looked at, and the peer may have in parts: its turn is after all others.
        var partial = NumberTurns()
        /// The logs of which it brought what could not be written.
        var lost: Set<UInt32> = []
        /// Whether the user knows the peer.
        var isOfKnown = false

        var isDue: Bool { self.ask == nil && !(self.fresh.isEmpty && self.partial.isEmpty) }

        /// Gives up what it is asked for; the answer may still come.
        mutating func noteLate() {
            guard let ask = self.ask else { return }
            if self.late.count == Limits.lateAnswers { self.late.removeFirst() }
            self.late.append(ask)
        }

        /// A part of an answer has come to what was given up: gives whether it is due, and none of what is
        /// left of the answer is on its way to the disk.
        mutating func takeLate(
            _ key: LogKey, from seq: UInt64, count: Int, arriving: SeqRanges?
        ) -> Bool {
            let index = self.late.firstIndex { $0.key == key && $0.rest.lowerBound == seq }
            guard let index else { return false }
            let rest = self.late[index].rest
            if arriving?.all.contains(where: rest.overlaps) == true { return false }
            let ask = self.late.remove(at: index)
            let next = seq + UInt64(count)
            if count > 0, next <= ask.rest.upperBound {
                self.late.append(
                    Ask(key: key, rest: next...ask.rest.upperBound, deadline: ask.deadline))
            }
            return true
        }

        /// Takes what is to be looked at next, and whether the peer may be asked for parts of it.
        mutating func next() -> (number: UInt32, isPartial: Bool)? {
            if let number = self.fresh.next() { return (number, false) }
            return self.partial.next().map { ($0, true) }
        }
    }

    /// When something may be asked of a link again.
    private struct Retry: Sendable {
        var at: UInt64
        var link: LinkID
        /// The number of the log.
        var log: UInt32
    }

    private var wanted = WantedLogs()
    /// What has come and is not yet on disk.
    private var arriving: [LogKey: SeqRanges] = [:]
    /// The links that are asked for a log.
    private var asking: [LogKey: [LinkID]] = [:]
    private var links: [LinkID: Asked] = [:]
    /// How many logs all links together were asked for of late.
    private var triedCount = 0
    /// How many these may be before links of strangers have a bound.
    private let mostAsks: Int
    /// Links that may have to be asked for something.
    private var due: Set<LinkID> = []
    /// The link that had its turn last.
    private var lastTurn = LinkID(0)
    /// How many more logs may be looked at in this turn.
    private var stepsLeft = 0
    /// In the order of their moments, since each is the same time behind its question.
    private var retries: [Retry] = []
    /// Those of before this index are done.
    private var retriesStart = 0
    private var armedAt: UInt64?
    /// When what the disk did not take is asked for again.
    private var retryLostAt: UInt64?
    /// Whether something was written after the disk had failed last.
    private var isWritable = true
    /// How many logs were looked at so far, for a test.
    private(set) var steps = 0

    init(mostAsks: Int = Limits.payloadAsks) { self.mostAsks = mostAsks }

    /// Whether nothing is wanted.
    var isEmpty: Bool { self.wanted.isEmpty }

    /// Whether a link is to be asked; never without a want.
    var isDue: Bool { !self.due.isEmpty }

    /// The first entry of a log whose payload is wanted; nil where there is none.
    func lowest(of key: LogKey) -> UInt64? { self.wanted.seqs(of: key)?.lowest }

    /// Whether something is wanted of a log.
    func wants(_ key: LogKey) -> Bool { self.wanted.seqs(of: key) != nil }

    /// How many stretches are wanted of all logs, and how many logs links were asked for.
    var count: (stretches: Int, tried: Int) {
        (self.wanted.stretches, self.triedCount)
    }

    /// How many links are being asked, and how many answers are on their way to the disk.
    var openCount: Int {
        self.links.values.count { $0.ask != nil } + self.arriving.count
    }

    /// How many moments are kept at which something may be asked again.
    var retryCount: Int { self.retries.count }

    // MARK: What is wanted

    /// Entries of a log are on disk without their payloads.
    mutating func want(_ key: LogKey, _ seqs: ClosedRange<UInt64>) {
        self.wanted.insert(seqs, of: key)
        self.lookAgain(at: key)
    }

    /// Entries of a log have their payloads, or will never have them.
    mutating func settle(_ key: LogKey, _ seqs: ClosedRange<UInt64>) {
        guard let number = self.wanted.number(of: key), self.wanted.remove(seqs, of: key) else {
            return
        }
        for link in self.links.keys { self.forgetTried(number, of: link) }
        if self.wanted.isEmpty { self.due = [] }
    }

    /// A log ends before an entry.
    mutating func end(_ key: LogKey, before point: UInt64) {
        self.settle(key, point...UInt64(Int64.max))
    }

    /// Something has changed about a log: each link has it looked at once more.
    private mutating func lookAgain(at key: LogKey) {
        guard let number = self.wanted.number(of: key) else { return }
        for link in self.links.keys { self.queue(number, for: link) }
    }

    private mutating func queue(_ number: UInt32, for link: LinkID) {
        self.links[link]?.fresh.add(number)
        self.noteDue(link)
    }

    private mutating func noteDue(_ link: LinkID) {
        guard let asked = self.links[link], asked.isDue, !self.isExhausted(asked) else { return }
        self.due.insert(link)
    }

    /// Whether a link is not to be asked for more, since it was asked for as many logs as are remembered: those of
    /// strangers together have a bound, and each link has some in any case.
    ///
    /// Who brings what is asked for never comes so far, since that is then wanted no longer.
    private func isExhausted(_ asked: Asked) -> Bool {
        !asked.isOfKnown && asked.tried.count >= Limits.payloadAsksPerLink
            && self.triedCount >= self.mostAsks
    }

    private mutating func forgetTried(_ number: UInt32, of link: LinkID) {
        guard self.links[link]?.tried.removeValue(forKey: number) != nil else { return }
        self.lowerTried(by: 1)
        self.noteDue(link)
    }

    /// Where there is room again, others may be asked that were not for want of it.
    private mutating func lowerTried(by count: Int) {
        let wasFull = self.triedCount >= self.mostAsks
        self.triedCount -= count
        guard wasFull, self.triedCount < self.mostAsks else { return }
        for link in self.links.keys { self.noteDue(link) }
    }

    // MARK: Links

    /// A link shares one conversation more.
    ///
    /// - Parameter isOfKnown: whether the user knows the peer.
    mutating func look(
        at link: LinkID, in conversation: ConversationID, isOfKnown: Bool = false
    ) {
        if self.links[link] == nil { self.links[link] = Asked() }
        self.links[link]?.isOfKnown = isOfKnown
        for number in self.wanted.numbers(in: conversation) { self.queue(number, for: link) }
    }

    /// The peer of a link has told what it has of a log, anew.
    mutating func hear(_ key: LogKey, on link: LinkID) {
        if let number = self.wanted.number(of: key) { self.retry(number, on: link) }
    }

    /// A link has ended; others may be asked for what it was asked.
    mutating func drop(_ link: LinkID) {
        self.endAsk(of: link)
        self.lowerTried(by: self.links.removeValue(forKey: link)?.tried.count ?? 0)
        self.due.remove(link)
    }

    /// A link does not share a conversation any longer; if it comes to share it again, it is asked for all anew,
    /// since an answer that comes meanwhile is not heard.
    mutating func drop(_ conversation: ConversationID, of link: LinkID) {
        for number in self.wanted.numbers(in: conversation) { self.forgetTried(number, of: link) }
        guard self.links[link]?.ask?.key.conversation == conversation else { return }
        self.endAsk(of: link)
    }

    private mutating func endAsk(of link: LinkID) {
        guard let ask = self.links[link]?.ask else { return }
        self.links[link]?.ask = nil
        self.asking[ask.key]?.removeAll { $0 == link }
        if self.asking[ask.key]?.isEmpty == true { self.asking[ask.key] = nil }
        self.noteDue(link)
        self.lookAgain(at: ask.key)
    }

    // MARK: Asking

    /// Begins a turn, in which a bounded number of logs is looked at.
    mutating func beginTurn() { self.stepsLeft = Limits.payloadStepsPerTurn }

    /// Takes a link that may have to be asked, in turns; nil where there is none, or the turn is over.
    ///
    /// Those of people whom the user knows come before all others.
    mutating func takeDue() -> LinkID? {
        guard self.stepsLeft > 0, !self.due.isEmpty else { return nil }
        let known = self.due.filter { self.links[$0]?.isOfKnown == true }
        let due = known.isEmpty ? self.due : known
        let next = due.filter { $0 > self.lastTurn }.min() ?? due.min()
        guard let next else { return nil }
        self.lastTurn = next
        return self.due.remove(next)
    }

    /// What to ask a link for at this moment; nil for nothing, or while the turn is over.
    ///
    /// - Parameters:
    ///   - isOfKnown: whether the user knows the peer.
    ///   - whole: up to which entry of a log the peer says that it has all payloads; nil where it cannot be
    ///     asked. Asked are those first, then what it may have of the others.
    mutating func ask(
        _ link: LinkID, isOfKnown: Bool, at now: UInt64, whole: (LogKey) -> UInt64?
    ) -> Ask? {
        // Taken out, so that its queues are changed where they lie.
        guard var asked = self.links.removeValue(forKey: link) else { return nil }
        self.due.remove(link)
        asked.isOfKnown = isOfKnown
        defer {
            self.links[link] = asked
            self.noteDue(link)
        }
        guard asked.ask == nil, !self.isExhausted(asked) else { return nil }
        while self.stepsLeft > 0, let (number, isPartial) = asked.next() {
            self.stepsLeft -= 1
            self.steps += 1
            guard let key = self.wanted.key(number), let claimed = whole(key) else { continue }
            var free = self.free(key, number, asked, at: now)
            let limit = isPartial ? UInt64.max : claimed
            guard let seqs = free.first(through: limit, atMost: Limits.wantEntries) else {
                if !free.isEmpty { asked.partial.add(number) }
                continue
            }
            free.remove(seqs)
            if !free.isEmpty { asked.fresh.add(number) }
            self.begin(key, number, seqs, on: link, &asked, at: now)
            return asked.ask
        }
        return nil
    }

    /// What a link may be asked for of a log.
    private func free(
        _ key: LogKey, _ number: UInt32, _ asked: Asked, at now: UInt64
    ) -> SeqRanges {
        guard var free = self.wanted.seqs(of: key) else { return SeqRanges() }
        if let tried = asked.tried[number], tried.until > now { free.remove(tried.seqs) }
        if let arriving = self.arriving[key] { free.remove(arriving) }
        let others = (self.asking[key] ?? []).compactMap { self.links[$0] }
        // What a stranger is asked for holds up nobody whom the user knows.
        let asks = others.filter { $0.isOfKnown || !asked.isOfKnown }.compactMap(\.ask)
        let late = asks.count(where: \.isLate)
        guard asks.count - late > late || late == 0 else { return free }
        for ask in asks where !ask.isLate { free.remove(ask.rest) }
        return free
    }

    private mutating func begin(
        _ key: LogKey, _ number: UInt32, _ seqs: ClosedRange<UInt64>, on link: LinkID,
        _ asked: inout Asked, at now: UInt64
    ) {
        asked.ask = Ask(
            key: key, rest: seqs, deadline: now + Limits.wantMilliseconds,
            patience: now + Limits.slowWantMilliseconds)
        self.asking[key, default: []].append(link)
        // Whatever comes of it, the same is not asked again soon.
        let until = now + Limits.payloadWantMilliseconds
        if asked.tried[number].map({ $0.until <= now }) ?? true {
            let isNew = asked.tried.updateValue(Tried(until: until), forKey: number) == nil
            self.triedCount += isNew ? 1 : 0
            self.retries.append(Retry(at: until, link: link, log: number))
        }
        asked.tried[number]?.seqs.insert(seqs)
    }

    // MARK: Answers

    /// A part of an answer has come, of so many bytes: gives whether it was asked for, and is not on its way to
    /// the disk from somebody else.
    mutating func receive(
        _ key: LogKey, from seq: UInt64, count: Int, bytes: Int = 0, on link: LinkID
    ) -> Bool {
        guard var ask = self.links[link]?.ask, ask.key == key, seq == ask.rest.lowerBound else {
            // Of two answers to one question one is taken.
            guard self.asking[key] == nil else { return false }
            return self.links[link]?.takeLate(
                key, from: seq, count: count, arriving: self.arriving[key]) ?? false
        }
        let next = seq + UInt64(count)
        if count == 0 || next > ask.rest.upperBound {
            self.endAsk(of: link)
        } else {
            ask.rest = next...ask.rest.upperBound
            ask.extend(by: bytes)
            self.links[link]?.ask = ask
            // What did not come with it others may be asked for.
            self.lookAgain(at: key)
        }
        guard count > 0, let arriving = self.arriving[key],
            arriving.all.contains(where: (seq...next - 1).overlaps)
        else { return true }
        // What comes from somebody else may turn out to be wrong: then this link is asked again.
        if let number = self.wanted.number(of: key) { self.forgetTried(number, of: link) }
        return false
    }

    /// Payloads that have come are on their way to the disk: nobody else is asked for them.
    mutating func arrive(_ key: LogKey, _ seqs: ClosedRange<UInt64>) {
        self.arriving[key, default: SeqRanges()].insert(seqs)
    }

    /// They are there, or will not be.
    mutating func arrived(_ key: LogKey, _ seqs: ClosedRange<UInt64>) {
        self.arriving[key]?.remove(seqs)
        if self.arriving[key]?.isEmpty == true { self.arriving[key] = nil }
        self.lookAgain(at: key)
    }

    /// The disk has failed to take what has come of a log: whoever brought it is asked again.
    ///
    /// After a minute all are, if anything was written since; otherwise one, which shows whether it can be.
    mutating func lose(_ key: LogKey, on link: LinkID, at now: UInt64) {
        self.isWritable = false
        guard let number = self.wanted.number(of: key) else { return }
        self.links[link]?.lost.insert(number)
        self.retryLostAt = now + Limits.lostPayloadMilliseconds
    }

    /// Something was written.
    mutating func noteWritten() { self.isWritable = true }

    private mutating func retryLost(at now: UInt64) {
        guard self.retryLostAt.map({ $0 <= now }) ?? false else { return }
        let lost = self.links.filter { !$0.value.lost.isEmpty }.keys.sorted()
        let asked = self.isWritable ? lost[...] : lost.prefix(1)
        for link in asked {
            for number in self.links[link]?.lost ?? [] { self.retry(number, on: link) }
            self.links[link]?.lost = []
        }
        self.retryLostAt = asked.count < lost.count ? now + Limits.lostPayloadMilliseconds : nil
    }

    private mutating func retry(_ number: UInt32, on link: LinkID) {
        self.forgetTried(number, of: link)
        self.queue(number, for: link)
    }

    // MARK: Time

    /// Gives up what is not answered in time, and lets links be asked again whose hour is over.
    mutating func wake(at now: UInt64) {
        self.armedAt = nil
        self.noteSlow(at: now)
        let late = self.links.filter { $0.value.ask.map { $0.deadline <= now } ?? false }
        for link in late.keys.sorted() {
            self.links[link]?.noteLate()
            self.endAsk(of: link)
        }
        self.retryLost(at: now)
        while let retry = self.firstRetry, retry.at <= now {
            self.retriesStart += 1
            self.forgetTried(retry.log, of: retry.link)
            if self.wanted.key(retry.log) != nil { self.queue(retry.log, for: retry.link) }
        }
    }

    /// What has taken so long may be asked of others, too.
    private mutating func noteSlow(at now: UInt64) {
        let slow = self.links.filter {
            $0.value.ask.map { !$0.isLate && $0.patience <= now } ?? false
        }
        for link in slow.keys.sorted() { self.links[link]?.ask?.isLate = true }
        for key in Set(slow.values.compactMap { $0.ask?.key }).sorted() { self.lookAgain(at: key) }
    }

    /// The first moment at which something may be asked again; what has no meaning any longer is left
    /// out.
    private var firstRetry: Retry? {
        mutating get {
            while self.retriesStart < self.retries.count {
                let retry = self.retries[self.retriesStart]
                if self.links[retry.link]?.tried[retry.log]?.until == retry.at { return retry }
                self.retriesStart += 1
            }
            return nil
        }
    }

    /// When to be woken next; nil where an earlier wake-up stands, or there is nothing to wait for.
    mutating func nextWake(after now: UInt64) -> UInt64? {
        self.tidyRetries()
        var next = self.firstRetry?.at
        if let lost = self.retryLostAt { next = min(next ?? .max, lost) }
        for asked in self.links.values {
            if let ask = asked.ask {
                next = min(next ?? .max, ask.isLate ? ask.deadline : ask.patience)
            }
        }
        // What the turn did not come to has the next one, after all that has come in meanwhile.
        if self.isDue { next = now }
        guard let next, self.armedAt.map({ next < $0 }) ?? true else { return nil }
        self.armedAt = max(next, now)
        return self.armedAt
    }

    /// Forgets moments that have no meaning any longer once they are most of all.
    private mutating func tidyRetries() {
        guard self.retries.count > 2 * self.count.tried + 1_024 else { return }
        let links = self.links
        self.retries = self.retries[self.retriesStart...].filter {
            links[$0.link]?.tried[$0.log]?.until == $0.at
        }
        self.retriesStart = 0
    }
}
