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
            guard $0.others.isEmpty else {
                let first = [
                    $0.shownName, "@" + $0.id.shown, $0.tier.rawValue, $0.state.rawValue,
                ]
                let rows =
                    [first]
                    + $0.others.map { person in
                        [
                            person.shownName, "@" + person.id.shown, person.tier.rawValue,
                            person.state.rawValue,
                        ]
                    }
                return context.console.table([["NAME", "KEY", "TRUST", "STATE"]] + rows)
            }
            return context.console.table(Self.rows(of: $0))
        }
    }

    /// All that is known of one person.
    private static func rows(of person: WhoisMethod.Result) -> [[String]] {
        // Of oneself there is no link, and so nothing that a state would say.
        let isOwn = person.tier == .own
        return [["name", person.shownName], ["status", person.status.shown]]
            + PictureLine.rows(of: person.picture, for: "@\(person.id.shown.prefix(16))") + [
                ["key", person.id.shown],
                ["person", person.person?.shown ?? "not known"],
                ["trust", person.tier.rawValue],
            ] + (isOwn ? [] : [["state", person.state.rawValue]]) + [
                ["verified", person.verified ? "yes" : "no"],
                ["addresses", person.addresses.shown],
            ]
    }
}
