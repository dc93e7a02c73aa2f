import ControlAPI

/// What a command line asks for.
enum Invocation {
    /// Print this text and end well.
    case print(String)
    case run(any Subcommand, GlobalOptions)
}

/// Options that every command takes.
struct GlobalOptions: Equatable {
    var socket: String?
    /// How long an answer may take; nil for as long as it takes.
    var timeoutMilliseconds: Int?
    var json = false
}

/// Turns the words of a command line into a command.
enum CommandLineParser {
    /// Reads the words after the program's name.
    ///
    /// Options may stand before and after operands, values after a space or `=`; `--` ends the
    /// options.
    static func parse(_ words: [String]) throws(Failure) -> Invocation {
        var splitter = WordSplitter(words: words)
        try splitter.split(
            allowed: OptionSyntax.global + [CommandTable.version], untilOperand: true)
        if splitter.options["--version"] != nil { return .print("stoa \(StoaVersion.text)\n") }
        guard let name = splitter.operands.first else {
            if splitter.options["--help"] != nil { return .print(CommandTable.helpText) }
            return .run(OverviewCommand(), try Self.global(splitter))
        }
        if name == "help" { return try Self.helpCommand(splitter) }
        if name == CompleteCommand.syntax.name {
            // The words of another command line, as they are.
            var rest = splitter.words.dropFirst(splitter.next)
            if rest.first == "--" { rest.removeFirst() }
            return .run(CompleteCommand(words: Array(rest)), try Self.global(splitter))
        }
        guard let type = CommandTable.command(named: name) else {
            throw Self.unknown(command: name)
        }
        splitter.operands = []
        splitter.help = "stoa \(name) --help"
        let options = type.syntax.options + OptionSyntax.global
        try splitter.split(allowed: options, untilOperand: false)
        if splitter.options["--help"] != nil { return .print(type.syntax.help) }
        try Self.checkOperands(splitter.operands, type.syntax)
        let arguments = ParsedArguments(
            operands: splitter.operands, options: splitter.options, of: options)
        do {
            return .run(try type.init(arguments), try Self.global(splitter))
        } catch {
            var failure = error
            failure.what = name
            throw failure
        }
    }

    private static func global(_ splitter: WordSplitter) throws(Failure) -> GlobalOptions {
        let arguments = ParsedArguments(
            operands: [], options: splitter.options, of: OptionSyntax.global)
        return GlobalOptions(
            socket: arguments.value("--socket"),
            timeoutMilliseconds: try arguments.milliseconds("--timeout").map { Int($0) },
            json: splitter.options["--json"] != nil)
    }

    private static func helpCommand(_ splitter: WordSplitter) throws(Failure) -> Invocation {
        guard let name = splitter.words.dropFirst(splitter.next).first else {
            return .print(CommandTable.helpText)
        }
        guard let type = CommandTable.command(named: name) else {
            throw Self.unknown(command: name)
        }
        return .print(type.syntax.help)
    }

    private static func unknown(command name: String) -> Failure {
        let shown = TerminalText.line(name)
        let names = CommandTable.all.map { $0.syntax.name } + ["help"]
        if let nearest = NearestName.find(name, among: names) {
            return .usage(
                "there is no command \"\(shown)\"", next: "did you mean \"stoa \(nearest)\"?")
        }
        return .usage("there is no command \"\(shown)\"", next: "see: stoa --help")
    }

    private static func checkOperands(
        _ operands: [String], _ syntax: CommandSyntax
    ) throws(Failure) {
        let required = syntax.operands.prefix { !CommandSyntax.isOptional($0) }
        if operands.count < required.count {
            throw Failure(
                .usage, what: syntax.name, why: "\(required[operands.count]) is missing",
                next: "usage: \(syntax.usage)")
        }
        if let empty = zip(required, operands).first(where: { $0.1.isEmpty }) {
            throw Failure(
                .usage, what: syntax.name, why: "\(empty.0) is empty",
                next: "usage: \(syntax.usage)")
        }
        if operands.count > syntax.operands.count, !syntax.lastRepeats {
            let extra = TerminalText.line(operands[syntax.operands.count])
            throw Failure(
                .usage, what: syntax.name, why: "\"\(extra)\" is one argument too many",
                next: "usage: \(syntax.usage)")
        }
    }
}

/// Sorts words into options and operands.
private struct WordSplitter {
    let words: [String]
    var next = 0
    var operands: [String] = []
    var options: [String: [String]] = [:]
    /// What shows the options that there are.
    var help = "stoa --help"

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
                next: "see: \(self.help); put -- before text that starts with a dash")
        }
        guard let valueName = syntax.value else {
            guard parts.count == 1 else {
                throw .usage("\(name) takes no value", next: "leave the value out")
            }
            self.options[name] = [""]
            return
        }
        guard syntax.repeats || self.options[name] == nil else {
            throw .usage("\(name) is given twice", next: "give it once")
        }
        if parts.count == 2 {
            self.options[name, default: []].append(String(parts[1]))
        } else if self.next < self.words.count {
            self.options[name, default: []].append(self.words[self.next])
            self.next += 1
        } else {
            throw .usage("\(name) needs a value", next: "give \(name) \(valueName)")
        }
    }
}
