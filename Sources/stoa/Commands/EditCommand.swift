import ControlAPI

/// The command `stoa edit`.
struct EditCommand: Subcommand {
    static let syntax = CommandSyntax(
        EditMethod.description, examples: ["stoa edit 7k3mz2qd \"lunch at 12:30\""],
        operands: ["ID", "[TEXT...|-]"], lastRepeats: true,
        details: [
            "ID is a message's id, or at least its first 8 characters: \"stoa history TO --ids\" shows them.",
            "TEXT is read as send reads it. Everyone who has the message sees the new text, marked as edited; the first text is kept, and \"stoa info ID\" shows it. To remove a text, delete the message: stoa delete ID.",
        ])

    private let id: String
    private let words: [String]

    init(_ arguments: ParsedArguments) {
        self.id = arguments.required(0)
        self.words = Array(arguments.operands.dropFirst())
    }

    func run(in context: CommandContext) throws(Failure) {
        var params = EditMethod.Params()
        params.id = self.id
        params.text = try MessageText.read(self.words, context.console)
        try context.show(EditMethod.self, params) { edited in
            "edited in \(edited.conversationName.shownConversation): \(edited.id.shown.prefix(12))\n"
        }
    }
}
