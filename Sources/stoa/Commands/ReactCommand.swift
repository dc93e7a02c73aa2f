import ControlAPI

/// The command `stoa react`.
struct ReactCommand: Subcommand {
    static let syntax = CommandSyntax(
        ReactMethod.description, operands: ["ID", "SIGN"],
        options: [OptionSyntax("--remove", nil, "take the sign back that you gave")],
        details: [
            "ID is a message's id, or 8 or more characters of its beginning: \"stoa history TO --ids\" shows them.",
            "SIGN is an emoji or a short word: +1, ok, \u{1F44D}. Each of you counts once for a sign, whatever your devices.",
        ])

    private let params: ReactMethod.Params

    init(_ arguments: ParsedArguments) {
        self.params = ReactMethod.Params {
            $0.id = arguments.required(0)
            $0.sign = arguments.required(1)
            $0.withdraw = arguments.has("--remove") ? true : nil
        }
    }

    func run(in context: CommandContext) throws(Failure) {
        let what = self.params.withdraw == true ? "taken back from" : "given to"
        let sign = TerminalText.line(self.params.sign)
        try context.show(ReactMethod.self, self.params) { about in
            "\(sign) \(what) \(about.shown("id").prefix(12)) in \(about.shownConversation("conversationName"))\n"
        }
    }
}

extension ReactMethod: CommandMethod {
    static var command: any Subcommand.Type { ReactCommand.self }
}
