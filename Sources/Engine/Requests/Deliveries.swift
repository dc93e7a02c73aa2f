/// Waits until peers have an own message.
struct Delivery: Hashable, Sendable {
    var request: RequestID
    var key: LogKey
    var seq: UInt64
    var message: SentMessage
    var deadline: UInt64
    /// Whether the message had been sent before, under its key.
    var isDuplicate = false
}

/// The waits of all senders, each log's in the order of its entries.
struct Deliveries: Sendable {
    private(set) var waits: [LogKey: [Delivery]] = [:]
    private(set) var count = 0
    private var armedAt: UInt64?
    /// The deadlines of repeated sends whose first one is not yet on disk.
    private var repeated: [RequestID: UInt64] = [:]

    var keys: [LogKey] { self.waits.keys.sorted() }

    func isEmpty(for key: LogKey) -> Bool { self.waits[key] == nil }

    /// Keeps until when a repeated send is to wait, once the first one is on disk.
    mutating func keepDeadline(_ deadline: UInt64?, of request: RequestID) {
        self.repeated[request] = deadline
    }

    mutating func takeDeadline(of request: RequestID) -> UInt64? {
        self.repeated.removeValue(forKey: request)
    }

    mutating func add(_ delivery: Delivery) {
        self.waits[delivery.key, default: []].append(delivery)
        self.count += 1
    }

    /// When the node is to be woken for the first wait that ends; nil where that is arranged.
    mutating func nextWakeUp() -> UInt64? {
        guard let first = self.waits.values.joined().map(\.deadline).min(),
            self.armedAt.map({ first < $0 }) ?? true
        else { return nil }
        self.armedAt = first
        return first
    }

    /// Takes out those up to an entry.
    mutating func remove(of key: LogKey, through seq: UInt64) -> [Delivery] {
        let done = self.waits[key]?.prefix { $0.seq <= seq } ?? []
        guard !done.isEmpty else { return [] }
        self.waits[key]?.removeFirst(done.count)
        if self.waits[key]?.isEmpty == true { self.waits[key] = nil }
        self.count -= done.count
        return Array(done)
    }

    /// Takes out those whose time is over.
    mutating func removeDue(at moment: UInt64) -> [Delivery] {
        self.armedAt = nil
        var due: [Delivery] = []
        for key in self.keys {
            due += (self.waits[key] ?? []).filter { $0.deadline <= moment }
            self.waits[key]?.removeAll { $0.deadline <= moment }
            if self.waits[key]?.isEmpty == true { self.waits[key] = nil }
        }
        self.count -= due.count
        return due
    }
}
