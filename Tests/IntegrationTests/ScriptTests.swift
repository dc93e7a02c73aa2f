import ControlAPI
import Glibc
import Posix
import Testing

extension IntegrationTests {
    @Suite("scripts") struct ScriptTests {
        private static func lines(_ path: String) -> [String] {
            String(decoding: (try? Files.read(path, limitBytes: 1 << 20)) ?? [], as: UTF8.self)
                .split(separator: "\n").map { String($0) }
        }

        /// Writes a program for the shell.
        private static func script(_ text: String, in node: Node) throws -> String {
            let path = "\(node.folder)/hook.sh"
            let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o700)
            guard descriptor >= 0 else { throw Broken("no script") }
            defer { close(descriptor) }
            let bytes = Array("#!/bin/sh\n\(text)\n".utf8)
            guard write(descriptor, bytes, bytes.count) == bytes.count else {
                throw Broken("no script")
            }
            return path
        }

        @Test(
            "a command is run once for each message, in order, again where it fails, also after kills"
        )
        func hooks() throws {
            let scratch = try Scratch()
            let (ada, ben) = try Node.two(in: "ops", scratch)
            let out = "\(ben.folder)/out"
            // Every third run fails, and two at once would be seen.
            let hook = try Self.script(
                """
                cd '\(ben.folder)'
                mkdir running || { echo twice >> out; exit 0; }
                runs=$(cat runs 2>/dev/null || echo 0); runs=$((runs + 1)); echo $runs > runs
                printf '%s\\n' "$STOA_TEXT" >> out
                rmdir running
                [ $((runs % 3)) -ne 0 ]
                """, in: ben)
            func start() throws -> ChildProcess {
                try ben.startStoa(
                    "on", "message", "--in", "ops", "--consumer", "hook", "--", hook)
            }
            var on = try start()
            try ben.await("it listens") {
                try $0.list("consumers").contains { $0["live"] == true }
            }
            var count = 0
            for round in 1...3 {
                for _ in 1...2 {
                    count += 1
                    _ = try ada.stoa("send", "ops", "m\(count)")
                }
                let due = "m\(count)"
                try ben.await("all were run") { _ in Self.lines(out).contains(due) }
                if round == 1 {
                    try on.kill()
                    on = try start()
                }
                if round == 2 {
                    try ben.kill()
                    try ben.start()
                    try ben.await("linked again") { try $0.isLinked(to: ada) }
                }
            }
            on.signal(SIGTERM)
            #expect(try on.waitForExit() == .code(0))
            let runs = Self.lines(out)
            #expect(!runs.contains("twice"))
            var first: [String] = []
            for run in runs where !first.contains(run) { first.append(run) }
            #expect(first == (1...6).map { "m\($0)" }, "\(runs)")
            // Nothing comes again before the last one that was run.
            for (earlier, later) in zip(runs, runs.dropFirst()) {
                #expect(
                    first.firstIndex(of: later) ?? 0 >= (first.firstIndex(of: earlier) ?? 0) - 1)
            }
        }

        @Test(
            "a message on which the command always fails is given up, once told, and the next has its turn"
        )
        func givenUp() throws {
            let scratch = try Scratch()
            let (ada, ben) = try Node.two(in: "ops", scratch)
            let out = "\(ben.folder)/out"
            let hook = try Self.script(
                """
                printf '%s\\n' "$STOA_TEXT" >> '\(out)'
                [ "$STOA_TEXT" != poison ]
                """, in: ben)
            let on = try ben.startStoa(
                "on", "message", "--in", "ops", "--consumer", "hook", "--retries", "1", "--", hook)
            try ben.await("it listens") {
                try $0.list("consumers").contains { $0["live"] == true }
            }
            _ = try ada.stoa("send", "ops", "poison")
            _ = try ada.stoa("send", "ops", "after it")
            try ben.await("the next was run") { _ in Self.lines(out).contains("after it") }
            on.signal(SIGTERM)
            #expect(try on.waitForExit() == .code(0))
            #expect(Self.lines(out) == ["poison", "poison", "after it"])
        }

        @Test("a command tells a room how it ended, and its exit code is handed on")
        func runs() throws {
            let scratch = try Scratch()
            let (ada, ben) = try Node.two(in: "ops", scratch)
            let output = try ada.stoa(
                "run", "ops", "--name", "the job", "--", "sh", "-c", "echo one; echo two; exit 4",
                expecting: 4)
            #expect(output == "one\ntwo\n")
            #expect(try ada.stoa("run", "--on-failure", "ops", "--", "true").isEmpty)
            try ben.await("it is told") { try $0.texts(in: "ops").count == 1 }
            let text = try #require(try ben.texts(in: "ops").first)
            #expect(text.hasPrefix("\u{2717} the job: failed with exit code 4 after "))
            #expect(text.hasSuffix("\none\ntwo"))
            _ = try ada.stoa("run", "ops", "--", "/nonexistent", expecting: 127)
        }

        @Test(
            "a question is answered by a reply or a reaction of those who may, and by nobody else")
        func questions() throws {
            let scratch = try Scratch()
            let (ada, ben) = try Node.two(in: "ops", scratch)
            _ = try ada.stoa("ask", "ops", "Anybody?", expecting: 77)
            try ada.await("Ben's name has come") { node in
                try node.list("peers").contains { $0["name"] == "Ben" }
            }
            try ada.know("@Ben")
            let ask = try ada.startStoa("ask", "ops", "Delete it?", "--choices", "yes,no")
            try ben.await("it is asked") { try $0.texts(in: "ops") == ["Delete it? [yes/no]"] }
            let page = try ben.call("history", ["to": "ops"])
            let id = try #require(page["messages"]?.arrayValue?.last?["id"]?.stringValue)
            _ = try ben.stoa("send", "ops", "no")
            _ = try ben.stoa("send", "ops", "--reply", id, "perhaps")
            _ = try ada.stoa("send", "ops", "--reply", id, "yes")
            _ = try ben.stoa("send", "ops", "--reply", id, " NO ")
            #expect(try ask.rest() == "no\n")
            #expect(try ask.waitForExit() == .code(1))
            let again = try ada.startStoa(
                "ask", "ops", "Sure?", "--choices", "yes,no", "--by", "@Ben")
            try ben.await("it is asked") { try $0.texts(in: "ops").last == "Sure? [yes/no]" }
            let last = try ben.call("history", ["to": "ops", "limit": 1])
            let sure = try #require(last["messages"]?.arrayValue?.last?["id"]?.stringValue)
            _ = try ben.stoa("react", sure, "\u{1F44D}")
            #expect(try again.waitForExit() == .code(0))
            _ = try ada.stoa("--timeout", "0.2", "ask", "ops", "And?", expecting: 75)
            // An answer that nobody could read is no answer.
            let stoa = "exec \(try Surroundings.programs())/stoa --socket \(ada.socket)"
            let unread = try ChildProcess(
                ["/bin/sh", "-c", "\(stoa) ask ops Heard? >/dev/full"],
                environment: ada.environment)
            try ben.await("it is asked") { try $0.texts(in: "ops").last == "Heard?" }
            let newest = try ben.call("history", ["to": "ops", "limit": 1])
            let heard = try #require(newest["messages"]?.arrayValue?.last?["id"]?.stringValue)
            _ = try ben.stoa("send", "ops", "--reply", heard, "loud and clear")
            #expect(try unread.waitForExit() == .code(74))
        }

        @Test(
            "lines are sent each once, in order, though the daemon is killed meanwhile; all are exported"
        )
        func lines() throws {
            let scratch = try Scratch()
            let (ada, ben) = try Node.two(in: "ops", scratch)
            let file = "\(ada.folder)/lines"
            let count = 3_000
            let descriptor = open(file, O_WRONLY | O_CREAT, 0o600)
            defer { close(descriptor) }
            let bytes = Array((1...count).map { "line \($0)\n" }.joined().utf8)
            guard write(descriptor, bytes, bytes.count) == bytes.count else {
                throw Broken("no file")
            }
            let program = "\(try Surroundings.programs())/stoa"
            let send = try ChildProcess(
                [
                    "sh", "-c",
                    "'\(program)' --socket '\(ada.socket)' send ops --lines < '\(file)'",
                ], environment: ada.environment, errors: ada.folder + "/said")
            try ada.await("some are sent") { try !$0.texts(in: "ops").isEmpty }
            try ada.kill()
            try ada.start()
            #expect(try send.rest() == "sent \(count) messages\n")
            #expect(try send.waitForExit() == .code(0))
            try ben.await("all have come") {
                try $0.stoa("export", "ops").split(separator: "\n").count >= count + 2
            }
            let texts = try ben.stoa("export", "ops").split(separator: "\n").compactMap { line in
                try JSON(parsing: Array(line.utf8))["text"]?.stringValue
            }.filter { !$0.isEmpty }
            #expect(texts == (1...count).map { "line \($0)" })
        }
    }
}
