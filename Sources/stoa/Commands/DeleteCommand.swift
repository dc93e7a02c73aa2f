import ControlAPI

/// The command `stoa delete`.
struct DeleteCommand: Subcommand {
    static let syntax = CommandSyntax(
        "delete", "Take back messages of your own, on every node that has them.",
        operands: ["ID"], lastRepeats: true,
        details: [
            "ID is a message's id, or 8 or more characters of its beginning: \"stoa history TO --ids\" shows them.",
            "The text goes from the disks of all who hear of it, within seconds; who is away, once they are linked. That there was a message, whose and when, stays in the log and is not shown. Who has read, copied or exported it has it.",
        ])

    private let ids: [String]

    init(_ arguments: ParsedArguments) { self.ids = arguments.operands }

    func run(in context: CommandContext) throws(Failure) {
        for id in self.ids {
            try context.show(EraseMethod.self, .init { $0.id = id }) { erased in
                "taken back from \(erased.shownConversation("conversationName")): \(erased.shown("id").prefix(12))\n"
            }
        }
    }
}

extension EraseMethod: CommandMethod {
    static var command: any Subcommand.Type { DeleteCommand.self }
}
