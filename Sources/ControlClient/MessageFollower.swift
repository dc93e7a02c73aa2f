package import ControlAPI
internal import Posix

/// Follows messages, and other changes where they are asked for, over restarts of the daemon.
///
/// The owner waits until ``descriptor`` is readable or ``pauseMilliseconds`` are over, then takes
/// events with ``receive()``; after each that it has dealt with it calls ``settle(_:acknowledging:)``.
package final class MessageFollower {
    package enum Event: Equatable, Sendable {
        case message(Received<MessageResult>)
        /// Something else of a kind that was asked for.
        case change(Received<ChangeResult>)
        /// A part of a durable stream.
        case piece(Received<StreamPieceEvent>)
        /// What is missing of a conversation now.
        case missing(Received<MissingEvent>)
        /// Messages that cannot be given.
        case gap(Received<GapEvent>)
        /// The connection is lost; the follower connects again by itself.
        case lost(ClientError)
        /// The connection is back, and nothing was missed.
        case connected
    }

    /// The first and the longest pause before another attempt to connect, in milliseconds.
    package static let pauses: ClosedRange<UInt64> = 100...5_000

    private let path: String
    private let answerMilliseconds: Int?
    private var params: SubscribeMethod.Params
    /// The connection that messages come over; nil while it is lost.
    package private(set) var connection: DaemonConnection?
    /// A loss that the owner has not been told yet.
    private var loss: ClientError?
    private var pause = MessageFollower.pauses.lowerBound
    private var nextAttempt: UInt64 = 0

    /// Subscribes; errors of this first subscription are thrown, later losses are mended.
    ///
    /// - Parameter isUnderWay: whether the daemon has answered before, so that a loss is mended from the beginning.
    package init(
        path: String, params: SubscribeMethod.Params, answerMilliseconds: Int? = nil,
        isUnderWay: Bool = false
    ) throws(ClientError) {
        self.path = path
        self.params = params
        self.answerMilliseconds = answerMilliseconds
        do throws(ClientError) { try self.connect() } catch {
            guard isUnderWay, error.isPassing else { throw error }
            self.postpone()
        }
    }

    /// The last cursor that is dealt with, or where the first subscription began.
    package var cursor: Int64 { self.params.from ?? 0 }

    /// What to wait for; nil while the connection is lost.
    package var descriptor: Int32? { self.connection?.descriptor }

    /// How long to wait before the next attempt to connect; nil while there is a connection.
    package var pauseMilliseconds: Int32? {
        guard self.connection == nil else { return nil }
        let now = SystemClock.monotonicMilliseconds()
        return now < self.nextAttempt ? Int32(clamping: self.nextAttempt - now) : 0
    }

    /// What has come already, without waiting.
    package func takeEvents() throws(ClientError) -> [Event] {
        let requests = try self.mending { (connection) throws(ClientError) in
            try connection.takeEvents()
        }
        return try self.events(requests ?? [])
    }

    /// Asks the daemon something; nil when the connection is or was just lost.
    package func call<Method: ControlMethod>(
        _ method: Method.Type, _ params: Method.Params
    ) throws(ClientError) -> Received<Method.Result>? where Method.Result: ControlValue {
        try self.mending { (connection) throws(ClientError) in
            try connection.call(method, params)
        }
    }

    /// Asks the daemon something and does not wait; nil when the connection is or was just lost,
    /// with which the number of a request means nothing any longer.
    package func ask<Method: ControlMethod>(
        _ method: Method.Type, _ params: Method.Params
    ) throws(ClientError) -> Int64? {
        try self.mending { (connection) throws(ClientError) in
            try connection.ask(method, params)
        }
    }

    /// The answer to what was asked, once the events that came before it are taken.
    package func answer<Method: ControlMethod>(
        _ method: Method.Type, to id: Int64
    ) throws(ClientError) -> Received<Method.Result>? where Method.Result: ControlValue {
        try self.mending { (connection) throws(ClientError) in
            try connection.answer(method, to: id)
        } ?? nil
    }

    /// Reads once what is there, waiting when nothing is; connects again when that is due.
    package func receive() throws(ClientError) -> [Event] {
        guard self.connection == nil, self.loss == nil else {
            let requests = try self.mending { (connection) throws(ClientError) in
                try connection.receive()
            }
            return try self.events(requests ?? [])
        }
        guard self.pauseMilliseconds == 0 else { return [] }
        do throws(ClientError) {
            try self.connect()
            return [.connected] + (try self.takeEvents())
        } catch {
            guard error.isPassing else { throw error }
            self.postpone()
            return []
        }
    }

    /// Everything up to a cursor is dealt with: it does not come again, and a durable consumer's
    /// position moves.
    ///
    /// - Parameter acknowledging: whether that position moves; where it does not, all behind it comes again
    ///   to whoever reads for the consumer after this process.
    package func settle(_ cursor: Int64, acknowledging: Bool = true) throws(ClientError) {
        self.params.from = cursor
        guard acknowledging, let consumer = self.params.consumer else { return }
        let params = AcknowledgeMethod.Params {
            $0.consumer = consumer
            $0.conversation = self.params.to
            $0.cursor = cursor
        }
        _ = try self.mending { (connection) throws(ClientError) in
            try connection.post(AcknowledgeMethod.self, params)
        }
    }

    /// Tells the daemon something and ignores the answer.
    package func tell<Method: ControlMethod>(
        _ method: Method.Type, _ params: Method.Params
    ) throws(ClientError) {
        _ = try self.mending { (connection) throws(ClientError) in
            try connection.tell(method, params)
        }
    }

    /// Waits until the daemon has taken all positions, so that they are not lost by ending.
    package func finish() throws(ClientError) {
        _ = try self.mending { (connection) throws(ClientError) in try connection.settle() }
    }

    private func connect() throws(ClientError) {
        let connection = try DaemonConnection(
            path: self.path, answerMilliseconds: self.answerMilliseconds)
        let result = try connection.call(SubscribeMethod.self, self.params)
        // Known from here on, so that nothing is skipped when the connection is lost at once.
        if self.params.from == nil { self.params.from = result.cursor }
        // To take over is meant once; who comes later may have taken over in turn.
        self.params.takeOver = nil
        self.pause = Self.pauses.lowerBound
        self.connection = connection
    }

    private func postpone() {
        self.nextAttempt = SystemClock.monotonicMilliseconds() + self.pause
        self.pause = min(self.pause * 2, Self.pauses.upperBound)
    }

    /// Does something with the connection; nil when it is lost and a new one can help.
    private func mending<Value>(
        _ body: (DaemonConnection) throws(ClientError) -> Value
    ) throws(ClientError) -> Value? {
        guard let connection = self.connection else { return nil }
        do throws(ClientError) {
            return try body(connection)
        } catch {
            guard error.isPassing else { throw error }
            self.connection = nil
            self.loss = error
            self.postpone()
            return nil
        }
    }

    private func events(_ requests: [RPCRequest]) throws(ClientError) -> [Event] {
        var events: [Event] = []
        defer { self.loss = nil }
        for request in requests {
            switch request.method {
            case MessageEvent.name:
                if let message = request.message { events.append(.message(message)) }
            case ChangeEvent.name:
                if let change = request.change { events.append(.change(change)) }
            case StreamPieceEvent.name:
                events.append(.piece(request.event(StreamPieceEvent.self)))
            case MissingEvent.name:
                events.append(.missing(request.event(MissingEvent.self)))
            case GapEvent.name: events.append(.gap(request.event(GapEvent.self)))
            case EndedEvent.name: throw .takenOver
            default: continue
            }
        }
        if let loss = self.loss { events.append(.lost(loss)) }
        return events
    }
}
