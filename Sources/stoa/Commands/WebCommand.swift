import ControlAPI

/// The command `stoa web`.
///
/// The page's program goes on when this command has ended, and ends by itself.
struct WebCommand: Subcommand {
    static let syntax = CommandSyntax(
        "web", "Open your chats as a page in your browser.",
        examples: ["stoa web", "stoa web ops", "stoa web --no-open"], operands: ["[TO]"],
        options: [
            OptionSyntax(
                "--no-open", nil, "open no browser; print the file that leads to the page"),
            OptionSyntax(
                "--code", nil,
                "print an address and a code to type there, for browsers that cannot read the file"),
        ],
        details: [
            "The page has everything that \"stoa chat\" has, for people who do not use a terminal. With TO it opens that conversation.",
            "The page is served by the program stoa-web, on this machine only and to your user only. It starts when it is needed and ends ten minutes after its last page is closed. Up to eight pages can be open.",
            "A browser gets in by a file that only you can read and that works once, within two minutes. Browsers installed as a snap or Flatpak often cannot read it: use --code with them.",
        ])

    private let to: String?
    private let opens: Bool
    private let isCode: Bool

    init(_ arguments: ParsedArguments) throws(Failure) {
        self.to = arguments.operands.first
        self.opens = !arguments.has("--no-open")
        self.isCode = arguments.has("--code")
        if self.to == "" {
            throw .usage("TO is empty", next: "usage: \(Self.syntax.usage)")
        }
        guard !self.isCode || self.to == nil && self.opens else {
            throw .usage(
                "--code opens nothing", next: "leave TO and --no-open out, or --code")
        }
    }

    func run(in context: CommandContext) throws(Failure) {
        var conversation: String?
        if let to = self.to {
            try context.begin(with: to)
            conversation = try self.id(of: to, context)
        }
        try PageOpening(opens: self.opens).ask(
            self.isCode ? "code" : conversation.map { "page \($0)" } ?? "page", context)
    }

    /// The full id of a conversation, by which the page finds it.
    private func id(of to: String, _ context: CommandContext) throws(Failure) -> String? {
        try context.call(
            HistoryMethod.self,
            HistoryMethod.Params {
                $0.to = to
                $0.limit = 1
            }
        ).value.messages.first?.conversation
    }
}
