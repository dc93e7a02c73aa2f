/// The hours of a day in which nothing is shown: `20:00-08:00`.
package struct QuietHours: Equatable, Sendable {
    /// How many minutes a day has.
    private static let day = 1_440

    /// The first minute of the day that is quiet.
    package let from: Int
    /// The first minute that is not quiet any longer.
    package let to: Int

    /// Reads `20:00-08:00`; nil for anything else, and for hours without length.
    package init?(_ text: String) {
        let times = text.split(separator: "-", omittingEmptySubsequences: false).map(Self.minute)
        guard times.count == 2, let from = times[0], let to = times[1], from != to else {
            return nil
        }
        (self.from, self.to) = (from, to)
    }

    private static func minute(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].count == 2, (1...2).contains(parts[0].count),
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
        else { return nil }
        return hour * 60 + minute
    }

    /// Whether a minute of the day is quiet.
    package func contains(_ minute: Int) -> Bool { self.minutesLeft(at: minute) > 0 }

    /// How many minutes are left of the hours; none outside them.
    package func minutesLeft(at minute: Int) -> Int {
        let length = (self.to - self.from + Self.day) % Self.day
        let passed = (minute - self.from + Self.day) % Self.day
        return max(0, length - passed)
    }

    /// As it is written.
    package var text: String {
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return [self.from, self.to].map { "\(two($0 / 60)):\(two($0 % 60))" }
            .joined(separator: "-")
    }
}
