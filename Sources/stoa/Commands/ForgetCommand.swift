import ControlAPI

/// The command `stoa forget`.
struct ForgetCommand: Subcommand {
    static let syntax = CommandSyntax(
        ForgetMethod.description, examples: ["stoa forget agora", "stoa forget @ada --yes"],
        operands: ["TO"],
        options: [OptionSyntax("--yes", nil, "delete without asking")],
        details: [
            "If messages would be deleted, it says how many and asks on a terminal; elsewhere it exits 64 unless --yes is given.",
            "For a room: you leave it, and its messages are deleted from this disk, its log and the search index. Other members keep what has reached them, and learn that you left; messages that have reached nobody (stoa status) are lost. The log still records that there were messages, who wrote them and when, and keeps the room's name, its topics, joins and leaves: peers need these to check one another. Deleted messages do not come back if you join again.",
            "For a person (@PERSON): they are no longer a contact; their address and the messages of the two of you are deleted from this disk, and --members all does not wait for them. If they write again, it is a request, as from a stranger. They stay members of their rooms. Someone you blocked stays blocked.",
        ])

    private let to: String
    private let isSure: Bool

    init(_ arguments: ParsedArguments) {
        self.to = arguments.required(0)
        self.isSure = arguments.has("--yes")
    }

    /// Whether what goes may go.
    private func isAgreed(in context: CommandContext) throws(Failure) -> Bool {
        guard !self.isSure else { return true }
        let found = try context.call(
            ForgetMethod.self,
            .init {
                $0.to = self.to
                $0.dryRun = true
            })
        let (name, count) = (found.name.shown, found.messages)
        guard count > 0 else { return true }
        let what =
            "\(count == 1 ? "1 message" : "\(count) messages") of \(name) would be deleted from this disk"
        return try context.console.agrees(to: what, next: "add --yes to forget \(name)")
    }

    func run(in context: CommandContext) throws(Failure) {
        guard try self.isAgreed(in: context) else {
            return context.console.report("stoa: forget: nothing was changed\n")
        }
        try context.show(ForgetMethod.self, .init { $0.to = self.to }) { forgotten in
            let count = forgotten.messages
            let messages = count == 1 ? "1 message was" : "\(count) messages were"
            // Of what two have written, and of notes, there is nothing else.
            let rest =
                self.to.hasPrefix("@")
                ? "" : "; its name, its topics and its list of members stay here"
            return "forgot \(forgotten.name.shown); \(messages) deleted from this disk; "
                + "others keep what has reached them\(rest)\n"
        }
    }
}
