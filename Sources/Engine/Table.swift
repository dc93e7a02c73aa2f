/// Values by key that are read and changed where they lie.
///
/// It is used as a `Dictionary` is. That one moves a value out and back around each
/// `values[key]?.field = new`, in memory that it allocates, and copies all of a value of which one
/// field is asked: with values of hundreds of bytes that was a tenth of a node's instructions.
struct Table<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The keys, in no order; the value of each lies one place further in `slots`.
    private(set) var keys: [Key] = []
    /// The first is nobody's, and nil.
    private var slots: [Value?] = [nil]
    /// The places in `slots`; few keys are found faster by comparing.
    private var places: [Key: Int] = [:]
    private static var fewKeys: Int { 8 }

    /// The value of a key; nil where there is none, and where there shall be none.
    subscript(key: Key) -> Value? {
        @inline(__always)
        _read { yield self.slots[self.place(of: key)] }
        @inline(__always)
        _modify {
            let place = self.place(for: key)
            defer { if self.slots[place] == nil { self.remove(key, at: place) } }
            yield &self.slots[place]
        }
    }

    /// The value of a key that is there; traps otherwise.
    // swift-format-ignore: NeverForceUnwrap
    subscript(known key: Key) -> Value {
        @inline(__always)
        _read { yield self.slots[self.place(of: key)]! }
        @inline(__always)
        _modify { yield &self.slots[self.place(of: key)]! }
    }

    var count: Int { self.keys.count }

    /// Whether a key has a value, which is not looked at.
    func has(_ key: Key) -> Bool { self.place(of: key) != 0 }

    /// The values, in no order.
    var values: [Value] { self.slots.compactMap { $0 } }

    /// Where the value of a key lies; 0 where there is none.
    private func place(of key: Key) -> Int {
        guard self.keys.count <= Self.fewKeys else { return self.places[key] ?? 0 }
        for index in self.keys.indices where self.keys[index] == key { return index + 1 }
        return 0
    }

    /// Where the value of a key lies, or is to lie.
    private mutating func place(for key: Key) -> Int {
        let place = self.place(of: key)
        guard place == 0 else { return place }
        self.keys.append(key)
        self.slots.append(nil)
        self.places[key] = self.keys.count
        return self.keys.count
    }

    /// Lets the last value lie where that of a key was.
    private mutating func remove(_ key: Key, at place: Int) {
        self.places[key] = nil
        let last = self.keys.removeLast()
        let value = self.slots.removeLast()
        guard place <= self.keys.count else { return }
        (self.keys[place - 1], self.slots[place]) = (last, value)
        self.places[last] = place
    }
}

extension Table: Sequence {
    func makeIterator() -> some IteratorProtocol<(key: Key, value: Value)> {
        zip(self.keys, self.values).lazy.map { (key: $0, value: $1) }.makeIterator()
    }
}
