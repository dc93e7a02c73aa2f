import ControlAPI

/// How the program ends: the codes of sysexits.h that scripts can tell apart.
enum ExitCode: Int32 {
    case done = 0
    /// The command line is wrong.
    case usage = 64
    /// What was given, or what it names, cannot be used.
    case badData = 65
    /// No daemon answers.
    case noDaemon = 69
    /// A fault of ours or the daemon's.
    case internalError = 70
    /// Reading or writing failed, here or on the daemon's disk.
    case inputOutput = 74
    /// Not done in time; it may be later.
    case temporary = 75
    /// Understood and not allowed.
    case refused = 77

    /// The code for an error that the daemon answered.
    init(for error: RPCError) {
        self =
            switch error.knownCode {
            case .notFound, .tooLarge, .invalidParams, .keyReused: .badData
            case .ambiguous, .refused, .notMember: .refused
            case .deliveryTimeout, .busy, .overflow: .temporary
            case .storageFailed: .inputOutput
            case .shuttingDown: .noDaemon
            case .parse, .invalidRequest, .methodNotFound, .internalError, nil: .internalError
            }
    }
}
