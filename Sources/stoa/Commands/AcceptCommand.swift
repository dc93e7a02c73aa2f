import ControlAPI

/// The command `stoa accept`.
struct AcceptCommand: Subcommand {
    static let syntax = CommandSyntax(
        AcceptMethod.description, examples: ["stoa accept @ada", "stoa accept +ops"],
        operands: ["@PERSON|GROUP"],
        details: [
            "A person's messages arrive as soon as the two of you are linked, a group's as soon as a member is."
        ])

    private let params: RequesterParams

    init(_ arguments: ParsedArguments) {
        self.params = RequesterParams { $0.person = arguments.required(0) }
    }

    func run(in context: CommandContext) throws(Failure) {
        try context.show(AcceptMethod.self, self.params) { conversation in
            let name = conversation.shownName
            guard conversation.kind != .group else {
                return "you are in \(name); see: stoa chat \(TerminalText.word(name))\n"
            }
            return "you and \(name) can write to each other; see: stoa chat "
                + TerminalText.word(name) + "\n"
        }
    }
}
