import ControlAPI

/// The command `stoa consumers`.
struct ConsumersCommand: Subcommand {
    static let syntax = CommandSyntax(
        ConsumersMethod.description, examples: ["stoa consumers", "stoa consumers remove bot"],
        operands: ["[remove]", "[NAME]"],
        details: [
            "\"remove NAME\" deletes all positions of the consumer NAME.",
            "\"stoa tail --consumer NAME\" creates a consumer.",
        ])

    private let removed: String?

    init(_ arguments: ParsedArguments) throws(Failure) {
        self.removed = arguments.operand(1)
        if let word = arguments.operand(0), word != "remove" {
            throw .usage(
                "\"\(TerminalText.line(word))\" is not something to do with consumers",
                next: "usage: stoa consumers [remove NAME]")
        }
        if arguments.operand(0) != nil, self.removed == nil {
            throw .usage("NAME is missing", next: "usage: stoa consumers remove NAME")
        }
    }

    func run(in context: CommandContext) throws(Failure) {
        if let name = self.removed {
            try context.show(
                RemoveConsumerMethod.self, RemoveConsumerMethod.Params { $0.consumer = name }
            ) { _ in
                "removed \(TerminalText.line(name))\n"
            }
            return
        }
        try context.showList(
            ConsumersMethod.self,
            empty: "no consumers yet; make one with: stoa tail --consumer NAME",
            heading: ["NAME", "CONVERSATION", "CURSOR", "READER"]
        ) { position in
            [
                position.name.shown,
                position.conversation == nil
                    ? "(all)" : position.conversationName.shownConversation,
                "\(position.cursor)", position.live ? "live" : "-",
            ]
        }
    }
}
