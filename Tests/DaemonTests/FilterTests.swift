import ControlAPI
import TestSupport
import Testing

@testable import Daemon

@Suite("What subscribers and readers choose", .serialized, .timeLimit(.minutes(5)))
struct FilterTests {
    private static func texts(_ client: TestClient, _ params: JSON) throws -> [String] {
        try (client.ask("history", params)["messages"]?.arrayValue ?? [])
            .compactMap { $0["text"]?.stringValue }.filter { !$0.isEmpty }
    }

    @Test("a subscriber that names more streams than may be is refused, not given some of them")
    func streams() throws {
        let ada = try TestDaemon(name: "ada")
        let most = ControlLimits.candidates
        func subscribe(_ count: Int) throws {
            let names = (0..<count).map { JSON.string("s\($0)") }
            try ada.ask("subscribe", ["kinds": ["stream"], "streams": .array(names)])
        }
        try subscribe(most)
        #expect(throws: TestClientError.self) { try subscribe(most + 1) }
    }

    @Test(
        "a subscriber is given the kinds, the people and the mentions that it asks for, and no other"
    )
    func filters() throws {
        let ada = try TestDaemon(name: "ada")
        let bob = try TestDaemon(name: "bob", peers: [try ada.address()])
        for daemon in [ada, bob] { try daemon.ask("join", ["room": "ops"]) }
        let all = try bob.connect()
        try all.ask("subscribe", ["to": "ops", "from": 0])
        // Whose name is to be known must have come.
        while try all.message()["authorName"] != "ada" {}
        let mine = try bob.ask("send", ["to": "ops", "text": "from bob @bob"])
        let id = try #require(mine["id"])
        func follow(_ members: [JSON.Member]) throws -> TestClient {
            let client = try bob.connect()
            try client.ask(
                "subscribe", .object([JSON.Member("to", "ops"), JSON.Member("from", 0)] + members))
            return client
        }
        let yes: JSON = true
        let texts = try follow([JSON.Member("messages", ["text"])])
        let others = try follow([
            JSON.Member("messages", ["text"]), JSON.Member("notMine", yes),
        ])
        let mentions = try follow([JSON.Member("mentions", yes)])
        let key = try ada.ask("status")["id"] ?? .null
        let adas = try follow([
            JSON.Member("authors", .array([key])), JSON.Member("messages", ["text", "action"]),
        ])
        var answer: [JSON.Member] = [JSON.Member("to", "ops"), JSON.Member("text", "I answer")]
        while try all.message()["text"] != "from bob @bob" {}
        let seen = try ada.connect()
        try seen.ask("subscribe", ["to": "ops", "from": 0])
        while try seen.message()["text"] != "from bob @bob" {}
        try ada.ask("send", ["to": "ops", "text": "plain"])
        try ada.ask("send", ["to": "ops", "text": "hey @Bob"])
        try ada.ask("send", ["to": "ops", "text": "waves", "kind": "action"])
        answer.append(JSON.Member("replyTo", id))
        try ada.ask("send", .object(answer))
        func next(_ client: TestClient, _ count: Int) throws -> [String?] {
            try (0..<count).map { _ in try client.message()["text"]?.stringValue }
        }
        #expect(try next(texts, 4) == ["from bob @bob", "plain", "hey @Bob", "I answer"])
        #expect(try next(others, 3) == ["plain", "hey @Bob", "I answer"])
        let called = try (0..<2).map { _ in try mentions.message() }
        #expect(called.map { $0["text"] } == ["hey @Bob", "I answer"])
        #expect(called.allSatisfy { $0["mention"] == true })
        #expect(try next(adas, 4) == ["plain", "hey @Bob", "waves", "I answer"])
        #expect(refusal { _ = try follow([JSON.Member("authors", ["@nobody"])]) } == "unknownName")
        #expect(refusal { _ = try follow([JSON.Member("messages", ["poem"])]) } == "badParam")
    }

    @Test("a durable consumer with a filter goes on behind what it has acknowledged")
    func durable() throws {
        let daemon = try TestDaemon(name: "ada")
        let client = try daemon.connect()
        try client.ask("join", ["room": "ops"])
        let params: JSON = ["to": "ops", "consumer": "c", "messages": ["action"]]
        let first = try daemon.connect()
        try first.ask("subscribe", params)
        for number in 1...5 {
            try client.ask("send", ["to": "ops", "text": .string("t\(number)")])
            try client.ask("send", ["to": "ops", "text": .string("a\(number)"), "kind": "action"])
        }
        let message = try first.message()
        #expect(message["text"] == "a1")
        let cursor = try #require(message["cursor"])
        try client.ask("acknowledge", ["conversation": "ops", "consumer": "c", "cursor": cursor])
        let second = try daemon.connect()
        try second.ask(
            "subscribe",
            ["to": "ops", "consumer": "c", "messages": ["action"], "takeOver": true])
        #expect(try second.message()["text"] == "a2")
    }

    @Test("history is read from the oldest on, around a message, and says how many are older")
    func history() throws {
        let daemon = try TestDaemon(name: "ada")
        let client = try daemon.connect()
        try client.ask("join", ["room": "ops"])
        var ids: [JSON] = []
        for number in 1...9 {
            let sent = try client.ask("send", ["to": "ops", "text": .string("t\(number)")])
            ids.append(try #require(sent["id"]))
        }
        let oldest: JSON = ["to": "ops", "oldest": true, "limit": 3]
        #expect(try Self.texts(client, oldest) == ["t1", "t2"], "a join comes first")
        let after: JSON = .members(["to": "ops", "after": ids[1], "limit": 2])
        #expect(try Self.texts(client, after) == ["t3", "t4"])
        let short: JSON = .string(String(ids[4].stringValue?.prefix(8) ?? ""))
        for id in [ids[4], short] {
            let around: JSON = .members(["to": "ops", "around": id, "limit": 5])
            #expect(try Self.texts(client, around) == ["t3", "t4", "t5", "t6", "t7"])
        }
        let last: JSON = .members(["to": "ops", "around": ids[8], "limit": 4])
        #expect(try Self.texts(client, last) == ["t7", "t8", "t9"])
        let counted = try client.ask("history", ["to": "ops", "limit": 4, "count": true])
        #expect(counted["older"] == 6 && counted["more"] == true)
        let none = try client.ask("history", ["to": "ops", "count": true])
        #expect(none["older"] == 0)
        let both: JSON = .members(["to": "ops", "around": ids[0], "oldest": true])
        #expect(refusal { _ = try client.ask("history", both) } == "conflictingParams")
        let wrong: JSON = ["to": "ops", "around": "aaaaaaaa"]
        #expect(refusal { _ = try client.ask("history", wrong) } == "unknownMessage")
    }
}
