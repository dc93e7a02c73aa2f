import ControlAPI

/// The command `stoa connect`.
struct ConnectCommand: Command {
    static let syntax = CommandSyntax(
        "connect", "Dials a peer that discovery does not find.", operands: ["[KEY@]HOST:PORT"],
        details: """
            With KEY@ only the peer with that key is accepted there. The port is shown by
            "stoa status" on the other machine. IPv6 addresses stand in brackets.
            """)

    private let params: ConnectMethod.Params

    init(_ arguments: ParsedArguments) {
        self.params = ConnectMethod.Params { $0.address = arguments.required(0) }
    }

    func run(in session: Session) throws(Failure) {
        try session.show("connect", self.params.params) {
            "dialling \($0.shown("address")); see: stoa peers\n"
        }
    }
}
