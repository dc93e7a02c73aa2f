import ControlAPI
import Crypto
import Engine
import Formats
import Posix
import TestSupport
import Testing

@testable import Daemon

@Suite("People over the control socket", .serialized, .timeLimit(.minutes(5)))
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

    /// `@` and the key of a daemon: strangers are named by it.
    private static func key(_ daemon: TestDaemon) throws -> JSON {
        .string("@" + (try daemon.ask("status")["id"]?.stringValue ?? ""))
    }

    @Test("a name reaches nobody whom the user does not know; the refusal has the keys")
    func strangers() throws {
        let (ada, bob, client) = try Self.pair()
        for method in ["createConversation", "addPerson", "verify", "block"] {
            let error = rpcError { try client.ask(method, ["person": "@bob"]) }
            #expect(error?.reason == "stranger" && error?.knownCode == .refused, "\(method)")
            #expect(error?.candidates.first?.name == "bob")
        }
        #expect(refusal { try client.ask("send", ["to": "@bob", "text": "x"]) } == "stranger")
        #expect(refusal { try client.ask("send", ["to": "@ada", "text": "x"]) } == "ownName")
        #expect(try ada.list("people").isEmpty)
        #expect(
            rpcError { try client.ask("send", ["to": "bob", "text": "x"]) }?.remedy?
                .contains("@bob") != true)
        try client.ask("addPerson", .members(["person": Self.key(bob)]))
        #expect(
            rpcError { try client.ask("send", ["to": "bob", "text": "x"]) }?.remedy
                == "write @ before a person's name: @bob")
        #expect(try client.ask("send", ["to": "@bob", "text": "x"])["id"] != nil)
        #expect(try client.ask("whois", ["person": "@bo"])["tier"] == "known")
    }

    @Test(
        "a message says that somebody has not accepted only where that is so",
        arguments: [true, false])
    func unaccepted(isMutual: Bool) throws {
        let (ada, bob, client) = try Self.pair()
        try client.ask("addPerson", .members(["person": Self.key(bob)]))
        if isMutual { try bob.ask("addPerson", .members(["person": Self.key(ada)])) }
        let sent = try client.ask("send", ["to": "@bob", "text": "hello"])
        guard !isMutual else { return #expect(sent["waits"] == nil) }
        // The first answer awaits Bob's word for a second, which a busy machine may not keep.
        let id = JSON.members(["id": sent["id"]])
        try awaitThat { try client.ask("info", id)["waits"] == "unaccepted" }
        #expect(try client.ask("send", ["to": "@bob", "text": "please"])["waits"] == "unaccepted")
    }

    @Test("somebody is named by the id of their person wherever the key of their device is taken")
    func personID() throws {
        let (ada, bob, client) = try Self.pair()
        let shown = try client.ask("whois", .members(["person": Self.key(bob)]))
        let person = "@" + (shown["person"]?.stringValue ?? "")
        let key = try Self.key(bob)
        #expect(person.count == 53 && .string(person) != key)
        let own = "@" + (try ada.ask("status")["person"]?.stringValue ?? "")
        for named in [person, String(person.prefix(9))] {
            #expect(try client.ask("whois", ["person": .string(named)])["id"] == shown["id"])
        }
        #expect(try client.ask("addPerson", ["person": .string(person)])["tier"] == "known")
        #expect(try client.ask("send", ["to": .string(person), "text": "x"])["id"] != nil)
        #expect(
            try client.ask("history", ["to": .string(person)])["messages"]?.arrayValue?.count == 1)
        #expect(try client.ask("send", ["to": .string(own), "text": "note"])["id"] != nil)
        #expect(try client.ask("history", ["to": "@me"])["messages"]?.arrayValue?.count == 1)
        #expect(try client.ask("block", ["person": .string(person)])["tier"] == "blocked")
        #expect(try client.ask("unblock", ["person": .string(person)])["tier"] == "stranger")
    }

    @Test("who reads the same code is verified, and their messages say so")
    func verify() throws {
        let (ada, bob, client) = try Self.pair()
        let (mine, theirs) = (
            try client.ask("verify", .members(["person": Self.key(bob)])),
            try bob.ask("verify", .members(["person": Self.key(ada)]))
        )
        #expect(mine["digits"] == theirs["digits"] && mine["words"] == theirs["words"])
        #expect(mine["person"]?["tier"] == "stranger")
        #expect(
            refusal {
                try client.ask(
                    "verify", .members(["person": Self.key(bob), "code": "12345 12345"]))
            } == "codesDiffer")
        #expect(refusal { try client.ask("verify", ["person": "@me"]) } == "ownPerson")
        let verified = try client.ask(
            "verify", .members(["person": Self.key(bob), "code": theirs["words"] ?? .null]))
        #expect(verified["person"]?["tier"] == "verified")
        #expect(try client.ask("whois", ["person": "@bob"])["verified"] == true)
        let page = try ada.ask("history", ["to": "ops"])
        let messages = page["messages"]?.arrayValue ?? []
        #expect(messages.last?["verified"] == true && messages.first?["verified"] == nil)
        // Knowing somebody takes nothing away; removing does.
        #expect(try client.ask("addPerson", ["person": "@bob"])["tier"] == "verified")
        #expect(try client.ask("removePerson", ["person": "@bob"])["tier"] == "stranger")
    }

    /// Whether the request of a person with a text is in a file of a daemon, sealed as it is written there.
    private static func has(_ text: String, of person: Bytes32, _ daemon: TestDaemon) throws -> Bool
    {
        let folder = daemon.directory.path + "/data"
        let safe = try SafeFile(in: folder).open()
        // The device, P and X before the text.
        let count = 96 + text.utf8.count + Safe.addedByteCount
        let place = person.bytes
        return try ["stoa.db", "stoa.db-wal"].contains { name in
            let bytes = try Files.read("\(folder)/\(name)", limitBytes: 64 << 20)
            return bytes.indices.dropLast(count - 1).contains { start in
                let value = bytes.span.bytes.extracting(start..<start + count)
                return (try? safe.open(value, as: Safe.Kind("request"), at: place.span.bytes))
                    != nil
            }
        }
    }

    // Shows: daemon.requests
    @Test(
        "what somebody wrote who is turned down, or blocked, is in no file ten seconds later",
        arguments: ["decline", "block"])
    func declined(how: String) throws {
        let (ada, bob, adas) = try Self.pair()
        let text = "a-request-of-bob"
        try bob.ask("send", .members(["to": Self.key(ada), "text": .string(text)]))
        try awaitThat { try !adas.list("requests").isEmpty }
        let id = try #require(bob.ask("status")["person"]?.stringValue)
        let person = try #require(PeerID(id)?.key)
        try awaitThat { try Self.has(text, of: person, ada) }
        try adas.ask(how, .members(["person": Self.key(bob)]))
        let begin = SystemClock.monotonicMilliseconds()
        while try Self.has(text, of: person, ada) {
            try #require(SystemClock.monotonicMilliseconds() < begin + 5 * 10_000)
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
        let key = try Self.key(bob)
        #expect(try client.ask("block", .members(["person": key]))["tier"] == "blocked")
        func texts() throws -> [JSON?] {
            (try ada.ask("history", ["to": "ops"])["messages"]?.arrayValue ?? [])
                .filter { $0["kind"] == "text" }.map { $0["text"] }
        }
        #expect(try texts().isEmpty)
        #expect(try ada.list("conversations").first?["unread"] == 0)
        #expect(try ada.list("peers").isEmpty)
        #expect(try ada.list("people").first?["tier"] == "blocked")
        #expect(
            refusal { try client.ask("send", .members(["to": key, "text": "x"])) } == "blocked")
        #expect(refusal { try client.ask("addPerson", .members(["person": key])) } == "blocked")
        try bob.ask("send", ["to": "ops", "text": "meanwhile"])
        #expect(try client.ask("unblock", ["person": "@bob"])["tier"] == "stranger")
        #expect(refusal { try client.ask("unblock", ["person": "@bob"]) } == "notBlocked")
        #expect(try texts() == ["hello"])
        try ada.ask("connect", .members(["address": .string(try bob.address())]))
        while try client.message()["text"] != "meanwhile" {}
    }

    @Test(
        "a name that nobody bears is answered with where to look",
        arguments: [
            ("accept", "stoa requests"), ("decline", "stoa requests"), ("unblock", "stoa people"),
        ])
    func unknown(method: String, advice: String) throws {
        let daemon = try TestDaemon(name: "ada")
        let error = rpcError { try daemon.ask(method, ["person": "@nobody"]) }
        #expect(error?.reason == "unknownName" && error?.remedy?.contains(advice) == true)
    }
}
