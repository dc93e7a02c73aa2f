import ControlAPI
import ControlClient
import Posix

/// Sends standard input as a durable stream: as fast as the daemon stores it, and each part once,
/// whatever happens to the daemon meanwhile.
struct PieceSender {
    private let context: CommandContext
    private var next: AppendStreamMethod.Params
    private var calls: RepeatableCalls<AppendStreamMethod>
    private var parts: Int64 = 0
    private var bytes: Int64 = 0
    private var hasInputEnded = false

    /// How many parts are under way at a time: half a megabyte.
    private static let window = 8

    init(_ context: CommandContext, to: String, name: String) throws(Failure) {
        self.context = context
        self.calls = RepeatableCalls(path: try context.socketPath(), window: Self.window)
        self.next = AppendStreamMethod.Params {
            $0.to = to
            $0.name = name
            $0.session = Int64.random(in: 1...Int64.max)
        }
    }

    /// Ends when the input has ended and all of it is stored.
    mutating func run() throws(Failure) {
        do throws(Failure) { try self.sendAll() } catch {
            guard error.isInterrupt || error.isLoss, self.bytes > 0 else { throw error }
            var failure = error
            failure.next =
                "\(self.bytes) bytes were read, and the stream has no end yet: send it again from the "
                + "beginning"
            throw failure
        }
    }

    private mutating func sendAll() throws(Failure) {
        while !self.hasInputEnded || !self.calls.isEmpty {
            try self.calls.proceed { _, _ in }
            if self.calls.hasRoom, !self.hasInputEnded {
                if try self.calls.awaitInput(self.context.console.inputNumber) { try self.read() }
            } else if !self.calls.isEmpty {
                try self.calls.receive()
            }
        }
        self.context.console.report("sent \(self.bytes) bytes\n")
    }

    /// Reads a part of what is there, and the end.
    private mutating func read() throws(Failure) {
        self.next.data = Base64()
        while self.next.data.bytes.count <= ControlLimits.streamPieceBytes - 16_384 {
            guard let chunk = try self.context.console.readChunk() else {
                self.hasInputEnded = true
                break
            }
            self.next.data.bytes += chunk
            let input = self.context.console.inputNumber
            // What comes slowly is sent at once.
            guard PollWait.any(readable: [input], writable: nil, millisecondsAtMost: 0) == [input]
            else { break }
        }
        self.parts += 1
        self.next.offset = self.bytes
        self.bytes += Int64(self.next.data.bytes.count)
        self.next.end = self.hasInputEnded ? true : nil
        self.next.idempotencyKey = "stream-\(self.next.session)-\(self.parts)"
        self.calls.add(self.next)
    }
}
