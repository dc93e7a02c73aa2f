import ControlAPI

/// The command `stoa join`.
struct JoinCommand: Command {
    static let syntax = CommandSyntax(
        "join", "Enters a room; a room exists as soon as someone is in it.", operands: ["ROOM"])

    private let params: JoinMethod.Params

    init(_ arguments: ParsedArguments) {
        self.params = JoinMethod.Params { $0.room = arguments.required(0) }
    }

    func run(in session: Session) throws(Failure) {
        try session.show("join", self.params.params) { room in
            let members = room["members"]?.arrayValue?.count ?? 0
            return "you are in \(room.shown("name")), "
                + (members == 1 ? "the only member so far\n" : "one of \(members) members\n")
        }
    }
}
