import ControlAPI
import ControlClient
import Posix

/// Sends each line of standard input as a message: as fast as the daemon stores them, or as others have
/// them, and each once, whatever happens to the daemon meanwhile.
struct LineSender {
    /// A line that is on its way.
    private struct Pending {
        var params: SendMethod.Params
        /// The number of the request; nil while it is to be sent (again).
        var request: Int64?
    }

    private let context: CommandContext
    private let params: SendMethod.Params
    private let path: String
    private let keyBase: String
    private var connection: DaemonConnection?
    private var pending: [Pending] = []
    private var input = LineInput()
    private var hasInputEnded = false
    private var lines: Int64 = 0
    private var sent: Int64 = 0
    private var rejected: Int64 = 0
    private var patience: UInt64?

    /// How many lines are under way at a time.
    private static let window = 64
    /// How long a daemon is looked for that has gone, in milliseconds.
    private static let patienceMilliseconds: UInt64 = 60_000
    private static let retryMilliseconds: Int32 = 200

    /// Sends with these parameters, whose text each line is; keys are those of the lines' numbers.
    init(_ context: CommandContext, _ params: SendMethod.Params) throws(Failure) {
        self.context = context
        self.params = params
        self.path = try context.socketPath()
        self.keyBase =
            params.idempotencyKey
            ?? "lines-\(ProcessEnvironment.processID)-\(SystemClock.wallMilliseconds())"
    }

    /// Ends when the input has ended and all of it is sent.
    mutating func run() throws(Failure) {
        while !self.hasInputEnded || !self.pending.isEmpty {
            try self.connect()
            try self.sendPending()
            try self.takeAnswers()
            if self.pending.count < Self.window, !self.hasInputEnded {
                try self.awaitInputOrAnswer()
            } else if !self.pending.isEmpty {
                try self.receive()
            }
        }
        guard self.rejected == 0 else {
            throw Failure(
                .badData, why: "\(self.rejected) lines were not sent", next: "see above")
        }
        if !self.context.json {
            let what = self.sent == 1 ? "1 message" : "\(self.sent) messages"
            try self.context.console.print("sent \(what)\n")
        }
    }

    // MARK: Lines

    private mutating func awaitInputOrAnswer() throws(Failure) {
        let console = self.context.console
        let descriptor = self.connection?.descriptor
        let outcome = try PollWait.until(
            readable: [console.inputNumber] + (descriptor.map { [$0] } ?? []),
            millisecondsAtMost: nil)
        if let descriptor, outcome.readable.contains(descriptor) { try self.receive() }
        guard outcome.readable.contains(console.inputNumber) else { return }
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
        case .text(let text) where text.isEmpty: return
        case .text(let text):
            var params = self.params
            params.text = text
            params.idempotencyKey = "\(self.keyBase)-\(self.lines)"
            self.pending.append(Pending(params: params))
        case .tooLong: self.reject("has more than \(ControlLimits.textBytes) bytes")
        case .notUTF8: self.reject("is not UTF-8")
        }
    }

    private mutating func reject(_ why: String) {
        self.rejected += 1
        self.context.console.report("stoa: send: line \(self.lines) \(why) and was not sent\n")
    }

    // MARK: The daemon

    private mutating func connect() throws(Failure) {
        while self.connection == nil {
            do throws(ClientError) {
                self.connection = try DaemonConnection(path: self.path)
                self.patience = nil
            } catch {
                let now = SystemClock.monotonicMilliseconds()
                let patience = self.patience ?? now + Self.patienceMilliseconds
                self.patience = patience
                // At the first attempt nothing is lost by saying so at once.
                guard error.isPassing, self.lines > 0, now < patience else { throw Failure(error) }
                _ = PollWait.any(
                    readable: [], writable: nil, millisecondsAtMost: Self.retryMilliseconds)
            }
        }
    }

    /// Does something with the connection; where it is lost, what is unanswered is sent again over the
    /// next one, with its key.
    private mutating func mending(
        _ body: (inout LineSender, DaemonConnection) throws(ClientError) -> Void
    ) throws(Failure) {
        guard let connection = self.connection else { return }
        do throws(ClientError) { try body(&self, connection) } catch {
            guard error.isPassing else { throw Failure(error) }
            self.connection = nil
            for index in self.pending.indices { self.pending[index].request = nil }
        }
    }

    private mutating func sendPending() throws(Failure) {
        try self.mending { (sender, connection) throws(ClientError) in
            for index in sender.pending.indices.prefix(Self.window)
            where sender.pending[index].request == nil {
                sender.pending[index].request = try connection.ask(
                    SendMethod.self, sender.pending[index].params)
            }
        }
    }

    private mutating func receive() throws(Failure) {
        try self.mending { (_, connection) throws(ClientError) in _ = try connection.receive() }
        try self.takeAnswers()
    }

    /// Takes the answers in the order of the lines.
    private mutating func takeAnswers() throws(Failure) {
        while let request = self.pending.first?.request {
            var answer: JSON?
            var refusal: ClientError?
            try self.mending { (_, connection) throws(ClientError) in
                do throws(ClientError) { answer = try connection.answer(to: request) } catch {
                    guard case .refused(let refused) = error else { throw error }
                    // A daemon that has much to do, or ends, is asked again.
                    guard [.busy, .shuttingDown].contains(refused.knownCode) else {
                        refusal = error
                        return
                    }
                    throw .closed
                }
            }
            if let refusal { throw Failure(refusal) }
            guard let answer else { return }
            self.pending.removeFirst()
            self.sent += 1
            if self.context.json { try self.context.console.print(answer) }
        }
    }
}
