import ControlAPI

/// One subcommand: made from its arguments, then run once.
protocol Subcommand: Sendable {
    static var syntax: CommandSyntax { get }
    /// Whether it may wait for others, or follow them: a signal then ends it with a word about what was done.
    static var mayTakeLong: Bool { get }
    /// Checks the arguments, whose number and options fit the syntax already.
    init(_ arguments: ParsedArguments) throws(Failure)
    /// Does it.
    func run(in context: CommandContext) throws(Failure)
}

extension Subcommand {
    /// Most only ask the daemon.
    static var mayTakeLong: Bool { false }
}

/// The one table of commands: parser, help and man page are made from it.
enum CommandTable {
    /// The commands of methods, in the order of the methods, and those that need several methods.
    static let all: [any Subcommand.Type] = [
        StatusCommand.self,
        PeersCommand.self,
        UsageCommand.self,
        SitesCommand.self,
        RoomsCommand.self,
        ConversationsCommand.self,
        MembersCommand.self,
        JoinCommand.self,
        LeaveCommand.self,
        MuteCommand.self,
        UnmuteCommand.self,
        ArchiveCommand.self,
        UnarchiveCommand.self,
        RetainCommand.self,
        ForgetCommand.self,
        TopicCommand.self,
        CreateCommand.self,
        InviteCommand.self,
        RequestsCommand.self,
        AcceptCommand.self,
        DeclineCommand.self,
        GroupCommand.self,
        SendCommand.self,
        EditCommand.self,
        DeleteCommand.self,
        ReactCommand.self,
        InfoCommand.self,
        FetchCommand.self,
        TransfersCommand.self,
        HistoryCommand.self,
        SearchCommand.self,
        TailCommand.self,
        ConsumersCommand.self,
        StreamCommand.self,
        ConnectCommand.self,
        ProfileCommand.self,
        PictureCommand.self,
        PresenceCommand.self,
        WhoisCommand.self,
        PeopleCommand.self,
        VerifyCommand.self,
        BlockCommand.self,
        UnblockCommand.self,
        SettingsCommand.self,
        LockCommand.self,
        UnlockCommand.self,
        RealmCommand.self,
        BackupCommand.self,
        RestoreCommand.self,
        DeviceCommand.self,
        ChatCommand.self,
        WebCommand.self,
        CallCommand.self,
        ExportCommand.self,
        OnCommand.self,
        RunCommand.self,
        AskCommand.self,
        NotifyCommand.self,
        DoctorCommand.self,
    ]

    /// Options of the program without a command.
    static let version = OptionSyntax("--version", nil, "show the version")

    /// What stands for all commands and is none of them.
    static let help = CommandSyntax(
        "help", "Show help for stoa or for a command.", operands: ["[COMMAND]"])

    /// The commands that most people need first, in the order of the help.
    static let first = [
        "chat", "send", "history", "search", "join", "rooms", "conversations", "people", "peers",
        "fetch", "tail", "doctor",
    ]

    static func command(named name: String) -> (any Subcommand.Type)? {
        self.all.first { $0.syntax.name == name }
    }

    /// The help of the whole program: what most people need first, then every command by what it is for.
    static var helpText: String {
        let first = TextTable.text(
            Self.first.compactMap { Self.command(named: $0)?.syntax }
                .map { ["  " + $0.name, $0.summary] },
            columns: CommandSyntax.columns)
        return """
            usage: stoa [OPTION...] [COMMAND [ARGUMENT...]]

            Chat on the local network, without a server, through the daemon stoad.

              stoa join ops                   join a room, or create it
              stoa send ops "lunch at 12?"    say something there

            the commands you need first (stoa alone shows who is here and what to try):
            \(first)
            all commands; stoa help COMMAND shows examples and options of one:
            \(Self.groupLines)
            options of every command:
            \(CommandSyntax.list(OptionSyntax.global + [Self.version]))
            TO is a room (a bare word), a group (+NAME), a person (@ and a name or key), or
            @me: your notes.
            Exit codes: 0 done, 64 usage, 65 bad data, 67 locked, 69 no daemon, 70 internal,
            74 disk, 75 not in time, 77 refused; see stoa(1).

            """
    }

    /// Each group on its lines, the names behind its title.
    private static var groupLines: String {
        let width = (CommandGroup.all.map(\.title.count).max() ?? 0) + 4
        return CommandGroup.all.map { group in
            let lines = CommandSyntax.wrap(
                group.names.joined(separator: " "), columns: CommandSyntax.columns - width
            ).split(separator: "\n")
            let title =
                "  " + group.title + String(repeating: " ", count: width - 2 - group.title.count)
            let indent = "\n" + String(repeating: " ", count: width)
            return title + lines.joined(separator: indent) + "\n"
        }.joined()
    }
}
