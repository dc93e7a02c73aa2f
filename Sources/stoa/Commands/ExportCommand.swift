import ControlAPI
import Glibc
import Posix

/// The command `stoa export`.
struct ExportCommand: Subcommand {
    static let syntax = CommandSyntax(
        "export", "Print all messages of a conversation, oldest first.",
        examples: [
            "stoa export agora > agora.jsonl", "stoa export @ada --format text --since 2026-01-01",
        ],
        operands: ["TO"],
        options: [
            OptionSyntax(
                "--format", "jsonl|text", "the form: jsonl (default), one object per line, or text"),
            OptionSyntax("--since", "T", "only messages since this time"),
        ],
        details: [
            "The objects are those of \"stoa --json history\", described in stoa-control(7) as Message. As text, each message begins on a line of its own.",
            "Messages are printed as they are now: edited, and without those that were deleted. Messages deleted later stay in what you printed.",
        ])
    static let mayTakeLong = true

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
        var printed = (count: 0, last: Timestamp?.none)
        do throws(Failure) { try self.export(context, &printed) } catch {
            var failure = error
            if error.isInterrupt { failure.next = Self.rest(after: printed.count, printed.last) }
            throw failure
        }
    }

    /// How to go on.
    private static func rest(after count: Int, _ last: Timestamp?) -> String {
        guard let last else { return "no message was printed" }
        return
            "\(count) messages were printed; the same command with --since \(last.text) prints the "
            + "rest, from the last message on"
    }

    private func export(
        _ context: CommandContext, _ printed: inout (count: Int, last: Timestamp?)
    ) throws(Failure) {
        let console = context.console
        let lines = MessageLine(console: console, showsConversation: false)
        var told: UInt64 = 0
        // Where the messages themselves run over the terminal nothing else need be told.
        let tells = console.errorsAreTerminal && !console.outputIsTerminal
        defer { if tells { console.report("\r\u{1B}[K\(printed.count) messages\n") } }
        try self.reading.forEachPage(context, of: Self.syntax.name) { (page) throws(Failure) in
            for message in page {
                switch context.json ? .jsonl : self.format {
                case .jsonl: try console.print(message.json)
                case .text: try console.print(lines.text(message.value))
                }
            }
            try console.flush()
            printed = (printed.count + page.count, page.last?.time ?? printed.last)
            // A signal that came while the output was taken at once was seen by no wait.
            guard !Interrupts.isWaiting else { throw .interrupted() }
            let now = SystemClock.monotonicMilliseconds()
            guard tells, now >= told + Self.progressMilliseconds else { return }
            told = now
            console.report("\r\(printed.count) messages, up to \(LocalTime.text(printed.last)) ")
        }
    }
}
