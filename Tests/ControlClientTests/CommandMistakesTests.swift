import Posix
import TestSupport
import Testing

@testable import stoa

/// What people get wrong in commands, their options and the environment, and what they are told before or
/// instead of any daemon: `Golden/mistakes.txt`.
@Suite("Mistakes in commands", .timeLimit(.minutes(5)))
struct CommandMistakesTests {
    /// What was typed, with a folder in the place of `FOLDER`.
    private struct Mistake {
        var words: [String]
        var environment: [String: String] = [:]
        var input = ""
    }

    private static func words(_ words: String...) -> Mistake { Mistake(words: words) }
    private static func environment(_ name: String, _ value: String) -> Mistake {
        Mistake(words: ["status"], environment: [name: value])
    }

    private static let mistakes: [(what: String, mistake: Mistake)] = [
        ("a mistyped command", words("histroy", "ops")),
        ("a command of another program", words("ls")),
        ("a mistyped option", words("tail", "--consumr", "bot")),
        ("an option of another command", words("status", "--limit", "3")),
        ("an option before its command", words("--wait", "sent", "send", "ops", "x")),
        ("an option without its value", words("tail", "--limit")),
        ("an option that counts once, twice", words("history", "ops", "--limit", "3", "--limit=5")),
        ("two sockets", words("--socket", "FOLDER/a", "status", "--socket", "FOLDER/b")),
        ("a value for an option that takes none", words("status", "--json=yes")),
        ("a text that begins with a dash", words("send", "ops", "-5 degrees")),
        ("nobody to send to", words("send")),
        ("a room too many", words("join", "a", "b")),
        ("a word too many", words("status", "now")),
        ("a limit of nothing", words("history", "ops", "--limit", "0")),
        ("a limit that is no number", words("history", "ops", "--limit", "many")),
        ("a time that is none", words("history", "ops", "--since", "whenever")),
        ("a cursor before the first", words("tail", "--from", "-1")),
        ("a wait that there is not", words("send", "ops", "x", "--wait", "seen")),
        ("a time-out that is no number", words("status", "--timeout", "soon")),
        ("a time-out of nothing", words("send", "ops", "x", "--wait=delivered", "--timeout=0")),
        ("a time-out of a day", words("send", "ops", "x", "--wait=delivered", "--timeout=86400")),
        ("a key of nothing", words("send", "ops", "x", "--key", "")),
        ("a name of nothing", words("profile", "--name", "")),
        ("help for no command", words("help", "histroy")),
        ("no address to connect to", words("connect")),
        ("a socket that is not there", words("--socket", "FOLDER/none.sock", "status")),
        ("a socket that is a folder", words("--socket", "FOLDER", "status")),
        ("a socket that is a file", words("--socket", "FOLDER/file", "status")),
        ("a socket of no name", words("--socket=", "status")),
        (
            "a socket whose path is too long",
            words("--socket", "/" + String(repeating: "x", count: 120), "status")
        ),
        ("a variable that names no socket", environment("STOA_SOCKET", "FOLDER/none.sock")),
        ("a variable that names a file", environment("STOA_SOCKET", "FOLDER/file")),
        ("a runtime directory that is not there", environment("XDG_RUNTIME_DIR", "FOLDER/none")),
        ("a runtime directory that is relative", environment("XDG_RUNTIME_DIR", "run")),
    ]

    private static func told(_ mistake: Mistake, _ folder: TestFolder) throws -> CommandRun {
        func placed(_ text: String) -> String { text.replacing("FOLDER", with: folder.path) }
        var environment = ["HOME": folder.path, "XDG_RUNTIME_DIR": folder.path]
        for (name, value) in mistake.environment { environment[name] = placed(value) }
        return try CommandRun(mistake.words.map(placed), environment: environment)
    }

    @Test("are told as they were; STOA_WRITE_MISTAKES=1 writes anew what people are told")
    func golden() throws {
        let folder = try TestFolder()
        try Files.writeAtomically([], to: folder.path + "/file", mode: 0o600)
        var text = ""
        for (what, mistake) in Self.mistakes {
            let run = try Self.told(mistake, folder)
            let said = run.errors.replacing(folder.path, with: "FOLDER")
            text += "\(what): \(run.status)\n"
            text += said.split(separator: "\n").map { "  \($0)\n" }.joined()
        }
        let path = TestFiles.tests + "/ControlClientTests/Golden/mistakes.txt"
        if ProcessEnvironment.variable("STOA_WRITE_MISTAKES") == "1" {
            try Files.writeAtomically(Array(text.utf8), to: path, mode: 0o644)
        }
        let kept = String(decoding: try Files.read(path, limitBytes: 1 << 20), as: UTF8.self)
        #expect(kept == text)
    }

    @Test("are each told once, with the thing and the next step, on standard error, and fail")
    func shape() throws {
        let folder = try TestFolder()
        try Files.writeAtomically([], to: folder.path + "/file", mode: 0o600)
        #expect(Self.mistakes.count >= 30)
        for (what, mistake) in Self.mistakes {
            let run = try Self.told(mistake, folder)
            #expect(run.status >= 64 && run.status <= 78, "\(what)")
            #expect(run.output == "", "\(what)")
            #expect(run.errors.hasPrefix("stoa"), "\(what)")
            let lines = run.errors.split(separator: "\n")
            #expect(Set(lines).count == lines.count, "\(what): said twice")
            #expect(run.errors.contains("; "), "\(what): no next step in \(run.errors)")
        }
    }
}
