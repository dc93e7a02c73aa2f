import ControlAPI
import Glibc
import Posix

/// The command `stoa run`.
struct RunCommand: Subcommand {
    static let syntax = CommandSyntax(
        "run", "Run a command and report how it ended.",
        examples: [
            "stoa run ops -- make test", "stoa run --on-failure ops -- /usr/local/bin/backup",
        ],
        operands: ["TO", "COMMAND..."], lastRepeats: true,
        options: [
            OptionSyntax("--on-failure", nil, "report only if the command fails"),
            OptionSyntax("--lines", "N", "how many lines of its output to include; 20 by default"),
            OptionSyntax("--name", "NAME", "a name for it, instead of its words"),
        ],
        details: [
            "Write -- before COMMAND. Its input and output are unchanged, and stoa exits with its exit code; 128 plus the signal's number if a signal ended it, 127 if it cannot be started.",
            "SIGINT, SIGTERM and SIGHUP are passed on to the command, which decides whether it ends; then the message follows.",
            "The message says how it ended, how long it took, and the end of its output, at most \(RunCommand.outputBytes) bytes. If no daemon takes it within a minute, standard error says so.",
        ])
    static let mayTakeLong = true

    /// How much of the output is told, in bytes.
    private static let outputBytes = 8_000
    /// How long a signal that came for the command does not keep its report from being sent, in milliseconds.
    private static let signalMilliseconds: UInt64 = 1_000
    private static let retryMilliseconds: Int32 = 1_000
    /// What a shell gives for a program that cannot be started.
    private static let notStarted: Int32 = 127

    private let to: String
    private let words: [String]
    private let isOnFailure: Bool
    private let lines: Int
    private let name: String

    init(_ arguments: ParsedArguments) throws(Failure) {
        self.to = arguments.required(0)
        self.words = Array(arguments.operands.dropFirst())
        self.isOnFailure = arguments.has("--on-failure")
        self.lines = Int(try arguments.integer("--lines", in: 0...1_000) ?? 20)
        self.name = arguments.value("--name") ?? self.words.joined(separator: " ")
    }

    func run(in context: CommandContext) throws(Failure) {
        let started = SystemClock.monotonicMilliseconds()
        var tail = OutputTail(limit: Self.outputBytes)
        let how: String
        do throws(SystemError) {
            let end = try self.perform(context, &tail)
            context.status = end.status
            how =
                switch end {
                case .exited(0): "done"
                case .exited(let status): "failed with exit code \(status)"
                case .killed(let signal): "ended by signal \(signal)"
                }
        } catch {
            context.status = Self.notStarted
            how = "could not be started: \(error)"
            context.console.report("stoa: run: \(TerminalText.line(self.name)) \(how)\n")
        }
        guard context.status != 0 || !self.isOnFailure else { return }
        let took = Self.duration(SystemClock.monotonicMilliseconds() - started)
        let mark = context.status == 0 ? "\u{2713}" : "\u{2717}"
        var text = "\(mark) \(self.name.prefix(500)): \(how) after \(took)"
        let output = tail.text(lines: self.lines)
        if !output.isEmpty { text += "\n\(output)" }
        self.tell(text, context)
    }

    /// Runs the command, and hands its output on.
    private func perform(
        _ context: CommandContext, _ tail: inout OutputTail
    ) throws(SystemError) -> ChildProcess.End {
        let (out, errors) = (try Pipe.make(), try Pipe.make())
        let readers = [FileReader(out.output), FileReader(errors.output)]
        var writers: [FileReader] = [FileReader(out.input), FileReader(errors.input)]
        // What is typed both get; the command decides, and then stoa tells of it.
        signal(SIGQUIT, SIG_IGN)
        let process = try ChildProcess(
            self.words, environment: context.environment,
            streams: [1: writers[0].number, 2: writers[1].number])
        writers = []
        var open = Set(readers.map(\.number))
        var isEnded = false
        let interrupts = Interrupts.descriptor.map { [$0] } ?? []
        while !open.isEmpty {
            // What it has started may hold the output open for longer.
            let ready = PollWait.any(
                readable: open.sorted() + interrupts + (isEnded ? [] : [process.endDescriptor]),
                writable: nil, millisecondsAtMost: isEnded ? 0 : nil)
            Self.passSignals(to: process)
            if ready.contains(process.endDescriptor) { isEnded = true }
            for (index, reader) in readers.enumerated() where ready.contains(reader.number) {
                guard let bytes = reader.read() else {
                    open.remove(reader.number)
                    continue
                }
                tail.append(bytes)
                Self.pass(bytes, toErrors: index == 1, of: process, context.console)
            }
            if isEnded, ready.isDisjoint(with: open) { break }
        }
        while !isEnded {
            let ready = PollWait.any(
                readable: interrupts + [process.endDescriptor], writable: nil,
                millisecondsAtMost: nil)
            Self.passSignals(to: process)
            isEnded = ready.contains(process.endDescriptor)
        }
        return process.wait()
    }

