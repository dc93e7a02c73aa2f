import ControlAPI
import ControlClient
import Posix

/// The command `stoa ask`.
struct AskCommand: Subcommand {
    static let syntax = CommandSyntax(
        "ask", "Ask a question, wait for an answer and print it.",
        examples: [
            "stoa ask ops \"Delete backups?\" --choices yes,no --by @ada && ./delete.sh",
            "stoa ask @ada \"Which printer?\"",
        ],
        operands: ["TO", "QUESTION..."], lastRepeats: true,
        options: [
            OptionSyntax("--choices", "A,B", "the answers to choose from, separated by commas"),
            OptionSyntax(
                "--by", "@A,@B", "the people who may answer; by default all your contacts"),
            OptionSyntax("--key", "KEY", "asking again with the same key asks only once"),
        ],
        details: [
            "An answer is a reply to the question (stoa send --reply) or a reaction to it; between two people, any message after it. With --choices only one of the choices counts, in upper or lower case; \u{1F44D} and \u{2705} mean the first, \u{1F44E} and \u{274C} the second.",
            "If the answer decides something, name with --by the people who may give it, and verify them first (stoa verify): anyone can write in an open room. Without --by only your contacts count.",
            "The answer is printed on standard output. Exit codes: 0 for the first choice, or for any answer without --choices; 1 for the second choice, and so on; 75 if --timeout passes first (an hour by default). The error then names a key: the same command with --key and that key goes on waiting and does not ask again.",
        ])
    static let mayTakeLong = true

    /// As many as exit codes can tell apart from those of sysexits.h.
    private static let mostChoices = 32
    private static let timeoutMillisecondsDefault = 3_600_000
    private static let signs: [String: Int] = [
        "\u{1F44D}": 0, "\u{2705}": 0, "+1": 0, "\u{1F44E}": 1, "\u{274C}": 1, "-1": 1,
    ]

    private let to: String
    private let question: String
    private let choices: [String]
    private let from: [String]?
    private let key: SendKey

    init(_ arguments: ParsedArguments) throws(Failure) {
        self.to = arguments.required(0)
        self.question = arguments.operands.dropFirst().joined(separator: " ")
        let words = arguments.value("--choices").map { text in
            text.split(separator: ",", omittingEmptySubsequences: false).map {
                Self.normal(String($0))
            }
        }
        self.choices = words ?? []
        if let words {
            guard words.allSatisfy({ !$0.isEmpty }), Set(words).count == words.count,
                (1...Self.mostChoices).contains(words.count)
            else {
                throw .usage(
                    "--choices has an empty choice, a repeated one, or more than \(Self.mostChoices)",
                    next: "give different words separated by commas: yes,no")
            }
        }
        self.from = arguments.list("--by")
        self.key = SendKey(given: try arguments.word("--key"))
    }

    func run(in context: CommandContext) throws(Failure) {
        let limit = context.options.timeoutMilliseconds ?? Self.timeoutMillisecondsDefault
        let deadline = SystemClock.monotonicMilliseconds() + UInt64(limit)
        let allowed = try self.allowed(context)
        try context.begin(with: self.to)
        var send = SendMethod.Params()
        send.to = self.to
        send.text = self.text
        send.idempotencyKey = self.key.text
        let asked: Received<SendMethod.Result>
        do throws(Failure) { asked = try context.call(SendMethod.self, send) } catch {
            throw self.key.advise(error)
        }
        guard !asked.id.isEmpty else { throw Failure(.garbled("the sent message has no id")) }
        let answers = Answers(question: asked.id, isDirect: self.to.hasPrefix("@"))
        let found: (choice: Int, text: String, json: JSON)?
        do throws(Failure) {
            let follower = try self.follow(after: asked.cursor, context, milliseconds: limit)
            found = try self.wait(
                follower, until: deadline, answers, from: allowed, since: asked.cursor)
        } catch {
            var failure = error
            if error.isInterrupt || error.isLoss {
                failure.next =
                    "nobody has answered yet, and question \(asked.id.prefix(12)) is still there; "
                    + "to go on waiting, \(self.key.advice)"
            }
            throw failure
        }
        guard let found else {
            throw Failure(
                .temporary, why: "nobody answered in time",
                next: "the question is still there; to go on waiting, \(self.key.advice)")
        }
        // The answer is what was asked for: where it cannot be printed, the command has failed.
        context.console.isReport = false
        context.status = Int32(found.choice)
        try context.json
            ? context.console.print(found.json) : context.console.print(found.text + "\n")
    }

