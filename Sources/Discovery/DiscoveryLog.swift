import CAvahi
import Posix

/// Where the messages of the Avahi library go, which would otherwise go to standard error.
package enum DiscoveryLog {
    /// How grave a message is, as `AvahiLogLevel` has it.
    package enum Level: UInt32, Hashable, Sendable {
        /// Something does not work.
        case error = 0
        /// Something looks wrong.
        case warning
        /// Something that matters has happened.
        case notice
        /// Something ordinary has happened.
        case info
        /// Details for those who debug.
        case debug
    }

    private static let handler = Protected<(@Sendable (Level, String) -> Void)?>(nil)

    /// Sends messages to a handler from then on; without one they are dropped.
    ///
    /// The handler is called on the loop's thread, within calls of the library, and may not call
    /// discovery.
    package static func setHandler(_ handler: (@Sendable (Level, String) -> Void)?) {
        self.handler.withLock { $0 = handler }
        self.install()
    }

    /// Makes the library log here: avahi_set_log_function().
    static func install() {
        avahi_set_log_function { level, text in
            guard let text else { return }
            let handler = DiscoveryLog.handler.withLock { $0 }
            handler?(Level(rawValue: level.rawValue) ?? .debug, String(cString: text))
        }
    }
}
