import ControlAPI

/// The command `stoa connect`.
struct ConnectCommand: Subcommand {
    static let syntax = CommandSyntax(
        ConnectMethod.description, operands: ["[KEY@]HOST:PORT"],
        options: [
            OptionSyntax(
                "--wait", "S", "wait up to S seconds until there is a link or the dial has failed")
        ],
        details: [
            "With KEY@ only the peer with that key is accepted there.",
            "\"stoa status\" on the other machine shows its key, not its person, and its port.",
            "IPv6 addresses stand in brackets.",
            "Without --wait it only starts to dial; \"stoa peers\" shows what came of it.",
            "With --wait the exit code says what happened: 0 linked, 68 no such host or no route, 69 nobody listens there, 75 no answer in time, 76 no Stoa that can be linked, 77 wrong key, 78 no common realm.",
        ])

    private let params: ConnectMethod.Params

    init(_ arguments: ParsedArguments) throws(Failure) {
        let wait = try arguments.milliseconds("--wait")
        self.params = ConnectMethod.Params {
            $0.address = arguments.required(0)
            $0.waitMilliseconds = wait
        }
    }

    func run(in context: CommandContext) throws(Failure) {
        try context.show(
            ConnectMethod.self, self.params, daemonMilliseconds: self.params.waitMilliseconds
        ) {
            $0["peer"] == nil
                ? "dialling \($0.shown("address")); see: stoa peers\n"
                : "linked to \($0.shortKey("peer")) at \($0.shown("address"))\n"
        }
    }
}

extension ConnectMethod: CommandMethod {
    static var command: any Subcommand.Type { ConnectCommand.self }
}
