import ControlAPI
import Posix
import TestSupport
import Testing

@testable import Daemon

@Suite("Searching over the control socket", .serialized, .timeLimit(.minutes(5)))
struct SearchMethodTests {
    private static func found(_ client: TestClient, _ params: JSON) throws -> [String] {
        let result = try client.ask("search", params)
        #expect(result["complete"] == true)
        return (result["hits"]?.arrayValue ?? []).compactMap {
            $0["message"]?["text"]?.stringValue
        }
    }

    /// Messages of one millisecond in several conversations have no order.
    private static func passMillisecond() {
        let now = SystemClock.wallMilliseconds()
        while SystemClock.wallMilliseconds() == now {}
    }

    @Test("messages of all conversations are found by what they say now, and none that is gone")
    func everywhere() throws {
        let folder = try TestFolder()
        let daemon = try TestDaemon(name: "ada", directory: folder)
        let client = try daemon.connect()
        for room in ["ops", "den"] { try client.ask("join", ["room": .string(room)]) }
        let first = try client.ask("send", ["to": "ops", "text": "the quick brown fox"])
        Self.passMillisecond()
        try client.ask("send", ["to": "den", "text": "a lazy brown dog"])
        Self.passMillisecond()
        let secret = try client.ask("send", ["to": "@me", "text": "brown paper zxcvb"])
        #expect(
            try Self.found(client, ["words": "brown"])
                == ["brown paper zxcvb", "a lazy brown dog", "the quick brown fox"])
        #expect(
            try Self.found(client, ["words": "brown", "to": "den"]) == ["a lazy brown dog"])
        #expect(try Self.found(client, ["words": "brown", "to": "@me"]).count == 1)
        #expect(try Self.found(client, ["words": "brown", "limit": 2]).count == 2)
        let rest: JSON = ["words": "brown", "limit": 2, "offset": 2]
        #expect(try Self.found(client, rest) == ["the quick brown fox"])
        let hits = try client.ask("search", ["words": "qui* fox"])["hits"]?.arrayValue
        let parts = hits?.first?["excerpt"]?.arrayValue ?? []
        #expect(parts.filter { $0["match"] == true }.map { $0["text"] } == ["quick", "fox"])
        try client.ask("edit", .members(["id": first["id"], "text": "the slow red fox"]))
        try awaitThat { try Self.found(client, ["words": "red fox"]).count == 1 }
        #expect(try Self.found(client, ["words": "quick"]).isEmpty)
        try client.ask("delete", .members(["id": first["id"]]))
        #expect(try Self.found(client, ["words": "red"]).isEmpty)
        let path = "\(folder.path)/data/search.db"
        func hasWord(_ word: String) -> Bool {
            ["", "-wal"].contains { suffix in
                (TestFiles.read(path + suffix) ?? []).firstRange(of: Array(word.utf8)) != nil
            }
        }
        try awaitThat { !hasWord("slow") && !hasWord("quick") }
        #expect(hasWord("lazy") && !hasWord("zxcvb"), "what is sealed stays so")
        try client.ask("delete", .members(["id": secret["id"]]))
        #expect(try Self.found(client, ["words": "paper"]).isEmpty)
        #expect(refusal { _ = try client.ask("search", ["words": "!!"]) } == "noWords")
        #expect(
            refusal { _ = try client.ask("search", ["words": "x", "to": "nowhere"]) } != nil)
    }

    @Test("what is sealed is found however much stands behind it")
    func old() throws {
        let folder = try TestFolder()
        let daemon = try TestDaemon(name: "ada", directory: folder)
        let client = try daemon.connect()
        try client.ask("send", ["to": "@me", "text": "the first needle"])
        for number in 0...SealedWalk.stretch {
            try client.ask("send", ["to": "@me", "text": .string("hay \(number)")])
        }
        #expect(try Self.found(client, ["words": "needle"]) == ["the first needle"])
        #expect(try Self.found(client, ["words": "hay", "limit": 2]).first == "hay 1000")
        #expect(try Self.found(client, ["words": "first", "order": "rank"]).count == 1)
        let older: JSON = ["words": "needle", "until": "1970-01-02T00:00:00Z"]
        #expect(try Self.found(client, older).isEmpty)
    }

    @Test("the next start goes on with the index, and finds what was written since")
    func restart() throws {
        let folder = try TestFolder()
        do {
            let daemon = try TestDaemon(name: "ada", directory: folder)
            try daemon.ask("join", ["room": "ops"])
            try daemon.ask("send", ["to": "ops", "text": "one needle"])
            #expect(try Self.found(daemon.connect(), ["words": "needle"]).count == 1)
            daemon.stop()
        }
        let daemon = try TestDaemon(name: "ada", directory: folder)
        try daemon.ask("send", ["to": "ops", "text": "two needles and a needle"])
        #expect(try Self.found(daemon.connect(), ["words": "needle"]).count == 2)
    }
}
