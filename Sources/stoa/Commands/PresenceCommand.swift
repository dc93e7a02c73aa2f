import ControlAPI

/// The command `stoa presence`.
struct PresenceCommand: Subcommand {
    static let syntax = CommandSyntax(
        PresenceMethod.description, examples: ["stoa presence", "stoa presence away"],
        operands: ["[online|away]"],
        details: [
            "Linked people who share a conversation with you are told within half a minute. This holds until you change it or the daemon restarts. With Presence=private in stoad.conf nobody is told."
        ])

    private let params: PresenceMethod.Params

    init(_ arguments: ParsedArguments) throws(Failure) {
        let word = arguments.operand(0)
        let presence = word.flatMap { PresenceWord(rawValue: $0) }
        guard word == nil || presence != nil, presence != .offline else {
            throw .usage(
                "\"\(TerminalText.line(word ?? ""))\" is neither online nor away",
                next: "usage: stoa presence [online|away]")
        }
        self.params = PresenceMethod.Params { $0.presence = presence }
    }

    func run(in context: CommandContext) throws(Failure) {
        try context.show(PresenceMethod.self, self.params) { result in
            result.shown
                ? "others see that you are \(result.presence.rawValue)\n"
                : "you are \(result.presence.rawValue); others are not told (Presence=private)\n"
        }
    }
}
