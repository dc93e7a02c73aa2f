import CLinux
import Glibc
package import Posix

/// Tells when the interfaces of this machine or their addresses change.
///
/// Bursts, as when a cable is plugged in, come as one call. Nothing wakes up without a change.
package final class AddressMonitor {
    /// The interfaces that are up, with their addresses, as of the last call.
    package private(set) var interfaces: [NetworkInterface]

    private let descriptor: FileDescriptor
    private let handler: ([NetworkInterface]) -> Void
    private var watch: IOWatch?
    private var timer: LoopTimer?

    /// A cable that is plugged in brings its addresses within about this time.
    private static let settlingMilliseconds: UInt64 = 500

    /// Starts to listen to the kernel; the handler gets the interfaces that are up.
    ///
    /// Ends with the last reference. Throws when there are no descriptors left. rtnetlink(7).
    package init(
        loop: EventLoop, handler: @escaping ([NetworkInterface]) -> Void
    ) throws(SystemError) {
        let number = clinux_address_monitor()
        guard number >= 0 else { throw SystemError(errno, "watch addresses") }
        self.descriptor = FileDescriptor(owning: number)
        self.handler = handler
        self.interfaces = try AddressMonitor.usable()
        self.timer = try loop.makeTimer { [weak self] in self?.compare() }
        self.watch = try loop.watch(number, for: .readable) { [weak self] _ in self?.drain() }
    }

    private static func usable() throws(SystemError) -> [NetworkInterface] {
        try NetworkInterface.all().filter(\.isUp)
    }

    /// Empties the socket; what the messages say is not needed, since the list is read afresh.
    private func drain() {
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            switch self.descriptor.read(into: &buffer) {
            // ENOBUFS says that messages were lost, which is one more reason to look.
            case .bytes, .failed(SystemError(ENOBUFS, "read")): continue
            case .wouldBlock, .end, .failed:
                self.timer?.set(afterMilliseconds: AddressMonitor.settlingMilliseconds)
                return
            }
        }
    }

    private func compare() {
        // Without memory for the list the next change is the next chance.
        guard let found = try? AddressMonitor.usable(), found != self.interfaces else { return }
        self.interfaces = found
        self.handler(found)
    }
}
