import ControlAPI

/// The command `stoa join`.
struct JoinCommand: Subcommand {
    static let syntax = CommandSyntax(JoinMethod.description, operands: ["ROOM"])

    private let params: JoinMethod.Params

    init(_ arguments: ParsedArguments) {
        self.params = JoinMethod.Params { $0.room = arguments.required(0) }
    }

    func run(in context: CommandContext) throws(Failure) {
        try context.show(JoinMethod.self, self.params) { room in
            let others = room.count("members") - 1
            let more = room["learning"] == .bool(true)
            let known: String
            switch others {
            case ...0: known = more ? "; others are in it" : "; no other members are known yet"
            case 1: known = " with \(more ? "at least " : "")1 other member"
            default: known = " with \(more ? "at least " : "")\(others) other members"
            }
            return "you are in \(room.shown("name"))\(known)\n"
        }
    }
}

extension JoinMethod: CommandMethod {
    static var command: any Subcommand.Type { JoinCommand.self }
}
