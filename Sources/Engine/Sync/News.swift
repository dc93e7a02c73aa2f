internal import Formats

/// Logs whose committed heads have moved, numbered as they did, until all peers had their turn.
struct News: Sendable {
    private struct Move: Sendable {
        var number: UInt64
        var key: LogKey
    }

    /// The number of the last move.
    private(set) var last: UInt64 = 0
    /// The last move of each log.
    private var numbers: [LogKey: UInt64] = [:]
    /// The moves in their order, also some of logs that have moved again: so what one peer is to be told is found
    /// without looking at what it was told before.
    private var moves: [Move] = []
    /// The number of the last one that was taken as fresh.
    private var taken: UInt64 = 0
    /// Whether the node is to be woken to tell it.
    private var isArmed = false

    var isEmpty: Bool { self.numbers.isEmpty }

    mutating func note(_ key: LogKey) {
        self.last += 1
        self.numbers[key] = self.last
        self.moves.append(Move(number: self.last, key: key))
        // Each costs the same on average, and there are never many more than logs.
        guard self.moves.count > 2 * self.numbers.count + 64 else { return }
        self.moves = self.moves.filter { self.isLast($0) }
    }

    private func isLast(_ move: Move) -> Bool { self.numbers[move.key] == move.number }

    /// Whether the node is to be woken to tell it, and is not yet.
    mutating func arm() -> Bool {
        guard !self.isArmed, !self.isEmpty else { return false }
        self.isArmed = true
        return true
    }

    mutating func wokenUp() { self.isArmed = false }

    func number(of key: LogKey) -> UInt64 { self.numbers[key] ?? 0 }

    /// What has moved since this was asked last, in the order of the moves.
    mutating func takeFresh() -> [LogKey] {
        defer { self.taken = self.last }
        return self.since(self.taken, atMost: .max).keys
    }

    /// What has moved after a number, in the order of the moves, as far as a number of moves goes; and through which one
    /// that is.
    func since(_ number: UInt64, atMost limit: Int) -> (keys: [LogKey], through: UInt64) {
        let moves = self.moves[self.place(after: number)...]
        let seen = moves.prefix(limit)
        let through = seen.count < moves.count ? seen.last?.number ?? number : self.last
        return (seen.filter { self.isLast($0) }.map(\.key), through)
    }

    /// Where the first move lies that comes after a number.
    private func place(after number: UInt64) -> Int {
        var (low, high) = (0, self.moves.count)
        while low < high {
            let middle = (low + high) / 2
            if self.moves[middle].number > number { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Forgets what everybody had a turn for.
    mutating func drop(through number: UInt64) {
        let place = self.place(after: number)
        for move in self.moves[..<place] where self.isLast(move) { self.numbers[move.key] = nil }
        self.moves.removeFirst(place)
    }
}
