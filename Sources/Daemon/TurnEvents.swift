internal import Engine

/// Whether a turn is under way, and what the node is to be told in it.
struct TurnEvents {
    private var events: [Event] = []
    private var isUnderWay = false

    /// Whether the node is to be told something.
    var hasEvents: Bool { !self.events.isEmpty }

    /// Begins a turn; false inside of another one, which does the rest then.
    mutating func begin() -> Bool {
        defer { self.isUnderWay = true }
        return !self.isUnderWay
    }

    mutating func end() { self.isUnderWay = false }

    mutating func note(_ event: Event) { self.events.append(event) }

    /// What has gathered, in order.
    mutating func take() -> [Event] {
        var events: [Event] = []
        swap(&events, &self.events)
        return events
    }
}
