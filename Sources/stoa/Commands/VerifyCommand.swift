import ControlAPI

/// The command `stoa verify`.
struct VerifyCommand: Subcommand {
    static let syntax = CommandSyntax(
        VerifyMethod.description, operands: ["@PERSON", "[CODE]"], lastRepeats: true,
        options: [OptionSyntax("--qr", nil, "draw the digits as a QR code")],
        details: [
            "It shows a code that is the same for the two of you and another one with anybody else: thirty digits, or eight words. Compare it where you hear or see each other; the other one calls stoa verify with your name.",
            "On a terminal it asks whether the other one sees the same; else give as CODE what they read, digits or words. Where it is the same they are verified, and ✓ stands behind their name.",
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
            let digits = answer.shown("digits")
            return (self.drawsCode ? try QRCode(digits).text : "")
                + "\n  \(digits)\n  \(answer.shown("words"))\n\n"
        }
        guard !context.json, context.console.inputIsTerminal else { return }
        let name = shown["person"]?.quotedPerson() ?? ""
        context.console.report("does \(name) see the same? Write yes if so: ")
        var bytes: [UInt8] = []
        while !bytes.contains(0x0A), bytes.count < ControlLimits.wordBytes,
            let chunk = try context.console.readChunk()
        {
            bytes += chunk
        }
        let answer = String(decoding: bytes, as: UTF8.self).lowercased()
        guard answer.split(whereSeparator: \.isWhitespace) == ["yes"] else {
            return context.console.report(
                "not verified; if the codes differ, one of you has the keys of somebody else\n")
        }
        try self.compare(shown["digits"]?.stringValue ?? "", context)
    }

    private func compare(_ code: String, _ context: CommandContext) throws(Failure) {
        let params = VerifyMethod.Params {
            $0.person = self.person
            $0.code = code
        }
        try context.show(VerifyMethod.self, params) {
            "\($0["person"]?.quotedPerson() ?? "") is verified\n"
        }
    }
}

extension VerifyMethod: CommandMethod {
    static var command: any Subcommand.Type { VerifyCommand.self }
}
