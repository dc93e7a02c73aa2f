import ControlAPI
import Posix

/// The command `stoa backup`.
struct BackupCommand: Subcommand {
    static let syntax = CommandSyntax(
        BackupMethod.description, examples: ["stoa backup ~/stoa.backup"], operands: ["FILE"],
        options: [
            OptionSyntax(
                "--phrase", nil,
                "use a phrase of your own; you are asked for it, and it is not shown"),
            OptionSyntax(
                "--phrase-file", "FILE|-",
                "read a phrase of your own from a file, instead of six new words"),
        ],
        details: [
            "A backup holds your keys as a person, your name, status and picture, your realms, your contacts with those you have verified or blocked, and your rooms and conversations. It does not hold messages, which come back from peers that have them, nor the key of this device, which is never copied.",
            "Anyone who has the file and its phrase can act as you. The phrase is shown once and not stored. It is shown before the file is written: if it cannot be shown, an earlier backup is left alone.",
            "A backup of the same name is replaced; any other file is not. Make a new backup after adding contacts or joining rooms.",
        ])

    private let file: String
    private let asks: Bool
    private let phraseFile: String?

    init(_ arguments: ParsedArguments) throws(Failure) {
        self.file = arguments.required(0)
        self.asks = arguments.has("--phrase")
        self.phraseFile = arguments.value("--phrase-file")
        guard !self.asks || self.phraseFile == nil else {
            throw .usage(
                "--phrase and --phrase-file both give a phrase", next: "give only one of them")
        }
    }

    func run(in context: CommandContext) throws(Failure) {
        var phrase: String?
        if self.asks {
            phrase = try SecretInput.newPhrase.read(nil, context)
            if context.console.inputIsTerminal {
                let again = try SecretInput.newPhrase.read(nil, context)
                guard phrase == again else {
                    throw Failure(
                        .badData, why: "the two phrases differ", next: "type the same one twice")
                }
            }
        } else if let file = self.phraseFile {
            phrase = try SecretInput.phrase.read(file, context)
        }
        let path = try context.wholePath(self.file)
        if let phrase {
            try context.show(BackupMethod.self, Self.params(path, phrase), human: Self.line)
            context.noteChange()
        } else {
            try self.writeByNewPhrase(path, context)
        }
    }

    /// Tells the phrase first: an earlier backup must not give way to one that nobody can open, as where
    /// the output goes to a disk that is full.
    private func writeByNewPhrase(_ path: String, _ context: CommandContext) throws(Failure) {
        let prepared = try context.call(
            BackupMethod.self,
            BackupMethod.Params {
                $0.file = path
                $0.prepare = true
            })
        guard let phrase = prepared.phrase else {
            throw Failure(
                .internalError, why: "the daemon made no phrase",
                next: "restart it: systemctl --user restart stoad")
        }
        if context.json {
            try context.console.print(prepared.json)
        } else {
            try context.console.print("\n  the phrase      \(phrase.shown)\n\n")
        }
        do throws(Failure) { try context.console.flushSecret() } catch {
            var failure = error
            failure.next += "; no backup was written"
            throw failure
        }
        let made = try context.call(BackupMethod.self, Self.params(path, phrase))
        context.noteChange()
        guard !context.json else { return }
        try context.console.print(Self.line(made.value))
        context.console.report(
            "nobody can open it without the phrase, which is not stored: write it down, and keep it "
                + "apart from the file\n")
    }

    private static func params(_ path: String, _ phrase: String) -> BackupMethod.Params {
        BackupMethod.Params {
            $0.file = path
            $0.phrase = phrase
        }
    }

    private static func line(_ made: BackupMethod.Result) -> String {
        "\(made.file.shown) holds your identity, with \(made.content.counts)\n"
    }
}

extension BackupContent {
    /// How much is in it, in words.
    var counts: String {
        [
            (self.people, "person", "people"), (self.realms, "realm", "realms"),
            (self.rooms, "room", "rooms"),
            (self.directs, "direct conversation", "direct conversations"),
        ].map { count, one, many in "\(count) \(count == 1 ? one : many)" }
            .joined(separator: ", ")
    }
}
