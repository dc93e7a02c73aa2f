import ControlAPI

extension [String]? {
    /// A remark for the name of a room that could be taken for another one.
    var shownLikeness: String { self?.first.map { " (looks like \($0.shown))" } ?? "" }
}

/// The command `stoa join`.
struct JoinCommand: Subcommand {
    static let syntax = CommandSyntax(
        JoinMethod.description,
        examples: ["stoa join ops", "stoa join plans --secret", "stoa join"],
        operands: ["[ROOM|LINK|-]"],
        options: [
            OptionSyntax(
                "--secret", nil,
                "join a secret room; you are asked for its phrase, and it is not shown"),
            OptionSyntax("--phrase-file", "FILE|-", "read the phrase of a secret room from a file"),
            OptionSyntax(
                "--suite", "NAME",
                "the room's cipher; needed only if its phrase was chosen by a person"),
        ],
        details: [
            "Without an operand you are asked for an invitation, the line that \"stoa invite\", \"stoa create\" and \"stoa group link\" print, and it is not shown; with - one is read from standard input. An invitation given as LINK stays in your shell's history.",
            "By a group's link you are in as soon as a member of the group is linked, or once an admin agrees; until then \"stoa requests\" shows that you wait, and \"stoa decline +GROUP\" gives it up.",
            "A phrase of six words made by Stoa is checked for mistakes at once. A different phrase or name leads to a different, empty room.",
            "A secret room that you have left is '&ROOM'; its key is still here. Quote it: & is a sign of the shell. If you have a secret room called ROOM, join the open one by its full name, such as open/ROOM.",
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
        if word == "-" || TypedInvitation.isIn(word) || word.hasPrefix("stoa:") {
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
                    "the invitation is now in your shell's history: remove it there; stoa join alone asks for it\n"
                )
            }
            params.invite =
                if let line {
                    try SecretInput.find([.room, .group], in: line)
                } else {
                    try SecretInput.roomInvitation.read(nil, context)
                }
        }
        try context.show(JoinMethod.self, params) { room in
            if let waiting = room.waiting {
                let name = room.name.shownConversation
                return "\(waiting.text(of: name)); see stoa requests\n"
            }
            let others = room.members - 1
            let more = room.learning
            let known: String
            switch others {
            case ...0:
                known = more ? "; others are in it" : "; nobody else is known to be in it"
            case 1: known = " with \(more ? "at least " : "")1 other member"
            default: known = " with \(more ? "at least " : "")\(others) other members"
            }
            let isAlone = others <= 0 && !more
            return "you are in \(room.name.shown)\(known)\n\(room.sharedName)\(room.likeness)"
                + (isAlone ? Self.alone(room) : "")
        }
    }

    /// What it may mean that nobody else is there.
    private static func alone(_ room: ConversationResult) -> String {
        let name = TerminalText.word(room.name.shown)
        if room.kind == .room {
            return
                "this is an open room, which anyone on the network can join. If you were given a phrase or an "
                + "invitation, you want a different room: stoa leave \(name), then "
                + "stoa join \(name) --secret, or stoa join for an invitation\n"
        }
        return
            "others may be offline: their messages arrive and yours go out when one of them is "
            + "linked. If they are online, compare the name and the phrase: a different one is a different room\n"
    }
}

extension ConversationResult {
    /// That the name could be taken for another room's; empty where it could not.
    var likeness: String {
        guard let first = self.looksLike?.first else { return "" }
        return
            "the name looks like \(first.shown), which is a different room: if you meant that one, "
            + "stoa leave \(TerminalText.word(self.name.shown)), then stoa join \(TerminalText.word(first.shown))\n"
    }

    /// What to know of a room whose name another one here has; empty where none has.
    var sharedName: String {
        guard self.ambiguous == true else { return "" }
        return
            "another room here has that name: \"\(self.room.shown)\" alone is refused from now on, "
            + "and stoa says what to write instead\n"
    }
}

extension JoinWaitWord {
    /// What the user waits for, or why the link does not let them in.
    func text(of group: String) -> String {
        switch self {
        case .member: "you will be in \(group) as soon as a member is linked"
        case .admin: "you wait for an admin of \(group) to let you in"
        case .expired: "the link to \(group) has expired: ask for a new one"
        case .ended:
            "a member says that the link to \(group) was ended, or that the group is full: ask for a new one"
        case .altered: "the line is not that of the link to \(group): ask for it again"
        }
    }
}
