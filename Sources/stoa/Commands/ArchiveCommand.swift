import ControlAPI

/// The command `stoa archive`.
struct ArchiveCommand: Subcommand {
    static let syntax = CommandSyntax(
        ArchiveMethod.description, examples: ["stoa archive ops"], operands: ["TO"],
        details: [
            "Its messages still arrive and are stored. \"stoa conversations --all\" lists it.",
            "It is listed anyway while it has an unread message that mentions you or that was sent to you alone, unless it is muted (stoa mute).",
        ])

    private let params: ConversationParams

    init(_ arguments: ParsedArguments) {
        self.params = ConversationParams { $0.to = arguments.required(0) }
    }

    func run(in context: CommandContext) throws(Failure) {
        try context.show(ArchiveMethod.self, self.params) {
            "\($0.shownName) is archived\n"
        }
    }
}
