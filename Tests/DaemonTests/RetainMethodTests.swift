import ControlAPI
import Posix
import TestSupport
import Testing

@testable import Daemon

@Suite("Keeping messages for a time", .serialized, .timeLimit(.minutes(2)))
struct RetainMethodTests {
    private static func texts(_ daemon: TestDaemon) throws -> [String] {
        (try daemon.ask("history", ["to": "ops"])["messages"]?.arrayValue ?? [])
            .compactMap { $0["text"]?.stringValue }.filter { !$0.isEmpty }
    }

    @Test("for how long is kept over a start, and what is younger stays")
    func kept() throws {
        let folder = try TestFolder()
        do {
            let daemon = try TestDaemon(name: "ada", directory: folder)
            try daemon.ask("join", ["room": "ops"])
            try daemon.ask("send", ["to": "ops", "text": "young"])
            let answer = try daemon.ask("retain", ["to": "ops", "days": 1])
            #expect(answer["retainDays"] == 1)
            #expect(refusal { try daemon.ask("retain", ["to": "ops", "days": 0]) } == "badParam")
            #expect(refusal { try daemon.ask("retain", ["to": "den"]) } == "unknownName")
            #expect(try Self.texts(daemon) == ["young"])
            daemon.stop()
        }
        let daemon = try TestDaemon(name: "ada", directory: folder)
        #expect(try daemon.list("conversations").first?["retainDays"] == 1)
        #expect(try Self.texts(daemon) == ["young"])
        #expect(try daemon.ask("retain", ["to": "ops"])["retainDays"] == nil)
    }
}
