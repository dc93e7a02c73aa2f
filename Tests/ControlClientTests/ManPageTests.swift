import TestSupport
import Testing

@testable import stoa

@Suite("The manual page")
struct ManPageTests {
    @Test("has the commands and exit codes of the tables; STOA_WRITE_MAN=1 writes them anew")
    func published() throws {
        #expect(GeneratedPage("stoa.1").holds(ManPage.parts))
        let commands = try #require(ManPage.parts.first).text
        #expect(commands.contains(".Cm send\n.Ar TO\n.Op Ar TEXT...|\\-"))
    }

    @Test("shows values as they are typed: no sentence begins with one and its capital")
    func values() {
        for syntax in CommandTable.all.map({ $0.syntax }) {
            for sentence in syntax.details.flatMap({ $0.split(separator: ". ") }) {
                #expect(sentence.first?.isLowercase == false, "\(syntax.name): \(sentence)")
            }
            for option in syntax.options {
                let first = option.summary.prefix { $0 != " " }
                let second = option.summary.dropFirst(first.count).prefix { $0 != "," && $0 != ";" }
                #expect(
                    first.last != ":" && second != " (default)", "\(syntax.name) \(option.name)")
            }
        }
    }

    @Test("has each command in one group, with an example, and helps in two screens")
    func groups() {
        let grouped = CommandGroup.all.flatMap(\.names).sorted()
        let syntaxes = CommandTable.all.map { $0.syntax }
        #expect(grouped == (syntaxes.map(\.name) + [CommandTable.help.name]).sorted())
        for syntax in syntaxes {
            #expect(
                syntax.examples.contains {
                    $0.contains("stoa \(syntax.name)") || $0.contains("stoa --json \(syntax.name)")
                },
                "\(syntax.name)")
            #expect(syntax.examples.allSatisfy { $0.count + 2 <= 80 }, "\(syntax.name)")
        }
        let lines = CommandTable.helpText.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 48)
        #expect(lines.allSatisfy { $0.count <= 80 })
    }
}
