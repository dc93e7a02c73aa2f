internal import Formats

/// Waits until peers have an own message.
struct Delivery: Hashable, Sendable {
    var request: RequestID
    var key: LogKey
    var seq: UInt64
    var message: SentMessage
    var wait: DeliveryWait
    /// Whether the message had been sent before, under its key.
    var isDuplicate = false
}

/// The waits of all senders, those of each log and aim in the order of its entries.
struct Deliveries: Sendable {
    /// Waits that end at the same entry.
    private struct Line: Sendable {
        var aim: DeliveryAim
        var waits: [Delivery]
    }

    private var lines: [LogKey: [Line]] = [:]
    /// What shows that who says to have an own entry has it.
    var ownIDs = RecentOwnIDs()
    private(set) var count = 0
    private var armedAt: UInt64?
    /// Sends of which it is not known yet whether the other one lets the user in: they are answered once that is
    /// known, or soon.
    private var unsaid: [ConversationID: [Unsaid]] = [:]
    /// What repeated sends wait for whose first one is not yet on disk.
    private var repeated: [RequestID: DeliveryWait] = [:]

    private struct Unsaid: Sendable {
        var request: RequestID
        var message: SentMessage
        var deadline: UInt64
    }

    var keys: [LogKey] { self.lines.keys.sorted() }

    /// Keeps a send that is to be answered once it is known whether the other one lets the user in.
    mutating func keep(_ request: RequestID, _ message: SentMessage, until deadline: UInt64) {
        self.unsaid[message.conversation, default: []].append(
            Unsaid(request: request, message: message, deadline: deadline))
    }

    func isUnsaid(in conversation: ConversationID) -> Bool { self.unsaid[conversation] != nil }

    /// Takes out what is answered now: it is known, or their time is over.
    mutating func takeSaid(
        in conversation: ConversationID? = nil, at moment: UInt64? = nil
    ) -> [(request: RequestID, message: SentMessage)] {
        var said: [(RequestID, SentMessage)] = []
        for key in self.unsaid.keys.sorted() where conversation == nil || conversation == key {
            let all = self.unsaid[key] ?? []
            let rest = all.filter { unsaid in moment.map { unsaid.deadline > $0 } ?? false }
            said += all.filter { unsaid in moment.map { unsaid.deadline <= $0 } ?? true }
                .map { ($0.request, $0.message) }
            self.unsaid[key] = rest.isEmpty ? nil : rest
        }
        return said
    }

    /// The logs of some conversations for which somebody waits, in order.
    func keys(where isMeant: (ConversationID) -> Bool) -> [LogKey] {
        self.lines.keys.filter { isMeant($0.conversation) }.sorted()
    }

    func isEmpty(for key: LogKey) -> Bool { self.lines[key] == nil }

    /// What the waits of a log are for, in the order in which they came.
    func aims(of key: LogKey) -> [DeliveryAim] { (self.lines[key] ?? []).map(\.aim) }

    /// Keeps what a repeated send is to wait for, once the first one is on disk.
    mutating func keep(_ wait: DeliveryWait?, of request: RequestID) {
        self.repeated[request] = wait
    }

    mutating func takeKept(of request: RequestID) -> DeliveryWait? {
        self.repeated.removeValue(forKey: request)
    }

    mutating func add(_ delivery: Delivery) {
        var lines = self.lines[delivery.key] ?? []
        if let line = lines.firstIndex(where: { $0.aim == delivery.wait.aim }) {
            lines[line].waits.append(delivery)
        } else {
            lines.append(Line(aim: delivery.wait.aim, waits: [delivery]))
        }
        self.lines[delivery.key] = lines
        self.count += 1
    }

    /// When the node is to be woken for the first wait that ends; nil where that is arranged.
    mutating func nextWakeUp() -> UInt64? {
        let waits = self.lines.values.joined().lazy.flatMap(\.waits)
        let unsaid = self.unsaid.values.joined().map(\.deadline).min()
        guard let first = [waits.map(\.wait.deadline).min(), unsaid].compactMap(\.self).min(),
            self.armedAt.map({ first < $0 }) ?? true
        else { return nil }
        self.armedAt = first
        return first
    }

    /// Takes out those with an aim, up to an entry.
    mutating func remove(
        of key: LogKey, _ aim: DeliveryAim, through seq: UInt64
    ) -> [Delivery] {
        guard let line = self.lines[key]?.firstIndex(where: { $0.aim == aim }),
            let done = self.lines[key]?[line].waits.prefix(while: { $0.seq <= seq }), !done.isEmpty
        else { return [] }
        self.lines[key]?[line].waits.removeFirst(done.count)
        self.drop(of: key)
        self.count -= done.count
        return Array(done)
    }

    /// Takes out those with an aim for whose entry something holds.
    mutating func remove(
        of key: LogKey, _ aim: DeliveryAim, where isOver: (UInt64) -> Bool
    ) -> [Delivery] {
        guard let line = self.lines[key]?.firstIndex(where: { $0.aim == aim }) else { return [] }
        let done = (self.lines[key]?[line].waits ?? []).filter { isOver($0.seq) }
        self.lines[key]?[line].waits.removeAll { isOver($0.seq) }
        self.drop(of: key)
        self.count -= done.count
        return done
    }

    /// Takes out those whose time is over.
    mutating func removeDue(at moment: UInt64) -> [Delivery] {
        self.armedAt = nil
        var due: [Delivery] = []
        for key in self.keys {
            for line in self.lines[key]?.indices ?? 0..<0 {
                due += (self.lines[key]?[line].waits ?? []).filter { $0.wait.deadline <= moment }
                self.lines[key]?[line].waits.removeAll { $0.wait.deadline <= moment }
            }
            self.drop(of: key)
        }
        self.count -= due.count
        return due
    }

    /// Forgets aims that nobody waits for any more.
    private mutating func drop(of key: LogKey) {
        self.lines[key]?.removeAll { $0.waits.isEmpty }
        if self.lines[key]?.isEmpty == true { self.lines[key] = nil }
    }
}
