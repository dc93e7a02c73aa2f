import ControlAPI

/// The command `stoa unarchive`.
struct UnarchiveCommand: Subcommand {
    static let syntax = CommandSyntax(
        UnarchiveMethod.description, examples: ["stoa unarchive ops"], operands: ["TO"])

    private let params: ConversationParams

    init(_ arguments: ParsedArguments) {
        self.params = ConversationParams { $0.to = arguments.required(0) }
    }

    func run(in context: CommandContext) throws(Failure) {
        try context.show(UnarchiveMethod.self, self.params) {
            "\($0.shownName) is not archived now\n"
        }
    }
}
