import CLinux
import Glibc
package import Posix

/// Tells when the system's clock is set: by somebody, or on a board without a battery once the network says the time.
///
/// Nothing wakes up before.
package final class ClockMonitor {
    private let descriptor: FileDescriptor
    private var watch: IOWatch?

    /// Ends with the last reference; throws when there are no descriptors left.
    package init(loop: EventLoop, handler: @escaping () -> Void) throws(SystemError) {
        let number = clinux_clock_monitor()
        guard number >= 0 else { throw SystemError(errno, "watch the clock") }
        self.descriptor = FileDescriptor(owning: number)
        self.watch = try loop.watch(number, for: .readable) { _ in
            if clinux_take_clock_change(number) == 1 { handler() }
        }
    }
}
