/// Moments as the engine writes them for people: `2026-11-22 11:28 UTC`.
package enum UTCTime {
    /// The minute of a moment in milliseconds since 1970, by the Gregorian calendar.
    package static func text(_ milliseconds: UInt64) -> String {
        let minutes = milliseconds % 86_400_000 / 60_000
        let (year, month, day) = Self.date(milliseconds / 86_400_000)
        return "\(year)-\(Self.two(month))-\(Self.two(day)) "
            + "\(Self.two(minutes / 60)):\(Self.two(minutes % 60)) UTC"
    }

    private static func two(_ number: UInt64) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// The date of a day since 1970.
    ///
    /// Years begin in March here, so that leap days come last.
    private static func date(_ day: UInt64) -> (year: UInt64, month: UInt64, day: UInt64) {
        // Days since 0000-03-01; 400 years have 146,097.
        let days = day + 719_468
        let (era, inEra) = days.quotientAndRemainder(dividingBy: 146_097)
        let year = (inEra - inEra / 1_460 + inEra / 36_524 - inEra / 146_096) / 365
        let inYear = inEra - (365 * year + year / 4 - year / 100)
        let month = (5 * inYear + 2) / 153
        let number = month < 10 ? month + 3 : month - 9
        return (
            year: 400 * era + year + (number <= 2 ? 1 : 0), month: number,
            day: inYear - (153 * month + 2) / 5 + 1
        )
    }
}
