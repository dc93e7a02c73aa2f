import ControlAPI

/// The command `stoa people`.
struct PeopleCommand: Subcommand {
    static let syntax = CommandSyntax(
        PeopleMethod.description, operands: ["[add|remove]", "[@PERSON]"],
        details: [
            "The name of somebody whom you know stands alone, whoever else calls themselves so; others "
                + "with a name that looks like it are shown with their keys.",
            "Whoever has written to you and waits (stoa requests), or was declined, is let in once you "
                + "add them.",
        ])

    private let change: (isKnown: Bool, params: PersonParams)?

    init(_ arguments: ParsedArguments) throws(Failure) {
        guard let word = arguments.operand(0) else {
            self.change = nil
            return
        }
        guard word == "add" || word == "remove" else {
            throw .usage(
                "\"\(TerminalText.line(word))\" is not what can be done to people",
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
                "you know \($0.quotedPerson()) from here on\n"
            }
        case (false, let params)?:
            try context.show(RemovePersonMethod.self, params) {
                "you know \($0.quotedPerson()) no longer\n"
            }
        case nil:
            try context.showList(
                PeopleMethod.self,
                empty: "you know nobody yet; add somebody with: stoa people add @PERSON",
                heading: ["NAME", "KEY", "TRUST", "STATE", "PRESENCE", "LAST SEEN"]
            ) { person in
                [
                    person.shownName(), person.shortKey(), person.shown("tier"),
                    person.shown("state"), person.shownPresence,
                    LocalTime.text(person["lastSeen"]),
                ]
            }
        }
    }
}

extension PeopleMethod: CommandMethod {
    static var command: any Subcommand.Type { PeopleCommand.self }
}
