import ControlAPI
import Posix
import TestSupport
import Testing

@testable import stoa

@Suite("Messages that are to be sent once", .timeLimit(.minutes(1)))
struct SendAgainTests {
    private static func key(in text: String) -> String? {
        let words = text.split { " ;\n".contains($0) }
        return words.firstIndex(of: "--key").map { String(words[$0 + 1]) }
    }

    private static func keys(_ daemon: FakeDaemon) throws -> [String?] {
        try daemon.params("send").map { try JSON(parsing: $0)["idempotencyKey"]?.stringValue }
    }

    @Test(
        "where nobody knows what became of one, the error names the key with which it is sent once",
        arguments: [
            ["send", "ops", "x"], ["send", "ops", "x", "--key", "k"],
        ])
    func unknown(words: [String]) throws {
        let daemon = try FakeDaemon { $0.method == "send" ? [.close] : [.result([:])] }
        let run = try CommandRun(words, daemon: daemon)
        #expect(run.code == .noDaemon)
        let sent = try #require(try Self.keys(daemon).first ?? nil)
        if words.contains("--key") {
            #expect(sent == "k" && run.errors.contains("again with the same --key"))
        } else {
            #expect(Self.key(in: run.errors) == sent)
        }
    }

    @Test("two messages have two keys, and a refusal names none")
    func keys() throws {
        let daemon = try FakeDaemon { _ in [.failure(.notMember())] }
        for _ in 1...2 {
            let run = try CommandRun(["send", "ops", "x"], daemon: daemon)
            #expect(!run.errors.contains("--key"))
        }
        let keys = try Self.keys(daemon)
        #expect(keys.count == 2 && keys[0] != nil && keys[0] != keys[1])
    }

    @Test("of several files none is sent where one is not there, or is no file")
    func missing() throws {
        let daemon = try FakeDaemon { _ in [.result([:])] }
        let folder = try TestFolder()
        let good = folder("good")
        try Files.writeAtomically([1], to: good, mode: 0o600)
        for bad in [folder("missing"), folder("")] {
            let run = try CommandRun(
                ["send", "ops", "--file", good, "--file", bad], daemon: daemon)
            #expect(run.code == .badData)
        }
        #expect(daemon.requests.isEmpty)
    }

    @Test(
        "where one of several files cannot be sent, it is told which were, and how to send the others"
    )
    func half() throws {
        let daemon = try FakeDaemon { request in
            let name = request.params.json?["file"]?["name"]?.stringValue
            return name == "b"
                ? [.failure(.storageFailed("full", remedy: "free some"))]
                : [.result(["deliveredTo": []])]
        }
        let folder = try TestFolder()
        var words = ["send", "ops"]
        for name in ["a", "b", "c"] {
            try Files.writeAtomically([1], to: folder(name), mode: 0o600)
            words += ["--file", folder(name)]
        }
        let run = try CommandRun(words, daemon: daemon)
        #expect(run.code == .inputOutput)
        let key = try #require(Self.key(in: run.errors))
        #expect(
            run.errors
                == "stoa: send: full; free some; sent: a; not sent: b, c: to send these only, "
                + "run the same command again with --key \(key)\n")
        #expect(try Self.keys(daemon) == [key, "\(key)/1"])
    }

    @Test("lines of which some are not sent are sent on with the key that the error names")
    func lines() throws {
        let daemon = try FakeDaemon { request in
            request.params.json?["text"] == "two"
                ? [.failure(.storageFailed("full", remedy: "free some"))] : [.result([:])]
        }
        let run = try CommandRun(
            ["send", "ops", "--lines"], daemon: daemon, input: Array("one\ntwo\n".utf8))
        #expect(run.code == .inputOutput)
        let key = try #require(Self.key(in: run.errors))
        #expect(try Self.keys(daemon) == ["\(key)-1", "\(key)-2"])
    }
}
