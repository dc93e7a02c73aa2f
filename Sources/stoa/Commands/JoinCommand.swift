import ControlAPI

/// The command `stoa join`.
struct JoinCommand: Subcommand {
    static let syntax = CommandSyntax(
        JoinMethod.description, operands: ["[ROOM|LINK|-]"],
        options: [
            OptionSyntax("--secret", nil, "a secret room: asks for its phrase without showing it"),
            OptionSyntax("--phrase-file", "FILE|-", "read the phrase of a secret room from there"),
            OptionSyntax("--suite", "NAME", "how it is sealed, where somebody chose its phrase"),
        ],
        details: [
            "Without an operand it asks for an invitation, the line that \"stoa invite\" and \"stoa create\" print, without showing it; with - it reads one from standard input. As an argument LINK stays in the history of your shell.",
            "A phrase of six words that Stoa made is checked at once, however it is written. Another phrase or another name leads to another room, where nobody is.",
            "\"&ROOM\" is a secret room that you have left; its key is still here. Where a secret room is called ROOM here, the open one is entered as REALM/ROOM only, such as open/ROOM.",
        ])

    /// What is entered, and by what.
    private enum Way {
        case room(String)
        case phrase(String, file: String?, SuiteWord?)
        case link(String?, isArgument: Bool)
    }

    private let way: Way

    init(_ arguments: ParsedArguments) throws(Failure) {
        let word = arguments.operand(0) ?? "-"
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
            self.way =
                word == "-" ? .link(nil, isArgument: false) : .link(word, isArgument: true)
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
        case .link(let line, let isArgument):
            if isArgument {
                context.console.report(
                    "the invitation is in the history of your shell: remove it there; stoa join alone asks for it\n"
                )
            }
            params.invite =
                if let line { line } else { try SecretInput.roomInvitation.read(nil, context) }
        }
        try context.show(JoinMethod.self, params) { room in
            let others = room.count("members") - 1
            let more = room["learning"] == .bool(true)
            let known: String
            switch others {
            case ...0:
                known = more ? "; others are in it" : "; nobody else is in it as far as is known"
            case 1: known = " with \(more ? "at least " : "")1 other member"
            default: known = " with \(more ? "at least " : "")\(others) other members"
            }
            let isAlone = others <= 0 && !more
            return "you are in \(room.shown("name"))\(known)\n\(room.sharedName)"
                + (isAlone ? Self.alone(room) : "")
        }
    }

    /// What it may mean that nobody else is there.
    private static func alone(_ room: JSON) -> String {
        let name = TerminalText.word(room.shown("name"))
        if room.shown("kind") == ConversationResult.Kind.room.rawValue {
            return
                "it is an open room, which anyone on the network may join. If you were given a phrase or an "
                + "invitation, the room you want is another one: stoa leave \(name), then "
                + "stoa join \(name) --secret, or stoa join for an invitation\n"
        }
        return
            "others may be offline: what they wrote comes, and what you write goes out, when one of them is "
            + "linked. If they are online, compare the name and the phrase: a different one is another room\n"
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
