package import ControlAPI
internal import Posix

/// Why a front end gets nothing from the daemon.
package enum ClientError: Error, Equatable, Sendable {
    /// Nobody listens on the socket.
    case noDaemon(path: String)
    /// The socket cannot be used.
    case unusable(reason: String, remedy: String)
    /// The daemon closed the connection or is gone.
    case closed
    /// The daemon did not answer in time.
    case noAnswer
    /// The daemon answered with an error.
    case refused(RPCError)
    /// A signal came while something was waited for; ``Posix/Interrupts`` has it.
    case interrupted
    /// Another reader of the same consumer has taken over.
    case takenOver
    /// What came is no JSON-RPC, or answers nothing that was asked.
    case garbled(String)

    /// Nobody listens there: because there is no daemon, or no socket.
    static func nobody(at path: String) -> ClientError {
        guard Files.isOther(thanSocket: path) else { return .noDaemon(path: path) }
        return .unusable(
            reason: "\(path) is not a socket",
            remedy:
                "name the daemon's socket with --socket or STOA_SOCKET, or leave both out for your own"
        )
    }

    /// Why, as a sentence fragment for people, safe to be shown.
    package var reason: String {
        switch self {
        case .noDaemon(let path): "no daemon listens on \(TerminalText.line(path))"
        case .unusable(let reason, _): TerminalText.line(reason)
        case .closed: "the daemon closed the connection"
        case .noAnswer: "the daemon did not answer in time"
        case .interrupted: "interrupted"
        case .refused(let error): TerminalText.line(error.message)
        case .takenOver: "another reader of this consumer took over"
        case .garbled(let reason): "the program that answers is not a Stoa daemon: \(reason)"
        }
    }

    /// What to do next; empty where there is nothing to do.
    package var remedy: String {
        switch self {
        case .noDaemon: "start it with: systemctl --user start stoad, or run: stoad"
        case .unusable(_, let remedy): remedy
        case .closed: "see its log: journalctl --user -u stoad"
        case .noAnswer: "try again, or see its log: journalctl --user -u stoad"
        case .interrupted: ""
        case .refused(let error):
            error.knownCode == .methodNotFound
                ? "the daemon is a different version: systemctl --user restart stoad"
                : TerminalText.line(error.remedy ?? "")
        case .takenOver: "start again with --take-over to continue reading"
        case .garbled: "check the socket, and the versions of stoa and stoad"
        }
    }

    /// Whether somebody has locked the node.
    package var isLocked: Bool {
        if case .refused(let error) = self { error.knownCode == .locked } else { false }
    }

    /// Whether a new connection, now or later, may do what this one did not.
    package var isPassing: Bool {
        switch self {
        case .noDaemon, .closed, .noAnswer: true
        case .refused(let error):
            switch error.knownCode {
            case .overflow, .shuttingDown, .busy, .locked: true
            default: false
            }
        case .unusable, .interrupted, .takenOver, .garbled: false
        }
    }
}
