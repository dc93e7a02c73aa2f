import TestSupport

@testable import stoa

/// The parts of the manual page that are made from the tables: mdoc(7).
enum ManPage {
    /// What stands between the two lines that mark a part.
    static let parts: [(name: String, text: String)] = [
        ("commands", Self.commands), ("exit status", Self.exitStatus),
    ]

    private static var commands: String {
        CommandGroup.all.map { group in
            ".Ss \(group.title)\n.Bl -tag -width Ds\n"
                + group.names.compactMap(Self.syntax).map(Self.item).joined() + ".El\n"
        }.joined()
    }

    private static var exitStatus: String {
        ExitCode.allCases.map { ".It \($0.rawValue)\n\(Self.sentence($0.meaning))\n" }.joined()
    }

    private static func syntax(_ name: String) -> CommandSyntax? {
        name == CommandTable.help.name
            ? CommandTable.help : CommandTable.command(named: name)?.syntax
    }

    private static func item(_ syntax: CommandSyntax) -> String {
        var lines = [".It Xo", ".Cm \(syntax.name)"]
        for operand in syntax.operands {
            let isOptional = CommandSyntax.isOptional(operand)
            let word = GeneratedPage.roff(
                isOptional ? String(operand.dropFirst().dropLast()) : operand)
            lines.append((isOptional ? ".Op Ar " : ".Ar ") + word)
        }
        lines += syntax.options.map { ".Op \(Self.flag($0))" }
        lines += [".Xc", Self.sentence(syntax.summary)]
        if !syntax.examples.isEmpty {
            lines += [".Bd -literal -compact -offset indent"]
            lines += syntax.examples.map(GeneratedPage.roff) + [".Ed"]
        }
        lines += syntax.details.flatMap { [".Pp", Self.sentence($0)] }
        if !syntax.options.isEmpty {
            lines.append(".Bl -tag -width Ds")
            for option in syntax.options {
                lines += [".It \(Self.flag(option))", Self.sentence(option.summary)]
            }
            lines.append(".El")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func flag(_ option: OptionSyntax) -> String {
        "Fl \(option.name.dropFirst())" + (option.value.map { " Ar \($0)" } ?? "")
    }

    /// A sentence with its capital and its full stop, each sentence in it on a line of its own.
    private static func sentence(_ text: String) -> String {
        var text = text.prefix(1).uppercased() + text.dropFirst()
        if !text.hasSuffix(".") { text += "." }
        return GeneratedPage.roff(text).split(separator: ". ").enumerated()
            .map { ($0.offset == 0 ? "" : ".\n") + $0.element }.joined()
    }
}
