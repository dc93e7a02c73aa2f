import ControlAPI

/// The command `stoa retain`.
struct RetainCommand: Subcommand {
    static let syntax = CommandSyntax(
        RetainMethod.description, operands: ["TO", "[off]"],
        options: [
            OptionSyntax("--days", "N", "for so many days"),
            OptionSyntax("--size", "S", "so many bytes of texts: 500k, 20M, 1G"),
            OptionSyntax("--yes", nil, "do not ask before messages go"),
        ],
        details: [
            "What is older, or more, goes from this disk, within the hour and after each start; others keep theirs, and it does not come back from them. That there was a message, whose and when, stays in the log.",
            "By age whatever is older goes. By size strangers' messages go first, and there the oldest of the addresses that brought most; then those of fellows, then the oldest of people whom you know, and your own last. Joins and leaves do not count. Both limits hold where both are given, also one after the other.",
            "Where messages would go at once, it says how many and asks on a terminal; elsewhere it ends with exit code 64 unless --yes is given.",
            "Without any of these it says how it is. With off messages are kept for ever, as at first; what is gone stays so.",
        ])

    private let isSure: Bool
    private let params: RetainMethod.Params

    init(_ arguments: ParsedArguments) throws(Failure) {
        let days = try arguments.integer("--days", in: 1...RetainMethod.daysLimit)
        let word = arguments.operand(1)
        let size = try arguments.value("--size").map(Self.bytes)
        guard word == nil || word == "off" && days == nil && size == nil else {
            throw .usage(
                "for how long, or how much, is not clear", next: "give --days N or --size S, or off"
            )
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
            return context.console.report("stoa: retain: nothing is changed\n")
        }
        try context.show(RetainMethod.self, self.params) { conversation in
            let days = conversation["retainDays"]?.integerValue
            let bounds = [
                days.map { "for \($0) \($0 == 1 ? "day" : "days")" },
                conversation["retainBytes"]?.integerValue.map { "up to \(ByteCount.text($0))" },
            ].compactMap { $0 }
            let kept = bounds.isEmpty ? "for ever" : bounds.joined(separator: ", ") + " here"
            return "messages of \(conversation.shownConversation()) are kept \(kept)\n"
        }
    }

    /// Whether messages may go that go at once: the user says so, or there are none.
    private func isAgreed(in context: CommandContext) throws(Failure) -> Bool {
        guard !self.isSure, self.params.days != nil || self.params.bytes != nil else { return true }
        var params = self.params
        params.dryRun = true
        let found = try context.call(RetainMethod.self, params)
        let count = found.count("retainGoing")
        guard count > 0 else { return true }
        let what =
            "\(count == 1 ? "1 message" : "\(count) messages") of \(found.shown("name")) would go from this disk now"
        guard context.console.inputIsTerminal else {
            throw .usage(what, next: "say --yes if they may; others keep theirs")
        }
        context.console.report("\(what); others keep theirs. Go on? [y/N] ")
        let answer = try context.console.readChunk() ?? []
        return answer.first == 0x79 || answer.first == 0x59
    }
}

extension RetainMethod: CommandMethod {
    static var command: any Subcommand.Type { RetainCommand.self }
}
