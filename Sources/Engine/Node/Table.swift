/// Values by key that are read and changed where they lie.
///
/// It is used as a `Dictionary` is. That one moves a value out and back around each
/// `values[key]?.field = new`, in memory that it allocates, and copies all of a value of which one
/// field is asked: with values of hundreds of bytes that was a tenth of a node's instructions.
struct Table<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var places: [Key: Int] = [:]
    /// The first is nobody's, and nil, as are those that have become vacant.
    private var slots: [Value?] = [nil]
    private var vacant: [Int] = []

    /// The value of a key; nil where there is none, and where there shall be none.
    subscript(key: Key) -> Value? {
        @inline(__always)
        _read { yield self.slots[self.places[key] ?? 0] }
        @inline(__always)
        _modify {
            let place = self.place(for: key)
            defer { if self.slots[place] == nil { self.vacate(place, of: key) } }
            yield &self.slots[place]
        }
    }

    var count: Int { self.places.count }

    /// The keys, in no order.
    var keys: Dictionary<Key, Int>.Keys { self.places.keys }

    /// The values, in no order.
    var values: [Value] { self.slots.compactMap { $0 } }

    /// Where a key's value lies, or is to lie.
    private mutating func place(for key: Key) -> Int {
        if let place = self.places[key] { return place }
        let place = self.vacant.popLast() ?? self.slots.endIndex
        if place == self.slots.endIndex { self.slots.append(nil) }
        self.places[key] = place
        return place
    }

    private mutating func vacate(_ place: Int, of key: Key) {
        self.places[key] = nil
        self.vacant.append(place)
    }
}

extension Table: Sequence {
    func makeIterator() -> some IteratorProtocol<(key: Key, value: Value)> {
        self.places.lazy.compactMap { (key, place) in self.slots[place].map { (key, $0) } }
            .makeIterator()
    }
}
