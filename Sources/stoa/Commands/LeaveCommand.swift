import ControlAPI

/// The command `stoa leave`.
struct LeaveCommand: Subcommand {
    static let syntax = CommandSyntax(
        LeaveMethod.description, examples: ["stoa leave ops"], operands: ["ROOM"])

    private let params: LeaveMethod.Params

    init(_ arguments: ParsedArguments) {
        self.params = LeaveMethod.Params { $0.room = arguments.required(0) }
    }

    func run(in context: CommandContext) throws(Failure) {
        try context.show(LeaveMethod.self, self.params) {
            "you have left \($0.name.shownConversation)\n"
        }
    }
}
