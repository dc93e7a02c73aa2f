import ControlAPI
import ControlClient

/// The command `stoa tail`.
struct TailCommand: Subcommand {
    static let syntax = CommandSyntax(
        "tail", "Follow messages as they arrive.",
        examples: ["stoa tail", "stoa tail ops", "stoa tail ops --consumer bot --json"],
        operands: ["[TO]"],
        options: [
            OptionSyntax("--consumer", "NAME", "a durable reader: continues where it stopped"),
            OptionSyntax(
                "--take-over", nil, "end another live reader of this consumer instead of failing"),
            OptionSyntax("--from", "CURSOR", "start after this cursor; 0 for everything"),
            OptionSyntax("--limit", "N", "end after N messages or other changes"),
            OptionSyntax(
                "--kind", "KINDS",
                "which changes: message (default) and others, as above"),
            OptionSyntax("--by", "@A,@B", "only messages by these people"),
            OptionSyntax("--not-mine", nil, "leave out what you wrote yourself"),
            OptionSyntax("--mentions", nil, "only messages that name you or answer you"),
        ],
        details: [
            "Without TO it follows all conversations.",
            "--timeout limits the wait for the daemon's first answer, not how long it follows.",
            "KINDS is one or more of these, separated by commas: \(Self.shown.map(\.rawValue).joined(separator: ", ")); or text, action, location, join, leave and unknown, for only such messages. The kind conversation covers the rooms and realms you join or leave on this device, alert the alerts of stoa status; both as they happen. The kind missing says what is missing of a conversation, first and whenever that changes; it is not kept, so --from does not bring it back.",
            "A consumer has one position for each conversation, and one more for following all of them.",
            "A message is acknowledged once its line is written, so no message is lost; after a crash the last lines may come again.",
            "It cannot tell what becomes of a line in a pipe: a program that must confirm its own work acknowledges over the socket.",
            "A consumer has one reader at a time; a reader whose place is taken over exits 77.",
            "When the daemon restarts, tail connects again and continues after the last line.",
            "It exits 0 when nobody reads its output, and on SIGINT, SIGTERM and SIGHUP; standard error then says how to go on.",
            "Gaps are reported on standard error and, with --json, as an object with the one member \"gap\".",
        ])
    static let mayTakeLong = true

    private let params: SubscribeMethod.Params
    private let limit: Int64?

    init(_ arguments: ParsedArguments) throws(Failure) {
        let from = try arguments.integer("--from", in: 0...Int64.max)
        self.limit = try arguments.integer("--limit", in: 1...Int64.max)
        let chosen = try arguments.value("--kind").map(Self.kinds)
        let consumer = try arguments.word("--consumer")
        self.params = SubscribeMethod.Params {
            $0.kinds = chosen?.kinds
            $0.messages = chosen?.messages
            $0.authors = arguments.list("--by")
            $0.notMine = arguments.has("--not-mine") ? true : nil
            $0.mentions = arguments.has("--mentions") ? true : nil
            $0.to = arguments.operand(0)
            $0.from = from
            $0.consumer = consumer
            $0.takeOver = arguments.has("--take-over") ? true : nil
        }
        if self.params.takeOver != nil, self.params.consumer == nil {
            throw .usage("--take-over needs a consumer", next: "add --consumer NAME")
        }
    }

    /// The kinds that have lines: neither signals of the moment nor what is for programs alone.
    private static let shown = ChangeKind.allCases.filter {
        ![.presence, .typing, .picture, .list, .members, .stream, .call].contains($0)
    }

