import ControlAPI

/// The command `stoa call`.
struct CallCommand: Subcommand {
    static let syntax = CommandSyntax(
        "call", "Call somebody from the page in your browser.",
        examples: ["stoa call @ben", "stoa call '&ops'"], operands: ["TO"],
        options: [
            OptionSyntax(
                "--answer", nil,
                "answer the call that rings there, with voice, instead of calling"),
            OptionSyntax("--id", "ID", "with --answer: answer only the call with this id"),
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

    init(_ arguments: ParsedArguments) throws(Failure) {
        self.to = arguments.required(0)
        let call = arguments.value("--id")
        if let call, call.utf8.count != 16 || !call.allSatisfy(\.isHexDigit) {
            throw .usage("--id takes the 16 hexadecimal digits of a call", next: "leave it out")
        }
        self.word =
            arguments.has("--answer") ? "answer" + (call.map { "=\($0)" } ?? "") : "call"
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
