import ControlAPI
import ControlClient
import Posix

/// The command `stoa notify`.
struct NotifyCommand: Subcommand {
    static let syntax = CommandSyntax(
        "notify", "Say when and how you are told of messages at your desktop.",
        options: [
            OptionSyntax(
                "--quiet", "HOURS", "tell nothing in these hours, as in 20:00-08:00; or: off"),
            OptionSyntax(
                "--secret-texts", "YES", "show what is said in secret rooms, too: yes or no"),
        ],
        details: [
            "The program stoa-notify, which your graphical session starts, tells of messages to you alone, of those that call you, of people who want to write to you, and of alerts. Where the desktop says that you are not to be disturbed, and in quiet hours, it tells nothing, and afterwards once what you missed. \"stoa mute\" quiets one conversation.",
            "Without options it shows what stands. It is kept in notify.conf in ~/.config/stoa, and counts at once.",
        ])

    private let quiet: String?
    private let secretTexts: String?

    init(_ arguments: ParsedArguments) throws(Failure) {
        self.quiet = arguments.value("--quiet")
        self.secretTexts = arguments.value("--secret-texts")
        if let quiet = self.quiet, quiet != "off", QuietHours(quiet) == nil {
            throw .usage(
                "--quiet \(TerminalText.line(quiet)) names no hours",
                next: "give two times of day, as in 20:00-08:00, or off")
        }
        if let texts = self.secretTexts, texts != "yes", texts != "no" {
            throw .usage("--secret-texts takes yes or no", next: "give one of them")
        }
    }

    func run(in context: CommandContext) throws(Failure) {
        guard let path = NotifierFile.path(context.environment) else {
            throw Failure(
                .usage, why: "where your settings are cannot be told", next: "set HOME")
        }
        let bytes = (try? Files.read(path, limitBytes: NotifierFile.bytes)) ?? []
        var settings = NotifierFile.settings(String(decoding: bytes, as: UTF8.self))
        if let quiet = self.quiet { settings.quiet = QuietHours(quiet) }
        if let texts = self.secretTexts { settings.showsSecretTexts = texts == "yes" }
        if self.quiet != nil || self.secretTexts != nil { try self.write(settings, to: path) }
        if context.json {
            try context.console.print([
                "quiet": settings.quiet.map { .string($0.text) } ?? .null,
                "secretTexts": .bool(settings.showsSecretTexts),
            ])
        } else {
            try context.console.print(
                context.console.table([
                    ["quiet hours", settings.quiet?.text ?? "none"],
                    ["texts of secret rooms", settings.showsSecretTexts ? "shown" : "not shown"],
                ]))
        }
    }

    private func write(_ settings: NotifierSettings, to path: String) throws(Failure) {
        do throws(SystemError) {
            try Files.makeDirectories(Files.parent(of: path))
            try Files.writeAtomically(
                Array(NotifierFile.text(settings).utf8), to: path, mode: 0o600)
        } catch {
            throw Failure(.inputOutput, why: "\(error)", next: "make its folder writable")
        }
    }
}
