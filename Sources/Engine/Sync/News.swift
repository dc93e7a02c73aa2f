/// Logs whose committed heads have moved, numbered as they did, until all peers had their turn.
struct News: Sendable {
    /// The number of the last move.
    private(set) var last: UInt64 = 0
    private var numbers: [LogKey: UInt64] = [:]
    private var fresh: Set<LogKey> = []
    /// Whether the node is to be woken to tell it.
    private var isArmed = false

    var isEmpty: Bool { self.numbers.isEmpty }

    mutating func note(_ key: LogKey) {
        self.last += 1
        self.numbers[key] = self.last
        self.fresh.insert(key)
    }

    /// Whether the node is to be woken to tell it, and is not yet.
    mutating func arm() -> Bool {
        guard !self.isArmed, !self.isEmpty else { return false }
        self.isArmed = true
        return true
    }

    mutating func wokenUp() { self.isArmed = false }

    func number(of key: LogKey) -> UInt64 { self.numbers[key] ?? 0 }

    /// What has moved since this was asked last.
    mutating func takeFresh() -> [LogKey] {
        defer { self.fresh = [] }
        return self.fresh.sorted()
    }

    /// What has moved after a number.
    func since(_ number: UInt64) -> [LogKey] {
        self.numbers.filter { $0.value > number }.keys.sorted()
    }

    /// Forgets what everybody had a turn for.
    mutating func drop(through number: UInt64) {
        if number >= self.last {
            self.numbers = [:]
        } else {
            self.numbers = self.numbers.filter { $0.value > number }
        }
    }
}
