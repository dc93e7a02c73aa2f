import ControlAPI

/// The command `stoa verify`.
struct VerifyCommand: Subcommand {
    static let syntax = CommandSyntax(
        VerifyMethod.description, examples: ["stoa verify @ada", "stoa verify @ada --qr"],
        operands: ["@PERSON", "[CODE]"], lastRepeats: true,
        options: [OptionSyntax("--qr", nil, "draw the digits as a QR code")],
        details: [
            "Shows a code that is the same for the two of you and different with anyone else: thirty digits, or eight words. Compare it in person or by voice while the other person runs stoa verify with your name.",
            "On a terminal it asks whether they see the same code; otherwise give what they read, digits or words, as CODE. If it matches they are verified, and ✓ follows their name.",
            "--qr needs libqrencode (Debian: libqrencode4).",
        ])

    private let person: String
    private let code: String?
    private let drawsCode: Bool

    init(_ arguments: ParsedArguments) {
        self.person = arguments.required(0)
        let words = arguments.operands.dropFirst()
        self.code = words.isEmpty ? nil : words.joined(separator: " ")
        self.drawsCode = arguments.has("--qr")
    }

    func run(in context: CommandContext) throws(Failure) {
        if let code = self.code { return try self.compare(code, context) }
        let params = VerifyMethod.Params { $0.person = self.person }
        let shown = try context.show(VerifyMethod.self, params) { (answer) throws(Failure) in
            let digits = answer.digits.shown
            return (self.drawsCode ? try QRCode(digits).text : "")
                + "\n  \(digits)\n  \(answer.words.shown)\n\n"
        }
        guard !context.json, context.console.inputIsTerminal else { return }
        let name = shown.person.shown.quoted
        context.console.report("does \(name) see the same code? Type yes if so: ")
        guard try context.console.readYes() else {
            return context.console.report(
                "not verified; if the codes differ, one of you has the wrong keys\n")
        }
        try self.compare(shown.digits, context)
    }

    private func compare(_ code: String, _ context: CommandContext) throws(Failure) {
        let params = VerifyMethod.Params {
            $0.person = self.person
            $0.code = code
        }
        try context.show(VerifyMethod.self, params) {
            "\($0.person.shown.quoted) is verified\n"
        }
    }
}
