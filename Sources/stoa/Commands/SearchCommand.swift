import ControlAPI

/// The command `stoa search`.
struct SearchCommand: Subcommand {
    static let syntax = CommandSyntax(
        SearchMethod.description, operands: ["WORDS..."], lastRepeats: true,
        options: [
            OptionSyntax("--in", "TO", "only in this room, or with this person"),
            OptionSyntax("--from", "@A,@B", "only what these people have written"),
            OptionSyntax("--since", "T", "only messages since this time, as history takes it"),
            OptionSyntax("--until", "T", "only messages of before this time"),
            OptionSyntax("--rank", nil, "what fits best first, not what came last"),
            OptionSyntax(
                "--limit", "N", "how many at most, 1 to \(SearchMethod.hitsLimit); 20 by default"),
            OptionSyntax("--offset", "N", "leave so many out, to see the next ones"),
        ],
        details: [
            "All WORDS must be there, in upper or lower case, with accents or without. Several in double quotes must stand so, and so must the parts of a path or an address; a word that ends with * may go on. In scripts without spaces any part of a text is found. A file is found by its name and by what is said with it.",
            "Each message stands in two lines: whose it is, and the part of it with what was found. \"stoa history TO --around ID\" shows what stands around it.",
            "The first search makes an index of the open rooms, search.db beside the messages, which is kept current from then on. Direct and secret conversations are read through each time, from the newest messages back, so that their text is in no file; where five seconds are not enough for that, it says from when on nothing was looked at.",
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
            $0.authors = arguments.value("--from").map {
                $0.split(separator: ",").map { String($0) }
            }
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
        let hits = found.list("hits")
        for hit in hits {
            try context.json ? console.print(hit) : console.print(Self.text(of: hit, console))
        }
        if hits.isEmpty, !context.json { try console.print("nothing found\n") }
        if found["more"] == .bool(true), !context.json {
            let next = (self.params.offset ?? 0) + Int64(hits.count)
            try console.print(console.styled("more: --offset \(next)", .faint) + "\n")
        }
        if let unread = found["unread"] {
            console.report(
                "stoa: search: what stands before \(LocalTime.text(unread)) in secret rooms and with people "
                    + "was not looked at, since it is much: go on with "
                    + "--until \(unread.stringValue ?? "")\n")
        } else if found["complete"] == .bool(false) {
            console.report(
                "stoa: search: messages are still being indexed; some may be missing, ask again\n")
        }
    }

    private static func text(of hit: JSON, _ console: Console) -> String {
        let message = hit["message"] ?? .null
        let head = [
            LocalTime.text(message["time"]), message.shownConversation("conversationName"),
            message.shownPerson("authorName", key: "author"),
            String(message.shown("id").prefix(12)),
        ]
        let excerpt = hit.list("excerpt").map { part in
            let text = TerminalText.block(part["text"]?.stringValue ?? "", indent: "  ")
            return part["match"] == .bool(true) ? console.styled(text, .bold) : text
        }
        let text = console.styled(head.joined(separator: " "), .faint) + "\n  " + excerpt.joined()
        return LineWrap.text(text + "\n", columns: console.tableColumns, indent: 2)
    }
}

extension SearchMethod: CommandMethod {
    static var command: any Subcommand.Type { SearchCommand.self }
}
