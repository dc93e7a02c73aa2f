import ControlAPI

/// The command `stoa history`.
struct HistoryCommand: Subcommand {
    static let syntax = CommandSyntax(
        HistoryMethod.description, operands: ["TO"],
        options: [
            OptionSyntax(
                "--limit", "N", "how many of the newest messages; 50 by default, 1000 at most"),
            OptionSyntax("--before", "ID", "only messages before the one with this id"),
            OptionSyntax("--since", "T", "only messages since this time"),
            OptionSyntax("--ids", nil, "show the beginning of each message's id"),
        ],
        details: [
            "T is RFC 3339 (2026-01-31T18:00:00Z), a local date (2026-01-31), a local date and time (\"2026-01-31 18:00\"), or how long ago: 90s, 30m, 2h, 3d, 1w.",
            "What is shown on a terminal counts as read.",
        ])

    private let params: HistoryMethod.Params
    private let showsIDs: Bool

    init(_ arguments: ParsedArguments) throws(Failure) {
        let limit = try arguments.integer(
            "--limit", in: 1...Int64(ControlLimits.historyMessages))
        var since: Timestamp?
        if let text = arguments.value("--since") {
            since = LocalTime.parse(text, now: LocalTime.now())
            if since == nil {
                throw .usage(
                    "--since cannot be \"\(TerminalText.line(text))\"",
                    next: "give a date, a date and time, or how long ago such as 2h")
            }
        }
        self.showsIDs = arguments.has("--ids")
        self.params = HistoryMethod.Params {
            $0.to = arguments.required(0)
            $0.limit = limit
            $0.before = arguments.value("--before")
            $0.since = since
        }
    }

    func run(in context: CommandContext) throws(Failure) {
        let console = context.console
        let (messages, more) = try self.messages(context)
        if context.json {
            for message in messages { try console.print(message) }
        } else if messages.isEmpty {
            try console.print("no messages\n")
        } else {
            let lines = MessageLine(
                console: console, showsConversation: false, showsID: self.showsIDs)
            if more, console.outputIsTerminal {
                let first = messages.first?.shown("id") ?? ""
                try console.print(
                    console.styled("older messages: add --before \(first)", .faint) + "\n")
            }
            for message in messages { try console.print(lines.text(message)) }
        }
        try console.flush()
        if console.outputIsTerminal { try context.markRead(messages) }
    }

    /// All messages that were asked for, oldest first, and whether there are older ones.
    ///
    /// One answer holds fewer when the messages are long, because a line has its limit; then the
    /// next older ones are asked for.
    private func messages(_ context: CommandContext) throws(Failure) -> ([JSON], more: Bool) {
        var pages: [[JSON]] = []
        var missing = self.params.limit ?? Int64(ControlLimits.historyMessagesDefault)
        var params = self.params
        while true {
            params.limit = missing
            let result = try context.call(HistoryMethod.self, params)
            let page = result.list("messages")
            pages.append(page)
            missing -= Int64(page.count)
            let more = result["more"] == .bool(true)
            guard more, missing > 0, let oldest = page.first?["id"]?.stringValue else {
                return (pages.reversed().flatMap { $0 }, more)
            }
            params.before = oldest
        }
    }
}

extension HistoryMethod: CommandMethod {
    static var command: any Subcommand.Type { HistoryCommand.self }
}
