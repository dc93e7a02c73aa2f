import ControlAPI
import Posix

/// The command `stoa backup`.
struct BackupCommand: Subcommand {
    static let syntax = CommandSyntax(
        BackupMethod.description, operands: ["FILE"],
        options: [
            OptionSyntax("--phrase", nil, "a phrase of your own: asks for it without showing it"),
            OptionSyntax(
                "--phrase-file", "FILE|-", "a phrase of your own, in the place of six words"),
        ],
        details: [
            "In it are your keys as a person, your name, status and picture, your realms, whom you know, verified and blocked, and the rooms and people that you talk in and with. Not in it are messages, which come back from whoever has them, and the key of this device, which is never copied.",
            "Whoever has the file and its phrase is you: they can read what you can and write in your name. The phrase is shown once and kept nowhere, and it is shown before the file is written: where it cannot be shown, an earlier backup stays.",
            "An earlier backup of that name is replaced, any other file is not. Make a new one when you have met people or entered rooms.",
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
                "--phrase and --phrase-file are two phrases", next: "give one of the two")
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
        guard let phrase = prepared["phrase"]?.stringValue else {
            throw Failure(
                .internalError, why: "the daemon has made no phrase",
                next: "restart it: systemctl --user restart stoad")
        }
        if context.json {
            try context.console.print(prepared)
        } else {
            try context.console.print("\n  the phrase      \(prepared.shown("phrase"))\n\n")
        }
        do throws(Failure) { try context.console.flushSecret() } catch {
            var failure = error
            failure.next += "; no backup is written"
            throw failure
        }
        let made = try context.call(BackupMethod.self, Self.params(path, phrase))
        context.noteChange()
        guard !context.json else { return }
        try context.console.print(Self.line(made))
        context.console.report(
            "nobody can open it without the phrase, which is kept nowhere: note it down, and not "
                + "beside the file\n")
    }

    private static func params(_ path: String, _ phrase: String) -> BackupMethod.Params {
        BackupMethod.Params {
            $0.file = path
            $0.phrase = phrase
        }
    }

    private static func line(_ made: JSON) -> String {
        let content = made["content"] ?? .null
        return "\(made.shown("file")) holds who you are, with \(content.backupCounts)\n"
    }
}

extension BackupMethod: CommandMethod {
    static var command: any Subcommand.Type { BackupCommand.self }
}

extension JSON {
    /// What is in a backup, in words.
    var backupCounts: String {
        [
            ("people", "person", "people"), ("realms", "realm", "realms"),
            ("rooms", "room", "rooms"),
            ("directs", "conversation with one person", "conversations with one person"),
        ].map { name, one, many in
            let count = self.count(name)
            return "\(count) \(count == 1 ? one : many)"
        }.joined(separator: ", ")
    }
}
