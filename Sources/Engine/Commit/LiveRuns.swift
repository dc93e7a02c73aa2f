internal import Formats

/// Live runs that wait for the disk: those of people whom the user knows before those of others, but never before what
/// their own logs have there.
struct LiveRuns: Sendable {
    private var ofKnown: [Accepted] = []
    private var others: [Accepted] = []
    /// How many of the others each log has: to look through all of them for each run would let strangers take the time.
    private var otherCounts: [LogKey: Int] = [:]
    /// What all of them take.
    private(set) var byteCount = 0

    var count: Int { self.ofKnown.count + self.others.count }

    var isEmpty: Bool { self.ofKnown.isEmpty && self.others.isEmpty }

    /// The runs, in order.
    var all: [Accepted] { self.ofKnown + self.others }

    mutating func add(_ accepted: Accepted) {
        self.byteCount += accepted.byteCount
        if accepted.isOfKnown, self.otherCounts[accepted.key] == nil {
            self.ofKnown.append(accepted)
        } else {
            self.others.append(accepted)
            self.otherCounts[accepted.key, default: 0] += 1
        }
    }

    /// Takes out the first ones.
    mutating func removeFirst(_ count: Int) -> [Accepted] {
        let taken = Array(self.all.prefix(count))
        let known = min(count, self.ofKnown.count)
        self.ofKnown.removeFirst(known)
        self.others.removeFirst(count - known)
        for accepted in taken { self.byteCount -= accepted.byteCount }
        for accepted in taken.dropFirst(known) {
            let left = self.otherCounts[known: accepted.key] - 1
            self.otherCounts[accepted.key] = left == 0 ? nil : left
        }
        return taken
    }

    /// Takes out those of a log.
    mutating func drop(_ key: LogKey) -> [Accepted] {
        let dropped = self.all.filter { $0.key == key }
        guard !dropped.isEmpty else { return [] }
        self.ofKnown.removeAll { $0.key == key }
        self.others.removeAll { $0.key == key }
        self.otherCounts[key] = nil
        for accepted in dropped { self.byteCount -= accepted.byteCount }
        return dropped
    }
}
