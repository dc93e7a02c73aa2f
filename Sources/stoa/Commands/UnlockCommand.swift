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
            "A wrong passphrase takes about a second, and any number of them can be tried.",
            "Where the desktop's keyring has the key (stoa lock keyring on), it is asked first; but not after \"stoa lock\", or a lock by itself, since the daemon started.",
        ])
    static let mayTakeLong = true

    private let file: String?

    init(_ arguments: ParsedArguments) { self.file = arguments.value("--passphrase-file") }

    func run(in context: CommandContext) throws(Failure) {
        // Nobody likes to type a passphrase that is not needed.
        let status = try context.call(StatusMethod.self).value
        guard status.lock == .locked else {
            try context.console.print("this node is not locked\n")
            return
        }
        if let keyring = status.keyring, keyring.state != .passedOver, self.file == nil,
            try self.askKeyring(context)
        {
            return context.noteChange()
        }
        context.disconnect()
        let passphrase = try SecretInput.passphrase.read(
            self.file, context, ifEnded: "the node is still locked")
        try context.show(UnlockMethod.self, UnlockMethod.Params { $0.passphrase = passphrase }) {
            _ in "unlocked\n"
        }
        context.noteChange()
    }

    /// Whether the desktop's keyring has opened it; says why where it has not.
    private func askKeyring(_ context: CommandContext) throws(Failure) -> Bool {
        do throws(Failure) {
            try context.show(UnlockMethod.self) { _ in "unlocked by the desktop's keyring\n" }
            return true
        } catch {
            guard error.answer?.reason?.hasPrefix("keyring") == true else { throw error }
            context.console.report("stoa: unlock: \(error.why); \(error.next)\n")
            return false
        }
    }
}
