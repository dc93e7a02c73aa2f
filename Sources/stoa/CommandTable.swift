import ControlAPI

/// One subcommand: made from its arguments, then run once.
protocol Subcommand: Sendable {
    static var syntax: CommandSyntax { get }
    /// Checks the arguments, whose number and options fit the syntax already.
    init(_ arguments: ParsedArguments) throws(Failure)
    /// Does it.
    func run(in context: CommandContext) throws(Failure)
}

/// A method of the control API that has a command.
protocol CommandMethod: ControlMethod {
    static var command: any Subcommand.Type { get }
}

/// The one table of commands: parser, help and man page are made from it.
enum CommandTable {
    /// The commands of all methods that have one, in the order of the methods, and those that need
    /// several methods.
    static let all: [any Subcommand.Type] =
        ControlMethods.all.compactMap { ($0 as? any CommandMethod.Type)?.command }
        + [
            ChatCommand.self, ExportCommand.self, OnCommand.self, RunCommand.self, AskCommand.self,
            NotifyCommand.self, DoctorCommand.self,
        ]

    /// Options of the program without a command.
    static let version = OptionSyntax("--version", nil, "show the version")

    /// What stands for all commands and is none of them.
    static let help = CommandSyntax(
        "help", "Show the help of stoa or of a command.", operands: ["[COMMAND]"])

    static func command(named name: String) -> (any Subcommand.Type)? {
        self.all.first { $0.syntax.name == name }
    }

    /// The help of the whole program.
    static var helpText: String {
        let commands = TextTable.text(
            (Self.all.map { $0.syntax } + [Self.help]).map { ["  " + $0.name, $0.summary] },
            columns: CommandSyntax.columns)
        return """
            usage: stoa [--socket PATH] [--timeout S] [--json] [COMMAND [ARGUMENTS]]

            Chat on the local network without a server, through the daemon stoad.
            Without COMMAND: show who you are, who is here and what to try.

            commands:
            \(commands)
            options of every command:
            \(CommandSyntax.list(OptionSyntax.global + [Self.version]))
            TO is a room (a bare word), @ and a person's name or 8 or more characters of a
            key, or @me for notes to yourself.
            The socket is --socket, $STOA_SOCKET or $XDG_RUNTIME_DIR/stoa/control.sock.
            Exit codes: 0 done, 64 usage, 65 bad data, 69 no daemon, 70 internal, 74 disk,
            75 not in time, 77 refused; see stoa(1).

            """
    }
}
