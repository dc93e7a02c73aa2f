import ControlAPI

/// The command `stoa conversations`.
struct ConversationsCommand: Subcommand {
    static let syntax = CommandSyntax(
        ConversationsMethod.description,
        examples: ["stoa conversations", "stoa conversations --all"],
        options: [OptionSyntax("--all", nil, "include archived conversations")])

    private let isAll: Bool

    init(_ arguments: ParsedArguments) { self.isAll = arguments.has("--all") }

    func run(in context: CommandContext) throws(Failure) {
        let isAll = self.isAll
        try context.showList(
            ConversationsMethod.self,
            empty:
                "no conversations are listed; start one with: stoa join ROOM, or stoa send @PERSON "
                + "TEXT; to see archived ones: stoa conversations --all",
            heading: ["NAME", "MEMBERS", "UNREAD", "LAST MESSAGE"],
            where: { isAll || $0.isListedConversation }
        ) { conversation in
            let last = conversation["lastMessage"] ?? .null
            var shown = ""
            if last != .null {
                let text = TerminalText.line(last["text"]?.stringValue ?? "")
                // A place may have a name, which says more than that it is one.
                let isPlace = last["kind"] == .string("location") && !text.isEmpty
                let words =
                    last["kind"] == .string("text") || isPlace ? text : "(\(last.shown("kind")))"
                shown =
                    "\(LocalTime.text(last["time"])) \(last.shownPerson("authorName", key: "author")): "
                shown += words.count > 60 ? words.prefix(59) + "…" : words
            }
            return [
                Self.name(of: conversation),
                "\(conversation.count("members"))",
                Self.unread(in: conversation), shown,
            ]
        }
    }

    private static func unread(in conversation: JSON) -> String {
        let mentions = conversation.count("mentions")
        return "\(conversation.count("unread"))" + (mentions > 0 ? " (@\(mentions))" : "")
    }

    private static func name(of conversation: JSON) -> String {
        let marks = ["muted", "archived"].filter { conversation[$0] == .bool(true) }
        let shown = conversation.shownConversation()
        return marks.isEmpty ? shown : "\(shown) (\(marks.joined(separator: ", ")))"
    }
}

extension JSON {
    /// Whether lists have this conversation: one that was put away while it calls for the user.
    var isListedConversation: Bool {
        guard self["archived"] == .bool(true) else { return true }
        let isDirect = self["kind"] == .string(ConversationResult.Kind.direct.rawValue)
        return self["muted"] != .bool(true) && self.count(isDirect ? "unread" : "mentions") > 0
    }
}

extension ConversationsMethod: CommandMethod {
    static var command: any Subcommand.Type { ConversationsCommand.self }
}
