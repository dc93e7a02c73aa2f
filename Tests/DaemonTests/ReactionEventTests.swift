import ControlAPI
import TestSupport
import Testing

@testable import Daemon

@Suite("What subscribers are told of reactions", .serialized, .timeLimit(.minutes(5)))
struct ReactionEventTests {
    @Test("each says how many people have given it now, to those who follow and to who comes later")
    func counts() throws {
        let ada = try TestDaemon(name: "ada")
        let bob = try TestDaemon(name: "bob", peers: [try ada.address()])
        for daemon in [ada, bob] { try daemon.ask("join", ["room": "ops"]) }
        let (adas, bobs) = (try ada.connect(), try bob.connect())
        for client in [adas, bobs] {
            try client.ask("subscribe", ["to": "ops", "kinds": ["message", "reaction"]])
        }
        let id = try ada.ask("send", ["to": "ops", "text": "lunch?"])["id"] ?? .null
        while try bobs.message()["id"] != id {}
        try bob.ask("react", .members(["id": id, "sign": "+1"]))
        for client in [adas, bobs] {
            let change = try client.change()
            #expect(change["event"] == "reacted" && change["text"] == "+1" && change["count"] == 1)
        }
        try ada.ask("react", .members(["id": id, "sign": "+1"]))
        for client in [adas, bobs] { #expect(try client.change()["count"] == 2) }
        try bob.ask("react", .members(["id": id, "sign": "+1", "remove": true]))
        for client in [adas, bobs] {
            let change = try client.change()
            #expect(change["event"] == "removed" && change["count"] == 1)
        }
        // Who reads what was before is told how it is now.
        let late = try ada.connect()
        try late.ask("subscribe", ["from": 0, "kinds": ["reaction"]])
        for _ in 0..<3 { #expect(try late.change()["count"] == 1) }
    }
}
