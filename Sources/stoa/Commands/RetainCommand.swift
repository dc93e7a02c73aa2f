import ControlAPI

/// The command `stoa retain`.
struct RetainCommand: Subcommand {
    static let syntax = CommandSyntax(
        RetainMethod.description,
        examples: [
            "stoa retain ops", "stoa retain ops --days 90 --size 20M", "stoa retain ops off",
        ], operands: ["TO", "[off]"],
        options: [
            OptionSyntax("--days", "N", "keep messages this many days"),
            OptionSyntax("--size", "S", "keep this much text: 500k, 20M, 1G"),
            OptionSyntax("--yes", nil, "delete messages without asking"),
        ],
        details: [
            "Messages beyond a limit are deleted from this disk within the hour and after each start; others keep theirs, and they do not come back from them. The log still records that there was a message, who wrote it and when.",
            "--days deletes whatever is older. --size deletes strangers' messages first, beginning with the oldest from the addresses that sent most; then those of other realm members, then your contacts', oldest first, and your own last. Joins and leaves do not count. You can set both limits, together or one after the other.",
            "If messages would be deleted at once, it says how many and asks on a terminal; elsewhere it exits 64 unless --yes is given.",
            "Without options it shows the limits. With off it keeps messages for ever, the default; deleted messages stay deleted.",
        ])

    private let isSure: Bool
    private let params: RetainMethod.Params

    init(_ arguments: ParsedArguments) throws(Failure) {
        let days = try arguments.integer("--days", in: 1...RetainMethod.daysLimit)
        let word = arguments.operand(1)
        let size = try arguments.value("--size").map(Self.bytes)
        if let word, word != "off" {
            throw .usage(
                "\"\(TerminalText.line(word))\" is no limit",
                next: "give --days N or --size S, or off")
        }
        guard word == nil || days == nil && size == nil else {
            throw .usage("off keeps everything", next: "leave off or the limits out")
        }
        self.isSure = arguments.has("--yes")
        self.params = RetainMethod.Params {
            $0.to = arguments.required(0)
            $0.days = days
            $0.bytes = size
            $0.off = word == nil ? nil : true
        }
    }

    /// A number of bytes as people write it.
    private static func bytes(_ text: String) throws(Failure) -> Int64 {
        let units: [Character: Int64] = ["k": 1_000, "m": 1_000_000, "g": 1_000_000_000]
        let unit = text.last.flatMap { units[Character($0.lowercased())] }
        let number = Int64(unit == nil ? text[...] : text.dropLast())
        guard let number, number >= 0,
            case (let bytes, false) = number.multipliedReportingOverflow(by: unit ?? 1)
        else {
            throw .usage(
                "--size cannot be \"\(TerminalText.line(text))\"",
                next: "give bytes, or as 500k, 20M or 1G")
        }
        return bytes
    }

    func run(in context: CommandContext) throws(Failure) {
        guard try self.isAgreed(in: context) else {
            return context.console.report("stoa: retain: nothing was changed\n")
        }
        try context.show(RetainMethod.self, self.params) { conversation in
            let days = conversation.retainDays
            let bounds = [
                days.map { "for \($0) \($0 == 1 ? "day" : "days")" },
                conversation.retainBytes.map { "up to \(ByteCount.text($0))" },
            ].compactMap { $0 }
            let kept = bounds.isEmpty ? "for ever" : bounds.joined(separator: ", ") + " here"
            return "messages of \(conversation.shownName) are kept \(kept)\n"
        }
    }

    /// Whether messages may go that go at once: the user says so, or there are none.
    private func isAgreed(in context: CommandContext) throws(Failure) -> Bool {
        guard !self.isSure, self.params.days != nil || self.params.bytes != nil else { return true }
        var params = self.params
        params.dryRun = true
        let found = try context.call(RetainMethod.self, params)
        let count = found.retainGoing ?? 0
        guard count > 0 else { return true }
        let what =
            "\(count == 1 ? "1 message" : "\(count) messages") of \(found.name.shown) would be deleted from this disk now"
        return try context.console.agrees(to: what, next: "add --yes to delete them")
    }
}
