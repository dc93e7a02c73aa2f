import ControlAPI

/// The command `stoa create`.
struct CreateCommand: Subcommand {
    static let syntax = CommandSyntax(
        "create", "Make a secret room, and show its phrase and an invitation to it.",
        operands: ["ROOM"],
        options: [
            OptionSyntax("--secret", nil, "a room that only those find who have its phrase"),
            OptionSyntax(
                "--phrase-file", "FILE|-", "a phrase of your own, in the place of six words"),
            OptionSyntax("--suite", "NAME", "xchacha20-poly1305 (usual) or aes-256-gcm"),
        ],
        details: [
            "An open room needs no making: stoa join ROOM.",
            "The phrase is shown once and kept nowhere; \"stoa invite\" gives the invitation again.",
            "Whoever has the phrase or the invitation, and is in the realm, can read and write in the room, also what was written before. Nobody can be removed; make another room instead.",
            "On a terminal the invitation is drawn as a QR code, too, by libqrencode (Debian: libqrencode4).",
        ])

    private let room: String
    private let phrase: String?
    private let suite: SuiteWord?

    init(_ arguments: ParsedArguments) throws(Failure) {
        self.room = arguments.required(0)
        self.phrase = arguments.value("--phrase-file")
        self.suite = try arguments.suite()
        guard arguments.has("--secret") else {
            throw .usage(
                "only secret rooms are made",
                next: "add --secret, or enter an open room: stoa join "
                    + TerminalText.line(self.room))
        }
    }

    func run(in context: CommandContext) throws(Failure) {
        var phrase: String?
        if let file = self.phrase { phrase = try SecretInput.phrase.read(file, context) }
        let params = CreateConversationMethod.Params {
            $0.room = self.room
            $0.phrase = phrase
            $0.suite = self.suite
        }
        let made = try context.show(CreateConversationMethod.self, params) { created in
            let name = created["conversation"]?.shown("name") ?? ""
            let shared = created["conversation"]?.sharedName ?? ""
            var text = "made \(name); nobody can find or read it but who has\n\(shared)\n"
            if created["phrase"]?.stringValue != nil {
                text += "  the phrase      \(created.shown("phrase"))\n"
                text += "                  stoa join \(TerminalText.word(self.room)) --secret\n"
            }
            text +=
                "  the invitation  \(created.shown("invite"))\n"
                + "                  to join, they type stoa join and paste that line\n\n"
            return text
        }
        do throws(Failure) { try context.console.flushSecret() } catch {
            return context.console.report(
                "stoa: create: warning: the room is made, but its phrase is not shown, since "
                    + "\(error.why); to see its invitation: stoa invite "
                    + TerminalText.word(self.room) + "\n")
        }
        try made.drawInvitation(in: context)
        guard !context.json, phrase == nil else { return }
        context.console.report("the phrase is kept nowhere: note it down, or use stoa invite\n")
    }
}

extension CreateConversationMethod: CommandMethod {
    static var command: any Subcommand.Type { CreateCommand.self }
}

extension JSON {
    /// Draws the member `invite` as a QR code on a terminal; where that cannot be, says what is missing.
    func drawInvitation(in context: CommandContext) throws(Failure) {
        guard !context.json, context.console.outputIsTerminal else { return }
        let code: QRCode
        do throws(Failure) {
            code = try QRCode(self.shown("invite"))
        } catch {
            return context.console.report("no QR code: \(error.why)\n")
        }
        try context.console.print(code.text)
    }
}

extension ParsedArguments {
    /// The suite of the option `--suite`; nil where it is not given.
    func suite() throws(Failure) -> SuiteWord? {
        guard let name = self.value("--suite") else { return nil }
        guard let suite = SuiteWord(rawValue: name.lowercased()) else {
            throw .usage(
                "\"\(TerminalText.line(name))\" is no suite",
                next: "use \(SuiteWord.allCases.map(\.rawValue).joined(separator: " or "))")
        }
        return suite
    }
}
