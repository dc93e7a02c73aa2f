/// Some small numbers, as those of logs are (``LogNumbers``): a bit for each up to the largest.
///
/// Strangers may have a room hold some thousand logs, and each of a hundred links has sets of these: by their names
/// one took half a megabyte, this takes a kilobyte.
struct NumberSet: Sendable {
    private var words: [UInt64] = []
    private(set) var count = 0

    var isEmpty: Bool { self.count == 0 }

    /// Its numbers, ascending.
    var members: [UInt32] {
        var found: [UInt32] = []
        while let next = self.first(from: found.last.map { $0 + 1 } ?? 0) { found.append(next) }
        return found
    }

    private static func bit(_ number: UInt32) -> UInt64 { 1 << UInt64(number & 63) }

    func contains(_ number: UInt32) -> Bool {
        let word = Int(number >> 6)
        return word < self.words.count && self.words[word] & Self.bit(number) != 0
    }

    mutating func insert(_ number: UInt32) {
        guard !self.contains(number) else { return }
        let missing = Int(number >> 6) + 1 - self.words.count
        if missing > 0 { self.words.append(contentsOf: repeatElement(0, count: missing)) }
        self.words[Int(number >> 6)] |= Self.bit(number)
        self.count += 1
    }

    /// Takes a number out; false where it is not in it.
    @discardableResult
    mutating func remove(_ number: UInt32) -> Bool {
        guard self.contains(number) else { return false }
        self.words[Int(number >> 6)] &= ~Self.bit(number)
        self.count -= 1
        if self.isEmpty { self.words = [] }
        return true
    }

    /// The smallest number that is not below this one; nil where there is none.
    func first(from number: UInt32) -> UInt32? {
        var word = Int(number >> 6)
        guard word < self.words.count else { return nil }
        var bits = self.words[word] & (.max << UInt64(number & 63))
        while bits == 0 {
            word += 1
            guard word < self.words.count else { return nil }
            bits = self.words[word]
        }
        return UInt32(word << 6 + bits.trailingZeroBitCount)
    }
}

/// Small numbers that have their turns: the next one is the next larger, and after the largest comes the smallest.
struct NumberTurns: Sendable {
    private var waiting = NumberSet()
    private var last: UInt32 = .max

    var isEmpty: Bool { self.waiting.isEmpty }

    /// Has a number wait for its turn.
    mutating func add(_ number: UInt32) { self.waiting.insert(number) }

    /// Takes the number whose turn it is.
    mutating func next() -> UInt32? {
        let next = self.waiting.first(from: self.last &+ 1) ?? self.waiting.first(from: 0)
        guard let next else { return nil }
        self.last = next
        self.waiting.remove(next)
        return next
    }
}
