internal import Formats

/// What a peer is being asked for: how much, and who has to wait.
struct LinkWants: Sendable {
    private(set) var open = 0
    /// How many in a row the peer has not served in time: who serves is asked first.
    private(set) var missed = 0
    /// Conversations that would ask the peer for something, once it has answered something else.
    private var waiting = Turns<ConversationID>()

    var free: Int { Limits.wantsPerLink - self.open }

    var hasWaiting: Bool { !self.waiting.isEmpty }

    mutating func begin() { self.open += 1 }

    mutating func end() {
        precondition(self.open > 0, "a want that ends was begun")
        self.open -= 1
    }

    mutating func miss() { self.missed += 1 }

    mutating func serve() { self.missed = 0 }

    mutating func wait(_ conversation: ConversationID) { self.waiting.add(conversation) }

    mutating func nextWaiting() -> ConversationID? { self.waiting.next() }
}
