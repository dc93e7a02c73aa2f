import ControlAPI
import Posix
import TestSupport
import Testing

@testable import Daemon

@Suite("Secret rooms over the control socket", .serialized, .timeLimit(.minutes(5)))
struct SecretRoomMethodTests {
    private static func create(
        _ client: TestClient, _ room: String = "war-room"
    ) throws -> JSON {
        try client.answer(
            to: client.send("createConversation", ["room": .string(room)]),
            timeoutMilliseconds: 60_000)
    }

    @Test("one is made, and entered by its phrase or its invitation; both are the same room")
    func made() throws {
        let (ada, bob) = (try TestDaemon(name: "ada"), try TestDaemon(name: "bob"))
        let (one, other) = (try ada.connect(), try bob.connect())
        let made = try Self.create(one)
        let room = try #require(made["conversation"])
        #expect(room["kind"] == "secret" && room["name"] == "&war-room")
        let phrase = try #require(made["phrase"]), invite = try #require(made["invite"])
        let joined = try other.ask(
            "join", .members(["room": "war-room", "phrase": phrase]))
        #expect(joined["id"] == room["id"])
        #expect(try other.ask("invite", ["room": "war-room"])["invite"] == invite)
        let left = try other.ask("leave", ["room": "war-room"])
        #expect(left["name"] == "&war-room" && left["room"] == "war-room")
        #expect(try other.ask("join", ["room": "&war-room"])["id"] == room["id"])
        #expect(try other.ask("join", .members(["invite": invite]))["id"] == room["id"])
        // Its name is nowhere among those of open rooms.
        #expect(try one.list("rooms").isEmpty)
    }

