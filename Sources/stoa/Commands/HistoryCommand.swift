import ControlAPI

/// The command `stoa history`.
struct HistoryCommand: Subcommand {
    static let syntax = CommandSyntax(
        HistoryMethod.description,
        examples: [
            "stoa history ops", "stoa history @ada --since yesterday",
            "stoa history ops --limit 5 --ids",
        ], operands: ["TO"],
        options: [
            OptionSyntax(
                "--limit", "N", "how many of the newest messages; 50 by default, at most 1000"),
            OptionSyntax("--all", nil, "all messages"),
            OptionSyntax("--before", "ID", "only messages before the one with this id"),
            OptionSyntax("--around", "ID", "the message with this id, and those around it"),
            OptionSyntax("--since", "T", "only messages since this time"),
            OptionSyntax("--ids", nil, "show the beginning of each message's id"),
        ],
        details: [
            "ID is a message's id, or at least its first 8 characters.",
            "T is a local date (2026-01-31), a local date and time (\"2026-01-31 18:00\"), a time of today (09:00), today, yesterday, how long ago (90s, 30m, 2h, 3d, 1w), or RFC 3339 (2026-01-31T18:00:00Z).",
            "On a terminal, long output is shown with $PAGER, or less.",
            "Messages shown on a terminal count as read.",
        ])

    private let params: HistoryMethod.Params
    private let showsIDs: Bool
    private let isAll: Bool

    init(_ arguments: ParsedArguments) throws(Failure) {
        let limit = try arguments.integer(
            "--limit", in: 1...Int64(ControlLimits.historyMessages))
        self.showsIDs = arguments.has("--ids")
        self.isAll = arguments.has("--all")
        let places = [self.isAll, arguments.has("--before"), arguments.has("--around")]
        guard places.count(where: { $0 }) < 2, !self.isAll || limit == nil else {
            throw .usage(
                "--all, --before and --around exclude each other, and --all takes no --limit",
                next: "give only one of them")
        }
        let since = try LocalTime.option("--since", of: arguments)
        self.params = HistoryMethod.Params {
            $0.to = arguments.required(0)
            $0.limit = limit
            $0.before = arguments.value("--before")
            $0.around = arguments.value("--around")
            $0.since = since
        }
    }

    func run(in context: CommandContext) throws(Failure) {
        let console = context.console
        if self.isAll {
            return try self.paging(context) { () throws(Failure) in
                let reading = HistoryReading(to: self.params.to, since: self.params.since)
                let lines = self.lines(console)
                var missing: [String] = []
                try reading.forEachPage(
                    context, of: Self.syntax.name, noting: { missing += $0 }
                ) { (page) throws(Failure) in
                    try self.show(page, lines, context)
                }
                for line in missing { console.report("stoa: history: \(line)\n") }
            }
        }
        let (messages, more, missing) = try self.messages(context)
        if context.json || !console.outputIsTerminal {
            if !context.json, messages.isEmpty { try console.print(try self.none(context)) }
            try self.show(messages, self.lines(console), context)
            for line in missing { console.report("stoa: history: \(line)\n") }
            return
        }
        let lines = self.lines(console)
        var text = more ? try self.older(than: messages, context) : ""
        for message in messages { text += lines.text(message.value) }
        if messages.isEmpty { text = try self.none(context) }
        for line in missing {
            let line = console.styled(line, .yellow) + "\n"
            text += LineWrap.text(line, columns: console.columns, indent: 2)
        }
        if text.count(where: { $0 == "\n" }) < console.rows {
            try console.print(text)
            try console.flush()
        } else {
            // What was said last is what people look for.
            try console.paging(environment: context.environment, fromEnd: true) {
                () throws(Failure) in try console.print(text)
            }
        }
        try context.markRead(messages.map(\.value))
    }

    private func lines(_ console: Console) -> MessageLine {
        MessageLine(console: console, showsConversation: false, showsID: self.showsIDs)
    }

