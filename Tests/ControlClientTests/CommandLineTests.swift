import ControlAPI
import ControlClient
import Posix
import Testing

@testable import stoa

@Suite("Command lines")
struct CommandLineTests {
    private static func failure(_ words: String...) -> Failure? {
        do {
            _ = try CommandLineParser.parse(words)
            return nil
        } catch {
            return error
        }
    }

    private static func options(_ words: String...) throws -> GlobalOptions? {
        guard case .run(_, let options) = try CommandLineParser.parse(words) else { return nil }
        return options
    }

    @Test("options of every command stand before or after it, with a space or an equals sign")
    func globalOptions() throws {
        #expect(
            try Self.options("status", "--timeout", "1.5")
                == GlobalOptions(timeoutMilliseconds: 1_500))
        let both = GlobalOptions(socket: "/s", json: true)
        #expect(try Self.options("status") == GlobalOptions())
        #expect(try Self.options("--json", "--socket", "/s", "status") == both)
        #expect(try Self.options("status", "--socket=/s", "--json") == both)
        #expect(try Self.options("--socket=/s", "send", "--json", "ops", "x") == both)
        #expect(try Self.options("send", "ops", "x", "--json", "--socket", "/s") == both)
        #expect(try Self.options("--socket=", "status") == GlobalOptions(socket: ""))
    }

    @Test("help and version are printed and nothing is run")
    func help() throws {
        for words in [["--help"], ["-h"], ["help"], ["--json", "--help"]] {
            guard case .print(let text) = try CommandLineParser.parse(words) else {
                Issue.record("must print")
                return
            }
            #expect(text.hasPrefix("usage: stoa "))
            for command in CommandTable.all {
                let words = text.split { $0 == " " || $0 == "\n" }
                #expect(words.contains(command.syntax.name[...]))
            }
        }
        for command in CommandTable.all {
            let name = command.syntax.name
            for words in [
                ["help", name], [name, "--help"], [name, "-h", "too", "many", "words"],
            ] {
                guard case .print(let text) = try CommandLineParser.parse(words) else {
                    Issue.record("must print")
                    return
                }
                #expect(text.hasPrefix(CommandSyntax.wrap(command.syntax.summary)))
                #expect(text.contains("\nusage: stoa \(name)"))
                #expect(text.contains("--socket PATH"))
                for option in command.syntax.options { #expect(text.contains("  " + option.name)) }
                #expect(text.split(separator: "\n").allSatisfy { $0.utf8.count <= 100 })
            }
        }
        guard case .print(let version) = try CommandLineParser.parse(["--version"]) else {
            Issue.record("must print")
            return
        }
        #expect(version == "stoa \(StoaVersion.text)\n")
    }

    @Test("unknown commands and options name the nearest and end with 64")
    func unknown() {
        let command = Self.failure("histroy", "ops")
        #expect(command?.code == .usage)
        #expect(
            command?.text
                == "stoa: there is no command \"histroy\"; did you mean \"stoa history\"?\n")
        #expect(Self.failure("xyzzy")?.next == "see: stoa --help")
        #expect(Self.failure("help", "xyzzy")?.code == .usage)
        let option = Self.failure("tail", "--consumr", "bot")
        #expect(option?.code == .usage)
        #expect(option?.next == "did you mean \"--consumer\"?")
        #expect(Self.failure("send", "ops", "-5 degrees")?.next.contains("put --") == true)
        #expect(Self.failure("status", "--limit", "3")?.why.contains("--limit") == true)
        #expect(Self.failure("--wait", "sent", "send", "ops", "x")?.code == .usage)
        #expect(Self.failure("--wait", "sent")?.code == .usage)
        #expect(Self.failure("\u{1B}[2J")?.why == "there is no command \"^[[2J\"")
    }

    @Test("missing and superfluous operands and values are named")
    func operands() {
        #expect(
            Self.failure("history")?.text.contains("TO is missing; usage: stoa history") == true)
        #expect(Self.failure("join", "a", "b")?.why == "\"b\" is one argument too many")
        #expect(Self.failure("status", "x")?.code == .usage)
        #expect(Self.failure("connect")?.why == "[KEY@]HOST:PORT is missing")
        #expect(Self.failure("tail", "--limit")?.why == "--limit needs a value")
        #expect(Self.failure("status", "--json=yes")?.why == "--json takes no value")
    }

    @Test(
        "values that cannot be are refused before the daemon is asked",
        arguments: [
            ["history", "ops", "--limit", "0"], ["history", "ops", "--limit", "1001"],
            ["history", "ops", "--limit", "x"], ["history", "ops", "--since", "tomorrow"],
            ["tail", "--from", "-1"], ["tail", "--limit=0"],
            ["send", "ops", "x", "--wait", "seen"],
            ["status", "--timeout", "x"], ["send", "ops", "x", "--key", ""],
            ["send", "ops", "x", "--wait=delivered", "--timeout=0"],
            ["send", "ops", "x", "--wait=delivered", "--timeout=nan"],
            ["send", "ops", "x", "--wait=delivered", "--timeout=3601"], ["profile", "--name", ""],
        ])
    func badValues(words: [String]) {
        #expect {
            try CommandLineParser.parse(words)
        } throws: {
            ($0 as? Failure)?.code == .usage && ($0 as? Failure)?.what == words[0]
        }
    }

    @Test("two dashes end the options")
    func endOfOptions() throws {
        guard
            case .run(let command, _) = try CommandLineParser.parse([
                "send", "--key", "k", "--", "ops", "--wait", "-",
            ])
        else {
            Issue.record("must run")
            return
        }
        #expect(command is SendCommand)
    }

    @Test("exit codes are those of the contract")
    func exitCodes() {
        let codes: [RPCError.Code: Int32] = [
            .notFound: 65, .tooLarge: 65, .invalidParams: 65, .ambiguous: 77, .refused: 77,
            .notMember: 77, .keyReused: 65, .deliveryTimeout: 75, .held: 75, .busy: 75,
            .storageFailed: 74,
            .shuttingDown: 69, .locked: 67, .overflow: 75, .parse: 70, .invalidRequest: 70,
            .methodNotFound: 70, .internalError: 70,
        ]
        for code in RPCError.Code.allCases {
            let error = RPCError(code: code.rawValue, message: "m", data: nil)
            #expect(ExitCode(for: error).rawValue == codes[code])
        }
        #expect(ExitCode(for: RPCError(code: -5, message: "m", data: nil)) == .internalError)
        for (reason, code) in [
            ("refused", 69), ("noRoute", 68), ("timedOut", 75), ("wrongKey", 77), ("rejected", 76),
            ("wrongRealm", 78), ("noDirect", 77),
        ] as [(String, Int32)] {
            let error = RPCError.refused("m", reason: reason, remedy: "r")
            #expect(ExitCode(for: error).rawValue == code)
        }
    }
}

