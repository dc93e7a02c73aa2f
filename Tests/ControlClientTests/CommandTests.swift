import ControlAPI
import Glibc
import Posix
import TestSupport
import Testing

@testable import stoa

@Suite("Commands against a daemon", .timeLimit(.minutes(5)))
struct CommandTests {
    static let id = String(repeating: "a", count: 52)
    static let other = String(repeating: "b", count: 52)

    static func message(
        _ cursor: Int64, _ text: String, author: String = other, name: String = "ada"
    ) -> MessageResult {
        var message = MessageResult()
        message.id =
            String(
                repeating: String("abcdefghijklmnop".dropFirst(Int(cursor)).prefix(1)), count: 51)
            + "a"
        message.conversation = Self.id
        message.conversationName = "ops"
        message.author = author
        message.authorName = name
        message.text = text
        message.time = Timestamp(milliseconds: 1_791_117_005_123)
        message.cursor = cursor
        return message
    }

    static let sent = SendMethod.Result {
        $0.id = Self.id
        $0.conversation = Self.id
        $0.cursor = 9
        $0.time = Timestamp(milliseconds: 0)
        $0.duplicate = false
        $0.deliveredTo = [Self.other]
    }

    static func subscribed(_ cursor: Int64) -> FakeDaemon.Step {
        .result(
            SubscribeMethod.Result {
                $0.subscription = 1
                $0.cursor = cursor
            }.json)
    }

    static let toOps = SubscribeMethod.Params { $0.to = "ops" }.params

    static func event(_ message: MessageResult) -> MessageEvent {
        MessageEvent {
            $0.subscription = 1
            $0.message = message
        }
    }

