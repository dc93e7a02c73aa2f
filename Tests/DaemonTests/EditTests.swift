import ControlAPI
import TestSupport
import Testing

@testable import Daemon

@Suite("Edits, reactions and places over the control socket", .serialized, .timeLimit(.minutes(5)))
struct EditTests {
    private static func messages(_ daemon: TestDaemon) throws -> [JSON] {
        (try daemon.ask("history", ["to": "ops"])["messages"]?.arrayValue ?? [])
            .filter { $0["kind"] != "join" }
    }

    private static let kinds: JSON = ["message", "edited", "deleted", "reaction"]

    private func two() throws -> (ada: TestDaemon, bob: TestDaemon, follower: TestClient) {
        let ada = try TestDaemon(name: "ada")
        let bob = try TestDaemon(name: "bob", peers: [try ada.address()])
        for daemon in [ada, bob] { try daemon.ask("join", ["room": "ops"]) }
        let follower = try bob.connect()
        try follower.ask("subscribe", ["to": "ops", "from": 0, "kinds": Self.kinds])
        return (ada, bob, follower)
    }

    @Test("an edit changes the text for everybody, who are told of it; the first one stays in info")
    func edited() throws {
        let (ada, bob, follower) = try self.two()
        let id = try #require(
            try ada.ask("send", ["to": "ops", "text": "lunhc?"])["id"]?.stringValue)
        while try follower.message()["text"] != "lunhc?" {}
        let short: JSON = .string(String(id.prefix(8)))
        let answer = try ada.ask("edit", ["id": short, "text": "lunch?"])
        #expect(answer["id"]?.stringValue == id && answer["conversationName"] == "ops")
        let change = try follower.change()
        #expect(change["event"] == "edited" && change["message"]?.stringValue == id)
        #expect(change["text"] == "lunch?" && change["peerName"] == "ada")
        for daemon in [ada, bob] {
            let found = try Self.messages(daemon)
            #expect(found.map { $0["text"] } == ["lunch?"] && found[0]["edited"] != nil)
            let info = try daemon.ask("info", ["id": short])
            #expect(info["firstText"] == "lunhc?" && info["deleted"] == false)
        }
        let last = try bob.list("conversations").first
        #expect(last?["lastMessage"]?["text"] == "lunch?" && last?["unread"] == 1)
        // The same once more says nothing new.
        try ada.ask("edit", ["id": short, "text": "lunch?"])
        try ada.ask("delete", ["id": short])
        #expect(try follower.change()["event"] == "deleted")
        #expect(try Self.messages(bob).isEmpty)
        #expect(refusal { try ada.ask("edit", ["id": short, "text": "x"]) } == "gone")
        #expect(refusal { try bob.ask("react", ["id": short, "sign": "x"]) } == "gone")
        #expect(try bob.ask("info", ["id": short])["deleted"] == true)
    }

    @Test("only its author can edit it, and only where it has a text")
    func refused() throws {
        let (ada, bob, follower) = try self.two()
        let id = try #require(try ada.ask("send", ["to": "ops", "text": "mine"])["id"])
        while try follower.message()["text"] != "mine" {}
        #expect(refusal { try bob.ask("edit", ["id": id, "text": "x"]) } == "notYours")
        #expect(refusal { try ada.ask("edit", ["id": id, "text": ""]) } == "emptyText")
        #expect(
            refusal { try ada.ask("edit", ["id": "aaaaaaaa", "text": "x"]) } == "unknownMessage")
        let place: JSON = ["latitude": 1, "longitude": 2.5]
        let there = try #require(
            try ada.ask("send", .members(["to": "ops", "text": "", "location": place]))["id"])
        #expect(refusal { try ada.ask("edit", ["id": there, "text": "x"]) } == "notEditable")
        let join = try #require(
            try ada.ask("history", ["to": "ops"])["messages"]?.arrayValue?.first?["id"])
        #expect(refusal { try ada.ask("edit", ["id": join, "text": "x"]) } == "notErasable")
        #expect(refusal { try ada.ask("react", ["id": id, "sign": "two words"]) } == "badSign")
        #expect(refusal { try ada.ask("react", ["id": id, "sign": "a\u{202E}b"]) } == "badSign")
        #expect(try Self.messages(ada).map { $0["text"] } == ["mine", ""])
    }

    @Test("people count once for a sign, and can delete it")
    func reactions() throws {
        let (ada, bob, follower) = try self.two()
        let id = try #require(try ada.ask("send", ["to": "ops", "text": "lunch?"])["id"])
        while try follower.message()["text"] != "lunch?" {}
        for _ in 1...2 { try bob.ask("react", ["id": id, "sign": "\u{1F44D}"]) }
        let change = try follower.change()
        #expect(change["event"] == "reacted" && change["text"] == "\u{1F44D}")
        #expect(change["message"] == id && change["peerName"] == "bob")
        try ada.ask("react", ["id": id, "sign": "\u{1F44D}"])
        // Once, though asked for twice: the next one is ada's.
        #expect(try follower.change()["peerName"] == "ada")
        let sign = try #require(try Self.messages(bob).first?["reactions"]?.arrayValue?.first)
        #expect(sign["count"] == 2 && sign["own"] == true && sign["people"]?.arrayValue?.count == 2)
        try bob.ask("react", .members(["id": id, "sign": "\u{1F44D}", "remove": true]))
        #expect(try follower.change()["event"] == "removed")
        let left = try #require(try Self.messages(bob).first?["reactions"]?.arrayValue?.first)
        #expect(left["count"] == 1 && left["own"] == nil)
        #expect(try bob.list("conversations").first?["unread"] == 1)
    }

    @Test("a place is shown with its name and as a URI, and must be on the Earth")
    func places() throws {
        let (ada, bob, follower) = try self.two()
        let place: JSON = ["latitude": 48.137, "longitude": 11.575, "accuracy": 20]
        try ada.ask("send", .members(["to": "ops", "text": "the office", "location": place]))
        var message = try follower.message()
        while message["kind"] != "location" { message = try follower.message() }
        #expect(message["text"] == "the office")
        #expect(message["location"]?["uri"] == "geo:48.137,11.575;u=20")
        func send(_ latitude: JSON, _ more: [JSON.Member] = []) -> String? {
            refusal {
                let place: JSON = .members(["latitude": latitude, "longitude": 0])
                try bob.ask(
                    "send",
                    .object(
                        [
                            JSON.Member("to", "ops"), JSON.Member("text", "x"),
                            JSON.Member("location", place),
                        ] + more))
            }
        }
        #expect(send(91) == "badLocation")
        #expect(send("x") == "badParam")
        #expect(send(1, [JSON.Member("kind", "action")]) == "oneOf")
        #expect(send(1) == nil)
    }
}