@Suite("Tables and times")
struct PresentationTests {
    @Test("columns are aligned by what is seen, without blanks at the end of a line")
    func table() {
        #expect(
            TextTable.text([["a", "bb", "c"], ["日本", "", "é"], ["x"], ["", "e\u{301}e", "z"]])
                == "a     bb  c\n日本      é\nx\n      e\u{301}e  z\n")
        #expect(TextTable.text([]) == "")
    }

    @Test("in a narrow terminal rows go on in the next line, and words under their beginning")
    func narrowTables() {
        let peers = [
            ["NAME", "KEY", "STATE", "ADDRESS"], ["ada", "@abcdefgh", "linked", "127.0.0.1:4000"],
            ["ben", "@ijklmnop", "away", ""],
        ]
        #expect(
            TextTable.text(peers, columns: 30) == """
                NAME  KEY        STATE
                    ADDRESS
                ada   @abcdefgh  linked
                    127.0.0.1:4000
                ben   @ijklmnop  away

                """)
        #expect(TextTable.text(peers, columns: 39) == TextTable.text(peers))
        let clock = "\u{1B}[31mnot right\u{1B}[0m, see the manual page"
        let status = [["clock", clock], ["links", "1"]]
        #expect(
            TextTable.text(status, columns: 30) == """
                clock  \u{1B}[31mnot right\u{1B}[0m, see the
                       manual page
                links  1

                """)
        #expect(
            TextTable.text([["", "x"], ["abcde", "y"]], columns: 3)
                == "    x\nab\n cd\n e\n    y\n")
    }

    @Test("no line of a help text is wider than a terminal")
    func helpWidth() {
        let texts = [CommandTable.helpText] + CommandTable.all.map { $0.syntax.help }
        for line in texts.flatMap({ $0.split(separator: "\n") }) {
            #expect(line.count <= 80, "\(line)")
        }
    }

    @Test("a moment is understood as people write it")
    func since() throws {
        let now = Timestamp(milliseconds: 1_791_117_005_123)
        #expect(
            LocalTime.parse("2026-10-04T12:30:05Z", now: now)?.milliseconds == 1_791_117_005_000)
        #expect(LocalTime.parse("90s", now: now)?.milliseconds == now.milliseconds - 90_000)
        #expect(LocalTime.parse("2h", now: now)?.milliseconds == now.milliseconds - 7_200_000)
        #expect(LocalTime.parse("1w", now: now)?.milliseconds == now.milliseconds - 604_800_000)
        // A local time says the same as it is shown, whatever the zone.
        for text in ["2026-10-04", "2026-10-04 18:05", "2026-10-04 18:05:09", "2026-10-04T18:05"] {
            let moment = try #require(LocalTime.parse(text, now: now))
            let words = text.split { $0 == " " || $0 == "T" }
            let shown = LocalTime.text(moment)
            #expect(shown.hasPrefix(words.joined(separator: " ")), "\(text) \(shown)")
        }
        for text in ["", "x", "h", "-5m", "5", "99999999999999999999h", "2026-02-30", "2026-1-1"] {
            #expect(LocalTime.parse(text, now: now) == nil, "\(text)")
        }
    }

    @Test("of a reading that a clock shows twice, as when winter time begins, the first counts")
    func twice() {
        // A clock that is set back by an hour at the fourth.
        func shown(_ milliseconds: Int64) -> LocalMoment? {
            LocalMoment(
                milliseconds: milliseconds < 4 * 3_600_000 ? milliseconds : milliseconds - 3_600_000
            )
        }
        func first(_ hours: Double) -> Double {
            let moment = Timestamp(milliseconds: Int64(hours * 3_600_000))
            return Double(LocalTime.first(reading: moment, shown).milliseconds) / 3_600_000
        }
        #expect([4, 4.5, 4.75].map(first) == [3, 3.5, 3.75])
        #expect([2, 2.75, 3, 3.5, 5, 6.5].map(first) == [2, 2.75, 3, 3.5, 5, 6.5])
    }

    @Test(
        "rooms of one name are listed with the ids by which each is written, others by their names")
    func severalRooms() {
        func failure(_ names: [String]) -> String {
            let rooms = names.enumerated().map { index, name -> JSON in
                [
                    "id": .string(String(repeating: index == 0 ? "a" : "b", count: 52)),
                    "name": .string(name),
                ]
            }
            return Failure(
                .refused(
                    RPCError(
                        .ambiguous, "\"&ops\" means 2 rooms", reason: "severalRooms",
                        remedy: "write which",
                        details: [JSON.Member("candidates", .array(rooms))]))
            ).text
        }
        let (a, b) = (String(repeating: "a", count: 52), String(repeating: "b", count: 52))
        #expect(failure(["&ops", "&ops"]).hasSuffix("write which\n  \(a)  &ops\n  \(b)  &ops\n"))
        #expect(failure(["&ops", "open/ops"]).hasSuffix("write which\n  '&ops'\n  open/ops\n"))
    }

    @Test("a failure says what, why and what to do, and lists candidates to type")
    func failures() {
        var failure = Failure(
            .refused(
                .ambiguous(
                    "ada", matches: 2,
                    candidates: [
                        (id: String(repeating: "a", count: 52), name: "ada"),
                        (id: String(repeating: "b", count: 52), name: "ada\u{1B}[2J"),
                    ])))
        failure.what = "send"
        #expect(
            failure.text == """
                stoa: send: "ada" matches 2 people; use @ and the first 8 or more characters of the key
                  @aaaaaaaaaaaaaaaa  ada
                  @bbbbbbbbbbbbbbbb  ada^[[2J

                """)
    }
}
