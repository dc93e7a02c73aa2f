import ControlAPI

/// The command `stoa usage`.
struct UsageCommand: Subcommand {
    static let syntax = CommandSyntax(
        UsageMethod.description, examples: ["stoa usage"],
        details: [
            "Delete older messages with stoa retain, or a whole conversation with stoa forget. The limit is that of DiskLimit=, and leaves out what the database has not yet copied from its log. The database file does not shrink at once; its free space is used again."
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
                ["files", share("files")],
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

extension CommandContext {
    /// How many bytes of files the daemon would take beside those that are there.
    func roomForFiles() throws(Failure) -> Int64 {
        let files = try self.call(UsageMethod.self, UsageMethod.Params())["files"] ?? .null
        return files.count("limit") - files.count("bytes")
    }
}

extension UsageMethod: CommandMethod {
    static var command: any Subcommand.Type { UsageCommand.self }
}
