import ControlAPI
import Glibc
import Posix

/// Moments in the time zone of the user.
enum LocalTime {
    /// `2026-01-31 18:00:05` in local time.
    static func text(_ timestamp: Timestamp) -> String {
        guard let local = LocalMoment(milliseconds: timestamp.milliseconds) else {
            return timestamp.text
        }
        return ShownTime.text(
            year: local.year, month: local.month, day: local.day, hour: local.hour,
            minute: local.minute, second: local.second)
    }

    /// The same for a moment that there may not have been yet.
    static func text(_ timestamp: Timestamp?) -> String {
        timestamp.map { Self.text($0) } ?? "never"
    }

    /// The moment that an option names; nil where it was not given.
    static func option(_ name: String, of arguments: ParsedArguments) throws(Failure) -> Timestamp?
    {
        guard let text = arguments.value(name) else { return nil }
        guard let moment = Self.parse(text, now: Self.now()) else {
            throw .usage(
                "\(name) cannot be \"\(TerminalText.line(text))\"",
                next: "give a date, a time, both, yesterday, or how long ago such as 2h")
        }
        return moment
    }

    /// The moment that a person means: RFC 3339, a local date, a local date and time, a time of today,
    /// `today`, `yesterday`, or how long ago (`90s`, `30m`, `2h`, `3d`, `1w`); nil for anything else.
    static func parse(_ text: String, now: Timestamp) -> Timestamp? {
        if let timestamp = Timestamp(text) { return timestamp }
        let today = Self.text(now).prefix(10)
        switch text {
        case "today": return Self.parse(String(today), now: now)
        case "yesterday":
            // Noon of today is a day behind some time of yesterday, also where clocks are changed.
            guard let noon = Self.parse("\(today) 12:00", now: now) else { return nil }
            let before = Timestamp(milliseconds: noon.milliseconds - 86_400_000)
            return Self.parse(String(Self.text(before).prefix(10)), now: now)
        default: break
        }
        if text.utf8.count == 5, text.utf8.dropFirst(2).first == UInt8(ascii: ":") {
            return Self.parse("\(today) \(text)", now: now)
        }
        if let unit = text.unicodeScalars.last, let count = Int64(text.dropLast()), count >= 0 {
            let units: [Unicode.Scalar: Int64] = [
                "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000,
            ]
            guard let unit = units[unit] else { return nil }
            let (ago, overflow) = count.multipliedReportingOverflow(by: unit)
            guard !overflow, ago <= now.milliseconds else { return nil }
            return Timestamp(milliseconds: now.milliseconds - ago)
        }
        // The fields are checked by reading them as UTC; mktime would roll over the 31st of June.
        var full = String(
            decoding: text.utf8.map { $0 == UInt8(ascii: "T") ? UInt8(ascii: " ") : $0 },
            as: UTF8.self)
        if !full.utf8.contains(UInt8(ascii: " ")) { full += " 00:00" }
        if full.utf8.count == 16 { full += ":00" }
        guard full.utf8.count == 19, let utc = Timestamp(full + "Z") else { return nil }
        var seconds = time_t(utc.milliseconds / 1_000)
        var fields = tm()
        guard gmtime_r(&seconds, &fields) != nil else { return nil }
        fields.tm_isdst = -1
        let local = mktime(&fields)
        guard local != -1 else { return nil }
        return Self.first(reading: Timestamp(milliseconds: Int64(local) * 1_000))
    }

    /// The first moment at which the clock shows what it shows at this one: an hour comes twice where clocks are set
    /// back, and then nothing of the first is to be left out.
    static func first(
        reading moment: Timestamp,
        _ clock: (_ milliseconds: Int64) -> LocalMoment? = { LocalMoment(milliseconds: $0) }
    ) -> Timestamp {
        let shown = clock(moment.milliseconds)
        // Zones differ by quarters of an hour; none was ever set back by more than a day.
        let earlier = (1...96).map { moment.milliseconds - $0 * 900_000 }
            .last { clock($0) == shown }
        return earlier.map { Timestamp(milliseconds: $0) } ?? moment
    }

    /// The present moment by the system's clock.
    static func now() -> Timestamp {
        Timestamp(milliseconds: Int64(SystemClock.wallMilliseconds()))
    }
}
