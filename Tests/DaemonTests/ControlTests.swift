import ControlAPI
import Testing
import TestSupport

@testable import Daemon

@Suite("The control API over a real daemon", .timeLimit(.minutes(2)))
struct ControlTests {
    @Test("people are found in any case, by the beginning of a name or of a word of it")
    func people() throws {
        let daemon = try TestDaemon()
        let client = try daemon.connect()
        let own = try #require(
            try client.ask("profile", ["name": "Ada Lovelace"])["id"]?.stringValue)
        for person in ["@ada", "@Ada Lovelace", "@ADA LOVE", "@lovelace", "@" + own.prefix(8)] {
            let found = try client.ask("whois", ["person": .string(person)])
            #expect(found["id"]?.stringValue == own, "\(person)")
        }
        for person in ["@lace", "@ada l.", "@"] {
            #expect(throws: (any Error).self) {
                try client.ask("whois", ["person": .string(person)])
            }
        }
    }

    @Test("a name of more than 64 bytes is refused with that limit")
    func names() throws {
        let daemon = try TestDaemon()
        let client = try daemon.connect()
        let long = String(repeating: "x", count: 65)
        let code = errorCode { try client.ask("profile", ["name": .string(long)]) }
        #expect(code == .tooLarge)
    }
}
