import CLinux
import Glibc

/// SIGINT and SIGTERM as something to wait for, beside other descriptors: signalfd(2).
///
/// From the first one that is made on, the two signals do nothing else to this process.
package final class Interrupts {
    private let descriptor: FileDescriptor

    /// Takes the two signals over.
    package init() throws(SystemError) {
        let number = clinux_interrupt_descriptor()
        guard number >= 0 else { throw SystemError(errno, "signalfd") }
        self.descriptor = FileDescriptor(owning: number)
    }

    /// Readable once one of the signals has come.
    package var number: Int32 { self.descriptor.number }
}
