import ControlAPI

/// The command `stoa decline`.
struct DeclineCommand: Subcommand {
    static let syntax = CommandSyntax(
        DeclineMethod.description, examples: ["stoa decline @ada"], operands: ["@PERSON"],
        details: [
            "If you change your mind, write to them, or: stoa people add @PERSON. Either lets them in."
        ])

    private let params: PersonParams

    init(_ arguments: ParsedArguments) {
        self.params = PersonParams { $0.person = arguments.required(0) }
    }

    func run(in context: CommandContext) throws(Failure) {
        try context.show(DeclineMethod.self, self.params) {
            "\($0.shown.quoted) is declined and is not told\n"
        }
    }
}
