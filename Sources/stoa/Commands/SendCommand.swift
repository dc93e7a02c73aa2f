import ControlAPI

/// The command `stoa send`.
struct SendCommand: Subcommand {
    static let syntax = CommandSyntax(
        SendMethod.description, operands: ["TO", "[TEXT...|-]"], lastRepeats: true,
        options: [
            OptionSyntax(
                "--wait", "WHAT",
                "sent: until it is stored here (default); delivered: until other members have it"),
            OptionSyntax(
                "--members", "WHO",
                "with --wait delivered: who must have it, any (default), all, a number, or @a,@b"),
            OptionSyntax(
                "--reply", "ID", "answer the message with this id, or this beginning"),
            OptionSyntax("--action", nil, "say what you do: \"waves\" is shown as * ada waves"),
            OptionSyntax(
                "--key", "KEY", "idempotency key: sending again with the same key has no effect"),
        ],
        details: [
            "Several words are joined by spaces.",
            "With - as the only word, or without text when standard input is not a terminal, all of standard input becomes one message; a newline at its end is dropped.",
            "A text has at most \(ControlLimits.textBytes) bytes of UTF-8.",
            "With --wait delivered, --timeout says how long to wait for the delivery, 30 seconds by default; exit code 75 then means that the message is stored and goes out later, or that others hold it because this machine's clock is ahead of theirs.",
            "In a room where you know somebody (stoa people add), only those count whom you know, and those named: a stranger's word delivers nothing. Where you know nobody, any member counts; \"all\" is then refused.",
            "A key that belongs to another text in the same conversation is refused with exit code 65.",
        ])

    private let to: String
    private let words: [String]
    private let key: String?
    private let wait: SendMethod.Wait
    private let members: String?
    private let replyTo: String?
    private let isAction: Bool

    init(_ arguments: ParsedArguments) throws(Failure) {
        self.to = arguments.required(0)
        self.words = Array(arguments.operands.dropFirst())
        self.key = arguments.value("--key")
        if let key = self.key, !(1...ControlLimits.wordBytes).contains(key.utf8.count) {
            throw .usage(
                "--key has \(key.utf8.count) bytes", next: "give 1 to \(ControlLimits.wordBytes)")
        }
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
        self.replyTo = arguments.value("--reply")
        self.isAction = arguments.has("--action")
        guard self.replyTo == nil || !self.isAction else {
            throw .usage("an action answers nothing", next: "leave --reply or --action out")
        }
        self.members = arguments.value("--members")
        guard let members = self.members else { return }
        do throws(RPCError) { _ = try DeliveryMembers(members) } catch {
            throw .usage("--members: \(error.message)", next: error.remedy ?? "see stoa help send")
        }
        guard self.wait == .delivered else {
            throw .usage("--members waits for nothing", next: "give --wait delivered, too")
        }
    }

    func run(in context: CommandContext) throws(Failure) {
        var params = SendMethod.Params()
        params.to = self.to
        params.text = try self.text(context.console)
        params.kind = self.isAction ? .action : nil
        params.replyTo = self.replyTo
        params.idempotencyKey = self.key
        if self.wait == .delivered {
            params.wait = .delivered
            params.members = self.members
            params.timeoutMilliseconds = context.options.timeoutMilliseconds.map { Int64($0) }
        }
        let result = try context.show(
            SendMethod.self, params, daemonMilliseconds: params.timeoutMilliseconds
        ) { sent in
            let peers = sent.list("deliveredTo").count
            let what = sent["duplicate"] == .bool(true) ? "sent already" : "sent"
            switch peers {
            case 0: return "\(what)\(Self.waits(for: sent, to: self.to))\n"
            case 1: return "\(what), delivered to 1 peer\n"
            default: return "\(what), delivered to \(peers) peers\n"
            }
        }
        if result["shutOut"] == .bool(true) {
            context.console.report("stoa: send: \(Self.shutOut)\n")
        }
    }

    /// What a message to one person waits for.
    private static func waits(for sent: JSON, to name: String) -> String {
        switch sent["waits"]?.stringValue.flatMap({ SendMethod.Waits(rawValue: $0) }) {
        case .away: "; it goes out when \(TerminalText.line(name)) is linked"
        case .unaccepted: "; \(TerminalText.line(name)) has not accepted you yet"
        case nil: ""
        }
    }

    /// What is said of a message that peers will not take.
    static let shutOut =
        "warning: the message is stored here, but other peers turn this daemon away because "
        + "another one runs with its identity key; see the alert in: stoa status"

    /// The message: the words, or standard input.
    func text(_ console: Console) throws(Failure) -> String {
        let text: String
        if self.words == ["-"] || self.words.isEmpty && !console.inputIsTerminal {
            text = try self.inputText(console)
        } else if self.words.isEmpty {
            throw .usage(
                "there is no text",
                next: "give it as arguments, or give - to type it and end with Ctrl-D")
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
            throw Self.tooLong("on standard input has more than \(ControlLimits.textBytes)")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(
                .badData, why: "standard input is not UTF-8",
                next: "convert it, for example with: iconv -t UTF-8")
        }
        return text
    }

    private static func tooLong(_ what: String) -> Failure {
        Failure(
            .badData,
            why: "the text \(what) bytes; a message holds at most \(ControlLimits.textBytes)",
            next: "send it in parts, or put it in a file and send its location")
    }
}

extension SendMethod: CommandMethod {
    static var command: any Subcommand.Type { SendCommand.self }
}
