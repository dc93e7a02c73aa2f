import ControlAPI

/// The command `stoa retain`.
struct RetainCommand: Subcommand {
    static let syntax = CommandSyntax(
        RetainMethod.description, operands: ["TO", "[off]"],
        options: [OptionSyntax("--days", "N", "for so many days")],
        details: [
            "What is older goes from this disk, within the hour and after each start; others keep theirs, and it does not come back from them. That there was a message, whose and when, stays in the log.",
            "With off messages are kept for ever, as at first; what is gone stays so.",
        ])

    private let params: RetainMethod.Params

    init(_ arguments: ParsedArguments) throws(Failure) {
        let days = try arguments.integer("--days", in: 1...RetainMethod.daysLimit)
        let word = arguments.operand(1)
        guard (days != nil) != (word == "off"), word == nil || word == "off" else {
            throw .usage("for how long is not said", next: "give --days N, or off")
        }
        self.params = RetainMethod.Params {
            $0.to = arguments.required(0)
            $0.days = days
        }
    }

    func run(in context: CommandContext) throws(Failure) {
        let days = self.params.days
        try context.show(RetainMethod.self, self.params) { conversation in
            let name = conversation.shown("name")
            guard let days else { return "messages of \(name) are kept for ever\n" }
            return "messages of \(name) are kept for \(days) \(days == 1 ? "day" : "days") here\n"
        }
    }
}

extension RetainMethod: CommandMethod {
    static var command: any Subcommand.Type { RetainCommand.self }
}
