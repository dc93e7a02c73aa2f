import ControlAPI
import Glibc
import Posix
import TestSupport
import Testing

@testable import stoa

@Suite("Programs that stoa runs", .serialized, .timeLimit(.minutes(5)))
struct ScriptTests {
    private static let path = ["PATH": ProcessEnvironment.variable("PATH") ?? "/usr/bin:/bin"]

    private static func hook(_ script: String, limit: UInt64 = 20_000) -> Hook {
        Hook(
            words: ["sh", "-c", script], environment: Self.path, limitMilliseconds: limit, kept: nil
        )
    }

    private static func run(_ hook: Hook, _ event: JSON = ["text": "x"]) throws -> Hook.Outcome {
        // As the program does: a command need not read what it is given.
        ProcessEnvironment.ignoreBrokenPipes()
        return hook.run(event, Self.variables(event))
    }

    private static func variables(_ message: JSON) -> [String: String] {
        HookEvent(Received<MessageResult>(message)).variables(event: "message")
    }

    // Shows: shown.hook
    @Test(
        "a command gets the event as JSON and in its environment, and is done where it ends with 0")
    func done() throws {
        let folder = try TestFolder()
        let hostile = "\"quotes\" 'too' $(touch \(folder.path)/pwned) `id`\n\u{1B}[31m end"
        let event: JSON = .members([
            "id": "m1", "authorName": "ada", "author": "aaaa", "text": .string(hostile),
            "conversationName": "ops", "kind": "text", "cursor": 7,
        ])
        let script = """
            cat > '\(folder.path)/json'; printf '%s' "$STOA_TEXT" > '\(folder.path)/text'
            printf '%s %s %s' "$STOA_AUTHOR" "$STOA_CONVERSATION" "$STOA_CURSOR" > '\(folder.path)/rest'
            """
        #expect(try Self.run(Self.hook(script), event) == .done)
        #expect(
            TestFiles.read("\(folder.path)/text").map { String(decoding: $0, as: UTF8.self) }
                == hostile)
        let json = try #require(TestFiles.read("\(folder.path)/json"))
        #expect(try JSON(parsing: json) == event)
        let rest = try #require(TestFiles.read("\(folder.path)/rest"))
        #expect(String(decoding: rest, as: UTF8.self) == "ada ops 7")
        #expect(!Files.exists("\(folder.path)/pwned"))
        let alike: JSON = ["authorName": "ada", "author": "aaaabbbbccccdd", "ambiguous": true]
        #expect(Self.variables(alike)["STOA_AUTHOR"] == "ada@aaaabbbbcccc")
        let nul: JSON = ["text": "a\u{0}b", "authorName": "x"]
        #expect(Self.variables(nul)["STOA_TEXT"] == "a\u{FFFD}b")
    }

    @Test("a command that fails, cannot be started or takes too long has failed, and why is said")
    func failed() throws {
        #expect(try Self.run(Self.hook("exit 3")) == .failed("ended with 3"))
        #expect(try Self.run(Self.hook("kill -9 $$")) == .failed("was ended by signal 9"))
        let slow = try Self.run(Self.hook("sleep 60 & wait", limit: 200))
        #expect(slow == .failed("took longer than 0 s and was ended"))
        let none = Hook(
            words: ["/nonexistent"], environment: [:], limitMilliseconds: 1_000, kept: nil)
        guard case .failed(let why) = try Self.run(none) else {
            Issue.record("it cannot run")
            return
        }
        #expect(why.contains("No such file"))
    }

    @Test("a command that does not read its input, or reads all of a large one, is waited for")
    func input() throws {
        let large: JSON = .members([
            "text": .string(String(repeating: "x", count: 60_000)), "authorName": "ada",
            "more": .string(String(repeating: "y", count: 200_000)),
        ])
        #expect(try Self.run(Self.hook("exit 0"), large) == .done)
        #expect(try Self.run(Self.hook("test $(wc -c) -gt 260000"), large) == .done)
    }

    @Test("the end of an output is kept in whole lines")
    func tail() {
        var tail = OutputTail(limit: 20)
        #expect(tail.text(lines: 5).isEmpty)
        tail.append(Array("one\ntwo\n".utf8))
        #expect(tail.text(lines: 5) == "one\ntwo")
        #expect(tail.text(lines: 1) == "two")
        #expect(tail.text(lines: 0).isEmpty)
        for number in 0..<100 { tail.append(Array("line \(number)\n".utf8)) }
        #expect(tail.text(lines: 5) == "line 98\nline 99")
        tail.append([0xFF, 0x0A])
        #expect(tail.text(lines: 1) == "\u{FFFD}")
    }

    @Test("an expression is that of grep -E, and one that is none is refused")
    func patterns() throws {
        let pattern = try TextPattern("^(deploy|release) [0-9]+")
        #expect(pattern.isFound(in: "deploy 12") && !pattern.isFound(in: "a deploy 12"))
        #expect(throws: TextPattern.Fault.self) { try TextPattern("(") }
    }

    @Test("a name for words is the same in every run, and another for other words")
    func hashes() {
        #expect(StableHash.text(of: ["a", "b"]) == StableHash.text(of: ["a", "b"]))
        #expect(StableHash.text(of: ["a", "b"]) != StableHash.text(of: ["ab"]))
        #expect(StableHash.text(of: []).utf8.count == 13)
    }

    @Test("a lock that a command holds is free once the command has ended")
    func lock() throws {
        let folder = try TestFolder()
        let (one, other) = (
            try LockHolder(path: "\(folder.path)/lock"), try LockHolder(path: "\(folder.path)/lock")
        )
        #expect(one.tryLock() && !other.tryLock())
        let ends = try Pipe.make()
        let (output, input) = (FileReader(ends.output), ends.input)
        let child: ChildProcess
        do {
            var held: LockHolder? = try LockHolder(path: "\(folder.path)/second")
            let number = try #require(held?.number)
            #expect(held?.tryLock() == true)
            child = try ChildProcess(
                ["sh", "-c", "read line < /dev/stdin"], environment: Self.path,
                streams: [0: output.number, number: number])
            held = nil
        }
        let third = try LockHolder(path: "\(folder.path)/second")
        #expect(!third.tryLock(), "the command holds it")
        close(input)
        _ = child.wait()
        #expect(third.tryLock())
    }

    @Test("times that people say are those of the local day")
    func times() throws {
        let now = try #require(LocalTime.parse("2026-03-15 13:30", now: LocalTime.now()))
        func text(_ words: String) -> String? {
            LocalTime.parse(words, now: now).map { LocalTime.text($0) }
        }
        #expect(text("today") == "2026-03-15 00:00:00")
        #expect(text("yesterday") == "2026-03-14 00:00:00")
        #expect(text("09:05") == "2026-03-15 09:05:00")
        #expect(text("2h") == "2026-03-15 11:30:00")
        for wrong in ["24:61", "9:05", "noon", "tomorrow"] { #expect(text(wrong) == nil) }
    }
}
