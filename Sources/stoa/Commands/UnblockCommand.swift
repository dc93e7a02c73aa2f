import ControlAPI

/// The command `stoa unblock`.
struct UnblockCommand: Subcommand {
    static let syntax = CommandSyntax(
        UnblockMethod.description, examples: ["stoa unblock @ada"], operands: ["@PERSON"],
        details: [
            "They are not a contact then; add them with \"stoa people add\"."
        ])

    private let params: PersonParams

    init(_ arguments: ParsedArguments) {
        self.params = PersonParams { $0.person = arguments.required(0) }
    }

    func run(in context: CommandContext) throws(Failure) {
        try context.show(UnblockMethod.self, self.params) {
            "\($0.shown.quoted) is not blocked now\n"
        }
    }
}
