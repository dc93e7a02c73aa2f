/// Values by key that are read and changed where they lie.
///
/// It is used as a `Dictionary` is. That one moves a value out and back around each
/// `values[key]?.field = new`, in memory that it allocates, and copies all of a value of which one
/// field is asked: with values of hundreds of bytes that was a tenth of a node's instructions.
struct Table<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The keys, in no order; the value of each lies at the same place in `values`.
    private(set) var keys: [Key] = []
    /// The values, in no order.
    private(set) var values: [Value] = []
    /// The places of the values; few keys are found faster by comparing.
    private var places: [Key: Int] = [:]
    private static var fewKeys: Int { 8 }

    /// The value of a key; nil where there is none, and where there shall be none.
    ///
    /// One that is changed in parts is asked for as one that is there: by this it is copied and put back.
    subscript(key: Key) -> Value? {
        @inline(__always)
        get { self.place(of: key).map { self.values[$0] } }
        set {
            switch (self.place(of: key), newValue) {
            case (let place?, let value?): self.values[place] = value
            case (let place?, nil): self.remove(key, at: place)
            case (nil, let value?): self.add(value, of: key)
            case (nil, nil): break
            }
        }
    }

    /// The value of a key that is there; traps otherwise.
    // swift-format-ignore: NeverForceUnwrap
    subscript(known key: Key) -> Value {
        @inline(__always)
        _read { yield self.values[self.place(of: key)!] }
        @inline(__always)
        _modify { yield &self.values[self.place(of: key)!] }
    }

    var count: Int { self.keys.count }

    /// Whether a key has a value, which is not looked at.
    func has(_ key: Key) -> Bool { self.place(of: key) != nil }

    /// Where the value of a key lies.
    private func place(of key: Key) -> Int? {
        guard self.keys.count <= Self.fewKeys else { return self.places[key] }
        return self.keys.firstIndex(of: key)
    }

    private mutating func add(_ value: Value, of key: Key) {
        self.places[key] = self.keys.count
        self.keys.append(key)
        self.values.append(value)
    }

    /// Lets the last value lie where that of a key was.
    private mutating func remove(_ key: Key, at place: Int) {
        self.places[key] = nil
        let last = self.keys.removeLast()
        let value = self.values.removeLast()
        guard place < self.keys.count else { return }
        (self.keys[place], self.values[place]) = (last, value)
        self.places[last] = place
    }
}

extension Table: Sequence {
    func makeIterator() -> some IteratorProtocol<(key: Key, value: Value)> {
        zip(self.keys, self.values).lazy.map { (key: $0, value: $1) }.makeIterator()
    }
}
