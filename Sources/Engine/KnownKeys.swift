extension Dictionary {
    /// The value of a key that is there; traps otherwise.
    ///
    /// Where a missing value is a fact, the ordinary subscript asks for it.
    subscript(known key: Key) -> Value {
        get {
            guard let value = self[key] else { preconditionFailure("no value for \(key)") }
            return value
        }
        _modify {
            guard let index = self.index(forKey: key) else {
                preconditionFailure("no value for \(key)")
            }
            yield &self.values[index]
        }
    }
}
