import ControlAPI

/// The command `stoa mute`.
struct MuteCommand: Subcommand {
    static let syntax = CommandSyntax(
        MuteMethod.description, examples: ["stoa mute ops"], operands: ["TO"],
        details: [
            "Its messages still arrive, are stored and count as unread; it is marked as muted, and the overview (stoa) leaves its unread messages out."
        ])

    private let params: ConversationParams

    init(_ arguments: ParsedArguments) {
        self.params = ConversationParams { $0.to = arguments.required(0) }
    }

    func run(in context: CommandContext) throws(Failure) {
        try context.show(MuteMethod.self, self.params) { "\($0.shownName) is muted\n" }
    }
}
