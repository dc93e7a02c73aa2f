/// What is noted of a log beside its entries, as bits: what decides whether it gives way.
public struct LogMarks: OptionSet, Hashable, Sendable {
    /// The bits, as the store keeps them.
    public let rawValue: UInt8

    /// Takes bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A later log of its author says that it is not continued.
    public static let closed = LogMarks(rawValue: 1)
    /// Somebody who does not give way has written behind an entry of it.
    public static let named = LogMarks(rawValue: 2)
}

/// What a batch has taken off the disk of a log that gives way.
public struct LogDrop: Hashable, Sendable {
    /// The log.
    public var key: LogKey
    /// Whether nothing of it is left; otherwise the caller drops on.
    public var isWhole: Bool
    /// Messages of it that people were shown, by their numbers in it.
    public var shown: [UInt64]
    /// What is left that says whether its author is a member.
    public var attendance: Attendance?

    /// Says what was dropped.
    public init(key: LogKey, isWhole: Bool, shown: [UInt64], attendance: Attendance?) {
        self.key = key
        self.isWhole = isWhole
        self.shown = shown
        self.attendance = attendance
    }
}
