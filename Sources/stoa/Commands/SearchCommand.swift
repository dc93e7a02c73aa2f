import ControlAPI

/// The command `stoa search`.
struct SearchCommand: Subcommand {
    static let syntax = CommandSyntax(
        SearchMethod.description,
        examples: ["stoa search printer", "stoa search \"printer cartridge\" --in ops --by @ada"],
        operands: ["WORDS..."], lastRepeats: true,
        options: [
            OptionSyntax("--in", "TO", "only in this room, or with this person"),
            OptionSyntax("--by", "@A,@B", "only messages by these people"),
            OptionSyntax("--since", "T", "only messages since this time, written as for history"),
            OptionSyntax("--until", "T", "only messages before this time"),
            OptionSyntax("--rank", nil, "the best matches first, instead of the newest"),
            OptionSyntax(
                "--limit", "N",
                "at most this many hits, 1 to \(SearchMethod.hitsLimit); 20 by default"),
            OptionSyntax("--offset", "N", "skip this many hits, to see the next ones"),
        ],
        details: [
            "A message must contain all WORDS; case and accents do not matter, and ss is the same as ß. The last word may be the beginning of one; end others with * for the same. Quote a phrase to match it exactly, also the parts of a path or an address. In scripts without spaces, and in direct and secret conversations and groups, any part of a text matches. A file is found by its name and its caption.",
            "Each hit takes two lines: the author, and the part of the text that matched. \"stoa history TO --around ID\" shows the messages around it.",
            "The first search builds an index of the open rooms, search.db beside the messages, which is kept current from then on. Direct and secret conversations and groups are not indexed, so their text is in no other file: each search reads them, newest first. If it has not read all of them after five seconds, it says how far it came.",
        ])

    private let params: SearchMethod.Params

    init(_ arguments: ParsedArguments) throws(Failure) {
        let limit = try arguments.integer("--limit", in: 1...SearchMethod.hitsLimit)
        let offset = try arguments.integer("--offset", in: 0...SearchMethod.offsetLimit)
        let since = try LocalTime.option("--since", of: arguments)
        let until = try LocalTime.option("--until", of: arguments)
        self.params = SearchMethod.Params {
            $0.words = arguments.operands.joined(separator: " ")
            $0.to = arguments.value("--in")
            $0.authors = arguments.list("--by")
            $0.since = since
            $0.until = until
            $0.order = arguments.has("--rank") ? .rank : nil
            $0.limit = limit
            $0.offset = offset
        }
    }

    func run(in context: CommandContext) throws(Failure) {
        let console = context.console
        let found = try context.call(SearchMethod.self, self.params)
        let hits = found.hits
        for hit in hits {
            try context.json
                ? console.print(hit.json) : console.print(Self.text(of: hit.value, console))
        }
        if hits.isEmpty, !context.json { try console.print("nothing found\n\(self.advice)\n") }
        if found.more, !context.json {
            let next = (self.params.offset ?? 0) + Int64(hits.count)
            try console.print(console.styled("more: --offset \(next)", .faint) + "\n")
        }
        if let unread = found.unread {
            console.report(
                "stoa: search: messages before \(LocalTime.text(unread)) in secret rooms and direct conversations "
                    + "were not searched, for lack of time: go on with "
                    + "--until \(unread.text)\n")
        } else if !found.complete {
            console.report(
                "stoa: search: messages are still being indexed; some may be missing, search again\n"
            )
        }
    }

    /// What else to try where nothing was found.
    private var advice: String {
        let narrowing = [
            ("--in", self.params.to != nil), ("--by", self.params.authors != nil),
            ("--since", self.params.since != nil), ("--until", self.params.until != nil),
            ("--offset", self.params.offset != nil),
        ].filter(\.1).map(\.0)
        guard narrowing.isEmpty else {
            return "search more messages: leave out \(narrowing.joined(separator: " and "))"
        }
        return SearchMethod.advice(for: self.params.words)
    }

    private static func text(of hit: SearchMethod.Hit, _ console: Console) -> String {
        let message = hit.message
        let head = [
            LocalTime.text(message.time), message.conversationName.shownConversation,
            message.shownAuthor.text, String(message.id.shown.prefix(12)),
        ]
        let excerpt = hit.excerpt.map { part in
            let text = TerminalText.block(part.text, indent: "  ")
            return part.match == true ? console.styled(text, .bold) : text
        }
        let text = console.styled(head.joined(separator: " "), .faint) + "\n  " + excerpt.joined()
        return LineWrap.text(text + "\n", columns: console.tableColumns, indent: 2)
    }
}
