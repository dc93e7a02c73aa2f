import CSystemd
import Glibc
package import Posix

/// What a daemon tells the service manager; without one nothing happens: sd_notify(3).
package enum Readiness {
    /// Says that start-up is complete.
    package static func ready(status: String = "") {
        self.notify(status.isEmpty ? "READY=1" : "READY=1\nSTATUS=\(self.line(status))")
    }

    /// Says that the configuration is being read anew; ``ready(status:)`` says that this is done.
    package static func reloading() { self.notify("RELOADING=1") }

    /// Says in one line what the daemon does at present; `systemctl status` shows it.
    package static func status(_ text: String) {
        self.notify("STATUS=\(self.line(text))")
    }

    /// Says that the daemon is about to end.
    package static func stopping(status: String = "") {
        self.notify(status.isEmpty ? "STOPPING=1" : "STOPPING=1\nSTATUS=\(self.line(status))")
    }

    /// A line break would start another assignment.
    private static func line(_ text: String) -> String {
        String(text.map { $0.isNewline || $0 == "\0" ? " " : $0 })
    }

    private static func notify(_ state: String) {
        // Nobody can be told of a failure to tell the manager, and nothing depends on it.
        _ = sd_notify(0, state)
    }
}

/// A socket that the service manager opened for us: sd_listen_fds(3).
package struct ActivatedSocket: Sendable {
    /// The name from `FileDescriptorName=`, else that of the socket unit.
    package let name: String
    package let kind: Kind
    private let number: Int32

    /// What kinds of sockets are told apart.
    package enum Kind: Hashable, Sendable {
        /// A listening Unix stream socket.
        case unixListener
        /// A listening TCP socket.
        case tcpListener
        /// Anything else.
        case other
    }

    /// Takes all sockets that were handed over; a second call returns none.
    ///
    /// Removes the variables from the environment, so call it before other threads are started.
    /// Throws when the environment is malformed; descriptors that are not open are left out.
    package static func takeAll() throws(SystemError) -> [ActivatedSocket] {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = sd_listen_fds_with_names(1, &names)
        guard count >= 0 else { throw SystemError(-count, "sd_listen_fds") }
        defer {
            for index in 0..<Int(count) { free(names?[index]) }
            free(names)
        }
        var found: [ActivatedSocket] = []
        for index in 0..<count {
            // SD_LISTEN_FDS_START is 3.
            let number = 3 + index
            guard fcntl(number, F_GETFD) >= 0 else { continue }
            let name = names?[Int(index)].map { String(cString: $0) } ?? ""
            found.append(ActivatedSocket(name: name, kind: self.kind(of: number), number: number))
        }
        return found
    }

    /// Becomes this program anew, with these sockets handed over to it; returns only where it cannot.
    package static func becomeAnew(with sockets: [ActivatedSocket]) -> SystemError {
        // Behind all places that they go to, so that none is overwritten before it is moved.
        let least = 3 + Int32(sockets.count)
        let copies = sockets.map { fcntl($0.number, F_DUPFD_CLOEXEC, least) }
        guard !copies.contains(where: { $0 < 0 }) else { return SystemError(errno, "fcntl") }
        for (index, copy) in copies.enumerated() {
            guard dup2(copy, 3 + Int32(index)) >= 0 else { return SystemError(errno, "dup2") }
        }
        setenv("LISTEN_PID", "\(getpid())", 1)
        setenv("LISTEN_FDS", "\(sockets.count)", 1)
        setenv("LISTEN_FDNAMES", sockets.map(\.name).joined(separator: ":"), 1)
        return ProgramStart.become("/proc/self/exe", CommandLine.arguments)
    }

    private static func kind(of number: Int32) -> Kind {
        let stream = Int32(SOCK_STREAM.rawValue)
        if sd_is_socket_unix(number, stream, 1, nil, 0) > 0 { return .unixListener }
        if sd_is_socket_inet(number, AF_UNSPEC, stream, 1, 0) > 0 { return .tcpListener }
        return .other
    }

    /// Gives a descriptor of its own for the socket; that of systemd stays open, for another start in
    /// this process.
    ///
    /// Throws as fcntl(2) does.
    package func duplicate() throws(SystemError) -> FileDescriptor {
        let number = fcntl(self.number, F_DUPFD_CLOEXEC, 0)
        guard number >= 0 else { throw SystemError(errno, "fcntl") }
        return FileDescriptor(owning: number)
    }
}

extension ActivatedSocket {
    /// A listening Unix socket of this process that the next run is to take over as if it came from systemd.
    ///
    /// It is open for as long as whoever has it.
    package init(keeping number: Int32) {
        self.init(name: "control", kind: .unixListener, number: number)
    }
}
