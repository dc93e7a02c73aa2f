import ControlAPI

/// The command `stoa forget`.
struct ForgetCommand: Subcommand {
    static let syntax = CommandSyntax(
        ForgetMethod.description, operands: ["TO"],
        details: [
            "A room is left, and what was said in it goes from this disk: from the database, its log and the search. The other members keep what has reached them, and learn that you have left; what has reached nobody (stoa status) is gone. That there were messages, whose and when, stays, and so do its name, its topics, and who has joined and left: each node needs them whole to check the others. What is forgotten does not come back where you join again.",
            "Somebody (@PERSON) is no longer known: their address goes, what you two have written goes from this disk, and --members all waits for them no longer. Where they are members of rooms they stay so. Who is blocked stays blocked.",
        ])

    private let to: String

    init(_ arguments: ParsedArguments) { self.to = arguments.required(0) }

    func run(in context: CommandContext) throws(Failure) {
        try context.show(ForgetMethod.self, .init { $0.to = self.to }) { forgotten in
            let count = forgotten.count("messages")
            let messages = count == 1 ? "1 message has" : "\(count) messages have"
            // Of what two have written, and of notes, there is nothing else.
            let rest =
                self.to.hasPrefix("@") ? "" : "; its name, its topics and who was in it stay here"
            return "\(forgotten.shown("name")) is forgotten; \(messages) left this disk, and "
                + "what has reached others stays with them\(rest)\n"
        }
    }
}

extension ForgetMethod: CommandMethod {
    static var command: any Subcommand.Type { ForgetCommand.self }
}
