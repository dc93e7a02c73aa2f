/// What is to happen and when: the one priority queue of a simulation.
///
/// Of two things at the same moment the one that was noted first comes first, so that a run is
/// the same each time.
struct EventQueue<Item> {
    /// A place in the queue; items are kept apart, since the heap moves its elements often.
    private struct Place {
        var at: UInt64
        var order: UInt64

        func precedes(_ other: Place) -> Bool {
            self.at < other.at || (self.at == other.at && self.order < other.order)
        }
    }

    private var heap: [Place] = []
    private var items: [UInt64: Item] = [:]
    private var noted: UInt64 = 0

    /// The moment of the next item; nil when there is none.
    var next: UInt64? { self.heap.isEmpty ? nil : self.heap[0].at }

    /// Notes an item for a moment.
    mutating func schedule(_ item: Item, at moment: UInt64) {
        self.noted += 1
        self.items[self.noted] = item
        self.heap.append(Place(at: moment, order: self.noted))
        var child = self.heap.count - 1
        while child > 0, self.heap[child].precedes(self.heap[(child - 1) / 2]) {
            self.heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Takes the next item out.
    mutating func take() -> (at: UInt64, item: Item)? {
        guard let last = self.heap.popLast() else { return nil }
        let first = self.heap.isEmpty ? last : self.heap[0]
        if !self.heap.isEmpty {
            self.heap[0] = last
            self.sink()
        }
        return self.items.removeValue(forKey: first.order).map { (first.at, $0) }
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var least = parent
            for child in 2 * parent + 1..<2 * parent + 3
            where child < self.heap.count && self.heap[child].precedes(self.heap[least]) {
                least = child
            }
            guard least != parent else { return }
            self.heap.swapAt(parent, least)
            parent = least
        }
    }
}
