import ControlAPI

/// One option of a command line.
struct OptionSyntax {
    /// The name with its dashes.
    let name: String
    /// The name of its value in the usage; nil when it takes none.
    let value: String?
    let summary: String

    init(_ name: String, _ value: String? = nil, _ summary: String) {
        self.name = name
        self.value = value
        self.summary = summary
    }

    /// Options that every command takes, before or after its name.
    static let global = [
        OptionSyntax("--socket", "PATH", "the daemon's socket"),
        OptionSyntax("--json", nil, "print what the daemon answered, one object per line"),
        OptionSyntax("--help", nil, "show this help"),
    ]
}

/// What a command takes, as data: the parser, the help and the man page agree with it.
struct CommandSyntax {
    let name: String
    let summary: String
    /// The operands as usage shows them; those without brackets are required.
    let operands: [String]
    /// Whether the last operand may be given several times.
    let lastRepeats: Bool
    let options: [OptionSyntax]
    /// Paragraphs for the help.
    let details: String

    init(
        _ name: String, _ summary: String, operands: [String] = [], lastRepeats: Bool = false,
        options: [OptionSyntax] = [], details: String = ""
    ) {
        self.name = name
        self.summary = summary
        self.operands = operands
        self.lastRepeats = lastRepeats
        self.options = options
        self.details = details
    }

    /// The line after `usage:`.
    var usage: String {
        var words = ["stoa", self.name] + self.operands
        for option in self.options {
            words.append("[" + option.name + (option.value.map { " " + $0 } ?? "") + "]")
        }
        return words.joined(separator: " ")
    }

    /// The whole help text of the command.
    var help: String {
        var text = "usage: \(self.usage)\n\n\(self.summary)\n"
        if !self.details.isEmpty { text += "\n\(self.details)\n" }
        text += "\noptions:\n"
        text += Self.list(self.options + OptionSyntax.global)
        return text
    }

    static func list(_ options: [OptionSyntax]) -> String {
        Table.text(
            options.map { ["  " + $0.name + ($0.value.map { " " + $0 } ?? ""), $0.summary] })
    }
}
