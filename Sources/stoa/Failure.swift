import ControlAPI
import ControlClient
import Posix

/// Why a command came to nothing, as it is told to a person.
struct Failure: Error, Equatable {
    /// What was tried, such as the command's name; empty for the command line as a whole.
    var what: String
    /// Why it failed.
    let why: String
    /// What to do next.
    var next: String
    /// How the program ends.
    let code: ExitCode
    /// What the daemon answered, when it was the daemon that refused.
    let answer: RPCError?
    /// Whether what was asked for may have been done all the same.
    var isUncertain = false
    /// Whether the daemon has gone or is going, and what was asked of it may be asked of the next one.
    private(set) var isLoss = false

    /// Whether a signal has ended it.
    var isInterrupt: Bool { self.code.isOfSignal }

    init(
        _ code: ExitCode, what: String = "", why: String, next: String, answer: RPCError? = nil
    ) {
        self.what = what
        self.why = why
        self.next = next
        self.code = code
        self.answer = answer
    }

    /// A wrong command line.
    static func usage(_ why: String, next: String) -> Failure {
        Failure(.usage, why: why, next: next)
    }

    /// A signal has come, which this takes.
    ///
    /// - Parameter next: what was done, and how to go on.
    static func interrupted(next: String = "") -> Failure {
        let signal = Interrupts.take() ?? Interrupts.Signal(number: 2, isFromProcess: false)
        return Failure(ExitCode(for: signal), why: "ended by \(signal.name)", next: next)
    }

    /// What a person is told about an error of the connection.
    init(_ error: ClientError) {
        guard error != .interrupted else {
            self = .interrupted()
            self.isUncertain = true
            return
        }
        let code: ExitCode
        var answer: RPCError?
        switch error {
        case .noDaemon, .unusable, .closed: code = .noDaemon
        case .noAnswer: code = .temporary
        case .interrupted: code = .interrupted
        case .takenOver: code = .refused
        case .garbled: code = .internalError
        case .refused(let error):
            code = ExitCode(for: error)
            answer = error
        }
        self.init(code, why: error.reason, next: error.remedy, answer: answer)
        self.isUncertain = error == .closed || error == .noAnswer
        self.isLoss = code == .noDaemon && error.isPassing
    }

    /// Does something with the daemon and tells its errors to a person.
    static func of<Value>(
        _ body: () throws(ClientError) -> Value
    ) throws(Failure) -> Value {
        do throws(ClientError) { return try body() } catch { throw Failure(error) }
    }

    /// The lines for standard error, each with its newline.
    ///
    /// When a name matches several people, or several rooms, they follow, each in the form that can be typed.
    var text: String {
        var text = "stoa: "
        if !self.what.isEmpty { text += self.what + ": " }
        text += self.why
        if !self.next.isEmpty { text += "; " + self.next }
        text += "\n"
        let candidates = self.answer?.candidates ?? []
        let areRooms = self.answer?.reason == "severalRooms"
        for candidate in candidates {
            let (id, name) = (candidate.id.shown, candidate.name.shown)
            let isAlone = candidates.count { $0.name == candidate.name } == 1
            text +=
                areRooms
                ? "  " + (isAlone ? TerminalText.word(name) : "\(id)  \(name)") + "\n"
                : "  @\(id.prefix(16))  \(ShownPerson.safe(name))\n"
        }
        return text
    }
}
