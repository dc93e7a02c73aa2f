import ControlAPI

/// The command `stoa forget`.
struct ForgetCommand: Subcommand {
    static let syntax = CommandSyntax(
        ForgetMethod.description, examples: ["stoa forget agora", "stoa forget @ada"],
        operands: ["TO"],
        details: [
            "For a room: you leave it, and its messages are deleted from this disk, its log and the search index. Other members keep what has reached them, and learn that you left; messages that have reached nobody (stoa status) are lost. The log still records that there were messages, who wrote them and when, and keeps the room's name, its topics, joins and leaves: peers need these to check one another. Deleted messages do not come back if you join again.",
            "For a person (@PERSON): they are no longer a contact; their address and the messages of the two of you are deleted from this disk, and --members all does not wait for them. They stay members of their rooms. Someone you blocked stays blocked.",
        ])

    private let to: String

    init(_ arguments: ParsedArguments) { self.to = arguments.required(0) }

    func run(in context: CommandContext) throws(Failure) {
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