    /// Passes on what other processes have sent; what a terminal sends the command gets, too.
    private static func passSignals(to process: ChildProcess) {
        let signals = Interrupts.takeAll().filter(\.isFromProcess).map(\.number)
        for number in signals.sorted() { process.signal(number) }
    }

    /// Hands output on.
    ///
    /// A reader that does not read keeps no signal from the command, and one that has gone does not end it.
    private static func pass(
        _ bytes: [UInt8], toErrors: Bool, of process: ChildProcess, _ console: Console
    ) {
        let interrupts = Interrupts.descriptor.map { [$0] } ?? []
        let output = console.outputNumber(toErrors: toErrors)
        var sent = 0
        while sent < bytes.count {
            let ready = PollWait.any(
                readable: interrupts, writable: output, millisecondsAtMost: nil)
            self.passSignals(to: process)
            guard ready.contains(output) else { continue }
            guard let count = console.passSome(bytes[sent...], toErrors: toErrors) else { return }
            sent += count
        }
    }

    private static func duration(_ milliseconds: UInt64) -> String {
        let seconds = milliseconds / 1_000
        if seconds < 10 { return "\(seconds).\(milliseconds % 1_000 / 100) s" }
        if seconds < 120 { return "\(seconds) s" }
        let minutes = seconds / 60
        return minutes < 120
            ? "\(minutes) min \(seconds % 60) s" : "\(minutes / 60) h \(minutes % 60) min"
    }

    /// Sends the message, once, whatever happens to the daemon meanwhile.
    private func tell(_ text: String, _ context: CommandContext) {
        let params = SendMethod.Params {
            $0.to = self.to
            $0.text = text
            $0.idempotencyKey =
                "run-\(ProcessEnvironment.processID)-\(SystemClock.wallMilliseconds())"
        }
        let began = SystemClock.monotonicMilliseconds()
        let deadline = began + CommandContext.patienceMilliseconds
        _ = Interrupts.takeAll()
        while true {
            do throws(Failure) {
                _ = try context.call(SendMethod.self, params)
                return
            } catch {
                let now = SystemClock.monotonicMilliseconds()
                // timeout(1) sends its signal twice.
                if error.isInterrupt, now < began + Self.signalMilliseconds { continue }
                let isPassing = [.noDaemon, .temporary, .locked].contains(error.code)
                guard isPassing, now < deadline else {
                    context.console.report(
                        "stoa: run: the report was not sent to \(TerminalText.line(self.to)): \(error.why); "
                            + "\(error.next)\n")
                    return
                }
                context.disconnect()
                _ = PollWait.any(
                    readable: Interrupts.descriptor.map { [$0] } ?? [], writable: nil,
                    millisecondsAtMost: Self.retryMilliseconds)
            }
        }
    }
}

/// The end of what a command has printed.
struct OutputTail {
    private var bytes: [UInt8] = []
    private var isCut = false
    private let limit: Int

    /// Keeps so many bytes.
    init(limit: Int) { self.limit = limit }

    mutating func append(_ more: [UInt8]) {
        self.bytes += more
        guard self.bytes.count > 2 * self.limit else { return }
        self.bytes.removeFirst(self.bytes.count - self.limit)
        self.isCut = true
    }

    /// The last lines, as far as they are kept, without the newline at their end.
    func text(lines limit: Int) -> String {
        var text = MessageText.repaired(self.bytes.suffix(self.limit))
        while text.last == "\n" || text.last == "\r\n" { text.removeLast() }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        // The first of those that were kept may have lost its beginning.
        if self.isCut || self.bytes.count > self.limit, lines.count > 1 { lines.removeFirst() }
        return lines.suffix(limit).joined(separator: "\n")
    }
}

/// A descriptor that this process owns, and reads from.
final class FileReader {
    private let descriptor: FileDescriptor

    /// Takes a descriptor over.
    init(_ number: Int32) { self.descriptor = FileDescriptor(owning: number) }

    var number: Int32 { self.descriptor.number }

    /// What one read gives; nil at the end.
    func read() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        guard case .bytes(let count) = self.descriptor.read(into: &buffer) else { return nil }
        return Array(buffer[..<count])
    }
}
