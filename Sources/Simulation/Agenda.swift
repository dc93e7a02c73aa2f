/// What is to happen and when: the one priority queue of a simulation.
///
/// Of two things at the same moment the one that was noted first comes first, so that a run is
/// the same each time.
struct Agenda<Item> {
    private var heap: [(at: UInt64, order: UInt64, item: Item)] = []
    private var noted: UInt64 = 0

    /// The moment of the next item; nil when there is none.
    var next: UInt64? { self.heap.first?.at }

    /// Notes an item for a moment.
    mutating func note(_ item: Item, at moment: UInt64) {
        self.noted += 1
        self.heap.append((moment, self.noted, item))
        var child = self.heap.count - 1
        while child > 0, self.precedes(child, (child - 1) / 2) {
            self.heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Takes the next item out.
    mutating func take() -> (at: UInt64, item: Item)? {
        guard let first = self.heap.first, let last = self.heap.popLast() else { return nil }
        guard !self.heap.isEmpty else { return (first.at, first.item) }
        self.heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < self.heap.count && self.precedes(child, least) { least = child }
            guard least != parent else { return (first.at, first.item) }
            self.heap.swapAt(parent, least)
            parent = least
        }
    }

    private func precedes(_ left: Int, _ right: Int) -> Bool {
        (self.heap[left].at, self.heap[left].order) < (self.heap[right].at, self.heap[right].order)
    }
}
