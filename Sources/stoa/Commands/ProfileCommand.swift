import ControlAPI

/// The command `stoa profile`.
struct ProfileCommand: Subcommand {
    static let syntax = CommandSyntax(
        ProfileMethod.description,
        options: [
            OptionSyntax("--name", "NAME", "the name that others see"),
            OptionSyntax("--status", "TEXT", "what you are doing; empty for none"),
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

    func run(in context: CommandContext) throws(Failure) {
        try context.show(ProfileMethod.self, self.params) {
            TextTable.text([
                ["name", $0.shown("name")], ["status", $0.shown("status")],
                ["key", $0.shown("id")],
            ])
        }
    }
}

extension ProfileMethod: CommandMethod {
    static var command: any Subcommand.Type { ProfileCommand.self }
}
