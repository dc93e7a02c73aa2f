import ControlAPI
import ControlClient
import Posix

/// The command `stoa lock`.
struct LockCommand: Subcommand {
    static let syntax = CommandSyntax(
        "lock", "Lock this node with a passphrase, or set, change or remove what opens it.",
        examples: [
            "stoa lock set", "stoa lock", "stoa lock change", "stoa lock keyring on",
            "stoa lock remove",
        ],
        operands: ["[set|change|remove|keyring]", "[on|off]"],
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
            "\"keyring on\" puts the key into the desktop's keyring too, which then opens the node whenever the daemon starts: your login password is enough. After \"stoa lock\", LockAfter= or LockOnSleep= the passphrase is needed until the daemon starts again. Programs of your session can read the keyring while it is unlocked. \"keyring off\" deletes the key there.",
            "While a lock is set, the chat and the page keep no unsent text on the disk, so it is gone when they end. Text that they had kept there is removed.",
            "A passphrase that is forgotten cannot be recovered. The way back is a backup, restored as a new device; messages come back from peers that have them.",
        ])
    static let mayTakeLong = true
    private static let unchanged = "the lock was not changed"

    private enum Step: String, CaseIterable {
        case now, set, change, remove, keyring
    }

    private let step: Step
    /// Whether the desktop's keyring is to open the node; nil for other steps.
    private let usesKeyring: Bool?
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
        self.usesKeyring = try Self.usesKeyring(step, arguments.operand(1))
        self.currentFile = arguments.value("--passphrase-file")
        self.newFile = arguments.value("--new-passphrase-file")
        self.isWithoutBackup = arguments.has("--without-backup")
        let needsCurrent = step == .change || step == .remove || self.usesKeyring == true
        guard self.currentFile == nil || needsCurrent else {
            throw .usage(
                "--passphrase-file goes with change, remove and keyring on",
                next: "leave it out, or use --new-passphrase-file with set")
        }
        guard self.newFile == nil || step == .set || step == .change else {
            throw .usage("--new-passphrase-file goes with set and change", next: "leave it out")
        }
        guard !self.isWithoutBackup || step == .set else {
            throw .usage("--without-backup goes with set", next: "leave it out")
        }
    }

    private static func usesKeyring(_ step: Step, _ word: String?) throws(Failure) -> Bool? {
        switch (step, word) {
        case (.keyring, "on"): true
        case (.keyring, "off"): false
        case (.keyring, _):
            throw .usage(
                "stoa lock keyring needs on or off",
                next: "stoa lock keyring on, or off; stoa status says which it is")
        case (_, nil): nil
        default:
            throw .usage(
                "\(step.rawValue) takes nothing behind it", next: "stoa lock \(step.rawValue)")
        }
    }

    func run(in context: CommandContext) throws(Failure) {
        if let usesKeyring { return try self.setKeyring(usesKeyring, context) }
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

    private func setKeyring(_ isOn: Bool, _ context: CommandContext) throws(Failure) {
        var params = SetKeyringMethod.Params()
        params.use = isOn
        if isOn {
            params.passphrase = try SecretInput.passphrase.read(
                self.currentFile, context, ifEnded: Self.unchanged)
        }
        try context.show(SetKeyringMethod.self, params) { result in
            guard !isOn else { return "the desktop's keyring opens this node when it starts\n" }
            let left =
                result.left.map { "; delete the item \"Stoa\" there: \($0.shown)" } ?? ""
            return "the desktop's keyring does not open this node\(left)\n"
        }
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
