import CSystemd
import Posix

/// A one-shot timer that can be set again and again.
package final class LoopTimer {
    /// How much later than asked a timer may fire, so that wake-ups can be shared.
    package enum Accuracy: Hashable, Sendable {
        /// Up to 250 ms, the default of sd-event: for all that people do not wait for.
        case coarse
        /// Up to so many milliseconds.
        case milliseconds(UInt32)
        /// As exactly as the system can.
        case exact

        var microseconds: UInt64 {
            switch self {
            case .coarse: return 250_000
            case .milliseconds(let count): return max(1, UInt64(count) * 1_000)
            // Zero would mean the default.
            case .exact: return 1
            }
        }
    }

    private var owned: OwnedSource?

    init(_ owned: consuming OwnedSource) {
        self.owned = consume owned
    }

    /// Sets the timer, replacing an earlier setting; a deadline in the past fires at once.
    ///
    /// The deadline counts as `SystemClock.monotonicMilliseconds()` does and is never missed
    /// early. After ``cancel()`` it has no effect. Traps off the loop's thread.
    package func set(deadlineMilliseconds: UInt64, accuracy: Accuracy = .coarse) {
        let (deadline, overflow) = deadlineMilliseconds.multipliedReportingOverflow(by: 1_000)
        self.set(deadlineMicroseconds: overflow ? .max : deadline, accuracy: accuracy)
    }

    /// Sets the timer to a deadline that counts as `SystemClock.monotonicMicroseconds()` does;
    /// otherwise as the other setter.
    package func set(deadlineMicroseconds: UInt64, accuracy: Accuracy = .coarse) {
        self.owned?.checkIsolated()
        guard let source = self.owned?.source else { return }
        sd_event_source_set_time(source, deadlineMicroseconds)
        sd_event_source_set_time_accuracy(source, accuracy.microseconds)
        sd_event_source_set_enabled(source, Int32(SD_EVENT_ONESHOT))
    }

    /// Sets the timer to so many milliseconds from now; otherwise as the other setter.
    package func set(afterMilliseconds delay: UInt64, accuracy: Accuracy = .coarse) {
        let (deadline, overflow) =
            SystemClock.monotonicMilliseconds().addingReportingOverflow(delay)
        self.set(deadlineMilliseconds: overflow ? .max : deadline, accuracy: accuracy)
    }

    /// Keeps the timer from firing until it is set again.
    ///
    /// Traps off the loop's thread.
    package func clear() {
        self.owned?.checkIsolated()
        guard let source = self.owned?.source else { return }
        sd_event_source_set_enabled(source, Int32(SD_EVENT_OFF))
    }

    /// Ends the timer and lets its handler go.
    ///
    /// Traps off the loop's thread.
    package func cancel() {
        self.owned?.checkIsolated()
        self.owned = nil
    }
}
