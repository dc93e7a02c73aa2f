import ControlAPI

/// The command `stoa unblock`.
struct UnblockCommand: Subcommand {
    static let syntax = CommandSyntax(
        UnblockMethod.description, operands: ["@PERSON"],
        details: [
            "They are nobody whom you know from here on; add them with \"stoa people add\"."
        ])

    private let params: PersonParams

    init(_ arguments: ParsedArguments) {
        self.params = PersonParams { $0.person = arguments.required(0) }
    }

    func run(in context: CommandContext) throws(Failure) {
        try context.show(UnblockMethod.self, self.params) {
            "\($0.quotedPerson()) is blocked no longer\n"
        }
    }
}

extension UnblockMethod: CommandMethod {
    static var command: any Subcommand.Type { UnblockCommand.self }
}
