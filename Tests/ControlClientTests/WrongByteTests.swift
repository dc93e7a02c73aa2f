import ControlAPI
import Testing

@testable import stoa

@Suite("Bytes that are not UTF-8", .timeLimit(.minutes(5)))
struct WrongByteTests {
    private static let bytes = Array("a".utf8) + [0xFF] + Array("b ".utf8) + [0xE2, 0x82, 0x0A]
    private static let text = "a\u{FFFD}b \u{FFFD}"

    @Test(
        "become U+FFFD in all that is sent, sequence by sequence, and nothing is left out",
        arguments: [
            ["send", "ops"], ["send", "ops", "-"], ["send", "ops", "--lines"],
            ["chat", "ops", "--plain"],
        ])
    func input(words: [String]) throws {
        let daemon = try FakeDaemon { _ in [.result(["id": "m", "cursor": 1])] }
        let run = try CommandRun(words, daemon: daemon, input: Self.bytes)
        #expect(run.code == .done, "\(run.errors)")
        let texts = try daemon.params("send").map { try JSON(parsing: $0)["text"]?.stringValue }
        #expect(texts == [Self.text])
    }

    @Test("become U+FFFD in the output that run reports, which is passed on as it is")
    func output() throws {
        let daemon = try FakeDaemon { _ in [.result(["id": "m"])] }
        let script = "printf 'a\\377b \\342\\202\\n'"
        let run = try CommandRun(
            ["run", "ops", "--", "sh", "-c", script], daemon: daemon,
            environment: ["PATH": "/usr/bin:/bin"])
        #expect(run.status == 0)
        let sent = try #require(daemon.params("send").first)
        let text = try JSON(parsing: sent)["text"]?.stringValue
        #expect(text?.hasSuffix("\n" + Self.text) == true)
    }
}
