import ControlAPI

/// The command `stoa leave`.
struct LeaveCommand: Command {
    static let syntax = CommandSyntax(
        "leave", "Leaves a room; its messages stay stored here.", operands: ["ROOM"])

    private let params: LeaveMethod.Params

    init(_ arguments: ParsedArguments) {
        self.params = LeaveMethod.Params { $0.room = arguments.required(0) }
    }

    func run(in session: Session) throws(Failure) {
        try session.show("leave", self.params.params) { "you left \($0.shown("name"))\n" }
    }
}
