internal import Formats

/// Decides when those who follow lists are told that some have changed: together, and seldom, however often
/// strangers change them.
///
/// Time is an argument, in monotonic milliseconds. Holds each list once, and of the conversations only those that
/// the user is in.
package struct ListPace: Sendable {
    /// Changes of the same moment are told together: a link brings rooms and members.
    package static let gatherMilliseconds: UInt64 = 100
    /// Those who follow read a whole list each time.
    package static let pauseMilliseconds: UInt64 = 2_000

    private var changed: Set<ChangedList> = []
    private var toldAt: UInt64?

    package init() {}

    /// Notes a change; gives after how many milliseconds ``take(at:)`` is to be asked, nil where that is planned.
    package mutating func note(_ list: ChangedList, at now: UInt64) -> UInt64? {
        let isFirst = self.changed.isEmpty
        self.changed.insert(list)
        guard isFirst else { return nil }
        let next = self.toldAt.map { $0 + Self.pauseMilliseconds } ?? 0
        return max(next, now + Self.gatherMilliseconds) - now
    }

    /// The lists that subscribers are told about now, in order.
    package mutating func take(at now: UInt64) -> [ChangedList] {
        defer { self.changed = [] }
        self.toldAt = now
        return self.changed.sorted()
    }
}
