import ControlAPI

/// The command `stoa connect`.
struct ConnectCommand: Subcommand {
    static let syntax = CommandSyntax(
        ConnectMethod.description,
        examples: ["stoa connect 192.0.2.7:4100", "stoa connect ada.local:4100 --wait 10"],
        operands: ["[KEY@]HOST:PORT"],
        options: [
            OptionSyntax(
                "--wait", "S", "wait up to S seconds for a link or a failed dial")
        ],
        details: [
            "With KEY@ only the peer with that key is accepted at that address.",
            "\"stoa status\" on the other machine shows its key (not the person) and its port.",
            "Write IPv6 addresses in brackets.",
            "Without --wait it only starts dialling; \"stoa peers\" shows the outcome.",
            "With --wait it exits 0 once linked; any other exit code says why not: 68 no such host or no route, 69 nobody listens there, 75 no answer in time, 76 not a Stoa that this one can link to, 77 wrong key, 78 no common realm.",
        ])
    static let mayTakeLong = true

    private let params: ConnectMethod.Params

    init(_ arguments: ParsedArguments) throws(Failure) {
        let wait = try arguments.milliseconds("--wait")
        self.params = ConnectMethod.Params {
            $0.address = arguments.required(0)
            $0.waitMilliseconds = wait
        }
    }

    func run(in context: CommandContext) throws(Failure) {
        let result: Received<ConnectMethod.Result>
        do throws(Failure) {
            result = try context.throughRestarts(of: "connect") { () throws(Failure) in
                try context.call(
                    ConnectMethod.self, self.params,
                    daemonMilliseconds: self.params.waitMilliseconds)
            }
        } catch {
            var failure = error
            if error.isInterrupt { failure.next = "the daemon goes on dialling; see: stoa peers" }
            throw failure
        }
        try context.show(result) {
            guard let peer = $0.peer else {
                return "dialling \($0.address.shown); see: stoa peers\n"
            }
            return "linked to \(peer.shortKey) at \($0.address.shown)\n"
        }
    }
}
