import ControlAPI

/// The command `stoa send`.
struct SendCommand: Subcommand {
    static let syntax = CommandSyntax(
        SendMethod.description, operands: ["TO", "[TEXT...|-]"], lastRepeats: true,
        options: [
            OptionSyntax(
                "--wait", "WHAT",
                "sent: stored here (default); delivered: others have it; read: they read it"
            ),
            OptionSyntax(
                "--members", "WHO",
                "with --wait delivered or read: any (default), all, a number, or @a,@b"),
            OptionSyntax(
                "--reply", "ID", "answer the message with this id, or this beginning"),
            OptionSyntax("--action", nil, "say what you do: \"waves\" is shown as * ada waves"),
            OptionSyntax(
                "--location", "LAT,LON", "send a place in degrees, whose name the text is, or none"),
            OptionSyntax(
                "--file", "FILE",
                "send a file; the text is said with it; may be given several times", repeats: true),
            OptionSyntax("--name", "NAME", "call the file NAME; needed where FILE is -"),
            OptionSyntax("--type", "TYPE", "say that the file is of TYPE, as image/png"),
            OptionSyntax("--lines", nil, "send each line of standard input as a message"),
            OptionSyntax(
                "--key", "KEY", "idempotency key: sending again with the same key has no effect"),
        ],
        details: [
            "Several words are joined by spaces.",
            "With - as the only word, or without text when standard input is not a terminal, all of standard input becomes one message; a newline at its end is dropped.",
            "LAT,LON is as 48.137,11.575, or with an accuracy in metres: 48.137,11.575,20; where it begins with a minus, write --location=-33.87,151.21.",
            "With --file - standard input is sent as a file. Others see the file's name, size and type; small files come to them by themselves, large ones when they fetch them, also from others who have them.",
            "A text has at most \(ControlLimits.textBytes) bytes of UTF-8.",
            "With --wait delivered or read, --timeout says how long to wait, 30 seconds by default; exit code 75 then means that the message is stored and goes out later, or that others hold it because this machine's clock is ahead of theirs.",
            "In a room where you know somebody (stoa people add), only those count whom you know, and those named: a stranger's word delivers nothing. Where you know nobody, any member counts; \"all\" is then refused. Who was not heard of for 30 days is not waited for with \"all\".",
            "With --wait read they have read it on a device that says so: who sets read-marks to private in stoad.conf says nothing, and rooms of more than 64 do not.",
            "With --lines empty lines are left out, and lines are sent as fast as they are stored, or with --wait delivered as others have them. Where the daemon is restarted it goes on, and sends nothing twice; with --key also where the whole command is run again on the same lines.",
            "With several --file all are looked at before the first is sent. Where a later one fails, the error says which were sent.",
            "Where the daemon does not answer, the message may be sent all the same. The error then names a key, which the command has taken where you gave none: the same command with that --key sends only what is not sent yet.",
            "A key that belongs to another text in the same conversation is refused with exit code 65.",
        ])

    private let to: String
    private let words: [String]
    private let key: SendKey
    private let wait: SendMethod.Wait
    private let members: String?
    private let replyTo: String?
    private let isAction: Bool
    private let location: MessageResult.Place?
    private let isLines: Bool
    private let files: [OutgoingContent]

