import ControlAPI
import TestSupport
import Testing

@testable import Daemon

@Suite("What subscribers are told of people", .serialized, .timeLimit(.minutes(5)))
struct PersonEventTests {
    /// `@` and the key of a daemon: strangers are named by it.
    private static func key(_ daemon: TestDaemon) throws -> JSON {
        .string("@" + (try daemon.ask("status")["id"]?.stringValue ?? ""))
    }

    /// A client that follows some kinds, from the beginning where that is asked for.
    private static func follower(
        of daemon: TestDaemon, _ kinds: [JSON], from cursor: JSON? = nil
    ) throws -> TestClient {
        let client = try daemon.connect()
        try client.ask("subscribe", .members(["from": cursor, "kinds": .array(kinds)]))
        return client
    }

    /// Two daemons in a room, of which the first has had a message of the second.
    private static func pair() throws -> (ada: TestDaemon, bob: TestDaemon) {
        let ada = try TestDaemon(name: "ada")
        let bob = try TestDaemon(name: "bob", peers: [try ada.address()])
        for daemon in [ada, bob] { try daemon.ask("join", ["room": "ops"]) }
        let client = try ada.connect()
        try client.ask("subscribe", ["to": "ops", "from": 0])
        try bob.ask("send", ["to": "ops", "text": "hello"])
        while try client.message()["text"] != "hello" {}
        return (ada, bob)
    }

    @Test("what the user says of somebody is told to every client, and to nobody else")
    func standing() throws {
        let (ada, bob) = try Self.pair()
        let key = try Self.key(bob)
        let (adas, bobs) = (
            try Self.follower(of: ada, ["person"]), try Self.follower(of: bob, ["person"])
        )
        let words = try bob.ask("verify", .members(["person": Self.key(ada)]))["words"]
        try ada.ask("addPerson", .members(["person": key]))
        try ada.ask("verify", .members(["person": key, "code": words]))
        try ada.ask("block", .members(["person": key]))
        try ada.ask("unblock", .members(["person": key]))
        var cursor: Int64 = 0
        for event in ["added", "verified", "blocked", "unlisted"] {
            let change = try adas.change()
            #expect(change["kind"] == "person" && change["event"] == .string(event))
            #expect(change["peer"].map { "@" + ($0.stringValue ?? "") } == key.stringValue)
            #expect(change["peerName"]?.stringValue?.hasPrefix("bob") == true)
            #expect((change["cursor"]?.integerValue ?? 0) > cursor)
            cursor = change["cursor"]?.integerValue ?? 0
        }
        // The next that bob's client is told is what bob himself says.
        try bob.ask("addPerson", .members(["person": Self.key(ada)]))
        #expect(try bobs.change()["event"] == "added")
        // Who comes later is told how it is now.
        let late = try Self.follower(of: ada, ["person"], from: 0)
        #expect(try late.change()["cursor"] == .integer(cursor))
    }

    @Test("a contact's new name and status are told, and the user's own; a stranger's are not")
    func profile() throws {
        let (ada, bob) = try Self.pair()
        let (adas, bobs) = (
            try Self.follower(of: ada, ["person"]), try Self.follower(of: bob, ["person"])
        )
        try bob.ask("profile", ["status": "unseen"])
        #expect(try bobs.change()["status"] == "unseen")
        let client = try ada.connect()
        while try client.ask("whois", .members(["person": Self.key(bob)]))["status"] != "unseen" {}
        try ada.ask("addPerson", .members(["person": Self.key(bob)]))
        #expect(try adas.change()["event"] == "added")
        try bob.ask("profile", ["name": "Robert", "status": "at lunch"])
        let own = try bobs.change()
        let told = try adas.change()
        for change in [own, told] {
            #expect(change["kind"] == "person" && change["event"] == "profile")
            #expect(change["name"] == "Robert" && change["status"] == "at lunch")
        }
        #expect(told["peer"] == own["peer"])
    }

    @Test(
        "that a request was accepted or declined is told to the user's clients; who asked sees it delivered"
    )
    func decided() throws {
        let (ada, bob) = try Self.pair()
        let carl = try TestDaemon(name: "carl", peers: [try ada.address()])
        let adas = try Self.follower(of: ada, ["request"])
        let bobs = try Self.follower(of: bob, ["delivery", "request"])
        for (daemon, method, event) in [
            (bob, "accept", "accepted"), (carl, "decline", "declined"),
        ] {
            let key = try Self.key(daemon)
            if daemon === carl {
                let client = try carl.connect()
                while try client.list("peers").first?["state"] != "linked" {}
            }
            try daemon.ask("send", .members(["to": Self.key(ada), "text": "may I?"]))
            let came = try adas.change()
            #expect(came["event"] == "requested" && came["text"] == "may I?")
            try ada.ask(method, .members(["person": key]))
            let decided = try adas.change()
            #expect(decided["kind"] == "request" && decided["event"] == .string(event))
            #expect(decided["peer"] == came["peer"] && decided["text"] == nil)
        }
        #expect(try bobs.change()["event"] == "delivered")
    }

    @Test("who waits and is blocked, or is added as a contact, waits no longer")
    func decidedOtherwise() throws {
        for (method, event) in [("block", "declined"), ("addPerson", "accepted")] {
            let (ada, bob) = try Self.pair()
            let adas = try Self.follower(of: ada, ["request"])
            try bob.ask("send", .members(["to": Self.key(ada), "text": "may I?"]))
            #expect(try adas.change()["event"] == "requested")
            try ada.ask(method, .members(["person": Self.key(bob)]))
            #expect(try adas.change()["event"] == .string(event))
            #expect(try ada.list("requests").isEmpty)
        }
    }
}
