import ControlAPI
import ControlClient
import Posix

/// The command `stoa on`.
struct OnCommand: Subcommand {
    static let syntax = CommandSyntax(
        "on", "Run a command for each event, in order, and again if it fails.",
        examples: ["stoa on mention --in ops -- ./answer.sh", "stoa on alert -- logger -t stoa"],
        operands: ["EVENT", "COMMAND..."], lastRepeats: true,
        options: [
            OptionSyntax("--in", "TO", "only in this room, or with this person"),
            OptionSyntax("--by", "@A,@B", "only events caused by these people"),
            OptionSyntax("--match", "RE", "only if the text matches this grep -E expression"),
            OptionSyntax(
                "--consumer", "NAME", "the name under which it continues where it stopped"),
            OptionSyntax(
                "--max-time", "S", "stop the command after this many seconds; 300 by default"),
            OptionSyntax(
                "--retries", "N", "give up on an event after this many more attempts; 5 by default"),
        ],
        details: [
            "EVENT is one of: \(Event.allCases.map(\.rawValue).joined(separator: ", ")). Of these, message, mention (somebody names or answers you) and direct are messages from others; delivery says that somebody has received or read your messages, peer that a contact was linked or unlinked. Of these two, only the latest state is kept.",
            "Write -- before COMMAND. It gets the event on standard input as a line of JSON, as \"stoa --json tail\" prints it, and STOA_EVENT, STOA_ID, STOA_CONVERSATION, STOA_CONVERSATION_ID, STOA_AUTHOR, STOA_AUTHOR_ID, STOA_VERIFIED, STOA_KIND, STOA_TEXT, STOA_TIME, STOA_CODE, STOA_CURSOR and STOA_SOCKET in its environment. Other people's text never becomes part of a command line; keep it that way, and quote \"$STOA_TEXT\" in a shell.",
            "One command runs at a time. If it exits 0 the event is acknowledged; otherwise it is run again, after 1 s and then up to a minute, before any later event. After --retries more attempts (about 30 s) the event is given up, standard error says so, and the next event follows, so one message cannot block the rest. With --retries 1000000 it practically never gives up.",
            "Events that occur while it is not running are kept for it: it is a durable consumer, named after its arguments unless --consumer is given. The first run starts with the events that follow it.",
            "On SIGINT, SIGTERM and SIGHUP it exits 0; the command is told to end as well, and its event comes again.",
        ])
    static let mayTakeLong = true

    /// What a command is run for.
    enum Event: String, CaseIterable {
        case message, mention, direct, edited, reaction, deleted, delivery, peer, request, alert
    }

    private let event: Event
    private let words: [String]
    private let params: SubscribeMethod.Params
    private let match: TextPattern?
    private let limitMilliseconds: UInt64
    private let retries: Int64

    /// How long a command may take where nothing is said, in milliseconds.
    private static let limitMillisecondsDefault: UInt64 = 300_000
    /// How often a command is run again where nothing is said.
    private static let retriesDefault: Int64 = 5

    init(_ arguments: ParsedArguments) throws(Failure) {
        let word = arguments.required(0)
        guard let event = Event(rawValue: word) else {
            throw .usage(
                "\"\(TerminalText.line(word))\" is not an event",
                next: "give one of: " + Event.allCases.map(\.rawValue).joined(separator: ", "))
        }
        self.event = event
        self.words = Array(arguments.operands.dropFirst())
        let pattern = arguments.value("--match")
        self.match = try pattern.map { (text) throws(Failure) in
            do throws(TextPattern.Fault) { return try TextPattern(text) } catch {
                throw .usage(
                    "--match cannot be \"\(TerminalText.line(text))\": \(error.reason)",
                    next: "give an expression that grep -E accepts")
            }
        }
        let limit = try arguments.integer("--max-time", in: 1...86_400)
        self.limitMilliseconds = limit.map { UInt64($0) * 1_000 } ?? Self.limitMillisecondsDefault
        self.retries = try arguments.integer("--retries", in: 0...1_000_000) ?? Self.retriesDefault
        let place = arguments.value("--in")
        let authors = arguments.list("--by")
        let name = [word, place ?? "", arguments.value("--by") ?? "", pattern ?? ""] + self.words
        let consumer = try arguments.word("--consumer")
        self.params = SubscribeMethod.Params {
            $0.to = place
            $0.consumer = consumer ?? "on-\(word)-\(StableHash.text(of: name))"
            $0.kinds = [event.kind]
            $0.authors = authors
            guard event.kind == .message else { return }
            $0.messages = MessageResult.Kind.allCases.filter {
                ![.join, .leave, .topic].contains($0)
            }
            $0.notMine = true
            $0.mentions = event == .mention ? true : nil
        }
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
            guard !error.isInterrupt else {
                return context.console.report(
                    "stoa: on: \(error.why); the same command continues from there\n")
            }
            guard error.answer?.reason == "consumerInUse" else { throw error }
            let name = TerminalText.line(self.params.consumer ?? "")
            throw Failure(
                error.code, why: "another stoa already reads for the consumer \(name)",
                next: "end that one first, or give this one its own name: --consumer NAME",
                answer: error.answer)
        }
        let lock = try RunLock(consumer: self.params.consumer ?? "", socket: path)
        guard try lock.wait(context.console) else { return }
        var environment = context.environment
        environment["STOA_SOCKET"] = path
        let hook = Hook(
            words: self.words, environment: environment,
            limitMilliseconds: self.limitMilliseconds, kept: lock.number)
        var reaction = HookRun(
            hook: hook, event: self.event, match: self.match, retries: self.retries,
            context: context, follower: follower)
        try reaction.run()
    }
}

extension OnCommand.Event {
    /// The kind of change that it is.
    var kind: ChangeKind {
        switch self {
        case .message, .mention, .direct: .message
        case .edited: .edited
        case .reaction: .reaction
        case .deleted: .deleted
        case .delivery: .delivery
        case .peer: .peer
        case .request: .request
        case .alert: .alert
        }
    }
}
