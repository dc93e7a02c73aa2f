/// First in, first out; taking from the front costs the same however long it is.
struct Queue<Element: Sendable>: Sendable {
    private var elements: [Element?] = []
    private var next = 0

    var count: Int { self.elements.count - self.next }

    var isEmpty: Bool { self.next == self.elements.count }

    /// The elements, in order.
    var all: [Element] { self.elements[self.next...].compactMap(\.self) }

    var first: Element? { self.isEmpty ? nil : self.elements[self.next] }

    mutating func append(_ element: Element) { self.elements.append(element) }

    mutating func removeFirst() -> Element? {
        guard !self.isEmpty, let element = self.elements[self.next].take() else { return nil }
        self.next += 1
        // The consumed beginning goes once it is the larger half, which keeps this linear.
        if self.isEmpty {
            self.elements.removeAll(keepingCapacity: self.next <= 64)
            self.next = 0
        } else if self.next > 64 && self.next * 2 > self.elements.count {
            self.elements.removeFirst(self.next)
            self.next = 0
        }
        return element
    }

    /// Takes as many as there are, at most so many.
    mutating func removeFirst(atMost count: Int) -> [Element] {
        var taken: [Element] = []
        taken.reserveCapacity(min(count, self.count))
        while taken.count < count, let element = self.removeFirst() { taken.append(element) }
        return taken
    }
}

/// Keys that wait for their turn, each once.
struct Turns<Key: Hashable & Sendable>: Sendable {
    private var queue = Queue<Key>()
    private var members: Set<Key> = []

    var count: Int { self.queue.count }

    var isEmpty: Bool { self.queue.isEmpty }

    /// The keys, in the order of their turns.
    var all: [Key] { self.queue.all }

    func contains(_ key: Key) -> Bool { self.members.contains(key) }

    /// Puts a key at the end, unless it waits already.
    mutating func add(_ key: Key) {
        if self.members.insert(key).inserted { self.queue.append(key) }
    }

    mutating func next() -> Key? {
        guard let key = self.queue.removeFirst() else { return nil }
        self.members.remove(key)
        // A set keeps its room, and there are some of these on each link.
        if self.members.isEmpty { self.members = [] }
        return key
    }
}
