import ControlAPI
import Posix

/// The command `stoa realm`.
struct RealmCommand: Subcommand {
    static let syntax = CommandSyntax(
        "realm", "Make, join, leave and list realms: rooms that only those in the realm see.",
        operands: ["new|invite|join|leave|list|rotate", "[NAME|FILE|-]"],
        options: [
            OptionSyntax("--as", "NAME", "what to call a realm that you join"),
            OptionSyntax("--days", "N", "how long the old secret counts after rotate (30)"),
            OptionSyntax("--force", nil, "rotate while an old secret counts, which ends then"),
            OptionSyntax("--qr", nil, "draw the invitation as a QR code"),
        ],
        details: [
            "\"new NAME\" makes a realm.",
            "\"invite NAME\" prints a line: whoever has it is in the realm, so hand it over in private.",
            "\"join\" reads that line from FILE, from standard input with -, or asks for it without showing it; never as an argument, which everybody on this machine could see.",
            "\"rotate NAME\" gives the realm a new secret and prints the new invitation: who does not join by it in time is out, and the rooms stay. One old secret counts at a time: while it does, only --force or --days 0 makes another new one.",
            "\"leave NAME\" forgets the secret; the messages stay here and can be read.",
            "A room of another realm than the default one is written REALM/ROOM.",
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
                "\"\(shown)\" is not what can be done with realms",
                next: NearestName.find(word, among: words).map { "did you mean \"\($0)\"?" }
                    ?? "use one of \(words.joined(separator: ", "))")
        }
    }

    /// Where the invitation is; nil to ask for it.
    private static func source(_ arguments: ParsedArguments) throws(Failure) -> String? {
        guard let source = arguments.operand(1) else { return nil }
        guard !source.hasPrefix("stoa:") else {
            throw .usage(
                "an invitation is not given as an argument: everybody on this machine can see it",
                next: "use \"stoa realm join\" and paste it, or \"stoa realm join - < FILE\"; "
                    + "where others use this machine, have the realm rotated")
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
                "\(option) does not go with \"\(word)\"",
                next: "it goes with \(steps.joined(separator: " and "))")
        }
    }

    func run(in context: CommandContext) throws(Failure) {
        switch self.step {
        case .list: try Self.list(context)
        case .new(let name):
            try context.show(RealmNewMethod.self, .init { $0.name = name }) {
                let name = $0.shown("name")
                return
                    "made realm \(name); invite with: stoa realm invite \(TerminalText.word(name))\n"
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
                "you are in realm \($0.shown("name")); its rooms are written "
                    + "\($0.shown("name"))/ROOM\n"
            }
        case .leave(let name):
            try context.show(RealmLeaveMethod.self, .init { $0.name = name }) { left in
                let rooms = left.joined("rooms")
                return "you have left realm \(left.shown("name"))\n"
                    + (rooms.isEmpty
                        ? "" : "their messages can still be read here, but not reached: \(rooms)\n")
            }
        }
    }

    /// Prints an invitation, and draws it where that is wanted.
    private func invite<Method: ControlMethod>(
        _ method: Method.Type, _ params: Method.Params, _ context: CommandContext
    ) throws(Failure) {
        try context.show(method, params) { (answer) throws(Failure) in
            let line = answer.shown("invite")
            return self.drawsCode ? try QRCode(line).text + line + "\n" : line + "\n"
        }
        guard !context.json, context.console.outputIsTerminal else { return }
        context.console.report("whoever has this line is in the realm: hand it over in private\n")
    }

    private static func list(_ context: CommandContext) throws(Failure) {
        try context.showList(
            RealmsMethod.self, empty: "you are in no realm; make one with: stoa realm new NAME",
            heading: ["REALM", "IN IT", "ROOMS", "FROM", "OLD SECRET"]
        ) { realm in
            let isDefault = realm["default"] == .bool(true)
            let isJoined = realm["joined"] == .bool(true)
            let until = realm.shown("oldSecretUntil")
            return [
                realm.shown("name") + (isDefault ? " (default)" : ""), isJoined ? "yes" : "left",
                "\(realm.count("rooms"))",
                realm["installed"]?.stringValue == nil ? "you" : "administrator",
                until.isEmpty ? "-" : "until \(until)",
            ]
        }
    }
}

extension RealmsMethod: CommandMethod {
    static var command: any Subcommand.Type { RealmCommand.self }
}
