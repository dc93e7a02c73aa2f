import ControlAPI

/// The command `stoa edit`.
struct EditCommand: Subcommand {
    static let syntax = CommandSyntax(
        EditMethod.description, operands: ["ID", "[TEXT...|-]"], lastRepeats: true,
        details: [
            "ID is a message's id, or 8 or more characters of its beginning: \"stoa history TO --ids\" shows them.",
            "TEXT is read as send reads it. All who have the message show the new text, marked as edited; they keep the first one, which \"stoa info ID\" shows. To have a text gone, take the message back: stoa delete ID.",
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
            "edited in \(edited.shownConversation("conversationName")): \(edited.shown("id").prefix(12))\n"
        }
    }
}

extension EditMethod: CommandMethod {
    static var command: any Subcommand.Type { EditCommand.self }
}
