import Testing

@testable import stoa

/// The exit code says what was done: a script that repeats what was done because nobody could read that does
/// it twice.
@Suite("A report that cannot be printed", .timeLimit(.minutes(5))) struct LostReportTests {
    private static let changing = [
        "send ops hi", "send ops hi --wait read --members all", "send ops --lines",
        "edit aaaaaaaa hi", "delete aaaaaaaa", "react aaaaaaaa +1", "join ops", "leave ops",
        "mute ops", "unmute ops", "archive ops", "unarchive ops", "topic ops lunch",
        "retain ops --days 3 --yes", "forget ops --yes", "create war --secret", "accept @ada",
        "decline @ada", "transfers cancel aaaaaaaa", "consumers remove mail",
        "connect 192.0.2.7:4100", "profile --name ada", "presence away", "people add @ada",
        "people remove @ada", "verify @ada 1234", "block @ada", "unblock @ada",
        "realm leave office", "realm rotate office",
    ]
    private static let looking = [
        "status", "peers", "rooms", "conversations", "members ops", "history ops", "info aaaaaaaa",
        "whois @ada", "people", "search lunch", "export ops", "invite ops", "tail ops --limit 1",
    ]

    @Test("does not make a failure of what was done", arguments: Self.changing, [true, false])
    func changes(line: String, isFull: Bool) throws {
        for words in [line, "--json " + line] {
            let run = try CommandRun(
                words.split(separator: " ").map(String.init), daemon: GoldenJSONTests.daemon(),
                input: Array("a line\n".utf8), readsOutput: isFull, fillsDisk: isFull)
            #expect(run.code == .done, "\(words): \(run.errors)")
            let isSaid = run.errors.contains("warning: ")
            // What prints nothing has nothing to lose.
            let prints = try !CommandRun(
                words.split(separator: " ").map(String.init), daemon: GoldenJSONTests.daemon(),
                input: Array("a line\n".utf8)
            ).output.isEmpty
            #expect(isSaid == prints, "\(words): \(run.errors)")
        }
    }

    @Test("names what was sent, so that it can be found")
    func id() throws {
        let run = try CommandRun(
            ["send", "ops", "hi"], daemon: GoldenJSONTests.daemon(), fillsDisk: true)
        #expect(run.errors.contains("warning: it is done, its id is "))
        #expect(run.errors.contains("No space left on device"))
    }

    @Test("is a failure of what only looks", arguments: Self.looking)
    func looks(line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let run = try CommandRun(words, daemon: GoldenJSONTests.daemon(), fillsDisk: true)
        #expect(run.code == .inputOutput, "\(line): \(run.errors)")
    }
}
