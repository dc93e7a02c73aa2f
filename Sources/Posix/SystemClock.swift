import CLinux
import Glibc

package enum SystemClock {
    /// Milliseconds since 1970-01-01 UTC; it jumps when somebody sets the clock: `CLOCK_REALTIME`.
    package static func wallMilliseconds() -> UInt64 {
        self.milliseconds(CLOCK_REALTIME)
    }

    /// Milliseconds since some fixed moment, never going back: `CLOCK_MONOTONIC`.
    ///
    /// It stands still while the machine is suspended. Timers of the event loop count in it.
    package static func monotonicMilliseconds() -> UInt64 {
        self.milliseconds(CLOCK_MONOTONIC)
    }

    /// Microseconds of the same clock as ``monotonicMilliseconds()``, to measure short times.
    package static func monotonicMicroseconds() -> UInt64 {
        let time = self.read(CLOCK_MONOTONIC)
        return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1_000
    }

    /// Microseconds of the processor that the calling thread has used: `CLOCK_THREAD_CPUTIME_ID`.
    package static func threadMicroseconds() -> UInt64 {
        let time = self.read(CLOCK_THREAD_CPUTIME_ID)
        return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1_000
    }

    /// Whether the kernel says that its clock is kept right, by NTP or otherwise; nil where it does not
    /// say: `adjtimex(2)`.
    package static func isSynchronised() -> Bool? {
        switch clinux_clock_is_synchronised() {
        case 0: false
        case 1: true
        default: nil
        }
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        let status = clock_gettime(clock, &time)
        precondition(status == 0, "Linux always has these clocks")
        return time
    }

    private static func milliseconds(_ clock: clockid_t) -> UInt64 {
        let time = self.read(clock)
        // A clock set before 1970 counts as 1970, since times in entries are unsigned.
        guard time.tv_sec >= 0 else { return 0 }
        return UInt64(time.tv_sec) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
    }
}
