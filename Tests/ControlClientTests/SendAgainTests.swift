import ControlAPI
import Posix
import Synchronization
import TestSupport
import Testing

@testable import stoa

@Suite("Messages that are to be sent once", .timeLimit(.minutes(5)))
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

    @Test("lines that an earlier run has sent are counted apart from those that are sent now")
    func repeated() throws {
        let daemon = try FakeDaemon { request in
            let text = request.params.json?["text"]?.stringValue ?? ""
            return [.result(["duplicate": .bool(text.hasPrefix("old"))])]
        }
        func output(_ lines: String) throws -> String {
            let run = try CommandRun(
                ["send", "ops", "--lines", "--key", "k"], daemon: daemon, input: Array(lines.utf8))
            #expect(run.code == .done)
            return run.output
        }
        #expect(try output("new\nold\nnew\n") == "sent 2 messages; 1 was sent already\n")
        #expect(try output("old\nold\n") == "sent 0 messages; 2 were sent already\n")
        #expect(try output("new\n") == "sent 1 message\n")
    }

    @Test("lines whose answers a lost connection took with it are not counted as an earlier run's")
    func answersLost() throws {
        let attempts = Mutex(0)
        let daemon = try FakeDaemon { request in
            let isFirst = attempts.withLock { count -> Bool in
                count += 1
                return count == 1
            }
            return isFirst ? [.close] : [.result(["duplicate": true])]
        }
        let run = try CommandRun(
            ["send", "ops", "--lines"], daemon: daemon, input: Array("one\n".utf8))
        #expect(run.output == "sent 1 message\n")
    }

    @Test("one whose delivery is waited for goes on over a restart of the daemon, under its key")
    func restarted() throws {
        let attempts = Mutex(0)
        let daemon = try FakeDaemon { request in
            let isFirst = attempts.withLock { count -> Bool in
                count += 1
                return count == 1
            }
            return isFirst
                ? [.close] : [.result(["duplicate": true, "deliveredTo": ["a"]])]
        }
        let run = try CommandRun(
            ["send", "ops", "x", "--wait", "delivered"], daemon: daemon)
        #expect(run.code == .done)
        #expect(run.output == "sent, delivered to 1 peer\n")
        #expect(run.errors.contains("connecting again"))
        let keys = try Self.keys(daemon)
        #expect(keys.count == 2 && keys[0] == keys[1])
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
