import ControlAPI
import Glibc
import Posix
import TestSupport
import Testing

@testable import stoa

extension IntegrationTests {
    /// Each command that may take long, ended by each signal and over a restart of its daemon.
    @Suite("a command that takes long") struct LongCommandTests {
        /// One of them while it waits.
        struct Case: Sendable, CustomTestStringConvertible {
            /// What it is run with, where ROOM, FOLDER, ID and ADDRESS stand for what there is.
            let words: [String]
            /// Whether it reads what the test writes, at first "one".
            var readsInput = false
            /// What shows that it waits, beside what can be seen of every program.
            var isWaiting: @Sendable (LongCommand) throws -> Bool = { _ in true }
            /// How it ends by a signal.
            var end: @Sendable (Int32) -> LongCommand.Exit = { .signal($0) }
            /// What it says then.
            var says = ""
            /// Looks whether one can go on as it said.
            var goesOn: @Sendable (LongCommand) throws -> Void = { _ in }
            /// Brings it to its end after a restart.
            let finish: @Sendable (LongCommand) throws -> Void
            /// How it ends then; where it says that it cannot go on, that is checked, too.
            var last = LongCommand.Exit.code(0)
            var saysOnRestart = false

            var testDescription: String { self.words.joined(separator: " ") }
        }

        private static let well: @Sendable (Int32) -> LongCommand.Exit = { _ in .code(0) }

        static let cases: [Case] = [
            Case(
                words: ["send", "ROOM", "waits", "--wait", "delivered", "--timeout", "600"],
                isWaiting: { try $0.texts() == ["waits"] },
                // Stored, or perhaps sent, where the signal comes before the daemon's answer.
                says: "run the same command again with --key",
                goesOn: { command in
                    try command.bringOther()
                    let again = try command.again("--key", try command.key())
                    #expect(again == "sent already, delivered to 1 peer\n")
                }, finish: { try $0.bringOther() }),
            Case(
                words: ["send", "ROOM", "--lines"], readsInput: true,
                isWaiting: { try $0.texts() == ["one"] },
                says: "to send the rest, run the same command again with --key",
                finish: { try $0.endInput(after: "two\n") }),
            Case(
                words: ["send", "ROOM", "--file", "-", "--name", "x"], readsInput: true,
                says: "nothing was sent", finish: { try $0.endInput() }),
            Case(
                words: ["send", "ROOM"], readsInput: true,
                says: "nothing was sent", finish: { try $0.endInput() }),
            Case(
                words: ["ask", "ROOM", "Well?", "--by", "@Ada"],
                isWaiting: { try $0.texts() == ["Well?"] },
                says: "run the same command again with --key",
                goesOn: { command in
                    // Also what came meanwhile is an answer.
                    try command.answer("yes")
                    let again = try command.again("--key", try command.key())
                    #expect(again == "yes\n")
                }, finish: { try $0.answer("yes") }),
            Case(
                words: ["fetch", "ID", "-o", "FOLDER/saved"],
                isWaiting: { try !$0.me.list("transfers").isEmpty },
                says: "the daemon goes on downloading: \"stoa fetch",
                goesOn: { command in
                    #expect(!TestFiles.names(in: command.folder).contains("saved"))
                    try command.bringOther()
                    _ = try command.again()
                    try command.checkSaved()
                },
                finish: { command in
                    try command.bringOther()
                    try command.awaitExit()
                    try command.checkSaved()
                }),
            Case(
                words: [
                    "run", "ROOM", "--", "sh", "-c",
                    "echo > FOLDER/runs; until [ -e FOLDER/go ]; do sleep 0.02; done; exit 3",
                ],
                isWaiting: { Files.exists($0.folder + "/runs") },
                goesOn: { command in
                    let told = try command.texts().first ?? ""
                    #expect(told.contains("ended by signal "), "\(told)")
                },
                finish: { command in
                    try Files.writeAtomically([], to: command.folder + "/go")
                    try command.awaitExit()
                    let told = try command.texts().first ?? ""
                    #expect(told.contains("failed with exit code 3"), "\(told)")
                }, last: .code(3)),
            Case(
                words: ["tail", "ROOM", "--from", "0"],
                isWaiting: { try $0.nextLine() }, end: Self.well,
                says: "to continue from there: --from ", finish: { try $0.seeNews() }),
            Case(
                words: ["tail", "ROOM", "--consumer", "c"],
                isWaiting: { try $0.hasReader() }, end: Self.well,
                says: "the same command continues from there", finish: { try $0.seeNews() }),
            Case(
                words: ["on", "edited", "--in", "ROOM", "--consumer", "c", "--", "true"],
                isWaiting: { try $0.hasReader() }, end: Self.well,
                says: "the same command continues from there",
                finish: { command in
                    try command.awaitSaid("connected again")
                    command.signal(SIGTERM)
                }),
            Case(
                words: ["stream", "recv", "ROOM", "data", "--from", "0", "--follow"],
                isWaiting: { command in
                    try command.stream("first\n")
                    return try command.nextLine()
                }, end: Self.well, says: "to continue from there: --from ",
                finish: { command in
                    try command.awaitSaid("connected again")
                    try command.stream("second\n")
                    _ = try command.nextLine()
                    command.signal(SIGTERM)
                }),
            Case(
                words: ["stream", "send", "ROOM", "data"], readsInput: true,
                says: "has no end yet: send it again from the beginning",
                finish: { try $0.endInput() }),
            Case(
                words: ["stream", "send", "ROOM", "data", "--ephemeral"], readsInput: true,
                says: "which nobody stores; to continue, run it again",
                finish: { try $0.endInput(after: "two\n") }, last: .code(69),
                saysOnRestart: true),
            Case(
                words: ["stream", "recv", "ROOM", "data", "--ephemeral"],
                end: Self.well, says: "to continue, run it again",
                finish: { _ in }, last: .code(69)),
            Case(
                words: ["export", "ROOM"],
                isWaiting: { $0.hasFilledOutput },
                says: "printed",
                finish: { command in
                    let lines = try command.output().split(separator: "\n")
                    #expect(lines.count >= LongCommand.exported)
                }),
            Case(
                words: ["connect", "ADDRESS", "--wait", "60"],
                isWaiting: { try !$0.me.list("dials").isEmpty },
                says: "the daemon goes on dialling; see: stoa peers",
                finish: { $0.refuseDials() }, last: .code(69)),
            Case(
                words: ["restore", "FOLDER/backup", "--phrase-file", "-"], readsInput: true,
                says: "nothing was restored", finish: { try $0.endInput() }, last: .code(77)),
            Case(
                words: ["lock", "set", "--new-passphrase-file", "-"], readsInput: true,
                says: "the lock was not changed", finish: { try $0.endInput() }, last: .code(77)),
            Case(
                words: ["device", "approve"], readsInput: true,
                says: "nothing was approved", finish: { try $0.endInput() }, last: .code(65)),
            Case(
                words: ["chat", "ROOM", "--plain"], readsInput: true,
                isWaiting: { try $0.texts() == ["one"] }, end: Self.well,
                finish: { try $0.endInput(after: "two\n") }),
        ]

