import ControlAPI

/// The command `stoa send`.
struct SendCommand: Command {
    static let syntax = CommandSyntax(
        "send", "Sends a message.", operands: ["TO", "[TEXT...|-]"], lastRepeats: true,
        options: [
            OptionSyntax("--wait", "WHAT", "sent: stored here (default); delivered: a peer has it"),
            OptionSyntax(
                "--timeout", "S", "how many seconds --wait delivered waits; 30 by default"),
            OptionSyntax("--key", "K", "idempotency key: the same key again sends nothing again"),
        ],
        details: """
            Several words are joined by blanks. With - as the only word, or without text when
            standard input is not a terminal, all of standard input becomes one message; one
            newline at its end is dropped. A text has at most \(ControlLimits.textBytes) bytes.
            Exit code 75 means stored but not delivered in time: it still goes out later.
            """)

    private let to: String
    private let words: [String]
    private let key: String?
    private let wait: SendMethod.Wait
    private let timeoutMilliseconds: Int64

    init(_ arguments: ParsedArguments) throws(Failure) {
        self.to = arguments.required(0)
        self.words = Array(arguments.operands.dropFirst())
        self.key = arguments.value("--key")
        if let key = self.key, !(1...ControlLimits.wordBytes).contains(key.utf8.count) {
            throw .usage(
                "--key has \(key.utf8.count) bytes", next: "give 1 to \(ControlLimits.wordBytes)")
        }
        let seconds = try arguments.seconds("--timeout")
        if let word = arguments.value("--wait") {
            guard let wait = SendMethod.Wait(rawValue: word) else {
                throw .usage(
                    "--wait cannot be \"\(TerminalText.line(word))\"",
                    next: "give sent or delivered")
            }
            self.wait = wait
        } else {
            self.wait = .sent
        }
        if seconds != nil, self.wait == .sent {
            throw .usage("--timeout without a wait means nothing", next: "add --wait delivered")
        }
        self.timeoutMilliseconds = seconds ?? ControlLimits.waitMillisecondsDefault
    }

    func run(in session: Session) throws(Failure) {
        var params = SendMethod.Params()
        params.to = self.to
        params.text = try self.text(session.console)
        params.idempotencyKey = self.key
        if self.wait != .sent {
            params.wait = self.wait
            params.timeoutMilliseconds = self.timeoutMilliseconds
        }
        try session.show("send", params.params) { sent in
            let peers = sent["deliveredTo"]?.arrayValue?.count ?? 0
            let what = sent["duplicate"] == .bool(true) ? "sent before" : "sent"
            switch peers {
            case 0: return "\(what)\n"
            case 1: return "\(what), delivered to 1 peer\n"
            default: return "\(what), delivered to \(peers) peers\n"
            }
        }
    }

    /// The message: the words, or standard input.
    func text(_ console: Console) throws(Failure) -> String {
        let text: String
        if self.words == ["-"] || self.words.isEmpty && !console.inputIsTerminal {
            text = try self.inputText(console)
        } else if self.words.isEmpty {
            throw .usage(
                "there is no text",
                next: "give it as words, or with - type it and end with Ctrl-D")
        } else {
            text = self.words.joined(separator: " ")
        }
        guard !text.isEmpty else {
            throw Failure(.badData, why: "the text is empty", next: "give at least one character")
        }
        guard text.utf8.count <= ControlLimits.textBytes else {
            throw Self.tooLong("has \(text.utf8.count)")
        }
        return text
    }

    private func inputText(_ console: Console) throws(Failure) -> String {
        // Room for the newline that is dropped, be it one byte or two.
        var bytes = try console.readInput(limit: ControlLimits.textBytes + 2)
        if bytes.last == UInt8(ascii: "\n") {
            bytes.removeLast()
            if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        }
        guard bytes.count <= ControlLimits.textBytes else {
            throw Self.tooLong("of standard input has more than \(ControlLimits.textBytes)")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(
                .badData, why: "standard input is not UTF-8",
                next: "convert it, for instance with: iconv -t UTF-8")
        }
        return text
    }

    private static func tooLong(_ what: String) -> Failure {
        Failure(
            .badData, why: "the text \(what) bytes, and a message holds \(ControlLimits.textBytes)",
            next: "send it in parts, or put it in a file and send its place")
    }
}
