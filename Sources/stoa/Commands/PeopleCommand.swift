import ControlAPI

/// The command `stoa people`.
struct PeopleCommand: Subcommand {
    static let syntax = CommandSyntax(
        PeopleMethod.description,
        examples: ["stoa people", "stoa people add @ada", "stoa people remove @ada"],
        operands: ["[add|remove]", "[@PERSON]"],
        details: [
            "A contact's name is shown as it is, whoever else uses it; others "
                + "with a similar name are shown with their keys.",
            "Adding someone accepts them if they have asked to write to you (stoa requests), "
                + "even if you declined them before.",
        ])

    private let change: (isKnown: Bool, params: PersonParams)?

    init(_ arguments: ParsedArguments) throws(Failure) {
        guard let word = arguments.operand(0) else {
            self.change = nil
            return
        }
        guard word == "add" || word == "remove" else {
            throw .usage(
                "\"\(TerminalText.line(word))\" is not something to do with people",
                next: "usage: stoa people [add|remove @PERSON]")
        }
        guard let person = arguments.operand(1) else {
            throw .usage("@PERSON is missing", next: "usage: stoa people \(word) @PERSON")
        }
        self.change = (word == "add", PersonParams { $0.person = person })
    }

    func run(in context: CommandContext) throws(Failure) {
        switch self.change {
        case (true, let params)?:
            try context.show(AddPersonMethod.self, params) {
                "\($0.shown.quoted) is a contact now\n"
            }
        case (false, let params)?:
            try context.show(RemovePersonMethod.self, params) {
                "\($0.shown.quoted) is not a contact now\n"
            }
        case nil:
            try context.showList(
                PeopleMethod.self,
                empty: "you have no contacts yet; add one with: stoa people add @PERSON",
                heading: ["NAME", "KEY", "TRUST", "STATE", "PRESENCE", "LAST SEEN"]
            ) { person in
                [
                    person.shownName, person.id.shortKey, person.tier.rawValue,
                    person.state.rawValue, person.shownPresence,
                    LocalTime.text(person.lastSeen),
                ]
            }
        }
    }
}
