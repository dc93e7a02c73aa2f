import ControlAPI

/// The command `stoa usage`.
struct UsageCommand: Subcommand {
    static let syntax = CommandSyntax(
        UsageMethod.description,
        details: [
            "Keep less of a conversation with stoa retain, or none of it with stoa forget. The limit is that of DiskLimit=, without what the database has not yet copied from its log. The file of the database does not shrink at once: what is free in it is used again."
        ])

    init(_ arguments: ParsedArguments) {}

    func run(in context: CommandContext) throws(Failure) {
        try context.show(UsageMethod.self) { usage in
            func share(_ field: String) -> String {
                let share = usage[field] ?? .null
                return ByteCount.text(share.count("bytes")) + " of "
                    + ByteCount.text(share.count("limit"))
            }
            var text = context.console.table([
                ["database", ByteCount.text(usage.count("database"))],
                ["limit", ByteCount.text(usage.count("limit"))],
                ["by strangers", share("strangers")],
                ["by realm members", share("fellows")],
                ["search", ByteCount.text(usage.count("search"))],
                ["free", ByteCount.text(usage.count("free"))],
            ])
            let rows = usage.list("conversations").map { used in
                let kept = [
                    used["retainDays"]?.integerValue.map { "\($0) days" },
                    used["retainBytes"]?.integerValue.map { ByteCount.text($0) },
                ].compactMap { $0 }
                return [
                    used.shown("name").isEmpty ? used.shortKey() : used.shownConversation(),
                    "\(used.count("entries"))", ByteCount.text(used.count("bytes")),
                    kept.isEmpty ? "for ever" : kept.joined(separator: ", "),
                ]
            }
            if !rows.isEmpty {
                text +=
                    "\n"
                    + context.console.table([["CONVERSATION", "ENTRIES", "TEXTS", "KEPT"]] + rows)
            }
            return text
        }
    }
}

extension UsageMethod: CommandMethod {
    static var command: any Subcommand.Type { UsageCommand.self }
}
