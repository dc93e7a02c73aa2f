package import ControlAPI

/// What the servers have for this node, step by step: read, given to the daemon, and looked for where something is missing.
///
/// What the daemon cannot take yet stays open: a later reading begins before it, also after a new start.
package struct SiteIncoming: Sendable {
    /// What is to be done next; each is answered before the next one is asked for.
    package enum Step: Equatable, Sendable {
        /// Read a conversation from a number on; ``reads(_:)``.
        case read(tag: String, from: UInt64)
        /// Take the next messages of one; ``fetched(_:of:behind:hasCome:)`` or ``forgot(_:)``.
        case fetch(tag: String)
        /// Look what is under a subject; ``found(_:)``.
        case look(subject: String)
        /// Read a conversation no more; ``stopped(_:)``.
        case stop(tag: String)
        /// Give items to the daemon; ``given(_:)`` or ``readAgain()``.
        case give([SiteOutgoing.Item])
    }

    /// The most items of a conversation that stay open.
    package static let openLimit = 4_096
    /// What may wait for the daemon, in bytes.
    package static let arrivalBytes = 8 << 20
    /// The most ways back to what is missing at once.
    private static let chaseLimit = 64
    /// How long after something was published it is read from the stream, in which it may not be at once.
    private static let lookMilliseconds: UInt64 = 1_000
    /// How long at most until what is open is read again where something else has come.
    private static let againMilliseconds: UInt64 = 64_000

    private struct Reading: Sendable {
        /// Up to which number everything was given to the daemon.
        var number: UInt64 = 0
        /// What of it the daemon could not take yet.
        var open: Set<UInt64> = []
        var isRead = false
        /// Whether there may be something.
        var isDue = true
        /// When it is looked whether there is.
        var dueAt: UInt64?
        /// When what is open is read again, and after how long the next time.
        var againAt: UInt64?
        var patience = SiteIncoming.lookMilliseconds
        var behind: UInt64 = 0
        var isFollowed = true

        /// From where a new start goes on.
        var place: UInt64 { self.open.min().map { $0 - 1 } ?? self.number }
    }

    /// An item on its way to the daemon; without a place where it was come across.
    private struct Arrival: Sendable {
        var item: SiteOutgoing.Item
        var place: (tag: String, number: UInt64)?
    }

    private var readings: [String: Reading] = [:]
    private var arrivals: [Arrival] = []
    private var bytes = 0
    /// What the daemon was given and has not answered.
    private var given: [Arrival] = []
    /// The ways back; the one that is gone at present comes first.
    private var chases: [SiteChase] = []
    /// What was looked for and found.
    private var found: SiteOutgoing.Item?
    /// Items that wait for others that the servers do not have.
    private var stranded: [SiteChase.Waiting] = []

    /// How many items the daemon has taken, and how many it has refused, by its word.
    package private(set) var takenCount = 0
    package private(set) var refused: [ImportItemsMethod.Verdict: Int] = [:]

    package init() {}

    /// How many items are on the servers that were not read yet, about.
    package var behind: UInt64 {
        self.readings.values.reduce(0) { sum, reading in
            let (more, isOver) = sum.addingReportingOverflow(reading.behind)
            return isOver ? .max : more
        }
    }
    /// How many items wait for others that have not come.
    package var waiting: Int { self.readings.values.reduce(0) { $0 + $1.open.count } }

    /// How far each conversation was read, ascending.
    package var places: [SiteKeep.Place] {
        self.readings.sorted { $0.key < $1.key }.map { tag, reading in
            SiteKeep.Place {
                $0.tag = tag
                $0.number = Int64(clamping: reading.place)
            }
        }
    }

    // MARK: What is read

    /// These conversations are read from here on.
    package mutating func follow(_ tags: [String]) {
        let now = Set(tags)
        for tag in self.readings.keys where !now.contains(tag) {
            self.readings[tag]?.isFollowed = false
        }
        for tag in now { self.readings[tag, default: Reading()].isFollowed = true }
    }

    /// A connection begins, to a stream that was read so far.
    package mutating func begin(at places: [SiteKeep.Place]) {
        for tag in self.readings.keys {
            self.readings[tag]?.number = 0
            self.readings[tag]?.open = []
        }
        for place in places where self.readings[place.tag] != nil {
            self.readings[place.tag]?.number = UInt64(clamping: place.number)
        }
        self.readAgain()
    }

    /// What was under way has failed: it is read again, from where the daemon has everything.
    package mutating func readAgain() {
        for tag in self.readings.keys { self.readAgain(tag) }
        (self.arrivals, self.bytes, self.given, self.chases, self.found) = ([], 0, [], [], nil)
    }

    private mutating func readAgain(_ tag: String) {
        guard let place = self.readings[tag]?.place else { return }
        self.readings[tag]?.number = place
        self.readings[tag]?.open = []
        self.readings[tag]?.isRead = false
        self.readings[tag]?.isDue = true
    }

    /// Something was published in a conversation: it is given to the daemon at once where it has come along, and read from
    /// the stream a little later.
    package mutating func published(
        _ items: [SiteOutgoing.Item], in tags: Set<String>, at now: UInt64
    ) {
        for tag in tags where self.readings[tag]?.dueAt == nil {
            self.readings[tag]?.dueAt = now + Self.lookMilliseconds
        }
        for item in items { self.add(item) }
    }

    /// Takes an item that was come across.
    package mutating func add(_ item: SiteOutgoing.Item) {
        // It is read from the stream in any case.
        guard self.bytes + item.data.count <= Self.arrivalBytes else { return }
        self.bytes += item.data.count
        self.arrivals.append(Arrival(item: item, place: nil))
    }

    /// There may be something in any conversation.
    package mutating func lookEverywhere() {
        for tag in self.readings.keys { self.readings[tag]?.isDue = true }
    }

    /// Time has passed.
    package mutating func tick(at now: UInt64) {
        for (tag, reading) in self.readings {
            if reading.dueAt.map({ $0 <= now }) ?? false {
                self.readings[tag]?.dueAt = nil
                self.readings[tag]?.isDue = true
            }
            if reading.againAt.map({ $0 <= now }) ?? false {
                // What is under way of it has its own numbers.
                guard self.given.isEmpty, self.arrivals.isEmpty else {
                    self.readings[tag]?.againAt = now + Self.lookMilliseconds
                    continue
                }
                self.readings[tag]?.againAt = nil
                self.readings[tag]?.patience = min(2 * reading.patience, Self.againMilliseconds)
                self.readAgain(tag)
            }
        }
    }

    /// When ``tick(at:)`` is due; nil where nothing is.
    package var nextDue: UInt64? {
        self.readings.values.flatMap { [$0.dueAt, $0.againAt].compactMap { $0 } }.min()
    }

    // MARK: Steps

    package var next: Step? {
        if let gone = self.readings.first(where: { !$0.value.isFollowed }) {
            return .stop(tag: gone.key)
        }
        if let chase = self.chases.first, let subject = chase.next {
            return self.found.map { .give([$0]) } ?? .look(subject: subject)
        }
        if !self.arrivals.isEmpty {
            return .give(self.arrivals.prefix(self.batchCount).map(\.item))
        }
        if let unread = self.readings.first(where: { !$0.value.isRead }) {
            return .read(tag: unread.key, from: unread.value.number + 1)
        }
        return self.readings.first { $0.value.isDue }.map { .fetch(tag: $0.key) }
    }

    /// As many as one call takes.
    private var batchCount: Int {
        var bytes = 0
        let count = self.arrivals.prefix(ControlLimits.siteItems).prefix { arrival in
            bytes += arrival.item.data.count
            return bytes <= ControlLimits.siteBytes
        }.count
        return max(1, count)
    }

    package mutating func reads(_ tag: String) { self.readings[tag]?.isRead = true }

    /// The servers read a conversation no more: it is begun again.
    package mutating func forgot(_ tag: String) { self.readings[tag]?.isRead = false }

    package mutating func stopped(_ tag: String) {
        self.readings[tag] = nil
        for index in self.arrivals.indices where self.arrivals[index].place?.tag == tag {
            self.arrivals[index].place = nil
        }
    }

    /// These came, and perhaps others that are of no interest.
    package mutating func fetched(
        _ messages: [(item: SiteOutgoing.Item, number: UInt64)], of tag: String, behind: UInt64,
        hasCome: Bool
    ) {
        self.readings[tag]?.isDue = hasCome && behind > 0
        self.readings[tag]?.behind = behind
        for (item, number) in messages where number < UInt64(Int64.max) {
            self.bytes += item.data.count
            self.arrivals.append(Arrival(item: item, place: (tag, number)))
        }
    }

    /// What is under the subject that was looked for; nil where nothing is.
    package mutating func found(_ item: SiteOutgoing.Item?) {
        self.found = item
        if item == nil { self.strand() }
    }

    /// The items of ``Step/give(_:)`` are on their way.
    package mutating func gives() {
        guard self.found == nil else { return }
        self.given = Array(self.arrivals.prefix(self.batchCount))
        self.arrivals.removeFirst(self.given.count)
        self.bytes -= self.given.reduce(0) { $0 + $1.item.data.count }
    }

    /// What the daemon says of what it was given; gives what the servers have of it for certain.
    package mutating func given(
        _ outcomes: [ImportItemsMethod.Outcome], at now: UInt64
    ) -> [SiteOutgoing.Item] {
        if let item = self.found {
            self.found = nil
            guard let outcome = outcomes.first else { return [] }
            return self.chased(item, outcome, at: now) ? [item] : []
        }
        let batch = self.given
        self.given = []
        // An answer that is short is that of another question.
        guard outcomes.count == batch.count else {
            self.readAgain()
            return []
        }
        var sure: [SiteOutgoing.Item] = []
        for (arrival, outcome) in zip(batch, outcomes) {
            self.count(outcome)
            var isOpen = false
            switch outcome.verdict {
            // What a subscription brings may never have been stored: a server without a leader still passes it on.
            case .taken, .known: if arrival.place != nil { sure.append(arrival.item) }
            case .waits:
                isOpen = true
                if let needs = outcome.needs, self.chases.count < Self.chaseLimit {
                    let item = SiteChase.Waiting(
                        arrival.item.subject, isKnown: outcome.known == true)
                    self.chases.append(SiteChase(for: item, needing: needs))
                }
            case .early: isOpen = true
            default: break
            }
            self.note(arrival, isOpen: isOpen)
        }
        if outcomes.contains(where: { $0.verdict == .taken }) { self.planAgain(at: now) }
        return sure
    }

    private mutating func note(_ arrival: Arrival, isOpen: Bool) {
        guard let (tag, number) = arrival.place, let reading = self.readings[tag] else { return }
        self.readings[tag]?.number = max(reading.number, number)
        if isOpen, reading.open.count < Self.openLimit {
            self.readings[tag]?.open.insert(number)
        } else if reading.open.isEmpty {
            self.readings[tag]?.patience = Self.lookMilliseconds
        }
    }

    /// Where something was taken, what is open may be taken, too.
    private mutating func planAgain(at now: UInt64) {
        for (tag, reading) in self.readings where !reading.open.isEmpty {
            self.readings[tag]?.againAt = min(reading.againAt ?? .max, now + reading.patience)
        }
    }

    /// Whether the servers have the item for certain.
    private mutating func chased(
        _ item: SiteOutgoing.Item, _ outcome: ImportItemsMethod.Outcome, at now: UInt64
    ) -> Bool {
        self.count(outcome)
        guard !self.chases.isEmpty else { return false }
        switch outcome.verdict {
        case .taken, .known:
            self.chases[0].arrived()
            if self.chases[0].next == nil { self.chases.removeFirst() }
            if outcome.verdict == .taken { self.planAgain(at: now) }
            return true
        case .waits:
            if let needs = outcome.needs,
                self.chases[0].needs(needs, isKnown: outcome.known == true)
            {
                return false
            }
            self.chases.removeFirst()
        // Something else is there in its place.
        case .unsealed, .forged: self.strand()
        default: self.chases.removeFirst()
        }
        return false
    }

    /// A way back ends, since the servers do not have what is next.
    private mutating func strand() {
        guard !self.chases.isEmpty else { return }
        if let waiting = self.chases.removeFirst().waiting,
            self.stranded.count < Self.chaseLimit, !self.stranded.contains(waiting)
        {
            self.stranded.append(waiting)
        }
    }

    /// What the daemon says of an item that it was given beside these.
    package mutating func heard(_ outcome: ImportItemsMethod.Outcome, at now: UInt64) {
        self.count(outcome)
        if outcome.verdict == .taken { self.planAgain(at: now) }
    }

    /// Takes out the items that were found to wait for others that the servers do not have.
    package mutating func takeStranded() -> [SiteChase.Waiting] {
        defer { self.stranded = [] }
        return self.stranded
    }

    private mutating func count(_ outcome: ImportItemsMethod.Outcome) {
        switch outcome.verdict {
        case .taken: self.takenCount += 1
        case .known, .waits, .early: break
        default: self.refused[outcome.verdict, default: 0] += 1
        }
    }
}