        @Test("is in this table")
        func all() {
            let long = CommandTable.all.filter { $0.mayTakeLong }.map { $0.syntax.name }
            // It waits only where the node is locked: LockTests.
            let here = Set(long).subtracting(["unlock"])
            #expect(Set(Self.cases.map { $0.words[0] }) == here)
        }

        @Test(
            "says on a signal what was done and how to go on, and exits as it is documented",
            arguments: Self.cases)
        func signals(of one: Case) throws {
            for number in [SIGINT, SIGTERM, SIGHUP] {
                let command = try LongCommand(one.words, readsInput: one.readsInput)
                try command.awaitWaiting(one.isWaiting)
                command.signal(number)
                #expect(try command.awaitExit() == one.end(number), "\(command.said)")
                #expect(command.said.contains(one.says), "\(command.said)")
                try one.goesOn(command)
            }
        }

        @Test("goes on over a restart of the daemon, or says how to", arguments: Self.cases)
        func restart(of one: Case) throws {
            let command = try LongCommand(one.words, readsInput: one.readsInput)
            try command.awaitWaiting(one.isWaiting)
            try command.me.stop()
            try command.me.start()
            try one.finish(command)
            #expect(try command.awaitExit() == one.last, "\(command.said)")
            if one.saysOnRestart { #expect(command.said.contains(one.says), "\(command.said)") }
        }

        @Test("that nohup has started goes on where the terminal is closed")
        func ignored() throws {
            let command = try LongCommand(["tail", "ROOM", "--from", "0"], before: ["nohup"])
            try command.awaitWaiting { try $0.nextLine() }
            command.signal(SIGHUP)
            try command.seeNews()
            #expect(try command.awaitExit() == .code(0))
        }
    }
}
