/// For how long, and how much, is kept here of what is said in a conversation.
public struct Retention: Hashable, Sendable {
    /// For how many days; nil for ever.
    public var days: UInt32?
    /// The most bytes of payloads, of which the oldest go; nil for any number.
    public var bytes: UInt64?

    /// Says what is kept: without bounds all of it.
    public init(days: UInt32? = nil, bytes: UInt64? = nil) {
        self.days = days
        self.bytes = bytes
    }

    /// Whether all is kept.
    public var isUnbounded: Bool { self.days == nil && self.bytes == nil }
}

/// Which payloads of a conversation are to go.
public enum RetentionBound: Hashable, Sendable {
    /// Those of entries that are older.
    case before(HybridTime)
    /// The oldest, until those that are left have no more bytes together.
    case above(bytes: UInt64)
}
