import ControlAPI
import Posix

/// How the program ends: the codes of sysexits.h that scripts can tell apart.
enum ExitCode: Int32, CaseIterable {
    case done = 0
    case usage = 64
    case badData = 65
    case locked = 67
    case noHost = 68
    case noDaemon = 69
    case internalError = 70
    case inputOutput = 74
    case temporary = 75
    case `protocol` = 76
    case refused = 77
    case otherRealm = 78
    case hungUp = 129
    case interrupted = 130
    case terminated = 143

    /// What the manual page says about it.
    var meaning: String {
        switch self {
        case .done: "Done."
        case .usage: "The command line is wrong."
        case .badData:
            "The input cannot be used: no such room or person, a text that is too long, or a key that was "
                + "used for another message."
        case .locked: "The node is locked; unlock it with stoa unlock."
        case .noHost: "connect: no such host, or no route to it."
        case .noDaemon:
            "No daemon answers, or it is shutting down; connect: nobody listens there."
        case .internalError: "stoa or the daemon failed."
        case .inputOutput: "The disk failed or is full, or standard input or output failed."
        case .temporary:
            "Not done in time. A message that was not delivered in time is stored and goes out later; "
                + "one that others hold because this machine's clock is ahead appears when it is due."
        case .protocol: "connect: the other side is not a Stoa that this one can link to."
        case .otherRealm: "connect: the other side shares no realm with you."
        case .hungUp: "Ended by SIGHUP, as when a terminal is closed."
        case .interrupted: "Ended by SIGINT, as by Ctrl-C."
        case .terminated:
            "Ended by SIGTERM. On these three signals standard error says what was done, what is still "
                + "pending and how to go on."
        case .refused:
            "Refused: a name that matches several people, a room that you are not in, another "
                + "reader of a consumer, the wrong key at an address, or something that is not allowed."
        }
    }

    /// The code for a signal that has ended the program: 128 and its number.
    init(for signal: Interrupts.Signal) {
        self = ExitCode(rawValue: 128 + signal.number) ?? .interrupted
    }

    /// Whether a signal has ended the program.
    var isOfSignal: Bool { self.rawValue > 128 }

    /// The code for an error that the daemon answered.
    init(for error: RPCError) {
        self =
            switch error.knownCode {
            case .notFound where error.reason == "unknownHost": .noHost
            case .notFound, .tooLarge, .invalidParams, .keyReused: .badData
            case .refused: Self.refusals[error.reason ?? ""] ?? .refused
            case .ambiguous, .notMember: .refused
            case .deliveryTimeout, .held, .busy, .overflow: .temporary
            case .storageFailed: .inputOutput
            case .shuttingDown: .noDaemon
            case .locked: .locked
            case .parse, .invalidRequest, .methodNotFound, .internalError, nil: .internalError
            }
    }

    /// Why a dial has failed, in the words of the daemon.
    private static let refusals: [String: ExitCode] = [
        "refused": .noDaemon, "noRoute": .noHost, "timedOut": .temporary, "failed": .temporary,
        "unavailable": .temporary, "notPicture": .badData, "noPicture": .badData,
        "diskFull": .inputOutput, "fileFailed": .inputOutput, "fileTooLarge": .badData,
        "fileChanged": .temporary, "unwritable": .inputOutput, "unreadable": .badData,
        "rejected": .protocol, "wrongRealm": .otherRealm, "ownAddress": .badData,
    ]
}
