import ControlAPI
import ControlClient
import Posix

/// The command `stoa chat`.
///
/// On a terminal it becomes the program `stoa-chat`, which has the screen and its library; otherwise, and
/// with `--plain`, it reads and prints lines itself.
struct ChatCommand: Subcommand {
    static let syntax = CommandSyntax(
        "chat", "Talk on screen: your conversations, and a line to type in.",
        examples: ["stoa chat", "stoa chat ops", "stoa chat @ada --plain"],
        operands: ["[TO]"],
        options: [
            OptionSyntax(
                "--plain", nil,
                "read and print plain lines, without a screen: for screen readers too")
        ],
        details: [
            "On a terminal it lists your conversations, opens TO or the first one with unread messages, and has its own commands: \"/help\" lists them and the keys.",
            "Without a terminal, or with --plain, TO is required: it prints the last \(ChatCommand.historyMessages) messages, then sends each line you type as a message. A line that begins with \"/me \" says what you do, \"/quit\" ends, and \"//x\" sends \"/x\". Any other line that begins with \"/\" is not sent; you are told which command does it.",
            "Pasted text of several lines is sent as one message when you press Enter.",
            "When the daemon restarts, chat connects again and sends what you typed meanwhile. Lines you entered on a terminal that are still unsent when chat ends are sent by your next chat, once; a line you had only typed is put back. Until then they are stored in XDG_STATE_HOME/stoa (by default ~/.local/state/stoa), readable only by you.",
            "--timeout limits the wait for the daemon's answers, not how long you chat.",
            "NO_COLOR in the environment turns colours off. Ctrl-D ends.",
        ])
    static let mayTakeLong = true

    private static let historyMessages: Int64 = 20
    /// The program with the screen.
    private static let screen = "stoa-chat"
    private let to: String?
    private let isPlain: Bool

    init(_ arguments: ParsedArguments) throws(Failure) {
        self.to = arguments.operands.first
        if self.to == "" {
            throw .usage("TO is empty", next: "usage: \(Self.syntax.usage)")
        }
        self.isPlain = arguments.has("--plain")
    }

    func run(in context: CommandContext) throws(Failure) {
        guard !context.json else {
            throw .usage("chat has no --json", next: "use stoa tail and stoa send")
        }
        if context.console.canEdit, !self.isPlain {
            guard let program = ProgramStart.companion(Self.screen) else {
                throw Failure(
                    .internalError, why: "\(Self.screen) is not installed beside stoa",
                    next: "install all of Stoa, or use: stoa chat --plain TO")
            }
            return try self.become(program, context)
        }
        guard let to = self.to else {
            let isDumb = context.console.outputIsTerminal && !self.isPlain
            throw .usage(
                isDumb
                    ? "TERM says that this terminal cannot show a screen"
                    : "no room or person is given",
                next: (isDumb ? "set TERM, or " : "") + "give TO, as in: stoa chat ops")
        }
        try self.runPlain(to, context)
    }

    /// What cannot be talked in is told before there is a screen.
    private func become(_ program: String, _ context: CommandContext) throws(Failure) {
        // A locked one tells nothing of conversations; the screen asks for its passphrase.
        let isLocked = try context.call(StatusMethod.self).value.lock == .locked
        if let to = self.to, !isLocked {
            try context.begin(with: to)
            _ = try context.call(
                HistoryMethod.self,
                HistoryMethod.Params {
                    $0.to = to
                    $0.limit = 1
                })
        }
        try context.console.flush()
        let error = ProgramStart.become(
            program, [Self.screen, try context.socketPath()] + (self.to.map { [$0] } ?? []))
        throw Failure(.internalError, why: "\(error)", next: "install Stoa again")
    }

    private func runPlain(_ to: String, _ context: CommandContext) throws(Failure) {
        let console = context.console
        let lines = MessageLine(console: console, showsConversation: false)
        // The first who talks begins it.
        try context.begin(with: to)
        // Subscribed first, so that nothing falls between history and what follows.
        let path = try context.socketPath()
        let follower = try Failure.of { () throws(ClientError) in
            try MessageFollower(
                path: path,
                params: SubscribeMethod.Params {
                    $0.to = to
                    $0.kinds = [.message, .deleted, .edited, .reaction, .missing]
                },
                answerMilliseconds: context.options.timeoutMilliseconds)
        }
        let start = follower.cursor
        let page = HistoryMethod.Params {
            $0.to = to
            $0.limit = Self.historyMessages
        }
        let history = try Failure.of { () throws(ClientError) in
            try follower.call(HistoryMethod.self, page)
        }
        let messages = (history?.value.messages ?? []).filter { $0.cursor <= start }
        for message in messages { try console.print(lines.text(message)) }
        try console.flush()
        if let read = AcknowledgeMethod.Params(reading: messages) {
            try Failure.of { () throws(ClientError) in
                try follower.tell(AcknowledgeMethod.self, read)
            }
        }
        let isEdited = console.canEdit && TerminalMode.begin()
        defer { TerminalMode.restore() }
        var chat = LineChat(
            context, to: to, follower: follower, lines: lines, isEdited: isEdited,
            kept: isEdited ? KeptText(socket: path, environment: context.environment) : nil)
        try chat.run()
    }
}
