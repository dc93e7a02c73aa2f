package import Formats

/// What is noted of a log beside its entries: what decides whether it gives way.
package struct LogMarks: Hashable, Sendable {
    /// Whether a later log of its author says that it is not continued.
    package var isClosed = false
    /// The last day on which somebody whom the user does not count as a stranger answered an entry of it, in days since
    /// 1970; 0 for none.
    package var answeredDay: UInt32 = 0

    private static let closedBit: Int64 = 1
    // The bit between was set by what a node did by itself, and says nothing any longer.
    private static let dayShift: Int64 = 8

    /// Nothing is noted, or this.
    package init(isClosed: Bool = false, answeredDay: UInt32 = 0) {
        self.isClosed = isClosed
        self.answeredDay = answeredDay
    }

    /// Takes what the store has kept.
    package init(rawValue: Int64) {
        self.isClosed = rawValue & Self.closedBit != 0
        self.answeredDay = UInt32(truncatingIfNeeded: rawValue >> Self.dayShift)
    }

    /// Both, as the store keeps them.
    package var rawValue: Int64 {
        Int64(self.answeredDay) << Self.dayShift | (self.isClosed ? Self.closedBit : 0)
    }

    /// All that is noted here or there.
    package func union(_ other: LogMarks) -> LogMarks {
        LogMarks(
            isClosed: self.isClosed || other.isClosed,
            answeredDay: max(self.answeredDay, other.answeredDay))
    }

    /// Whether an answer protects the log now: none does for ever.
    func isAnswered(at wall: UInt64) -> Bool {
        self.answeredDay > 0
            && UInt64(self.answeredDay) + Limits.answeredDays >= wall / Limits.dayMilliseconds
    }
}

/// What a batch has taken off the disk of a log that gives way.
package struct LogDrop: Hashable, Sendable {
    package var key: LogKey
    /// Whether nothing of it is left; otherwise the caller drops on.
    package var isWhole: Bool
    /// Messages of it that people were shown, by their numbers in it.
    package var shown: [UInt64]
    /// What is left that says whether its author is a member.
    package var attendance: Attendance?

    /// Says what was dropped.
    package init(key: LogKey, isWhole: Bool, shown: [UInt64], attendance: Attendance?) {
        self.key = key
        self.isWhole = isWhole
        self.shown = shown
        self.attendance = attendance
    }
}
