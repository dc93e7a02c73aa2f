import ControlAPI
import ControlClient
import Posix

/// The command `stoa lock`.
struct LockCommand: Subcommand {
    static let syntax = CommandSyntax(
        "lock", "Lock this node with a passphrase, or set, change or remove that passphrase.",
        examples: ["stoa lock set", "stoa lock", "stoa lock change", "stoa lock remove"],
        operands: ["[set|change|remove]"],
        options: [
            OptionSyntax(
                "--passphrase-file", "FILE|-",
                "read the passphrase that counts from a file instead of asking for it"),
            OptionSyntax(
                "--new-passphrase-file", "FILE|-", "read the new passphrase from a file"),
            OptionSyntax("--without-backup", nil, "set a lock although you have made no backup"),
        ],
        details: [
            "\"lock\" alone locks the node now: it ends its links and forgets its keys, and nobody can read or send anything until stoa unlock. A locked node receives nothing; messages come from peers once it is open.",
            "\"set\" chooses the passphrase. A thief of the data folder of a locked node cannot act as you, and cannot read secret rooms, groups, conversations of two, requests and notices. Texts of open rooms, names of people, sizes and times are not protected: encrypt the disk for those.",
            "While a lock is set, the chat and the page keep no unsent text on the disk, so it is gone when they end. Text that they had kept there is removed.",
            "A passphrase that is forgotten cannot be recovered. The way back is a backup, restored as a new device; messages come back from peers that have them.",
        ])
    static let mayTakeLong = true
    private static let unchanged = "the lock was not changed"

    private enum Step: String, CaseIterable {
        case now, set, change, remove
    }

    private let step: Step
    private let currentFile: String?
    private let newFile: String?
    private let isWithoutBackup: Bool

    init(_ arguments: ParsedArguments) throws(Failure) {
        let word = arguments.operand(0)
        let words = Step.allCases.dropFirst().map(\.rawValue)
        guard let step = word.map({ words.contains($0) ? Step(rawValue: $0) : nil }) ?? .now else {
            let shown = TerminalText.line(word ?? "")
            throw .usage(
                "\"\(shown)\" is not something to do with the lock",
                next: NearestName.find(word ?? "", among: words).map { "did you mean \"\($0)\"?" }
                    ?? "use one of \(words.joined(separator: ", ")), or nothing to lock now")
        }
        self.step = step
        self.currentFile = arguments.value("--passphrase-file")
        self.newFile = arguments.value("--new-passphrase-file")
        self.isWithoutBackup = arguments.has("--without-backup")
        guard self.currentFile == nil || step == .change || step == .remove else {
            throw .usage(
                "--passphrase-file goes with change and remove",
                next: "leave it out, or use --new-passphrase-file with set")
        }
        guard self.newFile == nil || step == .set || step == .change else {
            throw .usage("--new-passphrase-file goes with set and change", next: "leave it out")
        }
        guard !self.isWithoutBackup || step == .set else {
            throw .usage("--without-backup goes with set", next: "leave it out")
        }
    }

    func run(in context: CommandContext) throws(Failure) {
        guard self.step != .now else {
            try context.show(LockMethod.self) { _ in "locked; to go on: stoa unlock\n" }
            return context.noteChange()
        }
        var params = SetLockMethod.Params()
        if self.step != .set {
            params.current = try SecretInput.passphrase.read(
                self.currentFile, context, ifEnded: Self.unchanged)
        }
        if self.step != .remove { params.passphrase = try self.newPassphrase(context) }
        params.withoutBackup = self.isWithoutBackup ? true : nil
        try context.show(SetLockMethod.self, params) { _ in
            self.step == .remove
                ? "the lock is removed: a copy of the data folder is enough to act as you\n"
                : "the passphrase is set, and cannot be recovered if it is forgotten; lock this node: "
                    + "stoa lock\n"
        }
        if self.step == .set { try Self.removeTexts(context) }
        context.noteChange()
    }

    /// A lock protects no text that clients keep beside it: none stays on the disk, and none goes unseen.
    private static func removeTexts(_ context: CommandContext) throws(Failure) {
        let socket = try context.socketPath()
        let texts: [String]
        do throws(SystemError) {
            texts = try KeptText.removeTexts(socket: socket, environment: context.environment)
        } catch {
            throw Failure(
                .internalError,
                why: "the lock is set, but texts of a chat are still kept: \(error.reason)",
                next: "remove chat-… and page-… in the folder stoa of XDG_STATE_HOME")
        }
        for text in texts {
            context.console.report(
                "stoa: lock: not sent, and removed from the disk: \(TerminalText.line(text))\n")
        }
    }

    private func newPassphrase(_ context: CommandContext) throws(Failure) -> String {
        let input = SecretInput.newPassphrase
        let passphrase = try input.read(self.newFile, context, ifEnded: Self.unchanged)
        if self.newFile == nil, context.console.inputIsTerminal {
            guard try input.read(nil, context, ifEnded: Self.unchanged) == passphrase else {
                throw Failure(
                    .badData, why: "the two passphrases differ", next: "type the same one twice")
            }
        }
        return passphrase
    }
}
