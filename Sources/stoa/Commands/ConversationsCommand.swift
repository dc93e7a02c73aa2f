import ControlAPI

/// The command `stoa conversations`.
struct ConversationsCommand: Subcommand {
    static let syntax = CommandSyntax(ConversationsMethod.description)

    init(_ arguments: ParsedArguments) {}

    func run(in context: CommandContext) throws(Failure) {
        try context.showList(
            ConversationsMethod.self,
            empty:
                "no conversations yet; start one with: stoa join ROOM, or stoa send @PERSON TEXT",
            heading: ["NAME", "MEMBERS", "UNREAD", "LAST MESSAGE"]
        ) { conversation in
            let last = conversation["lastMessage"] ?? .null
            var shown = ""
            if last != .null {
                let text = TerminalText.line(last["text"]?.stringValue ?? "")
                let words =
                    last["kind"] == .string("text") ? text : "(\(last.shown("kind")))"
                shown =
                    "\(LocalTime.text(last["time"])) \(last.shownPerson("authorName", key: "author")): "
                shown += words.count > 60 ? words.prefix(59) + "…" : words
            }
            return [
                conversation.shown("name"),
                "\(conversation.count("members"))",
                "\(conversation.count("unread"))", shown,
            ]
        }
    }
}

extension ConversationsMethod: CommandMethod {
    static var command: any Subcommand.Type { ConversationsCommand.self }
}
