import ControlAPI

/// The command `stoa mute`.
struct MuteCommand: Subcommand {
    static let syntax = CommandSyntax(
        MuteMethod.description, operands: ["TO"],
        details: [
            "Its messages come, are stored and count as unread as before; it is marked as muted, and stoa alone does not tell what is unread there."
        ])

    private let params: ConversationParams

    init(_ arguments: ParsedArguments) {
        self.params = ConversationParams { $0.to = arguments.required(0) }
    }

    func run(in context: CommandContext) throws(Failure) {
        try context.show(MuteMethod.self, self.params) { "\($0.shownConversation()) is muted\n" }
    }
}

extension MuteMethod: CommandMethod {
    static var command: any Subcommand.Type { MuteCommand.self }
}
