import ControlAPI

/// The command `stoa whois`.
struct WhoisCommand: Command {
    static let syntax = CommandSyntax(
        "whois", "Shows who someone is.", operands: ["@PERSON"],
        details: "PERSON is a name, or 8 or more characters of a key.")

    private let params: WhoisMethod.Params

    init(_ arguments: ParsedArguments) {
        self.params = WhoisMethod.Params { $0.person = arguments.required(0) }
    }

    func run(in session: Session) throws(Failure) {
        try session.show("whois", self.params.params) {
            let addresses = ($0["addresses"]?.arrayValue ?? [])
                .compactMap { $0.stringValue.map(TerminalText.line) }
            return Table.text([
                ["name", $0.shown("name")], ["status", $0.shown("status")],
                ["key", $0.shown("id")], ["state", $0.shown("state")],
                ["verified", $0["verified"] == .bool(true) ? "yes" : "no"],
                ["addresses", addresses.joined(separator: ", ")],
            ])
        }
    }
}
