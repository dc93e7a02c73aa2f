import Posix

/// The end of a test's patience: a minute at least and five times the limit that is promised, so
/// that a slow machine shows in the measured value and not as a failure.
struct Deadline {
    private let milliseconds: UInt64

    init(afterMilliseconds patience: UInt64) {
        self.milliseconds = SystemClock.monotonicMilliseconds() + patience
    }

    /// Five times a promised limit, or a minute where that is longer.
    static func fiveTimes(_ limitMilliseconds: UInt64) -> Deadline {
        Deadline(afterMilliseconds: max(60_000, 5 * limitMilliseconds))
    }

    /// For what has no promised limit and only may not hang.
    static var patient: Deadline { Deadline(afterMilliseconds: 60_000) }

    var remainingMilliseconds: Int {
        let now = SystemClock.monotonicMilliseconds()
        return now >= self.milliseconds ? 0 : Int(self.milliseconds - now)
    }

    var hasPassed: Bool { self.remainingMilliseconds == 0 }
}

/// Measures how long something took.
struct Stopwatch {
    private let start = SystemClock.monotonicMilliseconds()

    var milliseconds: UInt64 { SystemClock.monotonicMilliseconds() - self.start }
}
