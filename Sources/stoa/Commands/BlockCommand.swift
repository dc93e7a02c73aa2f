import ControlAPI

/// The command `stoa block`.
struct BlockCommand: Subcommand {
    static let syntax = CommandSyntax(
        BlockMethod.description, operands: ["@PERSON"],
        details: [
            "They are not linked, cannot ask to write to you, and what they write in rooms is not shown; they are told only that they are not wanted. It is kept for others, and \"stoa unblock\" shows it again.",
            "What you write in a room that you share they can still read: there is no taking somebody out of a room.",
        ])

    private let params: PersonParams

    init(_ arguments: ParsedArguments) {
        self.params = PersonParams { $0.person = arguments.required(0) }
    }

    func run(in context: CommandContext) throws(Failure) {
        try context.show(BlockMethod.self, self.params) {
            "you have nothing to do with \($0.quotedPerson()) from here on; in rooms that you share "
                + "they can still read what you write\n"
        }
    }
}

extension BlockMethod: CommandMethod {
    static var command: any Subcommand.Type { BlockCommand.self }
}