    /// Follows all that came after the question, which may have been asked by an earlier run.
    private func follow(
        after cursor: Int64, _ context: CommandContext, milliseconds: Int
    ) throws(Failure) -> MessageFollower {
        let path = try context.socketPath()
        return try Failure.of { () throws(ClientError) in
            try MessageFollower(
                path: path,
                params: SubscribeMethod.Params {
                    $0.to = self.to
                    $0.from = cursor
                    $0.kinds = [.message, .reaction]
                    $0.notMine = true
                    $0.authors = self.from
                }, answerMilliseconds: milliseconds, isUnderWay: true)
        }
    }

    /// The question with what may be answered.
    private var text: String {
        guard !self.choices.isEmpty else { return self.question }
        return self.question + " [" + self.choices.joined(separator: "/") + "]"
    }

    /// Upper and lower case, and spaces around, say nothing.
    private static func normal(_ text: String) -> String {
        text.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// The devices of those who may answer where nobody is named: all whom the user knows; nil where the
    /// daemon chooses by name.
    private func allowed(_ context: CommandContext) throws(Failure) -> Set<String>? {
        guard self.from == nil, !self.to.hasPrefix("@") else { return nil }
        guard let known = try context.knownDevices() else {
            throw Failure(
                .refused, why: "you have no contacts, so nobody could answer",
                next: "name who may: --by @PERSON, or: stoa people add @PERSON")
        }
        return known
    }

    /// What may be an answer.
    private struct Answer {
        let author: String
        let text: String
        let cursor: Int64
        let json: JSON
    }

    /// What counts as an answer to a question.
    private struct Answers {
        let question: String
        let isDirect: Bool

        /// What a message or a reaction answers; nil where it answers nothing.
        func answer(in event: MessageFollower.Event) -> Answer? {
            switch event {
            case .message(let message):
                let isReply = message.replyTo?.id == self.question
                guard isReply || self.isDirect && message.replyTo == nil, !message.text.isEmpty
                else { return nil }
                return Answer(
                    author: message.author, text: message.text, cursor: message.cursor,
                    json: message.json)
            case .change(let change):
                guard change.knownEvent == .reacted, change.message == self.question,
                    let sign = change.text
                else { return nil }
                return Answer(
                    author: change.peer ?? "", text: sign, cursor: change.cursor,
                    json: change.json)
            case .piece, .missing, .gap, .lost, .connected: return nil
            }
        }
    }

    /// Waits for the first answer that counts; nil where the time is over.
    private func wait(
        _ follower: MessageFollower, until deadline: UInt64, _ answers: Answers,
        from allowed: Set<String>?, since cursor: Int64
    ) throws(Failure) -> (choice: Int, text: String, json: JSON)? {
        var events = try Failure.of { () throws(ClientError) in try follower.takeEvents() }
        while true {
            for event in events {
                guard let answer = answers.answer(in: event), answer.cursor > cursor,
                    allowed?.contains(answer.author) ?? true, let choice = self.choice(answer.text)
                else { continue }
                let text = self.choices.isEmpty ? answer.text : self.choices[choice]
                return (choice, TerminalText.block(text, indent: ""), answer.json)
            }
            let now = SystemClock.monotonicMilliseconds()
            guard now < deadline else { return nil }
            let pause = follower.pauseMilliseconds.map { Int64($0) } ?? .max
            _ = try PollWait.until(
                readable: follower.descriptor.map { [$0] } ?? [],
                millisecondsAtMost: Int32(clamping: min(Int64(deadline - now), pause)))
            guard SystemClock.monotonicMilliseconds() < deadline else { return nil }
            if let descriptor = follower.descriptor,
                PollWait.any(readable: [descriptor], writable: nil, millisecondsAtMost: 0).isEmpty
            {
                events = []
            } else {
                events = try Failure.of { () throws(ClientError) in try follower.receive() }
            }
        }
    }

    /// Which choice an answer means; nil for none.
    private func choice(_ text: String) -> Int? {
        guard !self.choices.isEmpty else { return 0 }
        if let index = self.choices.firstIndex(of: Self.normal(text)) { return index }
        let bare = String(text.unicodeScalars.filter { $0.value != 0xFE0F })
        return Self.signs[bare].flatMap { $0 < self.choices.count ? $0 : nil }
    }
}
