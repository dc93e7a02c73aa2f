import ControlAPI

/// The command `stoa leave`.
struct LeaveCommand: Subcommand {
    static let syntax = CommandSyntax(
        LeaveMethod.description, examples: ["stoa leave ops", "stoa leave +ops"],
        operands: ["ROOM|GROUP"],
        options: [OptionSyntax("--yes", nil, "leave a group without asking")],
        details: [
            "Only an invitation brings you back into a group, so it asks on a terminal; elsewhere it exits 64 unless --yes is given."
        ])

    private let params: LeaveMethod.Params
    private let isSure: Bool

    init(_ arguments: ParsedArguments) {
        self.params = LeaveMethod.Params { $0.room = arguments.required(0) }
        self.isSure = arguments.has("--yes")
    }

    func run(in context: CommandContext) throws(Failure) {
        if !self.isSure, self.isOfGroup(in: context) {
            let what =
                "you would leave \(TerminalText.line(self.params.room)), and come back only if an admin "
                + "invites you; nothing that was read is recalled"
            guard try context.console.agrees(to: what, next: "add --yes to leave", rest: nil)
            else { return context.console.report("stoa: leave: nothing was changed\n") }
        }
        try context.show(LeaveMethod.self, self.params) {
            "you have left \($0.name.shownConversation)\n"
        }
    }

    /// Whether the name means a group, which may be written by its id or without the `+`, too.
    private func isOfGroup(in context: CommandContext) -> Bool {
        let params = GroupInfoMethod.Params { $0.group = self.params.room }
        return (try? context.call(GroupInfoMethod.self, params))?.value.name.hasPrefix("+") == true
    }
}
