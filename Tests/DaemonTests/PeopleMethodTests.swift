import ControlAPI
import TestSupport
import Testing

@testable import Daemon

@Suite("People over the control socket", .serialized, .timeLimit(.minutes(2)))
struct PeopleMethodTests {
    /// Two daemons in a room, of which the first has had a message of the second.
    private static func pair() throws -> (ada: TestDaemon, bob: TestDaemon, adas: TestClient) {
        let ada = try TestDaemon(name: "ada")
        let bob = try TestDaemon(name: "bob", peers: [try ada.address()])
        for daemon in [ada, bob] { try daemon.ask("join", ["room": "ops"]) }
        let client = try ada.connect()
        try client.ask("subscribe", ["to": "ops", "from": 0])
        try bob.ask("send", ["to": "ops", "text": "hello"])
        while try client.message()["text"] != "hello" {}
        return (ada, bob, client)
    }

    @Test("who reads the same code is verified, and their messages say so")
    func verify() throws {
        let (ada, bob, client) = try Self.pair()
        let (mine, theirs) = (
            try client.ask("verify", ["person": "@bob"]), try bob.ask("verify", ["person": "@ada"])
        )
        #expect(mine["digits"] == theirs["digits"] && mine["words"] == theirs["words"])
        #expect(mine["person"]?["tier"] == "stranger")
        #expect(
            refusal { try client.ask("verify", ["person": "@bob", "code": "12345 12345"]) }
                == "codesDiffer")
        #expect(refusal { try client.ask("verify", ["person": "@me"]) } == "ownPerson")
        let verified = try client.ask(
            "verify", .members(["person": "@bob", "code": theirs["words"] ?? .null]))
        #expect(verified["person"]?["tier"] == "verified")
        #expect(try client.ask("whois", ["person": "@bob"])["verified"] == true)
        let page = try ada.ask("history", ["to": "ops"])
        let messages = page["messages"]?.arrayValue ?? []
        #expect(messages.last?["verified"] == true && messages.first?["verified"] == nil)
        // Knowing somebody takes nothing away; removing does.
        #expect(try client.ask("addPerson", ["person": "@bob"])["tier"] == "verified")
        #expect(try client.ask("removePerson", ["person": "@bob"])["tier"] == "stranger")
    }

    @Test("who is blocked is unlinked and hidden, and comes back whole")
    func block() throws {
        let (ada, bob, client) = try Self.pair()
        #expect(try client.ask("block", ["person": "@bob"])["tier"] == "blocked")
        func texts() throws -> [JSON?] {
            (try ada.ask("history", ["to": "ops"])["messages"]?.arrayValue ?? [])
                .filter { $0["kind"] == "text" }.map { $0["text"] }
        }
        #expect(try texts().isEmpty)
        #expect(try ada.list("conversations").first?["unread"] == 0)
        #expect(try ada.list("peers").first?["state"] != "linked")
        #expect(refusal { try client.ask("send", ["to": "@bob", "text": "x"]) } == "blocked")
        #expect(refusal { try client.ask("addPerson", ["person": "@bob"]) } == "blocked")
        try bob.ask("send", ["to": "ops", "text": "meanwhile"])
        #expect(try client.ask("unblock", ["person": "@bob"])["tier"] == "stranger")
        #expect(refusal { try client.ask("unblock", ["person": "@bob"]) } == "notBlocked")
        #expect(try texts() == ["hello"])
        try ada.ask("connect", .members(["address": .string(try bob.address())]))
        while try client.message()["text"] != "meanwhile" {}
    }
}
