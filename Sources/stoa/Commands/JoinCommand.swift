import ControlAPI

/// The command `stoa join`.
struct JoinCommand: Subcommand {
    static let syntax = CommandSyntax(
        JoinMethod.description, operands: ["ROOM|LINK|-"],
        options: [
            OptionSyntax("--secret", nil, "a secret room: asks for its phrase without showing it"),
            OptionSyntax("--phrase-file", "FILE|-", "read the phrase of a secret room from there"),
            OptionSyntax("--suite", "NAME", "how it is sealed, where somebody chose its phrase"),
        ],
        details: [
            "LINK is what \"stoa invite\" and \"stoa create\" print. Other users of this machine may see it while the command runs; with - it is read from standard input, or asked for.",
            "A phrase of six words that Stoa made is checked at once. With another phrase or another name one comes into another room, where nobody is.",
            "\"&ROOM\" is a secret room that you have left; its key is still here. Where a secret room is called ROOM here, the open one is entered as REALM/ROOM only, such as open/ROOM.",
        ])

    /// What is entered, and by what.
    private enum Way {
        case room(String)
        case phrase(String, file: String?, SuiteWord?)
        case link(String?)
    }

    private let way: Way

    init(_ arguments: ParsedArguments) throws(Failure) {
        let word = arguments.required(0)
        let isSecret = arguments.has("--secret") || arguments.has("--phrase-file")
        guard isSecret || !arguments.has("--suite") else {
            throw .usage("--suite is for secret rooms", next: "add --secret")
        }
        if word == "-" || word.hasPrefix("stoa:") {
            guard !isSecret else {
                throw .usage(
                    "an invitation needs no phrase",
                    next: "give the name of the room, or leave --secret and --phrase-file out")
            }
            self.way = .link(word == "-" ? nil : word)
        } else if isSecret {
            self.way = .phrase(
                word, file: arguments.value("--phrase-file"), try arguments.suite())
        } else {
            self.way = .room(word)
        }
    }

    func run(in context: CommandContext) throws(Failure) {
        var params = JoinMethod.Params()
        switch self.way {
        case .room(let room): params.room = room
        case .phrase(let room, let file, let suite):
            params.room = room
            params.suite = suite
            params.phrase = try SecretInput.phrase.read(file, context)
        case .link(let line):
            params.invite =
                if let line { line } else { try SecretInput.roomInvitation.read(nil, context) }
        }
        try context.show(JoinMethod.self, params) { room in
            let others = room.count("members") - 1
            let more = room["learning"] == .bool(true)
            let known: String
            switch others {
            case ...0: known = more ? "; others are in it" : "; no other members are known yet"
            case 1: known = " with \(more ? "at least " : "")1 other member"
            default: known = " with \(more ? "at least " : "")\(others) other members"
            }
            var text = "you are in \(room.shown("name"))\(known)\n\(room.sharedName)"
            if others <= 0 && !more {
                text +=
                    "what was said there before comes once somebody who is in it is linked, and so "
                    + "they get what you write\n"
                if params.phrase != nil {
                    text +=
                        "if others should be there and do not appear, compare the name and the phrase\n"
                }
            }
            return text
        }
    }
}

extension JSON {
    /// What to know of a room whose name another one here has; empty where none has.
    var sharedName: String {
        guard self["ambiguous"] == .bool(true) else { return "" }
        return
            "another room here has that name: \"\(self.shown("room"))\" alone is refused from here on, "
            + "and stoa says what to write\n"
    }
}

extension JoinMethod: CommandMethod {
    static var command: any Subcommand.Type { JoinCommand.self }
}
