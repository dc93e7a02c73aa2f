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
            func text(_ share: DiskShare) -> String {
                ByteCount.text(share.bytes) + " of " + ByteCount.text(share.limit)
            }
            var text = context.console.table([
                ["database", ByteCount.text(usage.database)],
                ["limit", ByteCount.text(usage.limit)],
                ["by strangers", text(usage.strangers)],
                ["by realm members", text(usage.fellows)],
                ["streams", ByteCount.text(usage.streams)],
                ["files", text(usage.files)],
                ["search", ByteCount.text(usage.search)],
                ["free", ByteCount.text(usage.free)],
            ])
            let rows = usage.conversations.map { used in
                let kept = [
                    used.retainDays.map { "\($0) days" },
                    used.retainBytes.map { ByteCount.text($0) },
                ].compactMap { $0 }
                return [
                    used.name.isEmpty ? used.id.shortKey : used.name.shownConversation,
                    "\(used.entries)", ByteCount.text(used.bytes),
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
        let files = try self.call(UsageMethod.self, UsageMethod.Params()).files
        return files.limit - files.bytes
    }
}
