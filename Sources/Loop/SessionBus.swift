import CSystemd
package import Posix

/// The notifications of the desktop, over the bus of the user's session: sd-bus(3).
///
/// For one thread, which waits until ``descriptor`` is readable and then calls ``takeClosed()``.
package final class SessionBus {
    /// How long an answer of the notification server may take, in microseconds.
    private static let patienceMicroseconds: UInt64 = 2_000_000

    private let bus: OpaquePointer

    /// Connects; throws where there is no bus.
    package init() throws(SystemError) {
        var bus: OpaquePointer?
        let code = sd_bus_open_user(&bus)
        guard code >= 0, let bus else { throw SystemError(-code, "connect to", "the session bus") }
        self.bus = bus
        sd_bus_set_method_call_timeout(bus, Self.patienceMicroseconds)
        // Without a handler: what matches is what sd_bus_process gives.
        sd_bus_add_match(
            bus, nil,
            "type='signal',interface='org.freedesktop.Notifications',member='NotificationClosed'",
            nil, nil)
    }

    deinit { sd_bus_flush_close_unref(self.bus) }

    /// What to wait for.
    package var descriptor: Int32 { sd_bus_get_fd(self.bus) }

    /// Whether the bus is still there.
    package var isOpen: Bool { sd_bus_is_open(self.bus) > 0 }

    /// Shows a notification, in the place of another; gives its number, or nil where nobody shows any.
    ///
    /// - Parameter replaces: the number of the other one; 0 for none.
    package func notify(
        replaces: UInt32, title: String, text: String, isUrgent: Bool
    ) -> UInt32? {
        var number: UInt32 = 0
        let code = csystemd_notify(self.bus, replaces, title, text, isUrgent ? 2 : 1, &number)
        return code == 0 ? number : nil
    }

    /// Takes a notification away.
    package func close(_ number: UInt32) { _ = csystemd_close(self.bus, number) }

    /// Whether the desktop says that nobody is to be disturbed.
    package var isInhibited: Bool { csystemd_is_inhibited(self.bus) != 0 }

    /// The numbers of those that were closed, by the person or by time.
    package func takeClosed() -> [UInt32] {
        var closed: [UInt32] = []
        while true {
            var message: OpaquePointer?
            guard sd_bus_process(self.bus, &message) > 0 else { return closed }
            guard let message else { continue }
            let number = csystemd_closed(message)
            sd_bus_message_unref(message)
            if number != 0 { closed.append(number) }
        }
    }
}
