import ControlAPI
import Posix
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

    /// Whether a text stands in a file of a daemon's store.
    private static func has(_ text: String, _ daemon: TestDaemon) throws -> Bool {
        try ["stoa.db", "stoa.db-wal"].contains { name in
            let bytes = try Files.read(
                "\(daemon.directory.path)/data/\(name)", limitBytes: 64 << 20)
            return bytes.firstRange(of: Array(text.utf8)) != nil
        }
    }

    @Test(
        "what somebody wrote who is turned down, or blocked, is in no file ten seconds later",
        arguments: ["decline", "block"])
    func declined(how: String) throws {
        let (ada, bob, adas) = try Self.pair()
        let text = "a-request-of-bob"
        try bob.ask("send", ["to": "@ada", "text": .string(text)])
        let arrival = SystemClock.monotonicMilliseconds()
        while try adas.list("requests").isEmpty {
            try #require(SystemClock.monotonicMilliseconds() < arrival + 10_000)
        }
        while try !Self.has(text, ada) {
            try #require(SystemClock.monotonicMilliseconds() < arrival + 10_000)
        }
        try adas.ask(how, ["person": "@bob"])
        let begin = SystemClock.monotonicMilliseconds()
        while try Self.has(text, ada) {
            try #require(SystemClock.monotonicMilliseconds() < begin + 10_000)
            _ = try waitUntilReadable([], timeoutMilliseconds: 50)
        }
        #expect(try adas.list("requests").isEmpty)
        // What tells of it says who it was, and not what they wrote.
        let teller = try ada.connect()
        try teller.ask("subscribe", ["from": 0, "kinds": ["request"]])
        let told = try teller.change()
        #expect(told["event"] == "requested" && told["text"] == "")
        withExtendedLifetime(bob) {}
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
