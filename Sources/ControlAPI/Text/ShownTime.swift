/// How a moment looks wherever people read it: `2026-01-31 18:00:05`.
package enum ShownTime {
    /// The date and the time of day of a moment, in the time zone that its fields are of.
    package static func text(
        year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int
    ) -> String {
        "\(Self.date(year: year, month: month, day: day)) "
            + "\(Self.clock(hour: hour, minute: minute)):\(Self.two(second))"
    }

    /// The date alone, for what heads a day.
    package static func date(year: Int, month: Int, day: Int) -> String {
        "\(year)-\(Self.two(month))-\(Self.two(day))"
    }

    /// The time of day alone, under a date.
    package static func clock(hour: Int, minute: Int) -> String {
        "\(Self.two(hour)):\(Self.two(minute))"
    }

    private static func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
