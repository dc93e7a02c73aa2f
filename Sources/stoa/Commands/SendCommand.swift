import ControlAPI

/// The command `stoa send`.
struct SendCommand: Subcommand {
    static let syntax = CommandSyntax(
        SendMethod.description,
        examples: [
            "stoa send ops \"lunch at 12?\"", "stoa send @ada --file report.pdf \"the report\"",
            "df -h / | stoa send ops", "stoa send ops \"backup failed\" --wait delivered",
        ], operands: ["TO", "[TEXT...|-]"], lastRepeats: true,
        options: [
            OptionSyntax(
                "--wait", "WHAT",
                "wait until it is sent (stored here, the default), delivered (others have it) or read"
            ),
            OptionSyntax(
                "--members", "WHO",
                "with --wait delivered or read: any (default), all, a number, or @a,@b"),
            OptionSyntax(
                "--reply", "ID",
                "reply to the message with this id, or at least its first 8 characters"),
            OptionSyntax("--action", nil, "say what you do: \"waves\" is shown as * ada waves"),
            OptionSyntax(
                "--location", "LAT,LON", "send a location in degrees; the text is its name"),
            OptionSyntax(
                "--file", "FILE",
                "send a file, with the text as its caption; may be repeated", repeats: true),
            OptionSyntax("--name", "NAME", "name of the file; needed if FILE is -"),
            OptionSyntax("--type", "TYPE", "type of the file, such as image/png"),
            OptionSyntax("--lines", nil, "send each line of standard input as a message"),
            OptionSyntax(
                "--key", "KEY", "idempotency key: sending again with the same key has no effect"),
        ],
        details: [
            "Several words are joined by spaces.",
            "With - as the only word, or without text if standard input is not a terminal, all of standard input becomes one message, without its last newline.",
            "LAT,LON is, for example, 48.137,11.575, or 48.137,11.575,20 with an accuracy in metres; write --location=-33.87,151.21 if it begins with a minus.",
            "--file - sends standard input as a file. Others see its name, size and type; small files are downloaded by themselves, large ones when fetched, from anyone who has them.",
            "A text has at most \(ControlLimits.textBytes) bytes of UTF-8. In what is read from standard input, each sequence of bytes that is not UTF-8 becomes U+FFFD, here as in chat --plain and run.",
            "With --wait delivered or read, --timeout says how long to wait, 30 seconds by default. Exit code 75 then means that the message is stored and goes out later, or that others hold it because this machine's clock is ahead of theirs.",
            "In a room with contacts of yours (stoa people), only your contacts and people named with --members count: a stranger's confirmation does not. In a room without any, every member counts, and \"all\" is refused. \"all\" does not wait for anyone who has not been heard of for 30 days.",
            "--wait read relies on what devices report: with ReadMarks=private in stoad.conf they do not, nor in rooms with more than 64 members.",
            "--lines skips empty lines and sends as fast as lines are stored, or, with --wait delivered, as others have them. If the daemon restarts it goes on and sends nothing twice; with --key, that also holds if you run the whole command again on the same lines, and the lines sent already are counted separately.",
            "With several --file, all files are checked before the first is sent. If a later one fails, the error says which were sent.",
            "If the daemon does not answer, the message may have been sent anyway. The error then names a key (stoa makes one if you give none): the same command with --key and that key sends only what is not sent yet.",
            "A key already used for a different text in the same conversation is refused with exit code 65.",
        ])
    static let mayTakeLong = true

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
        self.key = SendKey(given: try arguments.word("--key"))
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
            throw .usage("an action cannot be a reply", next: "leave --reply or --action out")
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
                "\"\(TerminalText.line(word))\" would be part of the text: a message goes to one person or one room",
                next:
                    "send to each of them, or to a room they are all in (stoa create ROOM --secret); "
                    + "to send a text that begins with it, quote the text: \"\(TerminalText.line(word)) ...\""
            )
        }
        guard !self.isLines || self.words.isEmpty && self.location == nil && self.replyTo == nil
        else {
            throw .usage(
                "--lines sends the lines of standard input", next: "leave the text and --reply out")
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
            throw .usage("--members: \(error.message)", next: error.remedy ?? "see: stoa help send")
        }
        guard self.wait != .sent else {
            throw .usage(
                "--members needs something to wait for", next: "add --wait delivered or --wait read"
            )
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
        do throws(Failure) {
            params.text =
                self.location == nil
                ? try MessageText.read(self.words, context.console)
                : self.words.joined(separator: " ")
            try self.send(params, context)
        } catch {
            throw self.advise(error, of: params, context)
        }
    }

    /// Says what has become of a message whose sending has failed, and how to go on.
    private func advise(
        _ failure: Failure, of params: SendMethod.Params, _ context: CommandContext
    ) -> Failure {
        guard failure.isInterrupt, failure.isUncertain else { return self.key.advise(failure) }
        // What comes over the same connection is answered after what was asked before.
        var params = params
        (params.wait, params.members, params.timeoutMilliseconds) = (nil, nil, nil)
        guard let sent = context.outcome(of: params), !sent.id.isEmpty else {
            return self.key.advise(failure)
        }
        var failure = failure
        failure.next = "message \(sent.id.prefix(12)) is stored and goes out by itself"
        if self.wait != .sent { failure.next += "; to go on waiting, \(self.key.advice)" }
        return failure
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
        var attempts = 0
        let ask = { () throws(Failure) -> Received<SendMethod.Result> in
            attempts += 1
            return try context.call(
                SendMethod.self, params, daemonMilliseconds: params.timeoutMilliseconds,
                passing: descriptor)
        }
        // What takes long may meet a restart; its key keeps it from being sent twice.
        let takesLong = self.wait != .sent || descriptor != nil
        let result = takesLong ? try context.throughRestarts(of: "send", ask) : try ask()
        try context.show(result) { sent in
            let peers = sent.deliveredTo.count
            let become = self.wait == .read ? "read by" : "delivered to"
            let what = sent.duplicate && attempts == 1 ? "sent already" : "sent"
            switch peers {
            case 0:
                let waits = sent.waits?.text(to: self.to)
                return what + (waits.map { "; \($0)" } ?? "") + "\n"
            case 1: return "\(what), \(become) 1 peer\n"
            default: return "\(what), \(become) \(peers) peers\n"
            }
        }
        if result.shutOut == true {
            context.console.report("stoa: send: \(Self.shutOut)\n")
        }
    }

    /// What is said of a message that peers will not take.
    static let shutOut =
        "warning: the message is stored here, but other peers refuse this daemon because "
        + "another one runs with its identity key; see the alert in: stoa status"
}

extension SendMethod.Waits {
    /// What a message waits for, in words.
    func text(to name: String) -> String {
        let name = TerminalText.line(name)
        return switch self {
        case .away: "it goes out when \(name) is linked"
        case .indirect:
            "other people pass on news of \(name), but not messages for one person: "
                + "it goes out when the two of you are linked (stoa connect, stoa doctor)"
        case .unaccepted: "\(name) has not accepted you yet"
        case .nobody: "no other member of \(name) is linked: it goes out when one is"
        case .large:
            "the file is too large for the servers between sites (SitesFileLimit): others get it "
                + "when they are linked"
        }
    }
}
