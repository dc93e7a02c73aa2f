import Glibc

/// What a clock and a calendar on the wall show in the user's time zone: localtime_r(3).
package struct LocalMoment: Equatable, Sendable {
    /// The year of our calendar.
    package let year: Int
    /// The month, from 1 on.
    package let month: Int
    /// The day of the month, from 1 on.
    package let day: Int
    /// The hour, from 0 to 23.
    package let hour: Int
    package let minute: Int
    /// The second; 60 in one that was put in.
    package let second: Int
    /// The day of the week, 0 for Sunday.
    package let weekday: Int

    /// The moment so many milliseconds after 1970; nil where its year is beyond what the system counts.
    package init?(milliseconds: Int64) {
        // Rounded down, before 1970 too.
        var seconds = time_t(milliseconds / 1_000 - (milliseconds % 1_000 < 0 ? 1 : 0))
        var fields = tm()
        guard localtime_r(&seconds, &fields) != nil else { return nil }
        self.year = Int(fields.tm_year) + 1_900
        self.month = Int(fields.tm_mon) + 1
        self.day = Int(fields.tm_mday)
        self.hour = Int(fields.tm_hour)
        self.minute = Int(fields.tm_min)
        self.second = Int(fields.tm_sec)
        self.weekday = Int(fields.tm_wday)
    }
}
