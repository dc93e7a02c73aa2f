import CSystemd
import Glibc
package import Posix

/// The notifications of the desktop, over the bus of the user's session: sd-bus(3).
///
/// For one thread, which waits until ``descriptor`` is readable and then calls ``takeSignals()``.
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
            "type='signal',interface='org.freedesktop.Notifications'", nil, nil)
    }

    deinit { sd_bus_flush_close_unref(self.bus) }

    /// What to wait for.
    package var descriptor: Int32 { sd_bus_get_fd(self.bus) }

    /// Whether the bus is still there.
    package var isOpen: Bool { sd_bus_is_open(self.bus) > 0 }

    /// What a notification says, and what a person can do about it.
    package struct Note {
        package var title: String
        package var text: String
        package var isUrgent = false
        /// The path of a picture beside it.
        package var picture: String?
        /// The key of each action, and what its button says.
        package var actions: [(key: String, label: String)] = []

        package init(title: String, text: String) {
            self.title = title
            self.text = text
        }
    }

    /// Whether an answer can be typed into a notification: the action `inline-reply`, which not all servers have.
    package private(set) lazy var canReply = csystemd_can(self.bus, "inline-reply") != 0

    /// Shows a notification, in the place of another; gives its number, or nil where nobody shows any.
    ///
    /// - Parameter replaces: the number of the other one; 0 for none.
    package func notify(_ note: Note, replacing replaces: UInt32) -> UInt32? {
        var number: UInt32 = 0
        var words: [UnsafeMutablePointer<CChar>?] =
            note.actions.flatMap { [strdup($0.key), strdup($0.label)] } + [nil]
        let picture = note.picture.map { strdup($0) } ?? nil
        defer { for word in words + [picture] { free(word) } }
        let code = note.title.withCString { title in
            note.text.withCString { text in
                words.withUnsafeMutableBufferPointer { words in
                    var parts = csystemd_note(
                        replaces: replaces, title: title, text: text, picture: picture,
                        urgency: note.isUrgent ? 2 : 1, actions: words.baseAddress)
                    return csystemd_notify(self.bus, &parts, &number)
                }
            }
        }
        return code == 0 ? number : nil
    }

    /// Takes a notification away.
    package func close(_ number: UInt32) { _ = csystemd_close(self.bus, number) }

    /// Whether the desktop says that nobody is to be disturbed.
    package var isInhibited: Bool { csystemd_is_inhibited(self.bus) != 0 }

    /// What a person did with a notification, by its number.
    package enum Signal: Equatable {
        /// It was closed, by the person or by time.
        case closed(UInt32)
        case chosen(UInt32, action: String)
        case replied(UInt32, text: String)
    }

    /// Takes what has come.
    package func takeSignals() -> [Signal] {
        var signals: [Signal] = []
        while true {
            var message: OpaquePointer?
            guard sd_bus_process(self.bus, &message) > 0 else { return signals }
            guard let message else { continue }
            defer { sd_bus_message_unref(message) }
            var name: UnsafePointer<CChar>?
            var text: UnsafePointer<CChar>?
            let number = csystemd_signal(message, &name, &text)
            guard number != 0, let name, let text else { continue }
            switch String(cString: name) {
            case "ActionInvoked": signals.append(.chosen(number, action: String(cString: text)))
            case "NotificationReplied":
                signals.append(.replied(number, text: String(cString: text)))
            default: signals.append(.closed(number))
            }
        }
    }
}
