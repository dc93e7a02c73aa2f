/// A moment in UTC with millisecond resolution, as the control API writes it.
///
/// RFC 3339; the proleptic Gregorian calendar, no leap seconds.
package struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package let milliseconds: Int64

    /// The years 0000 to 9999, which is what RFC 3339 can write, in milliseconds.
    package static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

    /// Makes a moment; what lies outside `range` becomes the nearest moment inside.
    package init(milliseconds: Int64) {
        self.milliseconds = min(max(milliseconds, Self.range.lowerBound), Self.range.upperBound)
    }

    /// Reads an RFC 3339 time: `2026-10-04T12:30:00Z`, with an optional fraction of a second
    /// (digits after the third are dropped), `T` or a space, and `Z` or an offset like `+02:00`.
    ///
    /// Nil when the text is anything else, or names a day that does not exist.
    package init?(_ text: String) {
        var reader = DigitReader(Array(text.utf8))
        guard let year = reader.number(4), reader.take("-"), let month = reader.number(2),
            reader.take("-"), let day = reader.number(2),
            reader.take("T") || reader.take("t") || reader.take(" "),
            let hour = reader.number(2), reader.take(":"), let minute = reader.number(2),
            reader.take(":"), let second = reader.number(2)
        else { return nil }
        var fraction: Int64 = 0
        if reader.take(".") {
            guard let value = reader.fraction() else { return nil }
            fraction = value
        }
        var offsetMinutes: Int64 = 0
        if !(reader.take("Z") || reader.take("z")) {
            let sign: Int64 = reader.take("-") ? -1 : reader.take("+") ? 1 : 0
            guard sign != 0, let hours = reader.number(2), hours < 24, reader.take(":"),
                let minutes = reader.number(2), minutes < 60
            else { return nil }
            offsetMinutes = sign * (hours * 60 + minutes)
        }
        guard reader.isAtEnd, (1...12).contains(month),
            (1...Self.days(inMonth: month, of: year)).contains(day), hour < 24, minute < 60,
            second < 60
        else { return nil }
        let days = Self.days(toYear: year, month: month, day: day)
        let minutes = days * 1_440 + hour * 60 + minute - offsetMinutes
        let milliseconds = (minutes * 60 + second) * 1_000 + fraction
        guard Self.range.contains(milliseconds) else { return nil }
        self.milliseconds = milliseconds
    }

    /// The moment as RFC 3339 in UTC with three digits of milliseconds, always 24 characters.
    package var text: String {
        let (days, inDay) = self.milliseconds.quotientAndRemainder(flooringBy: 86_400_000)
        let (year, month, day) = Self.date(atDay: days)
        return String(unsafeUninitializedCapacity: 24) { output in
            var count = 0
            func put(_ byte: UInt8) {
                output[count] = byte
                count += 1
            }
            func put(_ value: Int64, _ after: UInt8) {
                put(0x30 + UInt8(truncatingIfNeeded: value / 10))
                put(0x30 + UInt8(truncatingIfNeeded: value % 10))
                put(after)
            }
            put(0x30 + UInt8(truncatingIfNeeded: year / 1_000))
            put(0x30 + UInt8(truncatingIfNeeded: year / 100 % 10))
            put(year % 100, UInt8(ascii: "-"))
            put(month, UInt8(ascii: "-"))
            put(day, UInt8(ascii: "T"))
            put(inDay / 3_600_000, UInt8(ascii: ":"))
            put(inDay / 60_000 % 60, UInt8(ascii: ":"))
            put(inDay / 1_000 % 60, UInt8(ascii: "."))
            put(0x30 + UInt8(truncatingIfNeeded: inDay / 100 % 10))
            put(inDay % 100, UInt8(ascii: "Z"))
            return count
        }
    }

    /// The earlier moment is the smaller.
    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    // Days since 1970-01-01 and back, counted in years that start in March so that the leap day
    // comes last; 719,468 days lie between 0000-03-01 and the epoch, 146,097 in 400 years.

    private static func days(toYear year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = shifted.quotientAndRemainder(flooringBy: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - 719_468
    }

    private static func date(atDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (day + 719_468).quotientAndRemainder(flooringBy: 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month,
            dayOfYear - (153 * shifted + 2) / 5 + 1
        )
    }

    private static func days(inMonth month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

/// Reads the fixed-width decimal fields of a time.
private struct DigitReader {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { self.index == self.bytes.count }

    mutating func take(_ byte: Unicode.Scalar) -> Bool {
        guard self.index < self.bytes.count, self.bytes[self.index] == UInt8(ascii: byte) else {
            return false
        }
        self.index += 1
        return true
    }

    mutating func number(_ width: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<width {
            guard let digit = self.digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// Milliseconds from any number of fraction digits, at least one.
    mutating func fraction() -> Int64? {
        var value: Int64 = 0
        var scale: Int64 = 100
        var count = 0
        while let digit = self.digit() {
            value += digit * scale
            scale /= 10
            count += 1
        }
        return count > 0 ? value : nil
    }

    private mutating func digit() -> Int64? {
        guard self.index < self.bytes.count, (0x30...0x39).contains(self.bytes[self.index]) else {
            return nil
        }
        defer { self.index += 1 }
        return Int64(self.bytes[self.index] - 0x30)
    }
}

extension Int64 {
    fileprivate func quotientAndRemainder(
        flooringBy divisor: Int64
    ) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = self.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
