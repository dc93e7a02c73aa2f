import ControlAPI
import Testing

@testable import stoa

/// What is missing, and who has what.
extension CommandTests {
    private static func missing(_ count: Int64, holders: [String] = []) -> MissingResult {
        MissingResult {
            $0.author = Self.other
            $0.authorName = "ada"
            $0.count = count
            $0.holders = holders
        }
    }

    private static func log(
        _ author: String, _ incarnation: String, here: Int64, _ member: ClockMethod.Member
    ) -> ClockMethod.Log {
        ClockMethod.Log {
            $0.author = author == "ada" ? Self.other : Self.id
            $0.authorName = author
            $0.incarnation = incarnation
            $0.here = here
            $0.members = [member]
        }
    }

    @Test("a clock is a table of authors, with what each linked member has")
    func clockTable() throws {
        let logs = [
            Self.log(
                "robot", "0a1b2c3d4e5f6071", here: 7, ClockMethod.Member { $0.id = Self.other }),
            Self.log(
                "ada", "1111222233334444", here: 12,
                ClockMethod.Member {
                    $0.id = Self.other
                    ($0.entries, $0.ahead) = (14, 2)
                }),
            Self.log(
                "ada", "9999222233334444", here: 5,
                ClockMethod.Member {
                    $0.id = Self.other
                    ($0.entries, $0.behind) = (3, 2)
                }),
        ]
        let daemon = try FakeDaemon { request in
            var result = ClockMethod.Result()
            result.conversation = Self.id
            result.linked = [
                ClockMethod.Named {
                    $0.id = Self.other
                    $0.name = "ada"
                }
            ]
            let isFirst = request.params.json?["after"] == nil
            result.items = isFirst ? Array(logs.prefix(1)) : Array(logs.suffix(2))
            result.next = isFirst ? "clock:0:x" : nil
            if isFirst {
                result.missing = [Self.missing(2, holders: ["ada"])]
                result.moreMissing = 3
            }
            return [.result(result.json)]
        }
        let run = try CommandRun(["status", "--clock", "ops"], daemon: daemon)
        #expect(
            run.output == """
                AUTHOR     HERE  ada
                robot      7     ?
                ada #1111  12    14 +2
                ada #9999  5     3 -2
                2 messages by ada are missing; ada has them
                messages by 3 other people are missing

                """)
        let pages = try CommandRun(["--json", "status", "--clock", "ops"], daemon: daemon)
        #expect(pages.output.split(separator: "\n").count == 2)
    }

    @Test("status, history and tail say what is missing, and that all is here again")
    func saysWhatIsMissing() throws {
        let daemon = try FakeDaemon { request in
            switch request.method {
            case "status":
                let status = StatusMethod.Result {
                    $0.incomplete = [
                        IncompleteConversation {
                            $0.conversation = Self.id
                            $0.conversationName = "ops"
                            $0.missing = [Self.missing(1)]
                        }
                    ]
                }
                return [.result(status.json)]
            case "history":
                let page = HistoryMethod.Result { $0.missing = [Self.missing(3, holders: ["ben"])] }
                return [.result(page.json)]
            default:
                var events: [FakeDaemon.Step] = [.result(["subscription": 1, "cursor": 0])]
                for missing in [[Self.missing(3)], []] {
                    var event = MissingEvent()
                    (event.subscription, event.conversation) = (1, Self.id)
                    (event.conversationName, event.missing) = ("ops", missing)
                    events.append(.event(event))
                }
                return events
            }
        }
        let status = try CommandRun(["status"], daemon: daemon)
        #expect(
            status.output.contains("ops: 1 message by ada is missing; nobody here has it\n"))
        for words in [["history", "ops"], ["history", "ops", "--all"]] {
            let history = try CommandRun(words, daemon: daemon)
            #expect(
                history.errors == "stoa: history: 3 messages by ada are missing; ben has them\n")
        }
        let tail = try CommandRun(
            ["tail", "--kind", "missing", "--limit", "2"], daemon: daemon)
        #expect(
            tail.output == """
                ops: 3 messages by ada are missing; nobody here has them
                ops: all messages that were missing are here

                """)
    }

    @Test("info says what a message follows, by author and number")
    func follows() throws {
        let daemon = try FakeDaemon { _ in
            let info = InfoMethod.Result {
                ($0.id, $0.author, $0.number) = (Self.id, Self.other, 13)
                $0.follows = [("ada", Int64(12)), ("ben", 7)].map { name, number in
                    InfoMethod.Followed {
                        ($0.id, $0.author) = (Self.id, Self.other)
                        ($0.authorName, $0.number) = (.some(name), .some(number))
                    }
                }
                $0.follows.append(InfoMethod.Followed { $0.id = Self.id })
            }
            return [.result(info.json)]
        }
        let run = try CommandRun(["info", "aaaaaaaa"], daemon: daemon)
        #expect(run.output.contains("follows  ada 12, ben 7 and 1 that is not here\n"))
        #expect(run.output.contains("number   13 of its author's log\n"))
    }
}
