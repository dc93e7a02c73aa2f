import ControlAPI
import Posix

/// The command `stoa realm`.
struct RealmCommand: Subcommand {
    static let syntax = CommandSyntax(
        "realm",
        "Create, join, leave and list realms: rooms that only people in the realm can see.",
        examples: [
            "stoa realm new office", "stoa realm invite office", "stoa realm join",
            "stoa realm rotate office",
        ],
        operands: ["new|invite|join|leave|list|rotate", "[NAME|FILE|-]"],
        options: [
            OptionSyntax("--as", "NAME", "a name for the realm you join"),
            OptionSyntax(
                "--days", "N", "how long the old secret still works after rotate; 30 by default"),
            OptionSyntax(
                "--force", nil, "rotate although an older secret still works, and end that one"),
            OptionSyntax("--qr", nil, "draw the invitation as a QR code"),
        ],
        details: [
            "\"new NAME\" creates a realm.",
            "\"invite NAME\" prints an invitation. Anyone who has it is in the realm, so hand it over in private.",
            "\"join\" reads an invitation from FILE, from standard input with -, or asks for it without showing it; it is never an argument, which everyone on this machine could see.",
            "\"rotate NAME\" replaces the realm's secret and prints a new invitation; members who have not joined with it when the old secret ends lose access. The rooms remain. Only one old secret works at a time: while it does, rotate again only with --force or --days 0.",
            "\"leave NAME\" deletes the secret; messages stay here and can be read.",
            "A room outside the default realm is written REALM/ROOM.",
            "--qr needs libqrencode (Debian: libqrencode4).",
        ])

    /// What is to be done.
    private enum Step {
        case new(String)
        case invite(String)
        case join(String?, name: String?)
        case leave(String)
        case list
        case rotate(String, days: Int64?, force: Bool)
    }

    private let step: Step
    private let drawsCode: Bool

    init(_ arguments: ParsedArguments) throws(Failure) {
        self.drawsCode = arguments.has("--qr")
        self.step = try Self.step(arguments)
        try Self.check(arguments)
    }

    private static func step(_ arguments: ParsedArguments) throws(Failure) -> Step {
        let word = arguments.required(0)
        switch word {
        case "list": return .list
        case "join": return .join(try Self.source(arguments), name: arguments.value("--as"))
        case "new", "invite", "leave", "rotate":
            guard let name = arguments.operand(1) else {
                throw .usage("NAME is missing", next: "usage: stoa realm \(word) NAME")
            }
            switch word {
            case "new": return .new(name)
            case "invite": return .invite(name)
            case "leave": return .leave(name)
            default:
                return .rotate(
                    name, days: try arguments.integer("--days", in: 0...3_650),
                    force: arguments.has("--force"))
            }
        default:
            let words = ["new", "invite", "join", "leave", "list", "rotate"]
            let shown = TerminalText.line(word)
            throw .usage(
                "\"\(shown)\" is not something to do with realms",
                next: NearestName.find(word, among: words).map { "did you mean \"\($0)\"?" }
                    ?? "use one of \(words.joined(separator: ", "))")
        }
    }

    /// Where the invitation is; nil to ask for it.
    private static func source(_ arguments: ParsedArguments) throws(Failure) -> String? {
        guard let source = arguments.operand(1) else { return nil }
        guard !source.hasPrefix("stoa:") else {
            throw .usage(
                "an invitation is not given as an argument: everyone on this machine can see it",
                next: "use \"stoa realm join\" and paste it, or \"stoa realm join - < FILE\"; "
                    + "if others use this machine, ask for the realm's secret to be replaced")
        }
        return source
    }

    /// Refuses options that the step does not take.
    private static func check(_ arguments: ParsedArguments) throws(Failure) {
        let word = arguments.required(0)
        for (option, steps) in [
            ("--as", ["join"]), ("--days", ["rotate"]), ("--force", ["rotate"]),
            ("--qr", ["invite", "rotate"]),
        ] where arguments.has(option) && !steps.contains(word) {
            throw .usage(
                "\"\(word)\" does not take \(option)",
                next: "it belongs to \(steps.joined(separator: " and "))")
        }
    }

    func run(in context: CommandContext) throws(Failure) {
        switch self.step {
        case .list: try Self.list(context)
        case .new(let name):
            try context.show(RealmNewMethod.self, .init { $0.name = name }) {
                let name = $0.name.shown
                return
                    "created realm \(name); invite with: stoa realm invite \(TerminalText.word(name))\n"
            }
        case .invite(let name):
            try self.invite(RealmInviteMethod.self, .init { $0.name = name }, context)
        case .rotate(let name, let days, let force):
            let params = RealmRotateMethod.Params {
                $0.name = name
                $0.days = days
                $0.force = force ? true : nil
            }
            try self.invite(RealmRotateMethod.self, params, context)
        case .join(let source, let name):
            let invite = try SecretInput.realmInvitation.read(source, context)
            let params = RealmJoinMethod.Params {
                $0.invite = invite
                $0.name = name
            }
            try context.show(RealmJoinMethod.self, params) {
                "you are in realm \($0.name.shown); its rooms are written "
                    + "\($0.name.shown)/ROOM\n"
            }
        case .leave(let name):
            try context.show(RealmLeaveMethod.self, .init { $0.name = name }) { left in
                let rooms = left.rooms.shown
                return "you have left realm \(left.name.shown)\n"
                    + (rooms.isEmpty
                        ? ""
                        : "you can still read their messages here, but they get no new ones: \(rooms)\n")
            }
        }
    }

    /// Prints an invitation, and draws it where that is wanted.
    private func invite<Method: ControlMethod>(
        _ method: Method.Type, _ params: Method.Params, _ context: CommandContext
    ) throws(Failure) where Method.Result == RealmInviteMethod.Result {
        try context.show(method, params) { (answer) throws(Failure) in
            let line = answer.invite.shown
            return self.drawsCode ? try QRCode(line).text + line + "\n" : line + "\n"
        }
        guard !context.json, context.console.outputIsTerminal else { return }
        context.console.report(
            "anyone who has this line is in the realm: hand it over in private\n")
    }

    private static func list(_ context: CommandContext) throws(Failure) {
        try context.showList(
            RealmsMethod.self, empty: "you are in no realm; create one with: stoa realm new NAME",
            heading: ["REALM", "IN IT", "ROOMS", "FROM", "OLD SECRET"]
        ) { realm in
            [
                realm.name.shown + (realm.isDefault ? " (default)" : ""),
                realm.joined ? "yes" : "left", "\(realm.rooms)",
                realm.installed == nil ? "you" : "administrator",
                realm.oldSecretUntil.map { "until \(LocalTime.text($0))" } ?? "-",
            ]
        }
    }
}
