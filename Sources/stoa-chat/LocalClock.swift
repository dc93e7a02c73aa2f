import Chat
import Posix

/// Moments in the time zone of the user.
enum LocalClock {
    /// What a clock and a calendar on the wall show; a moment that the system cannot count is shown as
    /// the first of 1970.
    @Sendable
    static func fields(_ milliseconds: Int64) -> ChatState.LocalFields {
        guard let local = LocalMoment(milliseconds: milliseconds) else {
            return ChatState.LocalFields(
                year: 1_970, month: 1, day: 1, hour: 0, minute: 0, second: 0, weekday: 4)
        }
        return ChatState.LocalFields(
            year: local.year, month: local.month, day: local.day, hour: local.hour,
            minute: local.minute, second: local.second, weekday: local.weekday)
    }
}
