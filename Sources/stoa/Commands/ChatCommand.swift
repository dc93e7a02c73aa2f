import ControlAPI
import ControlClient
import Posix

/// The command `stoa chat`.
struct ChatCommand: Subcommand {
    static let syntax = CommandSyntax(
        "chat", "Talk in one conversation: show new messages, send each line you type.",
        operands: ["TO"],
        details: [
            "Shows the last \(ChatCommand.historyMessages) messages first.",
            "A line that begins with \"/me \" says what you do. There are no other commands inside: every other line is sent as it is.",
            "A pasted text of several lines is sent as one message when you press Enter.",
            "When the daemon restarts, chat connects again; what you have typed is kept and sent then.",
            "--timeout bounds how long it waits for the daemon's answers, not how long you talk.",
            "Ctrl-D ends.",
        ])

    private static let historyMessages: Int64 = 20
    private let to: String

    init(_ arguments: ParsedArguments) { self.to = arguments.required(0) }

    func run(in context: CommandContext) throws(Failure) {
        guard !context.json else {
            throw .usage("chat has no --json", next: "use stoa tail and stoa send")
        }
        let console = context.console
        let lines = MessageLine(console: console, showsConversation: false)
        // The first who talks begins it.
        try context.begin(with: self.to)
        // Subscribed first, so that nothing falls between history and what follows.
        let path = try context.socketPath()
        let follower = try Failure.of { () throws(ClientError) in
            try MessageFollower(
                path: path,
                params: SubscribeMethod.Params {
                    $0.to = self.to
                    $0.kinds = [.message, .erased, .edited, .reaction]
                },
                answerMilliseconds: context.options.timeoutMilliseconds)
        }
        let start = follower.cursor
        let page = HistoryMethod.Params {
            $0.to = self.to
            $0.limit = Self.historyMessages
        }
        let history = try Failure.of { () throws(ClientError) in
            try follower.call(HistoryMethod.self, page)
        }
        let messages = (history?.list("messages") ?? []).filter { $0.count("cursor") <= start }
        for message in messages { try console.print(lines.text(message)) }
        try console.flush()
        if let read = AcknowledgeMethod.Params(reading: messages) {
            try Failure.of { () throws(ClientError) in
                try follower.tell(AcknowledgeMethod.self, read)
            }
        }
        let isEdited = console.canEdit && TerminalMode.begin()
        defer { TerminalMode.restore() }
        var chat = Chat(
            context, to: self.to, follower: follower, lines: lines, isEdited: isEdited)
        try chat.run()
    }
}
