import ControlAPI
import ControlClient
import Posix

/// Sends each line of standard input as a message: as fast as the daemon stores them, or as others have
/// them, and each once, whatever happens to the daemon meanwhile.
struct LineSender {
    private let context: CommandContext
    private let params: SendMethod.Params
    private let key: SendKey
    private var calls: RepeatableCalls<SendMethod>
    private var input = LineInput()
    private var hasInputEnded = false
    private var lines: Int64 = 0
    private var sent: Int64 = 0
    /// How many lines an earlier run has sent under their keys.
    private var repeated: Int64 = 0
    private var rejected: Int64 = 0

    /// How many lines are under way at a time.
    private static let window = 64

    /// Sends with these parameters, whose text each line is; its key has the line's number behind this one.
    init(
        _ context: CommandContext, _ params: SendMethod.Params, _ key: SendKey
    ) throws(Failure) {
        self.context = context
        self.params = params
        self.calls = RepeatableCalls(path: try context.socketPath(), window: Self.window)
        self.key = key
    }

    /// Ends when the input has ended and all of it is sent.
    mutating func run() throws(Failure) {
        do throws(Failure) { try self.sendAll() } catch {
            guard self.lines > 0, error.code != .badData else { throw self.key.advise(error) }
            var failure = error
            if !failure.next.isEmpty { failure.next += "; " }
            if error.isInterrupt || error.isLoss { failure.next += "\(self.counts); " }
            failure.next += "to send the rest, \(self.key.advice) on the same lines"
            throw failure
        }
        guard self.rejected == 0 else {
            throw Failure(
                .badData,
                why: self.rejected == 1
                    ? "1 line was not sent" : "\(self.rejected) lines were not sent",
                next: "see above")
        }
        if !self.context.json { try self.context.console.print("\(self.counts)\n") }
    }

    /// `sent 3 messages; 2 were sent already`.
    private var counts: String {
        let sent = self.sent == 1 ? "sent 1 message" : "sent \(self.sent) messages"
        guard self.repeated > 0 else { return sent }
        return sent
            + (self.repeated == 1 ? "; 1 was sent already" : "; \(self.repeated) were sent already")
    }

    private mutating func sendAll() throws(Failure) {
        while !self.hasInputEnded || !self.calls.isEmpty {
            try self.proceed()
            if self.calls.hasRoom, !self.hasInputEnded {
                try self.awaitInputOrAnswer()
            } else if !self.calls.isEmpty {
                try self.calls.receive()
            }
        }
    }

    // MARK: Lines

    private mutating func awaitInputOrAnswer() throws(Failure) {
        let console = self.context.console
        guard try self.calls.awaitInput(console.inputNumber) else { return }
        if let chunk = try console.readChunk() {
            for line in self.input.append(chunk) { self.take(line) }
        } else {
            if let line = self.input.finish() { self.take(line) }
            self.hasInputEnded = true
        }
    }

    private mutating func take(_ line: LineInput.Line) {
        self.lines += 1
        switch line {
        case .text(let text) where TerminalText.isBlank(text): return
        case .text(let text):
            var params = self.params
            params.text = text
            params.idempotencyKey = "\(self.key.text)-\(self.lines)"
            self.calls.add(params)
        case .tooLong: self.reject("has more than \(ControlLimits.textBytes) bytes")
        }
    }

    private mutating func reject(_ why: String) {
        self.rejected += 1
        self.context.console.report("stoa: send: line \(self.lines) \(why) and was not sent\n")
    }

    // MARK: The daemon

    private mutating func proceed() throws(Failure) {
        let context = self.context
        var (sent, repeated): (Int64, Int64) = (0, 0)
        defer {
            self.sent += sent
            self.repeated += repeated
        }
        try self.calls.proceed { (answer, isFirst) throws(Failure) in
            // What was asked twice in this run is its own.
            if answer.duplicate, isFirst { repeated += 1 } else { sent += 1 }
            context.noteChange(answer.id.shown)
            if context.json { try context.console.print(answer.json) }
        }
    }
}
