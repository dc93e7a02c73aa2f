import ControlAPI
import Posix
import TestSupport
import Testing

@testable import Daemon

@Suite("Keeping messages for a time", .serialized, .timeLimit(.minutes(5)))
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
        // Without a word of what is to be it says what is.
        #expect(try daemon.ask("retain", ["to": "ops"])["retainDays"] == 1)
        let both: JSON = ["to": "ops", "days": 2, "off": true]
        #expect(refusal { try daemon.ask("retain", both) } == "invalid")
        #expect(try daemon.ask("retain", ["to": "ops", "off": true])["retainDays"] == nil)
    }

    @Test("how much is kept is shown by usage; a size is kept to at once, and over a start")
    func size() throws {
        let folder = try TestFolder()
        do {
            let daemon = try TestDaemon(name: "ada", directory: folder)
            try daemon.ask("join", ["room": "ops"])
            for number in 1...5 {
                let text = String(repeating: "x", count: 500) + "\(number)"
                try daemon.ask("send", ["to": "ops", "text": .string(text)])
            }
            let before = try daemon.ask("usage")
            #expect((before["database"]?.integerValue ?? 0) > 0)
            #expect((before["free"]?.integerValue ?? 0) > 0 && before["search"] == 0)
            let used = try #require(before["conversations"]?.arrayValue?.first)
            #expect(used["name"] == "ops" && used["entries"] == 7)
            #expect((used["bytes"]?.integerValue ?? 0) > 2_500)
            let answer = try daemon.ask("retain", ["to": "ops", "bytes": 1_500])
            #expect(answer["retainBytes"] == 1_500 && answer["retainDays"] == nil)
            try awaitThat { try Self.texts(daemon).count == 2 }
            daemon.stop()
        }
        let daemon = try TestDaemon(name: "ada", directory: folder)
        let used = try daemon.ask("usage")["conversations"]?.arrayValue?.first
        #expect(used?["retainBytes"] == 1_500)
        #expect((used?["bytes"]?.integerValue ?? 9_999) < 1_500)
    }

    @Test("both limits hold that were given one after the other; what would go is said, and stays")
    func both() throws {
        let daemon = try TestDaemon(name: "ada")
        try daemon.ask("join", ["room": "ops"])
        for number in 1...5 {
            let text = String(repeating: "x", count: 500) + "\(number)"
            try daemon.ask("send", ["to": "ops", "text": .string(text)])
        }
        let dry = try daemon.ask("retain", ["to": "ops", "bytes": 1_500, "dryRun": true])
        #expect(dry["retainGoing"] == 3 && dry["retainBytes"] == nil)
        #expect(try Self.texts(daemon).count == 5)
        #expect(try daemon.ask("retain", ["to": "ops", "days": 3])["retainGoing"] == nil)
        let answer = try daemon.ask("retain", ["to": "ops", "bytes": 1_000_000])
        #expect(answer["retainDays"] == 3 && answer["retainBytes"] == 1_000_000)
        let none = try daemon.ask("retain", ["to": "ops", "days": 2, "dryRun": true])
        #expect(none["retainGoing"] == 0 && none["retainDays"] == 3)
        let off = try daemon.ask("retain", ["to": "ops", "off": true])
        #expect(off["retainDays"] == nil && off["retainBytes"] == nil)
    }

    @Test(
        "a room that is forgotten is left, and nothing of it can be read; somebody who is, is not known"
    )
    func forgotten() throws {
        let daemon = try TestDaemon(name: "ada")
        try daemon.ask("join", ["room": "ops"])
        try daemon.ask("send", ["to": "ops", "text": "secret"])
        try daemon.ask("send", ["to": "@me", "text": "note"])
        let answer = try daemon.ask("forget", ["to": "ops"])
        #expect(answer["name"] == "ops" && answer["messages"] == 1)
        #expect(try daemon.list("conversations").allSatisfy { $0["name"] != "ops" })
        #expect(try Self.texts(daemon).isEmpty)
        #expect(try daemon.ask("search", ["words": "secret"])["hits"]?.arrayValue?.isEmpty == true)
        // What is said there from then on is kept again.
        try daemon.ask("join", ["room": "ops"])
        try daemon.ask("send", ["to": "ops", "text": "again"])
        #expect(try Self.texts(daemon) == ["again"])
        #expect(try daemon.ask("forget", ["to": "@me"])["messages"] == 1)
        #expect(refusal { try daemon.ask("forget", ["to": "nowhere"]) } == "unknownName")
    }

    @Test("what a room is about is shown with it, and told as a message")
    func topic() throws {
        let daemon = try TestDaemon(name: "ada")
        try daemon.ask("join", ["room": "ops"])
        let follower = try daemon.connect()
        try follower.ask("subscribe")
        #expect(try daemon.ask("topic", ["to": "ops"])["topic"] == nil)
        let answer = try daemon.ask("topic", ["to": "ops", "text": "backups, and who is on call"])
        #expect(answer["topic"] == "backups, and who is on call")
        let told = try follower.message()
        #expect(told["kind"] == "topic" && told["text"] == "backups, and who is on call")
        #expect(try daemon.ask("topic", ["to": "ops", "text": ""])["topic"] == nil)
        let long = String(repeating: "x", count: 257)
        #expect(
            refusal { try daemon.ask("topic", ["to": "ops", "text": .string(long)]) } == "tooLarge")
        #expect(try daemon.list("conversations").first?["unread"] == 0)
    }
}
