import ControlAPI

/// The command `stoa invite`.
struct InviteCommand: Subcommand {
    static let syntax = CommandSyntax(
        InviteMethod.description, examples: ["stoa invite plans", "stoa invite plans --qr"],
        operands: ["ROOM"],
        options: [OptionSyntax("--qr", nil, "draw the invitation as a QR code")],
        details: [
            "Hand the line over in private: anyone who has it, and is in the realm, can join the room and read all of it.",
            "--qr needs libqrencode (Debian: libqrencode4).",
        ])

    private let room: String
    private let drawsCode: Bool

    init(_ arguments: ParsedArguments) {
        self.room = arguments.required(0)
        self.drawsCode = arguments.has("--qr")
    }

    func run(in context: CommandContext) throws(Failure) {
        let params = InviteMethod.Params { $0.room = self.room }
        try context.show(InviteMethod.self, params) { (answer) throws(Failure) in
            let line = answer.invite.shown
            return self.drawsCode ? try QRCode(line).text + line + "\n" : line + "\n"
        }
        guard !context.json, context.console.outputIsTerminal else { return }
        context.console.report("to join, others run stoa join and paste the line\n")
    }
}
