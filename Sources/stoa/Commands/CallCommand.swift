import ControlAPI

/// The command `stoa call`.
struct CallCommand: Subcommand {
    static let syntax = CommandSyntax(
        "call", "Call somebody from the page in your browser.",
        examples: ["stoa call @ben", "stoa call '&ops'"], operands: ["TO"],
        options: [
            OptionSyntax(
                "--answer", nil, "answer a call that rings there, instead of calling"),
            OptionSyntax(
                "--no-open", nil, "open no browser; print the file that leads to the page"),
        ],
        details: [
            "TO is a person or a secret room. In a room the others see that there is a call, and may join it; up to four can take part.",
            "Voice and pictures go from browser to browser on the local network, and through no server. Both need a direct link: see \"stoa peers\".",
        ])

    private let to: String
    private let word: String
    private let opens: Bool

    init(_ arguments: ParsedArguments) {
        self.to = arguments.required(0)
        self.word = arguments.has("--answer") ? "answer" : "call"
        self.opens = !arguments.has("--no-open")
    }

    func run(in context: CommandContext) throws(Failure) {
        try context.begin(with: self.to)
        try PageOpening(opens: self.opens).ask("\(self.word) \(try self.id(context))", context)
    }

    /// The conversation, which is begun if there is none with that person.
    private func id(_ context: CommandContext) throws(Failure) -> String {
        guard !self.to.hasPrefix("@") else {
            return try context.call(
                CreateConversationMethod.self,
                CreateConversationMethod.Params { $0.person = self.to }
            ).value.conversation.id
        }
        let page = try context.call(
            HistoryMethod.self,
            HistoryMethod.Params {
                $0.to = self.to
                $0.limit = 1
            }
        ).value
        return page.messages.first?.conversation ?? self.to
    }
}
