import ControlAPI
import ControlClient
import Posix

/// Calls of one method that are under way, each with an idempotency key: where the daemon goes away, what
/// is unanswered goes again to the next one, and has no second effect.
struct RepeatableCalls<Method: ControlMethod> where Method.Result: ControlValue {
    /// A call that is on its way.
    private struct Pending {
        var params: Method.Params
        /// The number of the request; nil while it is to be sent (again).
        var request: Int64?
        /// Whether it was sent once at most.
        var isFirst = true
    }

    private let path: String
    private let window: Int
    private var connection: DaemonConnection?
    private var pending: [Pending] = []
    private var hasBegun = false
    private var isAnswered = false
    private let patienceMilliseconds: UInt64
    /// When the daemon is given up; nil while it answers.
    private var patience: UInt64?
    private var connectedAt: UInt64 = 0

    private static var retryMilliseconds: Int32 { 200 }
    /// A connection that lasted so long was of use, also where nothing was to be answered, in milliseconds.
    private static var usefulMilliseconds: UInt64 { 5_000 }

    /// - Parameters:
    ///   - path: the socket of the daemon.
    ///   - window: how many calls are under way at a time.
    ///   - patienceMilliseconds: how long a daemon is looked for that has gone, or turns all calls away.
    init(path: String, window: Int, patienceMilliseconds: UInt64 = 60_000) {
        self.path = path
        self.window = window
        self.patienceMilliseconds = patienceMilliseconds
    }

    /// Whether all are answered.
    var isEmpty: Bool { self.pending.isEmpty }

    /// Whether one more may be under way.
    var hasRoom: Bool { self.pending.count < self.window }

    /// Takes a call; ``proceed(_:)`` makes it.
    mutating func add(_ params: Method.Params) {
        self.hasBegun = true
        self.pending.append(Pending(params: params))
    }

    /// Gives the answers that have come, in the order of the calls, and whether each call was made once, and
    /// makes the calls that there is room for; throws the first refusal.
    ///
    /// It comes before each wait: then all that may be under way is.
    mutating func proceed(
        _ body: (Received<Method.Result>, _ isFirst: Bool) throws(Failure) -> Void
    ) throws(Failure) {
        try self.takeAnswers(body)
        try self.connect()
        try self.send()
    }

    /// Connects where that is needed; a daemon that has gone is waited for.
    private mutating func connect() throws(Failure) {
        while self.connection == nil {
            do throws(ClientError) {
                self.connection = try DaemonConnection(path: self.path)
                self.connectedAt = SystemClock.monotonicMilliseconds()
            } catch {
                // At the first attempt nothing is lost by saying so at once.
                guard error.isPassing, self.hasBegun else { throw Failure(error) }
                try self.pause(after: error)
            }
        }
    }

    /// Waits a moment for a daemon that has gone or turns calls away; throws why once that takes too long.
    private mutating func pause(after error: ClientError) throws(Failure) {
        let now = SystemClock.monotonicMilliseconds()
        let patience = self.patience ?? now + self.patienceMilliseconds
        self.patience = patience
        guard now < patience else { throw Failure(error) }
        try PollWait.pause(milliseconds: Self.retryMilliseconds)
    }

    /// Makes the calls that are not under way, as many as may be.
    private mutating func send() throws(Failure) {
        try self.mending { (calls, connection) throws(ClientError) in
            for index in calls.pending.indices.prefix(calls.window)
            where calls.pending[index].request == nil {
                calls.pending[index].request = try connection.ask(
                    Method.self, calls.pending[index].params)
            }
        }
    }

    /// Waits until something has come, or the daemon has gone.
    mutating func receive() throws(Failure) {
        try self.mending { (_, connection) throws(ClientError) in _ = try connection.receive() }
    }

    /// Waits for input or for an answer, or until the daemon has gone; whether there is input.
    mutating func awaitInput(_ input: Int32) throws(Failure) -> Bool {
        guard let own = self.connection?.descriptor else { return false }
        let outcome = try PollWait.until(readable: [input, own], millisecondsAtMost: nil)
        if outcome.readable.contains(own) { try self.receive() }
        return outcome.readable.contains(input)
    }

    private mutating func takeAnswers(
        _ body: (Received<Method.Result>, _ isFirst: Bool) throws(Failure) -> Void
    ) throws(Failure) {
        while let request = self.pending.first?.request {
            var answer: Received<Method.Result>?
            try self.mending { (_, connection) throws(ClientError) in
                answer = try connection.answer(Method.self, to: request)
            }
            guard let answer else { return }
            (self.patience, self.isAnswered) = (nil, true)
            try body(answer, self.pending.removeFirst().isFirst)
        }
    }

    /// Does something with the connection; where it is lost, or the daemon has much to do or ends, what is
    /// unanswered goes again over the next one a moment later, with its key.
    private mutating func mending(
        _ body: (inout Self, DaemonConnection) throws(ClientError) -> Void
    ) throws(Failure) {
        guard let connection = self.connection else { return }
        do throws(ClientError) { try body(&self, connection) } catch {
            // A lock that was there before is said at once: somebody must come and unlock it.
            guard error.isPassing, self.isAnswered || !error.isLocked else { throw Failure(error) }
            self.connection = nil
            for index in self.pending.indices where self.pending[index].request != nil {
                self.pending[index].request = nil
                self.pending[index].isFirst = false
            }
            let now = SystemClock.monotonicMilliseconds()
            if now >= self.connectedAt + Self.usefulMilliseconds { self.patience = nil }
            // One that takes connections and closes them is never asked without a pause.
            try self.pause(after: error)
        }
    }
}
