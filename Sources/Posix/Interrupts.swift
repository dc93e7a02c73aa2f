import CLinux
import Glibc

/// SIGINT, SIGTERM and SIGHUP as something to wait for, beside other descriptors.
///
/// From ``begin()`` on they do nothing else to this process: whoever waits sees them, and says why it ends.
/// Where nobody takes one within a second, the next one ends the process.
package enum Interrupts {
    /// A signal that has come.
    package struct Signal: Hashable, Sendable {
        package let number: Int32
        /// Whether a process has sent it to this one; a key goes to all that run on the terminal.
        package let isFromProcess: Bool

        package init(number: Int32, isFromProcess: Bool) {
            self.number = number
            self.isFromProcess = isFromProcess
        }

        /// `SIGTERM`.
        package var name: String {
            switch self.number {
            case SIGHUP: "SIGHUP"
            case SIGINT: "SIGINT"
            case SIGTERM: "SIGTERM"
            default: "signal \(self.number)"
            }
        }
    }

    private static let state = Protected<(descriptor: Int32?, last: Signal?)>((nil, nil))

    /// Takes the signals over.
    package static func begin() throws(SystemError) {
        let number = clinux_interrupt_descriptor()
        guard number >= 0 else { throw SystemError(errno, "pipe") }
        self.state.withLock { $0.descriptor = number }
    }

    /// Readable once one of the signals has come; nil before ``begin()``.
    package static var descriptor: Int32? { self.state.withLock { $0.descriptor } }

    /// The one that was taken last.
    package static var last: Signal? { self.state.withLock { $0.last } }

    /// Whether one has come that nobody has taken.
    package static var isWaiting: Bool { clinux_interrupts_waiting() > 0 }

    /// Takes the one that came first; nil where none waits.
    package static func take() -> Signal? {
        var isFromKernel: Int32 = 0
        let number = clinux_take_interrupt(&isFromKernel)
        guard number > 0 else { return nil }
        let signal = Signal(number: number, isFromProcess: isFromKernel == 0)
        self.state.withLock { $0.last = signal }
        return signal
    }

    /// Takes all that wait.
    package static func takeAll() -> Set<Signal> {
        var signals: Set<Signal> = []
        while let signal = self.take() { signals.insert(signal) }
        return signals
    }

    /// Ends the process by the signal that was taken last, where that is what this status says.
    ///
    /// A shell then knows that the whole loop around the command is to end.
    package static func end(with status: Int32) {
        guard let last = self.last, status == 128 + last.number else { return }
        signal(last.number, SIG_DFL)
        raise(last.number)
    }
}
