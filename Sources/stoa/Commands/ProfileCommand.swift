import ControlAPI

/// The command `stoa profile`.
struct ProfileCommand: Command {
    static let syntax = CommandSyntax(
        "profile", "Shows or changes your name and status.",
        options: [
            OptionSyntax("--name", "NAME", "the name that others see"),
            OptionSyntax("--status", "TEXT", "what you are up to; empty for nothing"),
        ])

    private let params: ProfileMethod.Params

    init(_ arguments: ParsedArguments) throws(Failure) {
        self.params = ProfileMethod.Params {
            $0.name = arguments.value("--name")
            $0.status = arguments.value("--status")
        }
        if self.params.name?.isEmpty == true {
            throw .usage("--name is empty", next: "give a name")
        }
    }

    func run(in session: Session) throws(Failure) {
        try session.show("profile", self.params.params) {
            Table.text([
                ["name", $0.shown("name")], ["status", $0.shown("status")],
                ["key", $0.shown("id")],
            ])
        }
    }
}
