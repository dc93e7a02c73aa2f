import ControlAPI

/// One option of a command line.
struct OptionSyntax {
    /// The name with its dashes.
    let name: String
    /// The name of its value in the usage; nil when it takes none.
    let value: String?
    let summary: String
    /// Whether it may be given several times.
    let repeats: Bool

    init(_ name: String, _ value: String? = nil, _ summary: String, repeats: Bool = false) {
        self.name = name
        self.value = value
        self.summary = summary
        self.repeats = repeats
    }

    /// Options that every command takes, before or after its name.
    static let global = [
        OptionSyntax("--socket", "PATH", "the daemon's socket"),
        OptionSyntax("--timeout", "S", "give up if an answer takes longer, in seconds"),
        OptionSyntax("--json", nil, "print the daemon's answers as JSON, one object per line"),
        OptionSyntax("--help", nil, "show this help"),
    ]
}

/// What a command takes, as data: parser, help and man page are made from it.
struct CommandSyntax {
    let name: String
    let summary: String
    /// Command lines to begin with.
    let examples: [String]
    /// The operands as usage shows them; those in brackets may be left out.
    let operands: [String]
    /// Whether the last operand may be given several times.
    let lastRepeats: Bool
    let options: [OptionSyntax]
    /// Sentences for help and man page.
    let details: [String]

    init(
        _ name: String, _ summary: String, examples: [String] = [], operands: [String] = [],
        lastRepeats: Bool = false,
        options: [OptionSyntax] = [], details: [String] = []
    ) {
        self.name = name
        self.summary = summary
        self.examples = examples
        self.operands = operands
        self.lastRepeats = lastRepeats
        self.options = options
        self.details = details
    }

    /// The syntax of a command that does what the method of its name does.
    init(
        _ method: MethodDescription, examples: [String] = [], operands: [String] = [],
        lastRepeats: Bool = false,
        options: [OptionSyntax] = [], details: [String] = []
    ) {
        self.init(
            method.name, method.summary, examples: examples, operands: operands,
            lastRepeats: lastRepeats,
            options: options, details: details)
    }

    /// Whether an operand may be left out: `[TO]`, but not `[KEY@]HOST:PORT`.
    static func isOptional(_ operand: String) -> Bool {
        operand.hasPrefix("[") && operand.hasSuffix("]")
    }

    /// The line after `usage:`.
    var usage: String {
        var words = ["stoa", self.name] + self.operands
        for option in self.options {
            words.append("[" + option.name + (option.value.map { " " + $0 } ?? "") + "]")
        }
        return words.joined(separator: " ")
    }

    /// The whole help text of the command: what it does, examples, then the rest.
    var help: String {
        let usage = Self.wrap(self.usage, columns: Self.columns - 11).split(separator: "\n")
            .joined(separator: "\n           ")
        var text = Self.wrap(self.summary) + "\n"
        text += self.examples.map { "  \($0)\n" }.joined() + (self.examples.isEmpty ? "" : "\n")
        text += "usage: \(usage)\n"
        text += self.details.map { "\n" + Self.wrap($0) }.joined()
        text += "\noptions:\n"
        text += Self.list(self.options + OptionSyntax.global)
        return text
    }

    static func list(_ options: [OptionSyntax]) -> String {
        TextTable.text(
            options.map { ["  " + $0.name + ($0.value.map { " " + $0 } ?? ""), $0.summary] },
            columns: Self.columns)
    }

    /// How wide help may be: it is read in terminals and pasted elsewhere.
    static let columns = 78

    /// Lines that are no wider.
    static func wrap(_ text: String, columns: Int = Self.columns) -> String {
        var lines = [""]
        for word in text.split(separator: " ") {
            let line = lines[lines.count - 1]
            if line.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if line.count + word.count < columns {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
