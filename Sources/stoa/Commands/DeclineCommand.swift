import ControlAPI

/// The command `stoa decline`.
struct DeclineCommand: Subcommand {
    static let syntax = CommandSyntax(
        DeclineMethod.description, examples: ["stoa decline @ada", "stoa decline +ops"],
        operands: ["@PERSON|GROUP"],
        details: [
            "If you change your mind, write to them, or: stoa people add @PERSON. Either lets them in."
        ])

    private let params: RequesterParams

    init(_ arguments: ParsedArguments) {
        self.params = RequesterParams { $0.person = arguments.required(0) }
    }

    func run(in context: CommandContext) throws(Failure) {
        try context.show(DeclineMethod.self, self.params) {
            self.params.person.hasPrefix("@")
                ? "\($0.shown.quoted) is declined and is not told\n"
                : "\(TerminalText.line(self.params.person)) is declined; nobody is told\n"
        }
    }
}
