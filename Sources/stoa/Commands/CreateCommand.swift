import ControlAPI

/// The command `stoa create`.
struct CreateCommand: Subcommand {
    static let syntax = CommandSyntax(
        "create", "Create a secret room and show its phrase and an invitation.",
        examples: ["stoa create plans --secret"],
        operands: ["ROOM"],
        options: [
            OptionSyntax(
                "--secret", nil, "create a room that only people with its phrase can find"),
            OptionSyntax(
                "--phrase-file", "FILE|-",
                "read a phrase of your own from a file, instead of six new words"),
            OptionSyntax(
                "--suite", "NAME", "the cipher: xchacha20-poly1305 (default) or aes-256-gcm"),
        ],
        details: [
            "An open room does not have to be created: stoa join ROOM.",
            "The phrase is shown once and not stored; \"stoa invite\" shows the invitation again.",
            "Anyone who has the phrase or the invitation, and is in the realm, can read everything in the room and write in it. Nobody can be removed; create another room instead.",
            "On a terminal the invitation is also drawn as a QR code, if libqrencode is installed (Debian: libqrencode4).",
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
                "only secret rooms are created",
                next: self.room.hasPrefix("+")
                    ? "create a group: stoa group create \(TerminalText.line(String(self.room.dropFirst())))"
                    : "add --secret, or join an open room: stoa join "
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
            let name = created.conversation.name.shown
            let shared = created.conversation.sharedName
            var text =
                "created \(name); only people with this phrase or invitation can find it\n\(shared)\n"
            if let phrase = created.phrase {
                text += "  the phrase      \(phrase.shown)\n"
                text += "                  stoa join \(TerminalText.word(self.room)) --secret\n"
            }
            text +=
                "  the invitation  \(created.invite.shown)\n"
                + "                  to join, others run stoa join and paste that line\n\n"
            return text
        }
        do throws(Failure) { try context.console.flushSecret() } catch {
            return context.console.report(
                "stoa: create: warning: the room was created, but its phrase could not be shown, since "
                    + "\(error.why); to see its invitation: stoa invite "
                    + TerminalText.word(self.room) + "\n")
        }
        try made.value.drawInvitation(in: context)
        guard !context.json, phrase == nil else { return }
        context.console.report("the phrase is not stored: write it down, or use stoa invite\n")
    }
}

extension CreateConversationMethod.Result {
    /// Draws the invitation as a QR code on a terminal; where that cannot be, says what is missing.
    func drawInvitation(in context: CommandContext) throws(Failure) {
        guard !context.json, context.console.outputIsTerminal else { return }
        let code: QRCode
        do throws(Failure) {
            code = try QRCode(self.invite.shown)
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
                "\"\(TerminalText.line(name))\" is not a suite",
                next: "use \(SuiteWord.allCases.map(\.rawValue).joined(separator: " or "))")
        }
        return suite
    }
}
