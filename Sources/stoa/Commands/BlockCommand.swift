import ControlAPI

/// The command `stoa block`.
struct BlockCommand: Subcommand {
    static let syntax = CommandSyntax(
        BlockMethod.description, examples: ["stoa block @ada"], operands: ["@PERSON"],
        details: [
            "You are not linked to them, they cannot ask to write to you, and what they write in rooms is hidden; they are told only that this node refuses them. Their messages are still stored for others, and \"stoa unblock\" shows them again.",
            "They can still read what you write in rooms you share: nobody can be removed from a room.",
        ])

    private let params: PersonParams

    init(_ arguments: ParsedArguments) {
        self.params = PersonParams { $0.person = arguments.required(0) }
    }

    func run(in context: CommandContext) throws(Failure) {
        try context.show(BlockMethod.self, self.params) {
            "\($0.shown.quoted) is blocked; in rooms you share "
                + "they can still read what you write\n"
        }
    }
}
