/// Bytes that have come from a stream and were not taken yet.
struct SessionInput: Sendable {
    private var bytes: [UInt8] = []
    private var start = 0

    /// How many bytes were not taken.
    var count: Int { self.bytes.count - self.start }

    /// The next byte, which stays.
    var first: UInt8? { self.count > 0 ? self.bytes[self.start] : nil }

    mutating func append(_ more: some Collection<UInt8>) { self.bytes.append(contentsOf: more) }

    mutating func removeAll() { self = SessionInput() }

    /// Frees the room of what was taken.
    mutating func compact() {
        guard self.start > 0 else { return }
        self.bytes.removeFirst(self.start)
        self.start = 0
    }

    mutating func take(_ count: Int) -> [UInt8]? {
        guard self.count >= count else { return nil }
        defer { self.start += count }
        return Array(self.bytes[self.start..<self.start + count])
    }

    /// The next length-prefixed message, once all of it is there.
    mutating func takeMessage(_ limits: ClosedRange<Int>) throws(SessionFailure) -> [UInt8]? {
        guard self.count >= 2 else { return nil }
        let length = Int(self.bytes[self.start]) << 8 | Int(self.bytes[self.start + 1])
        guard limits.contains(length) else { throw .length(length) }
        guard self.count >= 2 + length else { return nil }
        self.start += 2
        return self.take(length)
    }
}
