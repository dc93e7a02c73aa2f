import ControlAPI

/// What may stand where somebody presses Tab, found in the table of commands.
enum CompletionPlace: Equatable {
    /// One of these, with what is said of each.
    case words([Candidate])
    /// What one may write to, or the rooms alone.
    case conversations, rooms
    case people
    case messages
    case consumers
    case realms
    /// Settings that can be changed, and what the one of a name can be.
    case settings
    case values(String)
    /// Names of files, which the shell knows best.
    case files
    /// Nothing that could be offered.
    case nothing

    /// A word to offer.
    struct Candidate: Equatable {
        let word: String
        let summary: String
    }

    /// Finds what the last of the words of a command line may be; the program's name is not among them.
    static func find(_ words: [String]) -> CompletionPlace {
        let current = words.last ?? ""
        var operands: [String] = []
        var valueOf: OptionSyntax?
        var areOptionsOver = false
        var syntax: CommandSyntax?
        for word in words.dropLast() {
            if valueOf != nil {
                valueOf = nil
            } else if word == "--" {
                areOptionsOver = true
            } else if word.hasPrefix("-"), word != "-", !areOptionsOver {
                valueOf = Self.option(word, of: syntax).flatMap { $0.value == nil ? nil : $0 }
            } else if syntax == nil {
                syntax = Self.syntax(named: word)
                if syntax == nil { return .nothing }
            } else {
                operands.append(word)
            }
        }
        if let valueOf { return Self.value(valueOf, of: syntax) }
        if current.hasPrefix("-"), !areOptionsOver {
            return .words(
                Self.options(of: syntax).map { Candidate(word: $0.name, summary: $0.summary) })
        }
        guard let syntax else { return .words(Self.commands) }
        return Self.operand(operands.count, after: operands, of: syntax)
    }

    private static var commands: [Candidate] {
        (CommandTable.all.map { $0.syntax } + [CommandTable.help]).map {
            Candidate(word: $0.name, summary: $0.summary)
        }
    }

    private static func syntax(named name: String) -> CommandSyntax? {
        if name == CommandTable.help.name { return CommandTable.help }
        return CommandTable.command(named: name)?.syntax
    }

    private static func options(of syntax: CommandSyntax?) -> [OptionSyntax] {
        (syntax?.options ?? [CommandTable.version]) + OptionSyntax.global
    }

    private static func option(_ word: String, of syntax: CommandSyntax?) -> OptionSyntax? {
        self.options(of: syntax).first { $0.name == word }
    }

    private static func operand(
        _ index: Int, after operands: [String], of syntax: CommandSyntax
    ) -> CompletionPlace {
        let isPast = index >= syntax.operands.count
        guard !isPast || syntax.lastRepeats, let last = syntax.operands.last else {
            return .nothing
        }
        let shape = isPast ? last : syntax.operands[index]
        // A command behind `--`, or text, is not ours to complete; the command's own name is a file.
        if shape.hasPrefix("COMMAND") { return syntax.name == "help" ? .nothing : .files }
        return self.place(of: shape, in: syntax.name, after: operands)
    }

    /// What the value of an option may be.
    private static func value(_ option: OptionSyntax, of syntax: CommandSyntax?) -> CompletionPlace
    {
        if option.name == "--consumer" { return .consumers }
        if option.name == "--members" { return .people }
        if option.name == "--wait", syntax?.name == SendCommand.syntax.name {
            return .words(
                SendMethod.Wait.allCases.map { Candidate(word: $0.rawValue, summary: "") })
        }
        if option.name == "--socket" || option.name == "--file" { return .files }
        return self.place(of: option.value ?? "", in: option.name, after: [])
    }

    /// What a place of a usage means: `[TO]`, `ID`, `@A,@B`, `add|remove`.
    private static func place(
        of shape: String, in name: String, after operands: [String]
    ) -> CompletionPlace {
        var shape = Substring(shape)
        if CommandSyntax.isOptional(String(shape)) { shape = shape.dropFirst().dropLast() }
        if shape.hasSuffix("...") { shape = shape.dropLast(3) }
        let parts = shape.split(separator: "|").map(String.init)
        if parts.contains("TO") { return .conversations }
        if parts.contains("ROOM") { return .rooms }
        if parts.contains("ID") { return .messages }
        if parts.contains("@PERSON") || parts.contains(where: { $0.hasPrefix("@A") }) {
            return .people
        }
        if name == "consumers", parts == ["NAME"] { return .consumers }
        if name == "realm", parts.contains("NAME") {
            return operands.first == "join" || operands.first == "new" ? .files : .realms
        }
        if name == "settings" {
            return operands.first.map { .values($0) } ?? .settings
        }
        if name == "help", parts == ["COMMAND"] { return .words(Self.commands) }
        if name == "device", parts.contains("FILE") {
            return operands.first == "promote" || operands.first == "demote" ? .files : .nothing
        }
        if parts.contains("FILE") { return .files }
        let words = parts.filter { $0.allSatisfy { $0.isLowercase || $0 == "-" } && $0 != "-" }
        return words.isEmpty ? .nothing : .words(words.map { Candidate(word: $0, summary: "") })
    }
}
