import ControlAPI
import TestSupport
import Testing

@testable import Daemon

@Suite("Kinds of messages over the control socket", .serialized, .timeLimit(.minutes(5)))
struct MessageKindTests {
    private static func messages(_ daemon: TestDaemon, in room: String) throws -> [JSON] {
        (try daemon.ask("history", ["to": .string(room)])["messages"]?.arrayValue ?? [])
            .filter { $0["kind"] == "text" || $0["kind"] == "action" }
    }

    @Test("an action is what somebody does, and a reply says which message it answers")
    func kinds() throws {
        let ada = try TestDaemon(name: "ada")
        let bob = try TestDaemon(name: "bob", peers: [try ada.address()])
        for daemon in [ada, bob] { try daemon.ask("join", ["room": "ops"]) }
        let follower = try bob.connect()
        try follower.ask("subscribe", ["to": "ops", "from": 0])
        let asked = try ada.ask("send", ["to": "ops", "text": "lunch?"])
        let id = try #require(asked["id"]?.stringValue)
        while try follower.message()["text"] != "lunch?" {}
        try bob.ask(
            "send", ["to": "ops", "text": "yes", "replyTo": .string(String(id.prefix(8)))])
        try bob.ask("send", ["to": "ops", "text": "waves", "kind": "action"])
        while try follower.message()["text"] != "waves" {}
        let client = try ada.connect()
        try client.ask("subscribe", ["to": "ops", "from": 0])
        while try client.message()["text"] != "waves" {}
        for daemon in [ada, bob] {
            let found = try Self.messages(daemon, in: "ops")
            #expect(found.map { $0["text"] } == ["lunch?", "yes", "waves"])
            #expect(found.map { $0["kind"] } == ["text", "text", "action"])
            let answered = found[1]["replyTo"]
            #expect(answered?["id"]?.stringValue == id && answered?["authorName"] == "ada")
            #expect(found[0]["replyTo"] == nil && found[2]["replyTo"] == nil)
        }
        #expect(try ada.list("conversations").first?["unread"] == 2)
    }

    @Test("a reply answers a message of its own conversation, and an action none")
    func refused() throws {
        let daemon = try TestDaemon()
        let client = try daemon.connect()
        for room in ["ops", "den"] { try client.ask("join", ["room": .string(room)]) }
        let there = try client.ask("send", ["to": "den", "text": "x"])["id"]
        func send(_ more: JSON) -> String? {
            refusal {
                var members = try #require(more.objectValue)
                members += [JSON.Member("to", "ops"), JSON.Member("text", "hello")]
                try client.ask("send", .object(members))
            }
        }
        #expect(send(["replyTo": there ?? .null]) == "unknownMessage")
        #expect(send(["replyTo": "aaaaaaaa"]) == "unknownMessage")
        #expect(send(["replyTo": "no id"]) == "unknownMessage")
        #expect(send(["replyTo": there ?? .null, "kind": "action"]) == "oneOf")
        let join = try client.ask("history", ["to": "ops"])["messages"]?.arrayValue?.first?["id"]
        #expect(send(["replyTo": join ?? .null]) == "unknownMessage")
        #expect(try Self.messages(daemon, in: "ops").isEmpty)
        // A key belongs to what was sent with it, whatever that is.
        let key: JSON = ["idempotencyKey": "one", "kind": "action"]
        #expect(send(key) == nil && send(key) == nil)
        #expect(send(["idempotencyKey": "one"]) == "keyReused")
        #expect(try Self.messages(daemon, in: "ops").count == 1)
    }
}
