import ControlAPI

/// The command `stoa unmute`.
struct UnmuteCommand: Subcommand {
    static let syntax = CommandSyntax(
        UnmuteMethod.description, examples: ["stoa unmute ops"], operands: ["TO"])

    private let params: ConversationParams

    init(_ arguments: ParsedArguments) {
        self.params = ConversationParams { $0.to = arguments.required(0) }
    }

    func run(in context: CommandContext) throws(Failure) {
        try context.show(UnmuteMethod.self, self.params) {
            "\($0.shownName) is not muted now\n"
        }
    }
}
