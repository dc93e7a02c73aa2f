import ControlAPI
import Glibc
import Posix

/// The command `stoa export`.
struct ExportCommand: Subcommand {
    static let syntax = CommandSyntax(
        "export", "Print all messages of a conversation, oldest first, to keep them elsewhere.",
        operands: ["TO"],
        options: [
            OptionSyntax("--format", "jsonl|text", "jsonl (default): an object a line; or text"),
            OptionSyntax("--since", "T", "only messages since this time"),
        ],
        details: [
            "The objects are those of \"stoa --json history\": Message in Docs/ControlAPI.md. The text has a line for each message, and more where the message has.",
            "Messages are printed as they are now: edited, and without those that were taken back. What is printed is yours; nobody takes it back there.",
            "Example: stoa export agora > agora.jsonl",
        ])

    /// How a message is printed.
    private enum Format: String {
        case jsonl, text
    }

    private let reading: HistoryReading
    private let format: Format
    /// How long after the last one a line about the progress is due, in milliseconds.
    private static let progressMilliseconds: UInt64 = 250

    init(_ arguments: ParsedArguments) throws(Failure) {
        let word = arguments.value("--format") ?? Format.jsonl.rawValue
        guard let format = Format(rawValue: word) else {
            throw .usage(
                "--format cannot be \"\(TerminalText.line(word))\"", next: "give jsonl or text")
        }
        self.format = format
        self.reading = HistoryReading(
            to: arguments.required(0), since: try LocalTime.option("--since", of: arguments))
    }

    func run(in context: CommandContext) throws(Failure) {
        let console = context.console
        let lines = MessageLine(console: console, showsConversation: false)
        var count = 0
        var told: UInt64 = 0
        // Where the messages themselves run over the terminal nothing else need be told.
        let tells = console.errorsAreTerminal && !console.outputIsTerminal
        try self.reading.forEachPage(context) { (page) throws(Failure) in
            for message in page {
                switch context.json ? .jsonl : self.format {
                case .jsonl: try console.print(message)
                case .text: try console.print(lines.text(message))
                }
            }
            count += page.count
            try console.flush()
            let now = SystemClock.monotonicMilliseconds()
            guard tells, now >= told + Self.progressMilliseconds else { return }
            told = now
            console.report("\r\(count) messages, up to \(LocalTime.text(page.last?["time"])) ")
        }
        if tells { console.report("\r\u{1B}[K\(count) messages\n") }
    }
}
