internal import Formats

/// Acts in the order in which they are to be given to other sites, since the start: some again, when a key has come under
/// which they go.
struct ActArrivals: Sendable {
    struct Arrival: Hashable, Sendable {
        var group: ConversationID
        var act: ActID
    }

    private var list: [Arrival] = []
    /// How many were left out before the list.
    private var left = 0
    private var most = Limits.actArrivals

    /// How many have come; places are counted to here.
    var count: Int { self.left + self.list.count }

    /// Those behind a place, and perhaps some that were given before.
    func suffix(from place: Int) -> ArraySlice<Arrival> {
        self.list[min(max(place - self.left, 0), self.list.count)...]
    }

    /// - Returns: the place of the first of those that ``suffix(from:)`` gives.
    func begin(of place: Int) -> Int { min(max(place, self.left), self.count) }

    mutating func add(_ acts: some Sequence<ActID>, of group: ConversationID) {
        self.list += acts.map { Arrival(group: group, act: $0) }
        guard self.list.count > self.most else { return }
        // Of each the last one: none moves to before a place behind which it was.
        var seen: Set<Arrival> = []
        let kept = self.list.reversed().filter { seen.insert($0).inserted }
        self.left += self.list.count - kept.count
        self.list = kept.reversed()
        self.most = max(Limits.actArrivals, 2 * self.list.count)
    }
}

extension Limits {
    /// From how many arrivals on each act is kept once only.
    static let actArrivals = 16_384
}
