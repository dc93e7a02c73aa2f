import ControlAPI

/// The command `stoa react`.
struct ReactCommand: Subcommand {
    static let syntax = CommandSyntax(
        ReactMethod.description,
        examples: ["stoa react 7k3mz2qd +1", "stoa react 7k3mz2qd +1 --remove"],
        operands: ["ID", "EMOJI"],
        options: [OptionSyntax("--remove", nil, "remove your reaction")],
        details: [
            "ID is a message's id, or at least its first 8 characters: \"stoa history TO --ids\" shows them.",
            "EMOJI is an emoji or a short word: +1, ok, \u{1F44D}. You count once for each, on however many devices.",
        ])

    private let params: ReactMethod.Params

    init(_ arguments: ParsedArguments) throws(Failure) {
        let sign = arguments.required(1)
        guard sign.utf8.count <= ControlLimits.signBytes else {
            throw .usage(
                "EMOJI has \(sign.utf8.count) bytes",
                next: "give an emoji or a short word of at most \(ControlLimits.signBytes)")
        }
        self.params = ReactMethod.Params {
            $0.id = arguments.required(0)
            $0.sign = sign
            $0.remove = arguments.has("--remove") ? true : nil
        }
    }

    func run(in context: CommandContext) throws(Failure) {
        let what = self.params.remove == true ? "removed from" : "added to"
        let sign = TerminalText.line(self.params.sign)
        try context.show(ReactMethod.self, self.params) { about in
            "\(sign) \(what) \(about.id.shown.prefix(12)) in \(about.conversationName.shownConversation)\n"
        }
    }
}
