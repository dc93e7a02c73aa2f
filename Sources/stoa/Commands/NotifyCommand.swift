import ControlAPI
import ControlClient
import Posix

/// The command `stoa notify`.
struct NotifyCommand: Subcommand {
    static let syntax = CommandSyntax(
        "notify", "Show or change when and how the desktop notifies you.",
        examples: ["stoa notify", "stoa notify --quiet 20:00-08:00"],
        options: [
            OptionSyntax(
                "--quiet", "HOURS", "no notifications in these hours, as in 20:00-08:00; or: off"),
            OptionSyntax(
                "--secret-texts", "YES", "show the text of messages in secret rooms: yes or no"),
        ],
        details: [
            "The program stoa-notify, which your graphical session starts, notifies you of direct messages, mentions, people who want to write to you, and alerts. In quiet hours, and while the desktop is set to \"do not disturb\", it stays silent and afterwards says once what you missed. \"stoa mute\" silences one conversation.",
            "Without options it shows the settings. They are stored in ~/.config/stoa/notify.conf and take effect at once.",
        ])

    private let quiet: String?
    private let secretTexts: String?

    init(_ arguments: ParsedArguments) throws(Failure) {
        self.quiet = arguments.value("--quiet")
        self.secretTexts = arguments.value("--secret-texts")
        if let quiet = self.quiet, quiet != "off", QuietHours(quiet) == nil {
            throw .usage(
                "--quiet \(TerminalText.line(quiet)) is not a range of hours",
                next: "give two times of day, as in 20:00-08:00, or off")
        }
        if let texts = self.secretTexts, texts != "yes", texts != "no" {
            throw .usage(
                "--secret-texts cannot be \"\(TerminalText.line(texts))\"", next: "give yes or no")
        }
    }

    func run(in context: CommandContext) throws(Failure) {
        guard let path = NotifierFile.path(context.environment) else {
            throw Failure(
                .usage, why: "cannot tell where your settings are", next: "set HOME")
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
