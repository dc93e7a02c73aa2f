import ControlAPI
import TestSupport
import Testing

@testable import Daemon

@Suite(
    "What subscribers are told of lists that strangers change", .serialized, .timeLimit(.minutes(5))
)
struct ListEventTests {
    /// A client that follows lists or members, after what it is told at first.
    private static func follower(
        of daemon: TestDaemon, _ kind: String, to: JSON? = nil, atFirst: Int
    ) throws -> TestClient {
        let client = try daemon.connect()
        try client.ask("subscribe", .members(["to": to, "kinds": [.string(kind)]]))
        for _ in 0..<atFirst { _ = try client.notification(kind) }
        return client
    }

    /// Reads on until a list has changed; every event has its name and a cursor, and nothing else.
    private static func awaitList(_ name: String, _ client: TestClient) throws {
        while true {
            let event = try client.notification("list")
            #expect(event["cursor"]?.integerValue != nil)
            #expect(event.objectValue?.count == 3)
            if event["list"] == .string(name) { return }
        }
    }

    @Test(
        "a stranger who links and leaves, and rooms that come and go around, are told without content"
    )
    func strangers() throws {
        let ada = try TestDaemon(name: "ada")
        let adas = try Self.follower(of: ada, "list", atFirst: 3)
        let bob = try TestDaemon(name: "bob", peers: [try ada.address()])
        try Self.awaitList("peers", adas)
        #expect(try ada.list("peers").count == 1)
        try bob.ask("join", ["room": "ops"])
        try Self.awaitList("rooms", adas)
        #expect(try ada.list("rooms").map { $0["name"] } == ["ops"])
        try bob.ask("leave", ["room": "ops"])
        try Self.awaitList("rooms", adas)
        #expect(try ada.list("rooms").isEmpty)
        bob.stop()
        try Self.awaitList("peers", adas)
        // Nothing of it is kept: the first that a client is told who asks for all of it is what comes now.
        let late = try ada.connect()
        try late.ask(
            "subscribe", ["from": 0, "kinds": ["person", "peer", "conversation", "alert"]])
        try ada.ask("join", ["room": "own"])
        #expect(try late.change()["event"] == "joined")
    }

    @Test("the number of members is told as it changes, to who follows the conversation")
    func members() throws {
        let ada = try TestDaemon(name: "ada")
        for room in ["ops", "other"] { try ada.ask("join", .members(["room": .string(room)])) }
        let adas = try Self.follower(of: ada, "members", to: "ops", atFirst: 0)
        let first = try adas.notification("members")
        #expect(first["members"] == 1 && first["conversationName"] == "ops")
        let bob = try TestDaemon(name: "bob", peers: [try ada.address()])
        for room in ["ops", "other"] { try bob.ask("join", .members(["room": .string(room)])) }
        var event = try adas.notification("members")
        while event["members"] != 2 { event = try adas.notification("members") }
        #expect(event["conversation"] == first["conversation"])
        try bob.ask("leave", ["room": "ops"])
        while event["members"] != 1 { event = try adas.notification("members") }
        #expect(event["conversation"] == first["conversation"])
    }
}