    @Test("without a daemon the exit code is 69 and the message says how to start it")
    func noDaemon() throws {
        let run = try CommandRun(["status", "--socket", "/nonexistent/control.sock"])
        #expect(run.code == .noDaemon)
        #expect(run.output == "")
        #expect(
            run.errors
                == "stoa: status: no daemon listens on /nonexistent/control.sock; "
                + "start it with: systemctl --user start stoad, or run: stoad\n")
        let long = try CommandRun(["status", "--socket", String(repeating: "x", count: 200)])
        #expect(long.code == .noDaemon)
    }

    @Test("without a command it says who you are, who is here and what to try")
    func overview() throws {
        let daemon = try FakeDaemon { request in
            switch request.method {
            case "status":
                [
                    .result(
                        StatusMethod.Result {
                            $0.name = "ada"
                            $0.id = String(repeating: "a", count: 52)
                        }.json)
                ]
            case "peers":
                [
                    .result([
                        "items": [
                            ["name": "bob\u{1B}", "id": "b", "state": "linked"],
                            ["name": "eve", "id": "e", "state": "away"],
                        ]
                    ])
                ]
            case "rooms":
                [
                    .result([
                        "items": [
                            ["name": "agora", "joined": false], ["name": "lost", "joined": true],
                        ]
                    ])
                ]
            default: [.result(["items": [["name": "office/ops", "unread": 2]]])]
            }
        }
        let run = try CommandRun([], daemon: daemon)
        #expect(run.code == .done)
        for text in [
            "ada @aaaaaaaaaaaa", "bob", "office/ops (2 unread)", "stoa send office/ops",
            "rooms to join  agora\n",
        ] {
            #expect(run.output.contains(text))
        }
        #expect(!run.output.contains("eve") && !run.output.contains("\u{1B}"))
    }

    @Test("what was put away is listed while it calls for the user, unless it is muted")
    func putAway() throws {
        let rooms: [JSON] = [
            ["name": "called", "archived": true, "unread": 2, "mentions": 1],
            ["name": "quiet", "archived": true, "unread": 2, "mentions": 0],
            ["name": "@ben", "kind": "direct", "archived": true, "unread": 1],
            ["name": "hushed", "archived": true, "muted": true, "unread": 2, "mentions": 1],
        ]
        let daemon = try FakeDaemon { request in
            [.result(["items": request.method == "conversations" ? .array(rooms) : []])]
        }
        let overview = try CommandRun([], daemon: daemon).output
        #expect(overview.contains("called (2 unread, @1), @ben (1 unread)\n"))
        let quiet = try FakeDaemon { request in
            [.result(["items": request.method == "conversations" ? [rooms[1], rooms[3]] : []])]
        }
        #expect(
            try CommandRun([], daemon: quiet).output
                .contains("2 archived; see: stoa conversations --all\n"))
        let list = try CommandRun(["conversations"], daemon: daemon).output
        #expect(list.contains("called") && list.contains("@ben"))
        #expect(!list.contains("quiet") && !list.contains("hushed"))
    }

    @Test("what it suggests can be copied: a name of two words is one word of the command")
    func quotedSuggestions() throws {
        let daemon = try FakeDaemon { request in
            switch request.method {
            case "status":
                [
                    .result(
                        StatusMethod.Result {
                            $0.name = "me"
                            $0.id = String(repeating: "a", count: 52)
                        }.json)
                ]
            case "conversations": [.result(["items": [["name": "@Ada Lovelace"]]])]
            default: [.result(["items": []])]
            }
        }
        let run = try CommandRun([], daemon: daemon)
        #expect(run.code == .done)
        for text in ["stoa send '@Ada Lovelace' hello", "stoa chat '@Ada Lovelace'"] {
            #expect(run.output.contains(text))
        }
    }

    @Test("a picture that is refused is named by its path, and nothing else is")
    func refusedPicture() throws {
        let folder = try TestFolder()
        let path = folder("me.gif")
        try Files.writeAtomically([0x47], to: path, mode: 0o600)
        let remedy = "give a PNG"
        let daemon = try FakeDaemon { request in
            let isAboutName = request.params.json?["name"] != nil
            return [
                .failure(
                    .refused(
                        isAboutName ? "the picture of a name" : "that is none", reason: "no",
                        remedy: remedy, param: isAboutName ? nil : "picture"))
            ]
        }
        let picture = try CommandRun(["profile", "--picture", path], daemon: daemon)
        #expect(picture.errors == "stoa: profile: \(path): that is none; \(remedy)\n")
        let both = try CommandRun(
            ["profile", "--picture", path, "--name", "Ada"], daemon: daemon)
        #expect(both.errors == "stoa: profile: the picture of a name; \(remedy)\n")
    }

    @Test("without a command and without a daemon it says how to start it, and ends well")
    func overviewAlone() throws {
        let run = try CommandRun(["--socket", "/nonexistent/control.sock"])
        #expect(run.code == .done)
        #expect(run.output.contains("start it with: systemctl --user start stoad"))
        #expect(run.output.contains("stoa join ops"))
        #expect(run.errors == "")
    }

    @Test("the socket is the option, else STOA_SOCKET, else in the runtime directory")
    func socketPath() throws {
        let run = try CommandRun(["status"], environment: ["XDG_RUNTIME_DIR": "/nonexistent/run"])
        #expect(run.errors.contains("/nonexistent/run/stoa/control.sock"))
        let variable = try CommandRun(
            ["status"],
            environment: ["XDG_RUNTIME_DIR": "/nonexistent/run", "STOA_SOCKET": "/nonexistent/s"])
        #expect(variable.errors.contains("on /nonexistent/s;"))
    }

    @Test("a message is sent with its words, its key and its wait")
    func send() throws {
        let daemon = try FakeDaemon { _ in [.result(Self.sent.json)] }
        let run = try CommandRun(
            [
                "send", "ops", "hello", "there", "--key", "k", "--wait", "delivered", "--timeout",
                "1.5",
            ], daemon: daemon)
        #expect(run.code == .done)
        #expect(run.output == "sent, delivered to 1 peer\n")
        #expect(
            daemon.params("send") == [
                #"{"to":"ops","text":"hello there","idempotencyKey":"k","wait":"delivered","#
                    + #""timeoutMilliseconds":1500}"#
            ])
        let json = try CommandRun(["--json", "send", "ops", "--", "--x"], daemon: daemon)
        #expect(json.output == Self.sent.json.text + "\n")
        let last = try #require(daemon.params("send").last)
        #expect(last.hasPrefix(#"{"to":"ops","text":"--x","idempotencyKey":"stoa-"#))
    }

    @Test("a search asks for the words, the place, the authors and the order that were given")
    func search() throws {
        let daemon = try FakeDaemon { _ in [.result(["hits": [], "more": false, "complete": true])]
        }
        let run = try CommandRun(
            ["search", "two", "words", "--in", "ops", "--by", "@ada,@ben", "--rank", "--limit=5"],
            daemon: daemon)
        #expect(run.code == .done)
        #expect(
            daemon.params("search") == [
                #"{"words":"two words","to":"ops","authors":["@ada","@ben"],"order":"rank","limit":5}"#
            ])
    }

    @Test("a second person where the text begins is refused, but not in quotes or in a room")
    func twoPeople() throws {
        let refused = try CommandRun(["send", "@ben", "@cleo", "hi"])
        #expect(refused.code == .usage && refused.errors.contains("stoa create ROOM --secret"))
        for words in [["send", "@ben", "@cleo hi"], ["send", "ops", "@cleo", "hi"]] {
            #expect(try CommandRun(words, daemon: GoldenJSONTests.daemon()).code == .done)
        }
    }

    @Test("who is alone in a room is told what it may mean, by the kind of room")
    func alone() throws {
        for (kind, said) in [("room", "stoa join war --secret"), ("secret", "compare the name")] {
            let daemon = try FakeDaemon { _ in
                [.result(["name": "war", "kind": .string(kind), "members": 1, "learning": false])]
            }
            let run = try CommandRun(["join", "war"], daemon: daemon)
            #expect(
                run.output.contains("nobody else is known to be in it") && run.output.contains(said)
            )
        }
    }

    @Test("a stranger's name is refused to a script with the keys to choose from")
    func stranger() throws {
        let key = String(repeating: "a", count: 52)
        let refusal = RPCError.stranger("@ben", matches: 1, candidates: [(key, "Ben")])
        let daemon = try FakeDaemon { _ in [.failure(refusal)] }
        for words in [["send", "@ben", "hi"], ["block", "@ben"], ["ask", "@ben", "sure?"]] {
            let run = try CommandRun(words, daemon: daemon)
            #expect(run.code == .refused && run.errors.contains("@" + key.prefix(16)))
        }
    }

    @Test("an operand that is empty is refused by its name", arguments: ["leave", "whois", "chat"])
    func emptyOperand(command: String) throws {
        let run = try CommandRun([command, ""])
        #expect(run.code == .usage)
        #expect(run.errors.contains(" is empty; usage: stoa \(command)"))
    }

    @Test("who enters a room with the name of another one is told that the word alone is refused")
    func sharedName() throws {
        for isShared in [true, false] {
            let daemon = try FakeDaemon { _ in
                [
                    .result(
                        ConversationResult {
                            $0.id = Self.id
                            $0.kind = .secret
                            $0.name = "&ops"
                            $0.room = "ops"
                            $0.ambiguous = isShared ? true : nil
                        }.json)
                ]
            }
            let output = try CommandRun(["join", "&ops"], daemon: daemon).output
            #expect(output.hasPrefix("you are in &ops"))
            #expect(output.contains("\"ops\" alone is refused from now on") == isShared)
        }
    }

    @Test("a message that peers will not take is sent, and a warning says what to do")
    func shutOut() throws {
        let daemon = try FakeDaemon { _ in
            var sent = Self.sent
            sent.deliveredTo = []
            sent.shutOut = true
            return [.result(sent.json)]
        }
        for words in [["send", "ops", "x"], ["--json", "send", "ops", "x"]] {
            let run = try CommandRun(words, daemon: daemon)
            #expect(run.code == .done)
            #expect(run.errors.hasPrefix("stoa: send: warning: the message is stored here, but"))
            #expect(run.errors.hasSuffix("see the alert in: stoa status\n"))
        }
    }

    @Test("standard input becomes one message without its last newline")
    func sendInput() throws {
        let daemon = try FakeDaemon { _ in [.result(Self.sent.json)] }
        for (words, input, text) in [
            (["send", "ops", "-"], "one\ntwo\n", #"one\ntwo"#),
            (["send", "ops"], "piped\r\n", "piped"), (["send", "ops", "-"], "x\n\n", #"x\n"#),
            (["send", "ops", "-", "x"], "unused", "- x"),
        ] {
            let run = try CommandRun(words, daemon: daemon, input: Array(input.utf8))
            #expect(run.code == .done)
            let last = try #require(daemon.params("send").last)
            #expect(last.hasPrefix(#"{"to":"ops","text":"\#(text)","idempotencyKey":"stoa-"#))
        }
        let largest = [UInt8](repeating: 0x61, count: ControlLimits.textBytes)
        let run = try CommandRun(["send", "ops", "-"], daemon: daemon, input: largest + [0x0A])
        #expect(run.code == .done)
    }

    @Test("texts that are empty or too long end with 65 and are not sent")
    func sendBad() throws {
        let daemon = try FakeDaemon { _ in [.result(Self.sent.json)] }
        let long = [UInt8](repeating: 0x61, count: ControlLimits.textBytes + 1)
        for (input, why) in [
            ([], "the text is empty"), ([0x0A], "the text is empty"),
            (Array(" \t\n \n".utf8), "the text is empty"),
            // What replaces a wrong byte counts, too.
            ([UInt8](repeating: 0xFF, count: 22_000), "66000 bytes"),
            (long, "more than 65000 bytes"),
            ([UInt8](repeating: 0x61, count: 1 << 20), "more than 65000"),
        ] as [([UInt8], String)] {
            let run = try CommandRun(["send", "ops", "-"], daemon: daemon, input: input)
            #expect(run.code == .badData)
            #expect(run.errors.contains(why))
        }
        let blank = try CommandRun(["send", "ops", "  \n"], daemon: daemon)
        #expect(blank.code == .badData && blank.errors.contains("the text is empty"))
        let words = try CommandRun(
            ["send", "ops", String(repeating: "é", count: 40_000)], daemon: daemon)
        #expect(words.code == .badData)
        #expect(words.errors.contains("80000 bytes"))
        #expect(daemon.requests.isEmpty)
    }

    @Test("an answered error gives its exit code, and with --json the error on standard output")
    func refusals() throws {
        let daemon = try FakeDaemon { _ in [.failure(.deliveryTimeout(Self.sent))] }
        let run = try CommandRun(
            ["send", "ops", "x", "--wait", "delivered", "--json"], daemon: daemon)
        #expect(run.code == .temporary)
        #expect(run.errors.hasPrefix("stoa: send: the message is stored but was not delivered"))
        let error = try JSON(parsing: run.output)["error"]
        #expect(error?["data"]?["id"]?.stringValue == Self.id)
        let human = try CommandRun(["send", "ops", "x"], daemon: daemon)
        #expect(human.output == "")
    }

    @Test("a daemon that closes, answers nonsense or knows less is told apart")
    func brokenDaemons() throws {
        let closing = try FakeDaemon { _ in [.close] }
        #expect(try CommandRun(["status"], daemon: closing).code == .noDaemon)
        let garbled = try FakeDaemon { _ in [.raw("HTTP/1.1 400 Bad Request\r\n\r\n")] }
        let run = try CommandRun(["status"], daemon: garbled)
        #expect(run.code == .internalError)
        #expect(run.errors.contains("not a Stoa daemon"))
        let older = try FakeDaemon { [.failure(.methodNotFound($0.method))] }
        let refused = try CommandRun(["status"], daemon: older)
        #expect(refused.code == .internalError)
        #expect(refused.errors.contains("a different version"))
        let shy = try FakeDaemon { _ in
            [
                .raw(
                    String(
                        decoding: RPCResponse(error: .overflow(queuedBytes: 1)).line, as: UTF8.self)
                )
            ]
        }
        #expect(try CommandRun(["status"], daemon: shy).code == .temporary)
    }

    @Test(
        "after an upgrade it says that the daemon is older, and what to do",
        arguments: [
            (
                "0.0.9",
                "0.0.9, older than this stoa \(StoaVersion.text): systemctl --user restart stoad"
            ),
            (
                "99.0.0",
                "99.0.0, newer than this stoa \(StoaVersion.text): use the stoa that came with it"
            ),
            ("odd", "odd, and this is stoa \(StoaVersion.text): systemctl --user restart stoad"),
            (StoaVersion.text, StoaVersion.text),
        ])
    func otherVersion(version: String, said: String) throws {
        let status = StatusMethod.Result { $0.version = version }
        let daemon = try FakeDaemon { request in
            [.result(request.method == "status" ? status.json : ["items": []])]
        }
        #expect(try CommandRun(["status"], daemon: daemon).output.contains("stoad \(said)\n"))
        let overview = try CommandRun([], daemon: daemon).output
        #expect(overview.contains(", version \(said)\n") == (version != StoaVersion.text))
    }

    @Test("single objects are shown and printed as they came")
    func objects() throws {
        let status = StatusMethod.Result {
            $0.version = "1.2"
            $0.id = Self.id
            $0.name = "me"
            $0.dataDirectory = "/d"
            $0.startedAt = Timestamp(milliseconds: 0)
            $0.listen = []
            $0.discovery.mode = "auto"
            $0.discovery.backend = "system"
            $0.discovery.state = "running"
            $0.links = 1
            $0.conversations = 2
            $0.messages = 3
            $0.held = 4
            $0.incarnation = "0000000000000005"
            $0.clockOffsetMilliseconds = 6
            $0.scrub = StatusMethod.Scrub {
                $0.percent = 7
                $0.damagedPages = 8
            }
            $0.alerts = [
                StatusMethod.Alert {
                    $0.code = "clock"
                    $0.text = "look"
                }
            ]
        }
        let daemon = try FakeDaemon { request in
            switch request.method {
            case "status": [.result(status.json)]
            case "join":
                [
                    .result(
                        ConversationResult {
                            $0.id = Self.id
                            $0.kind = .room
                            $0.name = "ops"
                            $0.unread = 0
                            $0.lastMessage = nil
                        }.json)
                ]
            case "leave":
                [
                    .result(
                        LeaveMethod.Result {
                            $0.id = Self.id
                            $0.name = "ops"
                        }.json)
                ]
            case "connect": [.result(ConnectMethod.Result { $0.address = "h:1" }.json)]
            case "profile":
                [
                    .result(
                        ProfileMethod.Result {
                            $0.id = Self.id
                            $0.name = "n"
                            $0.status = "s"
                        }.json)
                ]
            default:
                [
                    .result(
                        WhoisMethod.Result {
                            $0.id = Self.id
                            $0.name = "n"
                            $0.status = ""
                            $0.state = .away
                            $0.verified = false
                            $0.addresses = ["h:1", "h:2"]
                        }.json)
                ]
            }
        }
        let shown = try CommandRun(["status"], daemon: daemon).output
        #expect(shown.contains("you             me @aaaaaaaaaaaa\n"))
        // What Peer= and connect want, whole.
        #expect(shown.contains("key             \(Self.id)\n"))
        #expect(shown.contains("held until due  4\n"))
        #expect(shown.contains("disk check      7 % of the first round, 8 damaged pages\n"))
        #expect(shown.contains(": look (clock)\n"))
        #expect(
            try CommandRun(["status", "--json"], daemon: daemon).output == status.json.text + "\n")
        #expect(try CommandRun(["join", "ops"], daemon: daemon).output.hasPrefix("you are in ops"))
        #expect(try CommandRun(["leave", "ops"], daemon: daemon).output == "you have left ops\n")
        #expect(
            try CommandRun(["connect", "h:1"], daemon: daemon).output.hasPrefix("dialling h:1"))
        #expect(
            try CommandRun(["profile", "--status", ""], daemon: daemon).output.contains("status  s")
        )
        #expect(daemon.params("profile") == [#"{"status":""}"#])
        #expect(try CommandRun(["whois", "@n"], daemon: daemon).output.contains("h:1, h:2\n"))
    }

    @Test("history shows messages safely, tells namesakes apart and marks nothing read in a pipe")
    func history() throws {
        var messages = [
            Self.message(1, "one\ntwo"), Self.message(2, "\u{1B}[31mx", author: Self.id),
            Self.message(3, "z", name: "bob"),
        ]
        for index in 0..<2 { messages[index].ambiguous = true }
        let shown = messages
        let daemon = try FakeDaemon { _ in
            [
                .result(
                    HistoryMethod.Result {
                        $0.messages = shown
                        $0.more = false
                    }.json)
            ]
        }
        let run = try CommandRun(
            [
                "history", "ops", "--limit", "3", "--since", "2026-01-01T00:00:00Z", "--before",
                Self.id,
            ],
            daemon: daemon)
        let lines = run.output.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines[0].hasSuffix(" ada@bbbbbbbbbbbb: one"))
        #expect(lines[1] == "                      two")
        #expect(lines[2].hasSuffix(" ada@aaaaaaaaaaaa: ^[[31mx"))
        #expect(lines[3].hasSuffix(" bob: z"))
        #expect(
            daemon.params("history") == [
                "{\"to\":\"ops\",\"limit\":3,\"before\":\"\(Self.id)\","
                    + "\"since\":\"2026-01-01T00:00:00.000Z\"}"
            ])
        #expect(daemon.params("acknowledge").isEmpty)
        let json = try CommandRun(["history", "ops", "--json"], daemon: daemon)
        #expect(json.output == messages.map { $0.json.text + "\n" }.joined())
    }

    @Test("history asks on when one answer could not hold all that was asked for")
    func historyPages() throws {
        let daemon = try FakeDaemon { request in
            let all = (1...7).map { Self.message($0, "n\($0)") }
            guard let params = try? HistoryMethod.read(request.params) else { return [.close] }
            let end = all.firstIndex { $0.id == params.before } ?? all.count
            let page = all[..<end].suffix(min(2, Int(params.limit ?? 50)))
            return [
                .result(
                    HistoryMethod.Result {
                        $0.messages = Array(page)
                        $0.more = page.startIndex > 0
                    }.json)
            ]
        }
        func texts(_ limit: String) throws -> [String] {
            let run = try CommandRun(["history", "ops", "--limit", limit], daemon: daemon)
            return run.output.split(separator: "\n").map { String($0.suffix(2)) }
        }
        #expect(try texts("5") == ["n3", "n4", "n5", "n6", "n7"])
        #expect(try texts("1") == ["n7"])
        #expect(try texts("50") == ["n1", "n2", "n3", "n4", "n5", "n6", "n7"])
    }
}
