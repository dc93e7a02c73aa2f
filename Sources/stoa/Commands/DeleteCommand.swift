import ControlAPI

/// The command `stoa delete`.
struct DeleteCommand: Subcommand {
    static let syntax = CommandSyntax(
        "delete", "Delete your own messages from every disk that has them.",
        examples: ["stoa delete 7k3mz2qd"],
        operands: ["ID"], lastRepeats: true,
        details: [
            "ID is a message's id, or at least its first 8 characters: \"stoa history TO --ids\" shows them.",
            "Linked peers delete the text within seconds; offline peers delete it when they return. The log still records that there was a message, who wrote it and when, but nobody is shown it. Anyone who read, copied or exported the message still has it.",
        ])

    private let ids: [String]

    init(_ arguments: ParsedArguments) { self.ids = arguments.operands }

    func run(in context: CommandContext) throws(Failure) {
        for id in self.ids {
            try context.show(DeleteMethod.self, .init { $0.id = id }) { deleted in
                "deleted from \(deleted.conversationName.shownConversation): \(deleted.id.shown.prefix(12))\n"
            }
        }
    }
}
