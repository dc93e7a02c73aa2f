import ControlAPI

/// The command `stoa archive`.
struct ArchiveCommand: Subcommand {
    static let syntax = CommandSyntax(
        ArchiveMethod.description, operands: ["TO"],
        details: [
            "Its messages come and are stored as before. \"stoa conversations --all\" lists it.",
            "While a message in it mentions you that you have not read, or somebody has written to you alone, it is listed as before, unless it is muted (stoa mute).",
        ])

    private let params: ConversationParams

    init(_ arguments: ParsedArguments) {
        self.params = ConversationParams { $0.to = arguments.required(0) }
    }

    func run(in context: CommandContext) throws(Failure) {
        try context.show(ArchiveMethod.self, self.params) {
            "\($0.shownConversation()) is put away\n"
        }
    }
}

extension ArchiveMethod: CommandMethod {
    static var command: any Subcommand.Type { ArchiveCommand.self }
}
