import ControlAPI
import TestSupport
import Testing

@testable import Daemon

@Suite("Whether the user is there, by the word of several clients", .serialized)
struct PresenceMethodTests {
    private func presence(_ answer: JSON) -> String? { answer["presence"]?.stringValue }

    @Test("who is away since nobody was at one client is there with a key at another one")
    func unattended() throws {
        let daemon = try TestDaemon(name: "ada")
        #expect(try daemon.ask("presence")["activeMilliseconds"] == nil)
        #expect(self.presence(try daemon.ask("presence", ["active": true])) == "online")
        let since = try daemon.ask("presence")["activeMilliseconds"]?.integerValue ?? -1
        #expect((0..<600_000).contains(since))
        let away = try daemon.ask("presence", ["presence": "away", "active": false])
        #expect(self.presence(away) == "away")
        #expect(self.presence(try daemon.ask("presence")) == "away")
        #expect(self.presence(try daemon.ask("presence", ["active": true])) == "online")
        #expect(self.presence(try daemon.ask("presence")) == "online")
    }

    @Test("who has said that they are away is, until they say something else")
    func said() throws {
        let daemon = try TestDaemon(name: "ada")
        try daemon.ask("presence", ["presence": "away"])
        #expect(self.presence(try daemon.ask("presence", ["active": true])) == "away")
        #expect(self.presence(try daemon.ask("presence", ["presence": "online"])) == "online")
    }
}
