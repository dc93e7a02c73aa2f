/// What of a stream waits for a client that does not read: the newest lines, and how many packets gave
/// way for them.
struct PacketBacklog {
    /// A line that waits.
    struct Item: Equatable {
        var line: [UInt8]
        /// Whether it gives a packet.
        var isPacket: Bool
        /// How many packets are missing without it; a peer may say that it is any number.
        var missing: Int64
    }

    /// Lines that wait for a client.
    static let limit = 64

    private(set) var items: [Item] = []
    /// How many packets gave way.
    private(set) var dropped: Int64 = 0

    var isEmpty: Bool { self.items.isEmpty }

    /// How many packets wait.
    var packets: Int64 { Int64(self.items.count { $0.isPacket }) }

    /// Adds a line; where there are too many the oldest gives way.
    mutating func add(_ item: Item) {
        self.items.append(item)
        guard self.items.count > Self.limit else { return }
        let (sum, isOver) = self.dropped.addingReportingOverflow(self.items.removeFirst().missing)
        self.dropped = isOver ? .max : sum
    }

    /// Takes out all that waits.
    mutating func take() -> PacketBacklog {
        defer { self = PacketBacklog() }
        return self
    }
}
