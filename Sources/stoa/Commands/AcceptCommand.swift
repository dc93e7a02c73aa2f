import ControlAPI

/// The command `stoa accept`.
struct AcceptCommand: Subcommand {
    static let syntax = CommandSyntax(
        AcceptMethod.description, examples: ["stoa accept @ada"], operands: ["@PERSON"],
        details: ["Their messages arrive as soon as the two of you are linked."])

    private let params: PersonParams

    init(_ arguments: ParsedArguments) {
        self.params = PersonParams { $0.person = arguments.required(0) }
    }

    func run(in context: CommandContext) throws(Failure) {
        try context.show(AcceptMethod.self, self.params) { conversation in
            let name = conversation.shownName
            return "you and \(name) can write to each other; see: stoa chat "
                + TerminalText.word(name) + "\n"
        }
    }
}
