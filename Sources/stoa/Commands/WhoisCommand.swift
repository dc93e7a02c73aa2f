import ControlAPI

/// The command `stoa whois`.
struct WhoisCommand: Subcommand {
    static let syntax = CommandSyntax(
        WhoisMethod.description, operands: ["@PERSON"],
        details: [
            "PERSON is a name or the beginning of one, in upper or lower case, or 8 or more characters of a key.",
            "When it matches several people, they are listed.",
        ])

    private let params: PersonParams

    init(_ arguments: ParsedArguments) {
        self.params = PersonParams { $0.person = arguments.required(0) }
    }

    func run(in context: CommandContext) throws(Failure) {
        try context.show(WhoisMethod.self, self.params) {
            // Of oneself there is no link, and so nothing that a state would say.
            let isOwn = $0["tier"] == .string(TierWord.own.rawValue)
            return context.console.table(
                [
                    ["name", $0.shownName()], ["status", $0.shown("status")],
                ] + PictureLine.rows(of: $0, for: "@\($0.shown("id").prefix(16))") + [
                    ["key", $0.shown("id")],
                    ["person", $0["person"] == nil ? "not known" : $0.shown("person")],
                    ["trust", $0.shown("tier")],
                ] + (isOwn ? [] : [["state", $0.shown("state")]]) + [
                    ["verified", $0["verified"] == .bool(true) ? "yes" : "no"],
                    ["addresses", $0.joined("addresses")],
                ])
        }
    }
}

extension WhoisMethod: CommandMethod {
    static var command: any Subcommand.Type { WhoisCommand.self }
}