    @Test("one outlives a restart with its key and what was written there")
    func restart() throws {
        let folder: TestFolder
        do {
            let daemon = try TestDaemon()
            folder = daemon.directory
            let client = try daemon.connect()
            _ = try Self.create(client)
            try client.ask("send", ["to": "war-room", "text": "kept"])
            daemon.stop()
        }
        let daemon = try TestDaemon(directory: folder)
        let client = try daemon.connect()
        let page = try client.ask("history", ["to": "&war-room"])
        #expect(page["messages"]?.arrayValue?.last?["text"] == "kept")
        try client.ask("send", ["to": "war-room", "text": "more"])
        #expect(
            try client.ask("invite", ["room": "war-room"])["invite"]?.stringValue?
                .hasPrefix("stoa:room?name=war-room&realm=open&") == true)
    }

    @Test("a bare word that two rooms have is refused, and each is named so that it can be written")
    func twoRooms() throws {
        let daemon = try TestDaemon()
        let client = try daemon.connect()
        #expect(try Self.create(client)["conversation"]?["ambiguous"] == nil)
        // Whoever means the secret one does not enter the open one, where everybody would see its name.
        for _ in 1...2 {
            #expect(refusal { try client.ask("join", ["room": "war-room"]) } == "severalRooms")
        }
        #expect(try client.list("rooms").isEmpty && client.list("conversations").count == 1)
        try client.ask("send", ["to": "war-room", "text": "still the only one"])
        #expect(try client.ask("join", ["room": "open/war-room"])["ambiguous"] == true)
        #expect(try client.list("conversations").allSatisfy { $0["ambiguous"] == true })
        #expect(
            refusal { try client.ask("send", ["to": "war-room", "text": "x"]) }
                == "severalRooms")
        try client.ask("send", ["to": "&war-room", "text": "secret"])
        try client.ask("send", ["to": "open/war-room", "text": "for all"])
        for (name, text) in [("&war-room", "secret"), ("open/war-room", "for all")] {
            let page = try client.ask("history", ["to": .string(name)])
            #expect(page["messages"]?.arrayValue?.last?["text"] == .string(text))
        }
        // Another one with the same name has to be written by its id.
        #expect(refusal { _ = try Self.create(client) } == "nameTaken")
        let other = try TestDaemon(name: "bob")
        let made = try Self.create(try other.connect())
        let second = try client.ask("join", .members(["invite": made["invite"] ?? .null]))
        #expect(
            refusal { try client.ask("send", ["to": "&war-room", "text": "x"]) }
                == "severalRooms")
        let id = second["id"] ?? .null
        try client.ask("send", .members(["to": id, "text": "x"]))
        // It is left and entered again by it, too.
        try client.ask("leave", .members(["room": id]))
        #expect(try client.ask("join", .members(["room": id]))["id"] == id)
    }

    @Test("a secret room with the name of an open one is told of, and the bare word is refused")
    func afterTheOpenOne() throws {
        let daemon = try TestDaemon()
        let client = try daemon.connect()
        #expect(try client.ask("join", ["room": "war-room"])["ambiguous"] == nil)
        let made = try Self.create(client)
        #expect(made["conversation"]?["ambiguous"] == true)
        let other = try TestDaemon(name: "bob")
        let bobs = try other.connect()
        try bobs.ask("join", ["room": "war-room"])
        let joined = try bobs.ask("join", .members(["invite": made["invite"] ?? .null]))
        #expect(joined["ambiguous"] == true)
        for client in [client, bobs] {
            #expect(
                refusal { try client.ask("send", ["to": "war-room", "text": "x"]) }
                    == "severalRooms")
            #expect(refusal { try client.ask("history", ["to": "war-room"]) } == "severalRooms")
        }
        // Also one that was left: its key is here, so it may be meant.
        try bobs.ask("leave", ["room": "&war-room"])
        #expect(
            refusal { try bobs.ask("send", ["to": "war-room", "text": "x"]) } == "severalRooms")
    }

    // Shows: told.phrase
    @Test("what cannot be is refused with what to do instead")
    func refused() throws {
        let daemon = try TestDaemon()
        let client = try daemon.connect()
        let made = try Self.create(client)
        let words = (made["phrase"]?.stringValue ?? "").split(separator: " ")
        let slip = words.dropLast().joined(separator: " ") + " abacusx"
        func reason(_ method: String, _ params: JSON) -> String? {
            refusal { try client.ask(method, params) }
        }
        #expect(
            reason("join", .members(["room": "war-room", "phrase": .string(slip)])) == "badPhrase")
        #expect(reason("join", ["room": "x", "phrase": " "]) == "badPhrase")
        #expect(reason("join", ["invite": "stoa:room?name=x"]) == "badInvite")
        #expect(reason("join", [:]) == "oneOf")
        #expect(reason("join", ["invite": "x", "room": "y"]) == "oneOf")
        #expect(reason("join", ["room": "&nowhere"]) == "unknownName")
        #expect(reason("join", ["room": "lab/x", "phrase": "a b"]) == "unknownRealm")
        #expect(
            reason(
                "join",
                .members([
                    "room": "x", "phrase": made["phrase"] ?? .null, "suite": "aes-256-gcm",
                ])) == "otherSuite")
        #expect(reason("createConversation", [:]) == "oneOf")
        #expect(reason("createConversation", ["person": "@x", "phrase": "y"]) == "oneOf")
        try client.ask("join", ["room": "ops"])
        #expect(reason("invite", ["room": "ops"]) == "notSecret")
        // It is judged where the library is there; else nobody can say that it is strong.
        let weak = reason("createConversation", ["room": "x", "phrase": "hunter2"])
        #expect(["weakPhrase", "cannotJudge"].contains(weak))
        // Who enters by it would make the room as well.
        let joined = reason("join", ["room": "x", "phrase": "hunter2"])
        #expect(joined == (weak == "weakPhrase" ? "weakPhrase" : nil))
    }

    @Test("while a key is made of a phrase, other requests are answered, and another key waits")
    func busy() throws {
        let daemon = try TestDaemon()
        let (client, other) = (try daemon.connect(), try daemon.connect())
        let start = SystemClock.monotonicMicroseconds()
        let id = try client.send("createConversation", ["room": "war-room"])
        _ = try other.ask("status")
        // So the key is not made yet, and somebody else was answered.
        #expect(
            refusal { _ = try other.ask("createConversation", ["room": "x"]) } == "busy")
        var longest = 0.0
        for _ in 0..<50 {
            let begin = SystemClock.monotonicMicroseconds()
            _ = try other.ask("status")
            longest = max(longest, Double(SystemClock.monotonicMicroseconds() - begin) / 1e3)
        }
        _ = try client.answer(to: id, timeoutMilliseconds: 60_000)
        let took = Double(SystemClock.monotonicMicroseconds() - start) / 1e3
        print("MEASURED longest answer while a phrase is hashed in \(took) ms: \(longest) ms")
    }
}
