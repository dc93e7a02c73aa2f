import ControlAPI
import Glibc
import Synchronization
import Testing

@testable import stoa

/// Commands that run until they are told to end.
extension CommandTests {
    @Test("tail prints messages, says gaps and acknowledges for its consumer after writing")
    func tail() throws {
        let daemon = try FakeDaemon { request in
            guard request.method == "subscribe" else { return [.result([:])] }
            return [
                Self.subscribed(4),
                .event(Self.event(Self.message(5, "five"))),
                .event(
                    GapEvent {
                        $0.subscription = 1
                        $0.from = 5
                        $0.to = 7
                        $0.reason = "pruned"
                    }),
                .event(Self.event(Self.message(8, "eight"))),
                .event(Self.event(Self.message(9, "beyond the limit"))),
            ]
        }
        let run = try CommandRun(
            ["tail", "--consumer", "bot", "--from", "4", "--limit", "2", "--json"], daemon: daemon)
        #expect(run.code == .done)
        #expect(
            run.output
                == Self.message(5, "five").json.text + "\n"
                + #"{"gap":{"from":5,"to":7,"reason":"pruned"}}"# + "\n"
                + Self.message(8, "eight").json.text + "\n")
        #expect(run.errors.contains("after cursor 5 up to 7 cannot be shown: pruned"))
        #expect(daemon.params("subscribe") == [#"{"from":4,"consumer":"bot"}"#])
        #expect(daemon.params("acknowledge").last == #"{"consumer":"bot","cursor":8}"#)
    }

    @Test("tail shows other kinds of change where they are asked for, each as a line")
    func tailChanges() throws {
        let daemon = try FakeDaemon { request in
            guard request.method == "subscribe" else { return [.result([:])] }
            func change(_ cursor: Int64, _ fill: (inout ChangeResult) -> Void) -> ChangeEvent {
                ChangeEvent {
                    $0.subscription = 1
                    $0.change.cursor = cursor
                    fill(&$0.change)
                }
            }
            return [
                Self.subscribed(4), .event(Self.event(Self.message(5, "five"))),
                .event(
                    change(6) {
                        $0.kind = .conversation
                        $0.event = .joined
                        $0.name = "ops"
                    }),
                .event(
                    change(7) {
                        $0.code = "clock"
                        $0.text = "the clock is\u{1B} wrong"
                    }),
            ]
        }
        let run = try CommandRun(
            ["tail", "--kind", "message,conversation,alert", "--limit", "3"], daemon: daemon)
        #expect(run.code == .done)
        let lines = run.output.split(separator: "\n")
        #expect(lines[1].hasSuffix("! you joined ops"))
        #expect(lines[2].contains("! clock: the clock is") && !lines[2].contains("\u{1B} "))
        #expect(
            daemon.params("subscribe") == [#"{"kinds":["message","conversation","alert"]}"#])
        let wrong = try CommandRun(["tail", "--kind", "noise"], daemon: daemon)
        #expect(wrong.code == .usage)
    }

    @Test("tail connects again when the daemon restarts and goes on after the last line")
    func tailReconnects() throws {
        let daemon = try FakeDaemon { request in
            guard request.method == "subscribe" else { return [.result([:])] }
            guard case .named(let members) = request.params,
                let from = JSON.object(members)["from"]?.integerValue
            else {
                // Closed before any message came: the cursor of the answer must be kept.
                return [
                    Self.subscribed(4), .close,
                ]
            }
            let next = Self.event(Self.message(from + 1, "n\(from + 1)"))
            return [
                Self.subscribed(from), .event(next), .close,
            ]
        }
        let run = try CommandRun(["tail", "ops", "--limit", "2"], daemon: daemon)
        #expect(run.code == .done)
        #expect(run.output.split(separator: "\n").map { $0.suffix(2) } == ["n5", "n6"])
        #expect(run.errors.contains("connecting again, from cursor 4"))
        #expect(run.errors.contains("connected again"))
        #expect(
            daemon.params("subscribe") == [
                #"{"to":"ops"}"#, #"{"to":"ops","from":4}"#, #"{"to":"ops","from":5}"#,
            ])
    }

    @Test("tail ends with the daemon's refusal, at first and after a restart")
    func tailRefused() throws {
        let daemon = try FakeDaemon { request in
            request.params == Self.toOps
                ? [
                    Self.subscribed(4), .close,
                ]
                : [.failure(.notMember())]
        }
        #expect(try CommandRun(["tail", "ops"], daemon: daemon).code == .refused)
        #expect(try CommandRun(["tail", "x"], daemon: daemon).code == .refused)
        let overflowing = try FakeDaemon { request in
            guard request.params == Self.toOps else {
                return [.failure(.notMember())]
            }
            let overflow = RPCResponse(error: .overflow(queuedBytes: 5)).line
            return [
                Self.subscribed(4),
                .raw(String(decoding: overflow, as: UTF8.self)), .close,
            ]
        }
        let run = try CommandRun(["tail", "ops"], daemon: overflowing)
        #expect(run.code == .refused)
        #expect(run.errors.contains("were waiting for it; connecting again"))
    }

    @Test("tail ends well when nobody reads its output, with and without a message")
    func tailClosed() throws {
        let idle = try FakeDaemon { _ in
            [
                Self.subscribed(4)
            ]
        }
        let quiet = try CommandRun(["tail"], daemon: idle, readsOutput: false)
        #expect(quiet.code == .done)
        #expect(quiet.errors == "")
        let busy = try FakeDaemon { _ in
            [
                Self.subscribed(4),
                .event(Self.event(Self.message(5, "x"))),
            ]
        }
        #expect(try CommandRun(["tail"], daemon: busy, readsOutput: false).code == .done)
        #expect(busy.params("acknowledge").isEmpty)
    }

    @Test("tail ends well on an interrupt")
    func tailInterrupted() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let daemon = try FakeDaemon { _ in
                [
                    Self.subscribed(4),
                    .run { kill(getpid(), SIGINT) },
                ]
            }
            exit(try CommandRun(["tail"], daemon: daemon).status)
        }
    }

    @Test("tail ends well when it is terminated while it waits for the daemon to come back")
    func tailTerminated() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let daemon = try FakeDaemon { _ in
                [
                    Self.subscribed(4),
                    .run { kill(getpid(), SIGTERM) }, .vanish,
                ]
            }
            exit(try CommandRun(["tail"], daemon: daemon).status)
        }
    }

    @Test("chat shows what was said, sends each line and ends at the end of its input")
    func chat() throws {
        let daemon = try FakeDaemon { request in
            switch request.method {
            case "subscribe":
                [
                    Self.subscribed(4)
                ]
            case "history":
                [
                    .event(Self.event(Self.message(5, "new"))),
                    .result(
                        HistoryMethod.Result {
                            $0.messages = [Self.message(4, "old"), Self.message(5, "new")]
                            $0.more = true
                        }.json),
                ]
            case "send": [.result(Self.sent.json)]
            default: [.result([:])]
            }
        }
        let run = try CommandRun(
            ["chat", "ops"], daemon: daemon, input: Array("hello\n \n日本\ncut".utf8))
        #expect(run.code == .done)
        #expect(run.output.split(separator: "\n").map { $0.suffix(3) } == ["old", "new"])
        let sent = try daemon.params("send").map { try JSON(parsing: $0) }
        #expect(sent.map { $0["text"] } == ["hello", "日本", "cut"])
        #expect(Set(sent.compactMap { $0["idempotencyKey"]?.stringValue }).count == 3)
        // What stands there is read.
        let read = try daemon.params("acknowledge").map { try JSON(parsing: $0) }
        #expect(read.compactMap { $0["cursor"] } == [4, 5])
        #expect(try CommandRun(["chat", "ops", "--json"], daemon: daemon).code == .usage)
    }

    @Test("chat ends well where a signal comes between a line and the daemon's answer to it")
    func chatInterrupted() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let isAsked = Mutex(false)
            let daemon = try FakeDaemon { request in
                switch request.method {
                case "subscribe": [Self.subscribed(4)]
                case "send" where isAsked.withLock({ $0 }): [.result(Self.sent.json)]
                case "send":
                    [
                        .run {
                            isAsked.withLock { $0 = true }
                            kill(getpid(), SIGINT)
                        }
                    ]
                default: [.result([:])]
                }
            }
            exit(try CommandRun(["chat", "ops"], daemon: daemon, input: Array("x\n".utf8)).status)
        }
    }

    @Test("chat without a screen sends no command and no invitation, and says what does each")
    func chatCommands() throws {
        let daemon = try FakeDaemon { request in
            switch request.method {
            case "subscribe": [Self.subscribed(4)]
            case "history": [.result(HistoryMethod.Result().json)]
            case "send": [.result(Self.sent.json)]
            default: [.result([:])]
            }
        }
        let invitation = "stoa:room?name=war&root=abcdefgh"
        let lines = [
            "/me waves", "//x", "/topic plans", "/jion war", "/etc/hosts", "/", "/me", invitation,
            "/join " + invitation, "/help", "/quit", "never read",
        ]
        let run = try CommandRun(
            ["chat", "ops"], daemon: daemon, input: Array(lines.joined(separator: "\n").utf8))
        #expect(run.code == .badData)
        let sent = try daemon.params("send").map { try JSON(parsing: $0) }
        #expect(sent.map { $0["text"] } == ["waves", "/x"])
        #expect(sent.first?["kind"] == "action")
        for hint in ["stoa topic ops TEXT", "did you mean /join?", "usage: /me", "stoa join"] {
            #expect(run.errors.contains(hint), "\(hint)")
        }
        #expect(!run.errors.contains("abcdefgh") && !run.output.contains("abcdefgh"))
    }

    @Test("chat goes on showing what comes while the daemon has not answered a line")
    func chatDoesNotWait() throws {
        let daemon = try FakeDaemon { request in
            switch request.method {
            case "subscribe": [Self.subscribed(4)]
            case "history": [.result(HistoryMethod.Result().json)]
            case "send": [.event(Self.event(Self.message(5, "meanwhile")))]
            // What was shown is acknowledged; only then the third request is answered.
            default:
                [
                    .raw(
                        String(
                            decoding: RPCResponse(id: .integer(3), result: Self.sent.json).line,
                            as: UTF8.self))
                ]
            }
        }
        let run = try CommandRun(["chat", "ops"], daemon: daemon, input: Array("one".utf8))
        #expect(run.code == .done)
        #expect(run.output.hasSuffix("meanwhile\n"))
        #expect(daemon.params("send").count == 1)
    }

    @Test("chat sends what it could not, once the daemon is back, under the same key")
    func chatReconnects() throws {
        let daemon = try FakeDaemon { request in
            switch request.method {
            case "subscribe": [Self.subscribed(4)]
            case "history": [.result(HistoryMethod.Result().json)]
            case "send": Self.isFirst(request) ? [.close] : [.result(Self.sent.json)]
            default: [.result([:])]
            }
        }
        Self.seen.withLock { $0 = [] }
        let run = try CommandRun(["chat", "ops"], daemon: daemon, input: Array("one\ntwo".utf8))
        #expect(run.code == .done)
        let sent = try daemon.params("send").map { try JSON(parsing: $0) }
        #expect(sent.map { $0["text"] } == ["one", "one", "two", "two"])
        #expect(sent[0] == sent[1])
        #expect(run.errors.contains("connecting again, your text is kept"))
        #expect(run.errors.contains("connected again"))
    }

    /// The texts of the test above that were sent before.
    private static let seen = Mutex<Set<String>>([])

    private static func isFirst(_ request: RPCRequest) -> Bool {
        let text = request.params.json?["text"]?.stringValue ?? ""
        return Self.seen.withLock { $0.insert(text).inserted }
    }

    @Test("a daemon that hangs ends every command with 75 after --timeout")
    func timeout() throws {
        let daemon = try FakeDaemon { _ in [] }
        for words in [
            ["status"], ["tail"], ["chat", "ops"], ["send", "ops", "x"], ["join", "ops"],
            ["send", "ops", "x", "--wait", "delivered"],
        ] {
            let run = try CommandRun(words + ["--timeout", "0.05"], daemon: daemon)
            #expect(run.code == .temporary)
            #expect(run.errors.contains("the daemon did not answer in time"))
        }
    }
}
