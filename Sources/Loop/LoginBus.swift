import CSystemd
import Glibc
package import Posix

/// What systemd-logind says of sleep and of the user's sessions, over the bus of the system; and a descriptor that
/// delays sleep for as long as it is held.
///
/// Nothing waits: all comes through the loop, also that there is no logind.
package final class LoginBus {
    /// What has happened.
    package enum Event {
        /// The machine is going to sleep, which waits some seconds for whoever holds a descriptor.
        case sleeps
        /// A session of the user is to be locked.
        case locksSession
        /// Sleep will not wait: logind is absent, or refuses, by the name of an error.
        case unheld(String)
        /// The bus has ended; nothing comes from here on.
        case lost(SystemError)
    }

    /// So many locks of sessions are looked at at a time.
    private static let sessionsMost = 16

    private let bus: OpaquePointer
    private let handler: (Event) -> Void
    private var watch: IOWatch?
    private var timer: LoopTimer?
    /// The unique name of logind: anybody may send signals that look like those of logind.
    private var owner = ""
    private var inhibit: UInt64?
    private var sessions: Set<UInt64> = []
    private var held: FileDescriptor?

    /// Connects, and asks for a descriptor; throws where there is no bus at all.
    package init(on loop: EventLoop, handler: @escaping (Event) -> Void) throws(SystemError) {
        var bus: OpaquePointer?
        let code = csystemd_login_open(&bus)
        guard code >= 0, let bus else { throw Self.failure(code) }
        (self.bus, self.handler) = (bus, handler)
        let number = sd_bus_get_fd(bus)
        guard number >= 0 else { throw Self.failure(number) }
        self.watch = try loop.watch(number, for: []) { [weak self] _ in self?.process() }
        self.timer = try loop.makeTimer { [weak self] in self?.process() }
        try self.hold()
        self.wait()
    }

    deinit {
        self.watch?.cancel()
        self.timer?.cancel()
        sd_bus_close_unref(self.bus)
    }

    private static func failure(_ code: Int32) -> SystemError {
        SystemError(-code, "connect to", "the system's bus")
    }

    /// Asks for a descriptor that delays sleep.
    private func hold() throws(SystemError) {
        var cookie: UInt64 = 0
        let code = csystemd_login_inhibit(self.bus, &cookie)
        guard code >= 0 else { throw Self.failure(code) }
        self.inhibit = cookie
    }

    /// Waits for what the bus waits for.
    private func wait() {
        let events = sd_bus_get_events(self.bus)
        guard events >= 0 else { return }
        var interest: IOEvents = []
        if events & Int32(POLLIN) != 0 { interest.insert(.readable) }
        if events & Int32(POLLOUT) != 0 { interest.insert(.writable) }
        self.watch?.set(interest)
        var deadline = UInt64.max
        if sd_bus_get_timeout(self.bus, &deadline) > 0, deadline != .max {
            self.timer?.set(deadlineMicroseconds: deadline)
        } else {
            self.timer?.clear()
        }
    }

    private func process() {
        while self.watch != nil {
            var message: OpaquePointer?
            let code = sd_bus_process(self.bus, &message)
            if code == 0 { return self.wait() }
            guard code > 0 else { return self.end(code) }
            guard let message else { continue }
            defer { sd_bus_message_unref(message) }
            self.take(message)
        }
    }

    private func end(_ code: Int32) {
        self.watch?.cancel()
        self.timer?.cancel()
        (self.watch, self.timer) = (nil, nil)
        self.held = nil
        self.handler(.lost(Self.failure(code)))
    }

    private func take(_ message: OpaquePointer) {
        let found = csystemd_login_read(message)
        let (text, sender) = (String(cString: found.text), String(cString: found.sender))
        switch found.kind {
        case csystemd_login_answer: self.answered(message, found.cookie, error: text, by: sender)
        case csystemd_login_owner:
            self.owner = text
            // What another one has given delays nothing.
            self.held = nil
            if !text.isEmpty { self.holdAgain() }
        case csystemd_login_sleep where sender == self.owner:
            if found.flag != 0 {
                self.handler(.sleeps)
            } else if self.held == nil {
                self.holdAgain()
            }
        case csystemd_login_lock where sender == self.owner:
            var cookie: UInt64 = 0
            if self.sessions.count < Self.sessionsMost,
                csystemd_login_user(self.bus, text, &cookie) >= 0
            {
                self.sessions.insert(cookie)
            }
        default: break
        }
    }

    private func holdAgain() {
        do throws(SystemError) { try self.hold() } catch { self.handler(.unheld(error.cause)) }
    }

    private func answered(
        _ message: OpaquePointer, _ cookie: UInt64, error: String, by sender: String
    ) {
        if self.sessions.remove(cookie) != nil {
            if csystemd_login_is_of(message, geteuid()) != 0 { self.handler(.locksSession) }
            return
        }
        guard cookie == self.inhibit else { return }
        self.inhibit = nil
        // The bus itself answers for a name that nobody has.
        if sender.hasPrefix(":") { self.owner = sender }
        let number = csystemd_login_descriptor(message)
        let copy = number < 0 ? -1 : fcntl(number, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else {
            return self.handler(.unheld(error.isEmpty ? "it gave no descriptor" : error))
        }
        self.held = FileDescriptor(owning: copy)
    }
}