    init(_ arguments: ParsedArguments) throws(Failure) {
        self.to = arguments.required(0)
        self.words = Array(arguments.operands.dropFirst())
        let key = arguments.value("--key")
        if let key, !(1...ControlLimits.wordBytes).contains(key.utf8.count) {
            throw .usage(
                "--key has \(key.utf8.count) bytes", next: "give 1 to \(ControlLimits.wordBytes)")
        }
        self.key = SendKey(given: key)
        if let word = arguments.value("--wait") {
            guard let wait = SendMethod.Wait(rawValue: word) else {
                throw .usage(
                    "--wait cannot be \"\(TerminalText.line(word))\"",
                    next: "give sent, delivered or read")
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
        self.location = try arguments.value("--location").map(Self.place)
        guard self.location == nil || self.replyTo == nil && !self.isAction else {
            throw .usage(
                "a location is neither an action nor a reply",
                next: "leave --location, or --reply and --action out")
        }
        self.isLines = arguments.has("--lines")
        if let word = self.words.first, self.to.hasPrefix("@"), word.hasPrefix("@"),
            word.count > 1, !word.contains(where: \.isWhitespace)
        {
            throw .usage(
                "\"\(TerminalText.line(word))\" would be text: a message goes to one person or one room",
                next:
                    "write to each of them, or to a room that all are in (stoa create ROOM --secret); "
                    + "a text that begins so: \"\(TerminalText.line(word)) ...\" in quotes")
        }
        guard !self.isLines || self.words.isEmpty && self.location == nil && self.replyTo == nil
        else {
            throw .usage(
                "--lines sends what is on standard input", next: "leave the text and --reply out")
        }
        self.files = try OutgoingContent.read(arguments)
        guard
            self.files.isEmpty
                || !self.isLines && self.location == nil && self.replyTo == nil
                    && !self.isAction
        else {
            throw .usage(
                "a file is neither an action, a reply nor a location",
                next: "leave --file, or the other option out")
        }
        self.members = arguments.value("--members")
        guard let members = self.members else { return }
        do throws(RPCError) { _ = try DeliveryMembers(members) } catch {
            throw .usage("--members: \(error.message)", next: error.remedy ?? "see stoa help send")
        }
        guard self.wait != .sent else {
            throw .usage("--members waits for nothing", next: "give --wait delivered or read, too")
        }
    }

    private static func place(_ text: String) throws(Failure) -> MessageResult.Place {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), let latitude = Double(parts[0]),
            let longitude = Double(parts[1]), latitude.magnitude <= 90, longitude.magnitude <= 180,
            parts.count == 2 || Int64(parts[2]).map(ControlLimits.accuracyMetres.contains) == true
        else {
            throw .usage(
                "--location cannot be \"\(TerminalText.line(text))\"",
                next: "give degrees north and east, and metres if you like: 48.137,11.575,20")
        }
        return MessageResult.Place {
            $0.latitude = latitude
            $0.longitude = longitude
            $0.accuracy = parts.count == 3 ? Int64(parts[2]) : nil
        }
    }

    func run(in context: CommandContext) throws(Failure) {
        var params = SendMethod.Params()
        params.to = self.to
        params.location = self.location
        params.kind = self.isAction ? .action : nil
        params.replyTo = self.replyTo
        params.idempotencyKey = self.key.text
        if self.wait != .sent {
            params.wait = self.wait
            params.members = self.members
            params.timeoutMilliseconds = context.options.timeoutMilliseconds.map { Int64($0) }
        }
        if self.isLines {
            var sender = try LineSender(context, params, self.key)
            return try sender.run()
        }
        guard self.files.isEmpty else { return try self.send(self.files, params, context) }
        params.text =
            self.location == nil
            ? try MessageText.read(self.words, context.console)
            : self.words.joined(separator: " ")
        do throws(Failure) { try self.send(params, context) } catch {
            throw self.key.advise(error)
        }
    }

    /// Sends each file as a message of its own; the text is said with the first.
    ///
    /// All are looked at before the first is sent. Where one cannot be sent all the same, it is said which were.
    private func send(
        _ files: [OutgoingContent], _ params: SendMethod.Params, _ context: CommandContext
    ) throws(Failure) {
        for file in files { try file.look() }
        for (index, file) in files.enumerated() {
            var params = params
            params.text = index == 0 ? self.words.joined(separator: " ") : ""
            if index > 0 { params.idempotencyKey = "\(self.key.text)/\(index)" }
            params.file = file.described
            do throws(Failure) {
                try file.withDescriptor(context) { (number) throws(Failure) in
                    try self.send(params, context, passing: number)
                }
            } catch {
                var failure = self.key.advise(error)
                guard files.count > 1 else { throw failure }
                failure.next += Self.progress(files, through: index, error, self.key)
                throw failure
            }
        }
    }

    /// Which of several files are sent, where one has failed, and how to send the others.
    private static func progress(
        _ files: [OutgoingContent], through index: Int, _ failure: Failure, _ key: SendKey
    ) -> String {
        func names(_ files: ArraySlice<OutgoingContent>) -> String {
            files.map { TerminalText.line($0.described.name) }.joined(separator: ", ")
        }
        let isStored = [.deliveryTimeout, .held].contains(failure.answer?.knownCode)
        let sent = isStored ? index + 1 : index
        guard index > 0 || isStored, sent < files.count else { return "" }
        return "; sent: \(names(files[..<sent])); not sent: \(names(files[sent...])): "
            + "to send these only, \(key.advice)"
    }

    private func send(
        _ params: SendMethod.Params, _ context: CommandContext, passing descriptor: Int32? = nil
    ) throws(Failure) {
        let result = try context.show(
            SendMethod.self, params, daemonMilliseconds: params.timeoutMilliseconds,
            passing: descriptor
        ) { sent in
            let peers = sent.list("deliveredTo").count
            let become = self.wait == .read ? "read by" : "delivered to"
            let what = sent["duplicate"] == .bool(true) ? "sent already" : "sent"
            switch peers {
            case 0:
                let waits = SendMethod.Waits.text(sent["waits"], to: self.to)
                return what + (waits.map { "; \($0)" } ?? "") + "\n"
            case 1: return "\(what), \(become) 1 peer\n"
            default: return "\(what), \(become) \(peers) peers\n"
            }
        }
        if result["shutOut"] == .bool(true) {
            context.console.report("stoa: send: \(Self.shutOut)\n")
        }
    }

    /// What is said of a message that peers will not take.
    static let shutOut =
        "warning: the message is stored here, but other peers turn this daemon away because "
        + "another one runs with its identity key; see the alert in: stoa status"
}

extension SendMethod.Waits {
    /// What a message waits for, in words; nil where it waits for nothing.
    static func text(_ waits: JSON?, to name: String) -> String? {
        let name = TerminalText.line(name)
        return switch waits?.stringValue.flatMap({ Self(rawValue: $0) }) {
        case .away: "it goes out when \(name) is linked"
        case .indirect:
            "\(name) was heard of through others, who do not pass on what is for one person: "
                + "it goes out when you are linked with each other (stoa connect, stoa doctor)"
        case .unaccepted: "\(name) has not accepted you yet"
        case .nobody: "nobody else of \(name) is linked: it goes out when somebody is"
        case nil: nil
        }
    }
}

extension SendMethod: CommandMethod {
    static var command: any Subcommand.Type { SendCommand.self }
}
