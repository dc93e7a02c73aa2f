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
}