    /// The kinds of changes, and those of messages, that somebody names in one list.
    private static func kinds(
        _ text: String
    ) throws(Failure) -> (kinds: [ChangeKind], messages: [MessageResult.Kind]?) {
        var kinds: [ChangeKind] = []
        var messages: [MessageResult.Kind] = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false).map({ String($0) })
        {
            if let kind = ChangeKind(rawValue: word), Self.shown.contains(kind) {
                kinds.append(kind)
            } else if let kind = MessageResult.Kind(rawValue: word) {
                messages.append(kind)
            } else {
                let known =
                    Self.shown.map(\.rawValue)
                    + MessageResult.Kind.allCases.map(\.rawValue)
                throw .usage(
                    "\"\(TerminalText.line(word))\" is not a kind of change",
                    next: "give --kind one or more of these, separated by commas: "
                        + known.joined(separator: ", "))
            }
        }
        // All messages are more than some.
        guard !messages.isEmpty, !kinds.contains(.message) else { return (kinds, nil) }
        return (kinds + [.message], messages)
    }

    func run(in context: CommandContext) throws(Failure) {
        let path = try context.socketPath()
        let follower: MessageFollower
        do throws(Failure) {
            follower = try Failure.of { () throws(ClientError) in
                try MessageFollower(
                    path: path, params: self.params,
                    answerMilliseconds: context.options.timeoutMilliseconds)
            }
        } catch {
            guard error.isInterrupt else { throw error }
            return self.tellEnd(error, after: nil, context)
        }
        var tail = Tail(
            context: context, follower: follower, remaining: self.limit,
            lines: MessageLine(
                console: context.console, showsConversation: self.params.to == nil))
        do throws(Failure) { try tail.run() } catch {
            guard error.isInterrupt else { throw error }
            try? follower.finish()
            self.tellEnd(error, after: follower.cursor, context)
        }
    }

    /// Says on a signal how to go on.
    private func tellEnd(_ failure: Failure, after cursor: Int64?, _ context: CommandContext) {
        let next =
            self.params.consumer != nil
            ? "the same command continues from there"
            : cursor.map { "to continue from there: --from \($0)" } ?? "nothing was printed"
        context.console.report("stoa: tail: \(failure.why); \(next)\n")
    }
}

/// One run of `tail`, once it is subscribed.
private struct Tail {
    let context: CommandContext
    let follower: MessageFollower
    var remaining: Int64?
    let lines: MessageLine

    /// Follows until the limit is reached or the output is closed.
    mutating func run() throws(Failure) {
        let pipe = self.context.console.outputPipeNumber
        var events = try Failure.of { () throws(ClientError) in try self.follower.takeEvents() }
        while true {
            try self.handle(events)
            if self.remaining == 0 {
                try Failure.of { () throws(ClientError) in try self.follower.finish() }
                return
            }
            events = try self.follower.awaitEvents(whileOpen: pipe)
        }
    }

    /// Prints events, then acknowledges the last.
    private mutating func handle(_ events: [MessageFollower.Event]) throws(Failure) {
        var read: [String: [MessageResult]] = [:]
        var last: Int64?
        var hasSignals = false
        for event in events where self.remaining != 0 {
            switch event {
            case .message(let message):
                try self.context.json
                    ? self.context.console.print(message.json)
                    : self.context.console.print(self.lines.text(message.value))
                last = message.cursor
                read[message.conversation, default: []].append(message.value)
                if let remaining = self.remaining { self.remaining = remaining - 1 }
            case .change(let change):
                try self.context.json
                    ? self.context.console.print(change.json)
                    : self.context.console.print(self.lines.text(ofChange: change.value))
                last = change.cursor
                if let remaining = self.remaining { self.remaining = remaining - 1 }
            case .gap(let gap):
                try self.show(gap: gap.value)
                last = gap.to
            case .piece: continue
            case .missing(let event):
                try self.context.json
                    ? self.context.console.print(event.json)
                    : self.context.console.print(
                        Self.line(event.value, hasConversation: self.lines.showsConversation))
                if let remaining = self.remaining { self.remaining = remaining - 1 }
                hasSignals = true
            case .lost(let error):
                self.context.console.report(
                    "stoa: tail: \(error.reason); connecting again, from cursor "
                        + "\(last ?? self.follower.cursor)\n")
            case .connected: self.context.console.report("stoa: tail: connected again\n")
            }
        }
        if last != nil || hasSignals { try self.context.console.flush() }
        guard let last else { return }
        let isSeen = self.context.console.outputIsTerminal
        try Failure.of { () throws(ClientError) in
            try self.follower.settle(last)
            guard isSeen else { return }
            for messages in read.sorted(by: { $0.key < $1.key }).map(\.value) {
                guard let params = AcknowledgeMethod.Params(reading: messages) else { continue }
                try self.follower.tell(AcknowledgeMethod.self, params)
            }
        }
    }

    private static func line(_ event: MissingEvent, hasConversation: Bool) -> String {
        let what =
            MissingResult.line(event.missing, more: event.moreMissing)
            ?? "all messages that were missing are here"
        return (hasConversation ? event.conversationName.shownConversation + ": " : "") + what
            + "\n"
    }

    private func show(gap: GapEvent) throws(Failure) {
        if self.context.json {
            try self.context.console.print([
                "gap": [
                    "from": .integer(gap.from), "to": .integer(gap.to),
                    "reason": .string(gap.reason),
                ]
            ])
        }
        self.context.console.report(
            "stoa: tail: messages after cursor \(gap.from) up to \(gap.to) "
                + "cannot be shown: \(gap.reason.shown)\n")
    }
}
