import ControlAPI

/// Why a command came to nothing, as it is told to a person.
struct Failure: Error, Equatable {
    /// What was tried, such as the command's name; empty for the command line as a whole.
    var what: String
    /// Why it failed.
    let why: String
    /// What to do next.
    let next: String
    /// How the program ends.
    let code: ExitCode
    /// What the daemon answered, when it was the daemon that refused.
    let answer: RPCError?

    init(_ code: ExitCode, what: String = "", why: String, next: String) {
        self.what = what
        self.why = why
        self.next = next
        self.code = code
        self.answer = nil
    }

    /// A wrong command line.
    static func usage(_ why: String, next: String) -> Failure {
        Failure(.usage, why: why, next: next)
    }

    init(_ error: RPCError) {
        self.what = ""
        self.why = TerminalText.line(error.message)
        self.code = ExitCode(for: error)
        self.next =
            error.knownCode == .methodNotFound
            ? "the daemon is of another version: systemctl --user restart stoad"
            : TerminalText.line(error.remedy ?? "")
        self.answer = error
    }

    /// The lines for standard error, each with its newline.
    ///
    /// When a name fits several, the candidates follow, each in the form that can be typed.
    var text: String {
        var text = "stoa: "
        if !self.what.isEmpty { text += self.what + ": " }
        text += self.why
        if !self.next.isEmpty { text += "; " + self.next }
        text += "\n"
        if case .array(let candidates) = self.answer?.data?["candidates"] {
            for candidate in candidates {
                let id = TerminalText.line(candidate["id"]?.stringValue ?? "")
                let name = TerminalText.line(candidate["name"]?.stringValue ?? "")
                text += "  @\(id.prefix(16))  \(name)\n"
            }
        }
        return text
    }
}
