import ControlAPI
import ControlClient
import Posix

/// The command `stoa restore`.
struct RestoreCommand: Subcommand {
    static let syntax = CommandSyntax(
        RestoreMethod.description, examples: ["stoa restore ~/stoa.backup"], operands: ["FILE"],
        options: [
            OptionSyntax(
                "--phrase-file", "FILE|-", "read the phrase from a file instead of asking for it")
        ],
        details: [
            "Works only on a daemon that has not been used: restore first, then join rooms.",
            "Your messages come back from linked peers that have them. Messages that nobody else has are lost, as is what you had read, and your settings.",
            "If an earlier device of yours still runs, it goes on: both are you, each with its own messages, and each tells you about the other.",
        ])
    static let mayTakeLong = true

    private let file: String
    private let phraseFile: String?

    init(_ arguments: ParsedArguments) {
        self.file = arguments.required(0)
        self.phraseFile = arguments.value("--phrase-file")
    }

    func run(in context: CommandContext) throws(Failure) {
        let path = try context.existingBackup(self.file)
        _ = try context.call(StatusMethod.self)
        context.disconnect()
        let phrase = try SecretInput.phrase.read(
            self.phraseFile, context, ifEnded: "nothing was restored")
        let params = RestoreMethod.Params {
            $0.file = path
            $0.phrase = phrase
        }
        let (content, status) = try self.restore(params, context)
        if context.json { return try context.console.print(content.json) }
        try context.console.print(
            """
            you are \(content.name.shown) again, on device \(status.id.shortKey); the backup of \
            \(LocalTime.text(content.time)) brought \(content.counts)
            messages come back from linked peers that have them: see "stoa peers"
            messages that nobody else has are lost, as is what you had read, and settings; \
            if an earlier device of yours still runs, it goes on beside this one

            """)
    }

    private func restore(
        _ params: RestoreMethod.Params, _ context: CommandContext
    ) throws(Failure) -> (Received<RestoreMethod.Result>, Received<StatusMethod.Result>) {
        var isTaken = false
        do throws(Failure) {
            let content = try context.call(RestoreMethod.self, params)
            isTaken = true
            return (content, try context.statusOfNewStart(of: content.person))
        } catch {
            var failure = error
            if error.isInterrupt {
                failure.next =
                    isTaken
                    ? "the backup was accepted, and the daemon goes on restoring; see: stoa status"
                    : "the daemon may have accepted the backup; see who you are: stoa status"
            }
            throw failure
        }
    }
}

extension CommandContext {
    /// The whole path of a backup: nobody likes to type six words only to be told that they were of no use.
    func existingBackup(_ file: String) throws(Failure) -> String {
        let path = try self.wholePath(file)
        guard Files.exists(path) else {
            throw Failure(
                .badData, why: "there is no file \(TerminalText.line(file))",
                next: "give the path of the file that stoa backup has written")
        }
        return path
    }
}
