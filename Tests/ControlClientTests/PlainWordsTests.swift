import ControlAPI
import Testing

@testable import stoa

/// What people are told where a command has done less than they may think, or nothing yet.
@Suite("Plain words about what was done", .timeLimit(.minutes(5)))
struct PlainWordsTests {
    @Test("a backup is written once its phrase was told, and not where nobody reads it")
    func backup() throws {
        let made = BackupMethod.Result {
            $0.file = "/tmp/a"
            $0.phrase = "six words"
        }
        let daemon = try FakeDaemon { request in
            var result = made
            if request.params.json?["prepare"] == nil { result.phrase = nil }
            return [.result(result.json)]
        }
        let run = try CommandRun(["backup", "/tmp/a"], daemon: daemon)
        #expect(run.code == .done)
        #expect(run.output.contains("the phrase      six words\n\n/tmp/a holds your identity"))
        #expect(
            daemon.params("backup") == [
                #"{"file":"/tmp/a","prepare":true}"#, #"{"file":"/tmp/a","phrase":"six words"}"#,
            ])
        let unread = try CommandRun(["backup", "/tmp/a"], daemon: daemon, readsOutput: false)
        #expect(unread.code == .inputOutput && unread.errors.contains("no backup was written"))
        #expect(daemon.params("backup").count == 3)
    }

    @Test("a backup that is not there is missed before its phrase is asked for")
    func restoreMissing() throws {
        let run = try CommandRun(["restore", "/nonexistent/backup"])
        #expect(run.code == .badData && run.errors.contains("no file /nonexistent/backup"))
        let alone = try CommandRun(
            ["restore", "/dev/null", "--socket", "/nonexistent/control.sock"])
        #expect(alone.code == .noDaemon)
    }

    @Test("of somebody who is blocked it is said that what they wrote is hidden")
    func historyOfBlocked() throws {
        for (tier, said) in [
            (TierWord.blocked, "wrote until: stoa unblock @ben"), (.known, "no messages\n"),
        ] {
            let daemon = try FakeDaemon { request in
                request.method == "whois"
                    ? [.result(WhoisMethod.Result { $0.tier = tier }.json)]
                    : [.result(HistoryMethod.Result().json)]
            }
            #expect(try CommandRun(["history", "@ben"], daemon: daemon).output.contains(said))
        }
    }

    @Test("what forgetting and blocking leave as it is, is said")
    func leftAsItIs() throws {
        let daemon = try FakeDaemon { request in
            [
                .result(
                    request.method == "forget"
                        ? ["name": "ops", "messages": 1] : PersonResult { $0.name = "ben" }.json)
            ]
        }
        let forgotten = try CommandRun(["forget", "ops", "--yes"], daemon: daemon)
        #expect(forgotten.output.contains("its topics and its list of members stay here"))
        let person = try CommandRun(["forget", "@ben", "--yes"], daemon: daemon)
        #expect(person.output.hasSuffix("others keep what has reached them\n"))
        let blocked = try CommandRun(["block", "@ben"], daemon: daemon)
        #expect(blocked.output.contains("they can still read what you write"))
    }

    @Test("what is forgotten is said by number, and goes only where somebody says so")
    func forgotten() throws {
        let daemon = try FakeDaemon { request in
            [.result(["name": "ops", "messages": 7])]
        }
        let run = try CommandRun(["forget", "ops"], daemon: daemon)
        #expect(run.code == .usage)
        #expect(run.errors.contains("7 messages of ops would be deleted from this disk"))
        #expect(run.errors.contains("--yes"))
        #expect(daemon.params("forget") == [#"{"to":"ops","dryRun":true}"#])
        let sure = try CommandRun(["forget", "ops", "--yes"], daemon: daemon)
        #expect(sure.code == .done && sure.output.contains("7 messages were deleted"))
        #expect(daemon.params("forget").last == #"{"to":"ops"}"#)
        // Where nothing goes nobody is asked.
        let empty = try FakeDaemon { _ in [.result(["name": "ops", "messages": 0])] }
        #expect(try CommandRun(["forget", "ops"], daemon: empty).code == .done)
    }

    @Test("messages go by a new limit only where somebody says so, who is told how many")
    func retained() throws {
        let daemon = try FakeDaemon { request in
            let isDry: Bool
            if case .named(let members) = request.params {
                isDry = JSON.object(members)["dryRun"] == true
            } else {
                isDry = false
            }
            return [
                .result(
                    isDry ? ["name": "ops", "retainGoing": 7] : ["name": "ops", "retainDays": 3])
            ]
        }
        let run = try CommandRun(["retain", "ops", "--days", "3"], daemon: daemon)
        #expect(run.code == .usage && run.errors.contains("7 messages of ops would be deleted"))
        #expect(run.errors.contains("--yes"))
        let sure = try CommandRun(["retain", "ops", "--days", "3", "--yes"], daemon: daemon)
        #expect(sure.code == .done && sure.output.contains("kept for 3 days here"))
        #expect(daemon.params("retain").count == 2)
    }

    @Test("of lines those without text are left out, and one that is too long is counted as one")
    func blankLines() throws {
        let daemon = try FakeDaemon { _ in [.result(CommandTests.sent.json)] }
        let run = try CommandRun(
            ["send", "ops", "--lines"], daemon: daemon,
            input: Array("one\n \t\n".utf8)
                + [UInt8](repeating: 0x61, count: ControlLimits.textBytes + 1))
        #expect(run.code == .badData && run.errors.contains("1 line was not sent; see above"))
        #expect(daemon.params("send").count == 1)
    }

    @Test("a second stoa on for one consumer is told what to do with it")
    func onTwice() throws {
        let daemon = try FakeDaemon { _ in
            [.failure(.refused("it has a live reader", reason: "consumerInUse", remedy: "x"))]
        }
        let run = try CommandRun(
            ["on", "message", "--consumer", "bot", "--", "true"], daemon: daemon)
        #expect(run.code == .refused && run.errors.contains("for the consumer bot; end that one"))
        #expect(!run.errors.contains("take"))
    }
}
