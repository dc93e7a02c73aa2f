/// A moment as two clocks saw it: the monotonic one drives timers, the wall clock drives message times.
///
/// The shell reads both clocks once per event; the engine reads none.
package struct Instant: Hashable, Sendable {
    /// Milliseconds since an arbitrary start; never goes back.
    ///
    /// `clock_gettime(CLOCK_BOOTTIME)`.
    package var monotonic: UInt64
    /// Milliseconds since 1970 by this machine's clock; may jump.
    package var wall: UInt64

    /// Creates an instant from both readings, in milliseconds.
    package init(monotonic: UInt64, wall: UInt64) {
        self.monotonic = monotonic
        self.wall = wall
    }
}
