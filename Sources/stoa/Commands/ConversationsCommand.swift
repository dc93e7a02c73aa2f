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
            where: { isAll || $0.isListed }
        ) { conversation in
            var shown = ""
            if let last = conversation.lastMessage {
                let words = last.summary.shown
                shown = "\(LocalTime.text(last.time)) \(last.shownAuthor.text): "
                shown += words.count > 60 ? words.prefix(59) + "…" : words
            }
            return [
                Self.name(of: conversation),
                "\(conversation.members)",
                Self.unread(in: conversation), shown,
            ]
        }
    }

    private static func unread(in conversation: ConversationResult) -> String {
        let mentions = conversation.mentions
        return "\(conversation.unread)" + (mentions > 0 ? " (@\(mentions))" : "")
    }

    private static func name(of conversation: ConversationResult) -> String {
        let marks =
            (conversation.muted == true ? ["muted"] : [])
            + (conversation.archived == true ? ["archived"] : [])
            + (conversation.looksLike?.prefix(1).map { "looks like \($0.shown)" } ?? [])
        let shown = conversation.shownName
        return marks.isEmpty ? shown : "\(shown) (\(marks.joined(separator: ", ")))"
    }
}

extension ConversationResult {
    /// Whether lists have this conversation: one that was put away while it calls for the user.
    var isListed: Bool {
        guard self.archived == true else { return true }
        return self.muted != true && (self.kind == .direct ? self.unread : self.mentions) > 0
    }
}
