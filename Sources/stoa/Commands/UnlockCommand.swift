import ControlAPI

/// The command `stoa unlock`.
struct UnlockCommand: Subcommand {
    static let syntax = CommandSyntax(
        UnlockMethod.description, examples: ["stoa unlock"],
        options: [
            OptionSyntax(
                "--passphrase-file", "FILE|-",
                "read the passphrase from a file instead of asking for it")
        ],
        details: [
            "A wrong passphrase takes about a second, and any number of them can be tried."
        ])
    static let mayTakeLong = true

    private let file: String?

    init(_ arguments: ParsedArguments) { self.file = arguments.value("--passphrase-file") }

    func run(in context: CommandContext) throws(Failure) {
        // Nobody likes to type a passphrase that is not needed.
        guard try context.call(StatusMethod.self).value.lock == .locked else {
            try context.console.print("this node is not locked\n")
            return
        }
        context.disconnect()
        let passphrase = try SecretInput.passphrase.read(
            self.file, context, ifEnded: "the node is still locked")
        try context.show(UnlockMethod.self, UnlockMethod.Params { $0.passphrase = passphrase }) {
            _ in "unlocked\n"
        }
        context.noteChange()
    }
}
