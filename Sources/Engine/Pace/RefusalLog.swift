/// Thins out the log lines about strangers that are turned away.
package struct RefusalLog: Hashable, Sendable {
    private static let intervalMilliseconds: UInt64 = 60_000
    private var count = 0
    private var lastLine: UInt64?

    package init() {}

    /// Counts a refusal; gives a line at the first one and at most once a minute.
    package mutating func note(_ reason: String, _ source: String, at now: UInt64) -> String? {
        self.count += 1
        if let last = self.lastLine, now - min(now, last) < Self.intervalMilliseconds { return nil }
        self.lastLine = now
        defer { self.count = 0 }
        return "\(self.count) connection\(self.count == 1 ? "" : "s") refused, "
            + "the last one from \(source): \(reason)"
    }
}
