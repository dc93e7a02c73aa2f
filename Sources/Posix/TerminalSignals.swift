import CLinux
import Glibc

/// The signals that a program on a terminal cares for, as something to wait for: signalfd(2).
///
/// From the first one that is made on they do nothing else to this process.
package final class TerminalSignals {
    /// What a signal asks for.
    package enum Wish: Hashable, Sendable {
        /// End: SIGTERM, SIGHUP.
        case end
        /// The same, if it is meant for this program: SIGINT, which a key sends to all of a terminal.
        case interrupt
        /// The terminal has another size, or the program goes on after a stop: SIGWINCH, SIGCONT.
        case draw
    }

    private let descriptor: FileDescriptor

    /// Takes the signals over.
    package init() throws(SystemError) {
        let number = clinux_terminal_descriptor()
        guard number >= 0 else { throw SystemError(errno, "signalfd") }
        self.descriptor = FileDescriptor(owning: number)
    }

    /// Readable once one of them has come.
    package var number: Int32 { self.descriptor.number }

    /// What those ask for that have come.
    package func take() -> Set<Wish> {
        var wishes: Set<Wish> = []
        while true {
            let number = clinux_take_signal(self.descriptor.number)
            guard number != 0 else { return wishes }
            switch number {
            case SIGWINCH, SIGCONT: wishes.insert(.draw)
            case SIGINT: wishes.insert(.interrupt)
            default: wishes.insert(.end)
            }
        }
    }
}
