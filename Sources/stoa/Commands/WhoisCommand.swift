import ControlAPI

/// The command `stoa whois`.
struct WhoisCommand: Subcommand {
    static let syntax = CommandSyntax(
        WhoisMethod.description, examples: ["stoa whois @ada"], operands: ["@PERSON"],
        details: [
            "PERSON is a name or its beginning, in upper or lower case, or at least the first 8 characters of a key.",
            "If it matches several people, all are listed, your contacts first.",
        ])

    private let params: PersonParams

    init(_ arguments: ParsedArguments) {
        self.params = PersonParams { $0.person = arguments.required(0) }
    }

    func run(in context: CommandContext) throws(Failure) {
        try context.show(WhoisMethod.self, self.params) {
            let others = $0.list("others")
            guard others.isEmpty else {
                let rows = ([$0] + others).map { person in
                    [
                        person.shownName(), "@" + person.shown("id"), person.shown("tier"),
                        person.shown("state"),
                    ]
                }
                return context.console.table([["NAME", "KEY", "TRUST", "STATE"]] + rows)
            }
            return context.console.table(Self.rows(of: $0))
        }
    }

    /// All that is known of one person.
    private static func rows(of person: JSON) -> [[String]] {
        // Of oneself there is no link, and so nothing that a state would say.
        let isOwn = person["tier"] == .string(TierWord.own.rawValue)
        return [["name", person.shownName()], ["status", person.shown("status")]]
            + PictureLine.rows(of: person, for: "@\(person.shown("id").prefix(16))") + [
                ["key", person.shown("id")],
                ["person", person["person"] == nil ? "not known" : person.shown("person")],
                ["trust", person.shown("tier")],
            ] + (isOwn ? [] : [["state", person.shown("state")]]) + [
                ["verified", person["verified"] == .bool(true) ? "yes" : "no"],
                ["addresses", person.joined("addresses")],
            ]
    }
}

extension WhoisMethod: CommandMethod {
    static var command: any Subcommand.Type { WhoisCommand.self }
}
