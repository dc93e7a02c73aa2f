/// What the servers keep, and how much they may.
package struct SiteStock: Hashable, Sendable {
    private static let dayMilliseconds: Int64 = 86_400_000
    /// Machines that were off for so long find everything that was written meanwhile.
    private static let days: Int64 = 30

    private let bytes: UInt64
    /// Zero or less where there is no limit.
    private let limit: Int64
    /// When the oldest message was stored, in wall-clock milliseconds.
    private let oldest: Int64

    package init(bytes: UInt64, limit: Int64, oldest: Int64) {
        (self.bytes, self.limit, self.oldest) = (bytes, limit, oldest)
    }

    /// Whether there is room for what was lost, too: a fifth of the limit is left for what is new.
    package var hasRoom: Bool { self.limit <= 0 || self.bytes < UInt64(self.limit) / 5 * 4 }

    /// That the servers drop messages that some machines may not have read, and what to do; nil where they do not.
    package func problem(at now: Int64) -> String? {
        let age = max(0, now - self.oldest) / Self.dayMilliseconds
        guard self.limit > 0, age < Self.days, self.bytes >= UInt64(self.limit) / 20 * 19 else {
            return nil
        }
        let days = age == 0 ? "a day" : age == 1 ? "2 days" : "\(age + 1) days"
        return "the servers drop messages that are older than \(days), since the stream STOA is "
            + "full: raise its limit of bytes"
    }
}