    private func paging(
        _ context: CommandContext, _ body: () throws(Failure) -> Void
    ) throws(Failure) {
        guard !context.json else { return try body() }
        try context.console.paging(environment: context.environment, body)
    }

    private func show(
        _ messages: [Received<MessageResult>], _ lines: MessageLine, _ context: CommandContext
    ) throws(Failure) {
        for message in messages {
            try context.json
                ? context.console.print(message.json)
                : context.console.print(lines.text(message.value))
        }
        try context.console.flush()
    }

    /// A line that says that there is nothing, or why nothing is shown.
    private func none(_ context: CommandContext) throws(Failure) -> String {
        let to = self.params.to
        guard to.hasPrefix("@") else { return "no messages\n" }
        let who = try context.call(WhoisMethod.self, .init { $0.person = to })
        guard who.tier == .blocked else { return "no messages\n" }
        return
            "no messages are shown: you have blocked \(TerminalText.line(to)), which hides what they "
            + "wrote until: stoa unblock \(TerminalText.word(to))\n"
    }

    /// A line about what stands before these messages, and how to see it.
    private func older(
        than messages: [Received<MessageResult>], _ context: CommandContext
    ) throws(Failure) -> String {
        guard let first = messages.first?.id else { return "" }
        var params = HistoryMethod.Params()
        params.to = self.params.to
        params.since = self.params.since
        params.before = first
        params.limit = 1
        params.count = true
        let page = try context.call(HistoryMethod.self, params)
        let count = page.messages.count + Int(page.older ?? 0)
        let limit = Int(HistoryMethod.Result.olderLimit)
        let shown = count > limit ? "more than \(limit)" : "\(count)"
        let line = "… \(shown) older: --before \(first.prefix(12))"
        return context.console.styled(line, .faint) + "\n"
    }

    /// All messages that were asked for, oldest first, whether there are older ones, and what is missing.
    ///
    /// One answer holds fewer when the messages are long, because a line has its limit; then the
    /// next older ones are asked for.
    private func messages(
        _ context: CommandContext
    ) throws(Failure) -> (
        messages: [Received<MessageResult>], more: Bool, missing: [String]
    ) {
        if self.params.around != nil {
            let result = try context.call(HistoryMethod.self, self.params)
            return (result.messages, result.more, [])
        }
        var pages: [[Received<MessageResult>]] = []
        var lines: [String] = []
        var missing = self.params.limit ?? Int64(ControlLimits.historyMessagesDefault)
        var params = self.params
        while true {
            params.limit = missing
            let result = try context.call(HistoryMethod.self, params)
            let page = result.messages
            pages.append(page)
            lines += MissingResult.lines(result.missing, more: result.moreMissing)
            missing -= Int64(page.count)
            guard result.more, missing > 0, let oldest = page.first?.id else {
                return (pages.reversed().flatMap { $0 }, result.more, lines)
            }
            params.before = oldest
        }
    }
}

/// All messages of a conversation from the oldest on, a page at a time.
struct HistoryReading {
    let to: String
    let since: Timestamp?

    /// Gives each page to `body`; one is held at a time.
    ///
    /// - Parameters:
    ///   - command: which one says that the daemon has gone, and goes on when it is back.
    ///   - noting: is told what is missing.
    func forEachPage(
        _ context: CommandContext, of command: String, noting: ([String]) -> Void = { _ in },
        _ body: ([Received<MessageResult>]) throws(Failure) -> Void
    ) throws(Failure) {
        var params = HistoryMethod.Params()
        params.to = self.to
        params.since = self.since
        params.limit = Int64(ControlLimits.historyMessages)
        params.oldest = true
        while true {
            let result = try context.throughRestarts(of: command) { () throws(Failure) in
                try context.call(HistoryMethod.self, params)
            }
            let page = result.messages
            noting(MissingResult.lines(result.missing, more: result.moreMissing))
            try body(page)
            guard result.more, let last = page.last?.id else { return }
            params.oldest = nil
            params.after = last
        }
    }
}
