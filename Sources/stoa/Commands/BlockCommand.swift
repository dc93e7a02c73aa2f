import ControlAPI

/// The command `stoa block`.
struct BlockCommand: Subcommand {
    static let syntax = CommandSyntax(
        BlockMethod.description, operands: ["@PERSON"],
        details: [
            "They are not linked, cannot ask to write to you, and what they write in rooms is not shown; they are told only that they are not wanted. It is kept for others, and \"stoa unblock\" shows it again."
        ])

    private let params: PersonParams

    init(_ arguments: ParsedArguments) {
        self.params = PersonParams { $0.person = arguments.required(0) }
    }

    func run(in context: CommandContext) throws(Failure) {
        try context.show(BlockMethod.self, self.params) {
            "you have nothing to do with \($0.shownPerson()) from here on\n"
        }
    }
}

extension BlockMethod: CommandMethod {
    static var command: any Subcommand.Type { BlockCommand.self }
}
