import ControlAPI
import Posix
import TestSupport
import Testing

@testable import Daemon

@Suite("Messages that are taken back over the control socket", .serialized, .timeLimit(.minutes(5)))
struct DeleteMethodTests {
    private static func texts(_ client: TestClient, in room: String) throws -> [String] {
        (try client.ask("history", ["to": .string(room)])["messages"]?.arrayValue ?? [])
            .filter { $0["kind"] == "text" }.compactMap { $0["text"]?.stringValue }
    }

    /// Two daemons in a room, in which the first has said two things that both have.
    private static func pair() throws -> (
        ada: TestDaemon, bob: TestDaemon, adas: TestClient, bobs: TestClient, id: JSON
    ) {
        let ada = try TestDaemon(name: "ada")
        let bob = try TestDaemon(name: "bob", peers: [try ada.address()])
        for daemon in [ada, bob] { try daemon.ask("join", ["room": "ops"]) }
        let (adas, bobs) = (try ada.connect(), try bob.connect())
        try bobs.ask("subscribe", ["to": "ops", "from": 0, "kinds": ["message", "deleted"]])
        let id = try #require(
            try adas.ask("send", ["to": "ops", "text": "a-slip-of-the-hand"])["id"])
        try adas.ask("send", ["to": "ops", "text": "hello"])
        while try bobs.message()["text"] != "hello" {}
        return (ada, bob, adas, bobs, id)
    }

    @Test("a message that its author takes back is shown nowhere, and subscribers are told")
    func erased() throws {
        let (ada, bob, adas, bobs, id) = try Self.pair()
        try adas.ask("subscribe", ["to": "ops", "kinds": ["deleted"]])
        let short = String(try #require(id.stringValue).prefix(12))
        let answer = try adas.ask("delete", ["id": .string(short)])
        #expect(answer["id"] == id && answer["conversationName"] == "ops")
        for client in [adas, bobs] {
            let change = try client.change()
            #expect(change["kind"] == "deleted" && change["event"] == "deleted")
            #expect(change["message"] == id && change["name"] == "ops")
            #expect(try Self.texts(client, in: "ops") == ["hello"])
        }
        let unread = try bob.list("conversations").first?["unread"]
        #expect(unread == 1)
        // Again, and by the whole id: it is gone already.
        let newest = try adas.ask("send", ["to": "ops", "text": "next"])["cursor"]
        #expect(try adas.ask("delete", ["id": id])["id"] == id)
        let cursor = try adas.ask("send", ["to": "ops", "text": "last"])["cursor"]
        #expect(cursor?.integerValue == (newest?.integerValue ?? 0) + 1)
        withExtendedLifetime(ada) {}
    }

    @Test("one's own message is taken back whose text is not kept here any longer")
    func withoutPayload() throws {
        let (ada, bob, adas, bobs, id) = try Self.pair()
        try adas.ask("retain", ["to": "ops", "bytes": 1])
        try awaitThat { try !Self.texts(adas, in: "ops").contains("a-slip-of-the-hand") }
        #expect(try Self.texts(bobs, in: "ops") == ["a-slip-of-the-hand", "hello"])
        #expect(try adas.ask("delete", ["id": id])["id"] == id)
        let change = try bobs.change()
        #expect(change["kind"] == "deleted" && change["message"] == id)
        #expect(try Self.texts(bobs, in: "ops") == ["hello"])
        // It is erased here now, not only let go of: nothing more is said of it.
        let newest = try adas.ask("send", ["to": "ops", "text": "next"])["cursor"]
        #expect(try adas.ask("delete", ["id": id])["id"] == id)
        let cursor = try adas.ask("send", ["to": "ops", "text": "last"])["cursor"]
        #expect(cursor?.integerValue == (newest?.integerValue ?? 0) + 1)
        withExtendedLifetime((ada, bob)) {}
    }

    // Shows: shown.deleted
    @Test("within ten seconds the text is in no file of those who have heard of it")
    func offTheDisk() throws {
        let (ada, bob, adas, bobs, id) = try Self.pair()
        func hasText(_ daemon: TestDaemon) throws -> Bool {
            for name in ["stoa.db", "stoa.db-wal"] {
                let path = "\(daemon.directory.path)/data/\(name)"
                let bytes = try Files.read(path, limitBytes: 64 << 20)
                if bytes.firstRange(of: Array("a-slip-of-the-hand".utf8)) != nil { return true }
            }
            return false
        }
        #expect(try hasText(ada) && hasText(bob))
        // What a repair has kept of a damaged file may have it, too.
        let kept = "\(ada.directory.path)/data/stoa.db.damaged-2026-11-24"
        for path in [kept, kept + "-wal"] {
            try Files.writeAtomically(Array("a-slip".utf8), to: path, mode: 0o600)
        }
        try adas.ask("delete", ["id": id])
        _ = try bobs.change()
        let begin = SystemClock.monotonicMilliseconds()
        while try hasText(ada) || hasText(bob) || Files.size(kept + "-wal") != nil {
            try #require(SystemClock.monotonicMilliseconds() < begin + 5 * 10_000)
            _ = try waitUntilReadable([], timeoutMilliseconds: 50)
        }
        #expect(Files.size(kept) == nil)
        #expect(try Self.texts(adas, in: "ops") == ["hello"])
    }

    @Test("of who is blocked not even that is told")
    func blocked() throws {
        let cleo = try TestDaemon(name: "cleo")
        let ada = try TestDaemon(name: "ada", peers: [try cleo.address()])
        let bob = try TestDaemon(name: "bob", peers: [try cleo.address()])
        let (cleos, adas) = (try cleo.connect(), try ada.connect())
        for daemon in [ada, bob, cleo] { try daemon.ask("join", ["room": "ops"]) }
        for client in [cleos, adas] {
            try client.ask("subscribe", ["to": "ops", "from": 0, "kinds": ["message", "deleted"]])
        }
        let bobs = try #require(try bob.ask("send", ["to": "ops", "text": "one"])["id"])
        let own = try #require(try cleo.ask("send", ["to": "ops", "text": "two"])["id"])
        for client in [cleos, adas] {
            var texts: Set<String> = []
            while texts != ["one", "two"] {
                if let text = try client.message()["text"]?.stringValue, !text.isEmpty {
                    texts.insert(text)
                }
            }
        }
        let key = try #require(try bob.ask("status")["id"]?.stringValue)
        try adas.ask("block", ["person": .string("@" + key)])
        // The one comes to ada by cleo, before the other.
        try bob.ask("delete", ["id": bobs])
        #expect(try cleos.change()["message"] == bobs)
        try cleo.ask("delete", ["id": own])
        #expect(try adas.change()["message"] == own)
        withExtendedLifetime((ada, bob, cleo)) {}
    }

    @Test("only one's own messages are taken back, and nothing that says who was there")
    func refused() throws {
        let (ada, bob, adas, bobs, id) = try Self.pair()
        func erase(_ client: TestClient, _ id: String) -> String? {
            refusal { try client.ask("delete", ["id": .string(id)]) }
        }
        let whole = try #require(id.stringValue)
        #expect(erase(bobs, whole) == "notYours")
        let join = try adas.ask("history", ["to": "ops"])["messages"]?.arrayValue?.first {
            $0["kind"] == "join" && $0["authorName"] == "ada"
        }
        #expect(erase(adas, try #require(join?["id"]?.stringValue)) == "notErasable")
        for unknown in ["zzzzzzzz", "short", "not an id", String(repeating: "a", count: 52)] {
            #expect(erase(adas, unknown) == "unknownMessage", "\(unknown)")
        }
        try adas.ask("leave", ["room": "ops"])
        #expect(erase(adas, whole) == "notMember")
        #expect(try Self.texts(bobs, in: "ops") == ["a-slip-of-the-hand", "hello"])
        withExtendedLifetime((ada, bob)) {}
    }
}
