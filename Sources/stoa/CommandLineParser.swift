import ControlAPI

/// What a command line asks for.
enum Invocation {
    /// Print this text and end well.
    case print(String)
    /// Run a command.
    case run(any Command, GlobalOptions)
}

/// Options that every command takes.
struct GlobalOptions: Equatable {
    var socket: String?
    var json = false
}

/// One subcommand: made from its arguments, then run once.
protocol Command: Sendable {
    /// What it takes.
    static var syntax: CommandSyntax { get }
    /// Checks the arguments, whose number and options fit the syntax already.
    init(_ arguments: ParsedArguments) throws(Failure)
    /// Does it.
    func run(in session: Session) throws(Failure)
}

/// Turns the words of a command line into a command.
enum CommandLineParser {
    /// All commands, in the order of the help.
    static let commands: [any Command.Type] = [
        StatusCommand.self, PeersCommand.self, RoomsCommand.self, ConversationsCommand.self,
        JoinCommand.self, LeaveCommand.self, SendCommand.self, HistoryCommand.self,
        TailCommand.self, ChatCommand.self, ConnectCommand.self, ProfileCommand.self,
        WhoisCommand.self,
    ]

    /// Reads the words after the program's name.
    ///
    /// Options may stand before and after operands, values after a space or `=`; `--` ends the
    /// options.
    static func parse(_ words: [String]) throws(Failure) -> Invocation {
        var splitter = WordSplitter(words: words)
        try splitter.split(allowed: OptionSyntax.global + [Self.version], untilOperand: true)
        if splitter.options["--version"] != nil { return .print("stoa \(StoaVersion.text)\n") }
        guard let name = splitter.operands.first else {
            if splitter.options["--help"] != nil { return .print(Self.help) }
            throw .usage("no command is given", next: "see: stoa --help")
        }
        if name == "help" { return try Self.helpCommand(splitter) }
        guard let type = Self.commands.first(where: { $0.syntax.name == name }) else {
            throw Self.unknown(command: name)
        }
        splitter.operands = []
        try splitter.split(
            allowed: type.syntax.options + OptionSyntax.global, untilOperand: false)
        if splitter.options["--help"] != nil { return .print(type.syntax.help) }
        try Self.checkOperands(splitter.operands, type.syntax)
        let arguments = ParsedArguments(operands: splitter.operands, options: splitter.options)
        let global = GlobalOptions(
            socket: splitter.options["--socket"], json: splitter.options["--json"] != nil)
        do {
            return .run(try type.init(arguments), global)
        } catch {
            var failure = error
            failure.what = name
            throw failure
        }
    }

    /// The help of the whole program.
    static var help: String {
        let help = ["  help", "Shows the help of a command: stoa help COMMAND."]
        let table = Table.text(
            Self.commands.map { ["  " + $0.syntax.name, $0.syntax.summary] } + [help])
        return """
            usage: stoa [--socket PATH] [--json] COMMAND [ARGUMENTS]

            Chat on the local network, without a server, through the daemon stoad.

            commands:
            \(table)
            options of every command:
            \(CommandSyntax.list(OptionSyntax.global + [Self.version]))
            TO is a room (a bare word), @name, or @ and 8 or more characters of a key.
            The socket is --socket, $STOA_SOCKET or $XDG_RUNTIME_DIR/stoa/control.sock.
            Exit codes: 0 done, 64 usage, 65 bad data, 69 no daemon, 70 internal, 74 disk,
            75 not in time, 77 refused.

            """
    }

    private static let version = OptionSyntax("--version", nil, "show the version")

    private static func helpCommand(_ splitter: WordSplitter) throws(Failure) -> Invocation {
        guard let name = splitter.words.dropFirst(splitter.next).first else {
            return .print(Self.help)
        }
        guard let type = Self.commands.first(where: { $0.syntax.name == name }) else {
            throw Self.unknown(command: name)
        }
        return .print(type.syntax.help)
    }

    private static func unknown(command name: String) -> Failure {
        let shown = TerminalText.line(name)
        let names = Self.commands.map { $0.syntax.name } + ["help"]
        if let nearest = NearestName.find(name, among: names) {
            return .usage(
                "there is no command \"\(shown)\"", next: "did you mean \"stoa \(nearest)\"?")
        }
        return .usage("there is no command \"\(shown)\"", next: "see: stoa --help")
    }

    private static func checkOperands(
        _ operands: [String], _ syntax: CommandSyntax
    ) throws(Failure) {
        let required = syntax.operands.prefix { !$0.hasPrefix("[") }
        if operands.count < required.count {
            throw Failure(
                .usage, what: syntax.name, why: "\(required[operands.count]) is missing",
                next: "usage: \(syntax.usage)")
        }
        if operands.count > syntax.operands.count, !syntax.lastRepeats {
            let extra = TerminalText.line(operands[syntax.operands.count])
            throw Failure(
                .usage, what: syntax.name, why: "\"\(extra)\" is one word too many",
                next: "usage: \(syntax.usage)")
        }
    }
}

/// Sorts words into options and operands.
private struct WordSplitter {
    let words: [String]
    var next = 0
    var operands: [String] = []
    var options: [String: String] = [:]

    init(words: [String]) { self.words = words }

    /// Reads on; with `untilOperand` it stops behind the first operand.
    mutating func split(
        allowed: [OptionSyntax], untilOperand: Bool
    ) throws(Failure) {
        while self.next < self.words.count {
            let word = self.words[self.next]
            self.next += 1
            if word == "--" {
                self.operands += self.words[self.next...]
                self.next = self.words.count
            } else if word == "-" || !word.hasPrefix("-") {
                self.operands.append(word)
                if untilOperand { return }
            } else {
                try self.option(word, allowed)
            }
        }
    }

    private mutating func option(
        _ word: String, _ allowed: [OptionSyntax]
    ) throws(Failure) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = word == "-h" ? "--help" : String(parts[0])
        guard let syntax = allowed.first(where: { $0.name == name }) else {
            let shown = TerminalText.line(name)
            if let nearest = NearestName.find(name, among: allowed.map(\.name)) {
                throw .usage(
                    "there is no option \"\(shown)\"", next: "did you mean \"\(nearest)\"?")
            }
            throw .usage(
                "there is no option \"\(shown)\"",
                next: "see --help; put -- before text that begins with a dash")
        }
        guard let valueName = syntax.value else {
            guard parts.count == 1 else {
                throw .usage("\(name) takes no value", next: "give it alone")
            }
            self.options[name] = ""
            return
        }
        if parts.count == 2 {
            self.options[name] = String(parts[1])
        } else if self.next < self.words.count {
            self.options[name] = self.words[self.next]
            self.next += 1
        } else {
            throw .usage("\(name) needs a value", next: "give \(name) \(valueName)")
        }
    }
}
