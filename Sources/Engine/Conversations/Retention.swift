package import Formats

/// For how long, and how much, is kept here of what is said in a conversation.
package struct Retention: Hashable, Sendable {
    /// For how many days; nil for ever.
    package var days: UInt32?
    /// The most bytes of payloads, of which the oldest go; nil for any number.
    package var bytes: UInt64?

    /// Says what is kept: without bounds all of it.
    package init(days: UInt32? = nil, bytes: UInt64? = nil) {
        self.days = days
        self.bytes = bytes
    }

    /// Whether all is kept.
    package var isUnbounded: Bool { self.days == nil && self.bytes == nil }
}

/// Which payloads of a conversation are to go.
package enum RetentionBound: Hashable, Sendable {
    /// Those of entries that are older.
    case before(HybridTime)
    /// The oldest, until those that are left have no more bytes together.
    case above(bytes: UInt64)
    /// What streams brought, where it is old or was received.
    case streams(StreamBound)
}
