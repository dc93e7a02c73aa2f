import ControlAPI

/// The command `stoa retain`.
struct RetainCommand: Subcommand {
    static let syntax = CommandSyntax(
        RetainMethod.description, operands: ["TO", "[off]"],
        options: [
            OptionSyntax("--days", "N", "for so many days"),
            OptionSyntax("--size", "S", "so many bytes of texts: 500k, 20M, 1G; the oldest go"),
        ],
        details: [
            "What is older, or more, goes from this disk, within the hour and after each start; others keep theirs, and it does not come back from them. That there was a message, whose and when, stays in the log.",
            "Without any of these it says how it is. With off messages are kept for ever, as at first; what is gone stays so.",
        ])

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
}

extension RetainMethod: CommandMethod {
    static var command: any Subcommand.Type { RetainCommand.self }
}
