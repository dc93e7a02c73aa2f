import ControlAPI

/// The command `stoa topic`.
struct TopicCommand: Subcommand {
    static let syntax = CommandSyntax(
        TopicMethod.description,
        examples: ["stoa topic ops", "stoa topic ops \"printers and networks\""],
        operands: ["TO", "[TEXT...]"], lastRepeats: true,
        options: [OptionSyntax("--clear", nil, "remove the topic")],
        details: [
            "Any member can set the topic, in a group only admins; the latest one counts, the same for everyone. Several words are joined by spaces; without TEXT the topic is shown."
        ])

    private let params: TopicMethod.Params

    init(_ arguments: ParsedArguments) throws(Failure) {
        let words = arguments.operands.dropFirst()
        guard words.isEmpty || !arguments.has("--clear") else {
            throw .usage("--clear takes no text", next: "leave one of them out")
        }
        self.params = TopicMethod.Params {
            $0.to = arguments.required(0)
            $0.text = arguments.has("--clear") ? "" : nil
            if !words.isEmpty { $0.text = words.joined(separator: " ") }
        }
    }

    func run(in context: CommandContext) throws(Failure) {
        try context.show(TopicMethod.self, self.params) { conversation in
            let name = conversation.shownName
            guard let topic = conversation.topic else { return "\(name) has no topic\n" }
            return "\(name): \(topic.shown)\n"
        }
    }
}
