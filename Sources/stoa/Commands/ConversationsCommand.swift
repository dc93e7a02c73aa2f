import ControlAPI

/// The command `stoa conversations`.
struct ConversationsCommand: Command {
    static let syntax = CommandSyntax(
        "conversations", "Lists your conversations, with what is unread.")

    init(_ arguments: ParsedArguments) {}

    func run(in session: Session) throws(Failure) {
        try session.showList(
            "conversations", empty: "no conversations yet; open one: stoa join ROOM",
            heading: ["NAME", "MEMBERS", "UNREAD", "LAST MESSAGE"]
        ) { conversation in
            let name = conversation.shown("name")
            let last = conversation["lastMessage"] ?? .null
            var shown = ""
            if last != .null {
                let text = TerminalText.line(last["text"]?.stringValue ?? "")
                let words =
                    last["kind"] == .string("text") ? text : "(\(last.shown("kind")))"
                shown = "\(LocalTime.text(last["time"])) \(last.shown("authorName")): "
                shown += words.count > 60 ? words.prefix(59) + "…" : words
            }
            return [
                conversation["kind"] == .string("direct") ? "@" + name : name,
                "\(conversation["members"]?.arrayValue?.count ?? 0)",
                "\(conversation.count("unread"))", shown,
            ]
        }
    }
}
