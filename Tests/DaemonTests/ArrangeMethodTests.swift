import ControlAPI
import TestSupport
import Testing

@testable import Daemon

@Suite("Muting conversations and putting them away", .serialized, .timeLimit(.minutes(5)))
struct ArrangeMethodTests {
    private static func state(_ daemon: TestDaemon, _ name: String) throws -> [Bool] {
        let found = try daemon.list("conversations").first { $0["name"]?.stringValue == name }
        return [found?["muted"] == true, found?["archived"] == true]
    }

    @Test("what the user says stays, over a start, and subscribers are told of it")
    func arranged() throws {
        let folder = try TestFolder()
        do {
            let daemon = try TestDaemon(name: "ada", directory: folder)
            for room in ["ops", "den"] { try daemon.ask("join", ["room": .string(room)]) }
            let follower = try daemon.connect()
            try follower.ask("subscribe", ["kinds": ["conversation"]])
            let answer = try daemon.ask("mute", ["to": "ops"])
            #expect(answer["name"] == "ops" && answer["muted"] == true && answer["archived"] == nil)
            let change = try follower.change()
            #expect(change["event"] == "arranged" && change["name"] == "ops")
            #expect(change["muted"] == true && change["archived"] == false)
            // What is so already is not told again.
            try daemon.ask("mute", ["to": "ops"])
            try daemon.ask("archive", ["to": "ops"])
            let next = try follower.change()
            #expect(next["muted"] == true && next["archived"] == true)
            try daemon.ask("archive", ["to": "den"])
            try daemon.ask("unarchive", ["to": "den"])
            #expect(try Self.state(daemon, "ops") == [true, true])
            #expect(try Self.state(daemon, "den") == [false, false])
            #expect(refusal { try daemon.ask("mute", ["to": "nowhere"]) } == "unknownName")
            daemon.stop()
        }
        let daemon = try TestDaemon(name: "ada", directory: folder)
        #expect(try Self.state(daemon, "ops") == [true, true])
        try daemon.ask("unmute", ["to": "ops"])
        #expect(try Self.state(daemon, "ops") == [false, true])
        try daemon.ask("leave", ["room": "den"])
        #expect(refusal { try daemon.ask("mute", ["to": "den"]) } == "notMember")
    }
}
