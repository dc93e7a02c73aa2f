import ControlAPI
import ControlClient
import Posix

/// The command `stoa on`.
struct OnCommand: Subcommand {
    static let syntax = CommandSyntax(
        "on", "Run a command for each event: once, in order, again where it fails.",
        operands: ["EVENT", "COMMAND..."], lastRepeats: true,
        options: [
            OptionSyntax("--in", "TO", "only in this room, or with this person"),
            OptionSyntax("--by", "@A,@B", "only what these people have written"),
            OptionSyntax("--match", "RE", "only where this expression of grep -E is in the text"),
            OptionSyntax("--consumer", "NAME", "the name under which it goes on where it left off"),
            OptionSyntax(
                "--max-time", "S", "end the command after so many seconds; 300 by default"),
            OptionSyntax(
                "--retries", "N", "give an event up after so many more attempts; 5 by default"),
        ],
        details: [
            "EVENT is one of: \(Event.allCases.map(\.rawValue).joined(separator: ", ")). A message, a mention (who calls you by name or answers you) and a direct message are those of others; a delivery says who has or has read your messages, a peer who of those you know is linked, each as it is now.",
            "Write -- before COMMAND. It gets the event as a line of JSON on standard input, as \"stoa --json tail\" prints it, and STOA_EVENT, STOA_ID, STOA_CONVERSATION, STOA_CONVERSATION_ID, STOA_AUTHOR, STOA_AUTHOR_ID, STOA_VERIFIED, STOA_KIND, STOA_TEXT, STOA_TIME, STOA_CODE, STOA_CURSOR and STOA_SOCKET in its environment. What others have written is data there, and part of no command line: keep it so, with quotes around \"$STOA_TEXT\" in a shell.",
            "One command runs at a time. Where it ends with 0 the event is acknowledged; else it is run again, after 1 s, then up to a minute, before any later event. After --retries more attempts (some 30 s) the event is given up, which standard error says once, and the next one has its turn: what a stranger wrote must not hold up what others write. With --retries 1000000 it goes on for as good as ever.",
            "Events that come while it does not run are kept for it: it is a durable consumer, by default named after what it does. The first start begins with what comes from then on.",
            "It ends with exit code 0 on SIGINT and SIGTERM; the command is told to end, too, and its event comes again.",
            "Example: stoa on mention --in ops -- ./answer.sh",
        ])

    /// What a command is run for.
    enum Event: String, CaseIterable {
        case message, mention, direct, edited, reaction, erased, delivery, peer, request, alert
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
                "\"\(TerminalText.line(word))\" is no event",
                next: "give one of: " + Event.allCases.map(\.rawValue).joined(separator: ", "))
        }
        self.event = event
        self.words = Array(arguments.operands.dropFirst())
        let pattern = arguments.value("--match")
        self.match = try pattern.map { (text) throws(Failure) in
            do throws(TextPattern.Fault) { return try TextPattern(text) } catch {
                throw .usage(
                    "--match cannot be \"\(TerminalText.line(text))\": \(error.reason)",
                    next: "give an expression as grep -E takes it")
            }
        }
        let limit = try arguments.integer("--max-time", in: 1...86_400)
        self.limitMilliseconds = limit.map { UInt64($0) * 1_000 } ?? Self.limitMillisecondsDefault
        self.retries = try arguments.integer("--retries", in: 0...1_000_000) ?? Self.retriesDefault
        let place = arguments.value("--in")
        let authors = arguments.value("--by").map { $0.split(separator: ",").map { String($0) } }
        let name = [word, place ?? "", arguments.value("--by") ?? "", pattern ?? ""] + self.words
        self.params = SubscribeMethod.Params {
            $0.to = place
            $0.consumer =
                arguments.value("--consumer") ?? "on-\(word)-\(StableHash.text(of: name))"
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
        let interrupts: Interrupts
        do throws(SystemError) { interrupts = try Interrupts() } catch {
            throw Failure(.internalError, why: "\(error)", next: "report this as a fault of stoa")
        }
        let follower: MessageFollower
        do throws(Failure) {
            follower = try Failure.of { () throws(ClientError) in
                try MessageFollower(
                    path: path, params: self.params,
                    answerMilliseconds: context.options.timeoutMilliseconds)
            }
        } catch {
            guard error.answer?.reason == "consumerInUse" else { throw error }
            let name = TerminalText.line(self.params.consumer ?? "")
            throw Failure(
                error.code, why: "another stoa reads already for the consumer \(name)",
                next: "end that one first, or give this one a name of its own: --consumer NAME",
                answer: error.answer)
        }
        let lock = try RunLock(consumer: self.params.consumer ?? "", socket: path)
        guard try lock.wait(context.console, interrupts) else { return }
        var environment = context.environment
        environment["STOA_SOCKET"] = path
        let hook = Hook(
            words: self.words, environment: environment,
            limitMilliseconds: self.limitMilliseconds, kept: lock.number)
        var reaction = HookRun(
            hook: hook, event: self.event, match: self.match, retries: self.retries,
            context: context, follower: follower, interrupts: interrupts)
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
        case .erased: .erased
        case .delivery: .delivery
        case .peer: .peer
        case .request: .request
        case .alert: .alert
        }
    }
}
