package import ControlAPI
internal import Glibc
internal import Posix

/// A connection to the daemon that asks one thing at a time and keeps what comes unasked.
///
/// Not for several threads. Once ``Posix/Interrupts`` has begun, a signal ends each wait.
package final class DaemonConnection {
    private let connection: UnixConnection
    private var codec = LineCodec()
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    private var lastID: Int64 = 0
    private var events: [RPCRequest] = []
    private var unanswered: Set<Int64> = []
    /// What was asked without waiting; the answer once it has come.
    private var asked: [Int64: RPCResponse.Outcome?] = [:]
    /// How long an answer may take, in milliseconds; nil for as long as it takes.
    package var answerMilliseconds: Int?

    /// The pause between two attempts to connect.
    private static let retryMilliseconds = 50

    /// Connects; throws ``ClientError/noDaemon(path:)`` when nobody listens.
    ///
    /// - Parameters:
    ///   - path: the daemon's socket.
    ///   - patienceMilliseconds: how long to wait for a daemon that is starting.
    ///   - answerMilliseconds: how long an answer may take.
    package init(
        path: String, patienceMilliseconds: Int = 0, answerMilliseconds: Int? = nil
    ) throws(ClientError) {
        let deadline = SystemClock.monotonicMilliseconds() + UInt64(max(0, patienceMilliseconds))
        while true {
            do throws(SystemError) {
                self.connection = try UnixConnection(
                    path: path, timeoutMilliseconds: answerMilliseconds)
                break
            } catch {
                guard !Interrupts.isWaiting else { throw .interrupted }
                guard error.meansNobodyListens else { throw Self.clientError(error) }
                guard SystemClock.monotonicMilliseconds() < deadline else {
                    throw .nobody(at: path)
                }
                _ = try? waitUntilReadable(
                    Interrupts.descriptor.map { [$0] } ?? [],
                    timeoutMilliseconds: Self.retryMilliseconds)
            }
        }
        self.answerMilliseconds = answerMilliseconds
    }

    /// The socket's descriptor, for waiting on it.
    package var descriptor: Int32 { self.connection.descriptor.number }

    /// Asks and waits for the answer; events that come meanwhile are kept for ``takeEvents()``.
    ///
    /// - Parameter descriptor: one that is passed with the request, and stays the caller's; nil for none.
    package func call<Method: ControlMethod>(
        _ method: Method.Type, _ params: Method.Params, passing descriptor: Int32? = nil
    ) throws(ClientError) -> Received<Method.Result> where Method.Result: ControlValue {
        let id = try self.send(method, params, passing: descriptor)
        let deadline = self.answerMilliseconds.map {
            SystemClock.monotonicMilliseconds() + UInt64($0)
        }
        while true {
            while let line = try self.nextLine() {
                guard let response = try self.file(line) else { continue }
                guard response.id == .integer(id) else { continue }
                switch response.outcome {
                case .result(let result): return Received(result)
                case .failure(let error): throw .refused(error)
                }
            }
            try self.read(until: deadline)
        }
    }

    /// Asks and does not wait: when the answer comes as an error, it ends the reading.
    package func post<Method: ControlMethod>(
        _ method: Method.Type, _ params: Method.Params
    ) throws(ClientError) {
        self.unanswered.insert(try self.send(method, params))
    }

    /// Asks and does not wait: ``answer(_:to:)`` gives what has come.
    package func ask<Method: ControlMethod>(
        _ method: Method.Type, _ params: Method.Params
    ) throws(ClientError) -> Int64 {
        let id = try self.send(method, params)
        self.asked.updateValue(nil, forKey: id)
        return id
    }

    /// The answer to what was asked, if events that were taken brought it; it is given once.
    package func answer<Method: ControlMethod>(
        _ method: Method.Type, to id: Int64
    ) throws(ClientError) -> Received<Method.Result>? where Method.Result: ControlValue {
        guard case .some(.some(let outcome)) = self.asked[id] else { return nil }
        self.asked[id] = nil
        switch outcome {
        case .result(let result): return Received(result)
        case .failure(let error): throw .refused(error)
        }
    }

    /// Asks and ignores the answer.
    package func tell<Method: ControlMethod>(
        _ method: Method.Type, _ params: Method.Params
    ) throws(ClientError) {
        _ = try self.send(method, params)
    }

    /// Waits for the answers to what was posted, so that they are not lost by ending.
    package func settle() throws(ClientError) {
        let deadline = self.answerMilliseconds.map {
            SystemClock.monotonicMilliseconds() + UInt64($0)
        }
        while true {
            while let line = try self.nextLine() { _ = try self.file(line) }
            guard !self.unanswered.isEmpty else { return }
            try self.read(until: deadline)
        }
    }

    /// Reads once what is there, waiting when nothing is, and returns all complete events.
    package func receive() throws(ClientError) -> [RPCRequest] {
        try self.read(until: nil)
        return try self.takeEvents()
    }

    /// The events that came during and right after calls, oldest first; each is returned once.
    ///
    /// One read may have brought events behind the answer, so this comes before waiting for more.
    package func takeEvents() throws(ClientError) -> [RPCRequest] {
        while let line = try self.nextLine() { _ = try self.file(line) }
        defer { self.events = [] }
        return self.events
    }

    private func send<Method: ControlMethod>(
        _ method: Method.Type, _ params: Method.Params, passing descriptor: Int32? = nil
    ) throws(ClientError) -> Int64 {
        self.lastID += 1
        let line = Method.line(id: self.lastID, params)
        do throws(SystemError) {
            if let descriptor {
                try self.connection.writeAll(line, passing: descriptor)
            } else {
                try self.connection.writeAll(line)
            }
        } catch {
            if Interrupts.isWaiting { throw .interrupted }
            if error.code == ETIMEDOUT { throw .noAnswer }
            // The daemon may have said why before it closed.
            while true {
                try self.read(until: nil)
                while let line = try self.nextLine() { _ = try self.file(line) }
            }
        }
        return self.lastID
    }

    /// Reads once; with a deadline, a monotonic moment, it throws when nothing comes before it.
    private func read(until deadline: UInt64?) throws(ClientError) {
        var left: Int?
        if let deadline {
            let now = SystemClock.monotonicMilliseconds()
            left = now < deadline ? Int(deadline - now) : 0
        }
        let count: Int?
        do throws(SystemError) {
            count = try self.connection.readSome(into: &self.buffer, timeoutMilliseconds: left)
        } catch {
            throw Interrupts.isWaiting ? .interrupted : .closed
        }
        guard let count else {
            if left != nil { throw .noAnswer }
            return
        }
        guard count > 0 else { throw .closed }
        self.codec.append(self.buffer[..<count])
    }

    private func nextLine() throws(ClientError) -> [UInt8]? {
        do throws(LineError) {
            return try self.codec.nextLine()
        } catch {
            throw .garbled("a line is longer than \(ControlLimits.lineBytes) bytes")
        }
    }

    /// Files one line and returns it when it is a response that a call may wait for.
    ///
    /// An event is kept, the answer to a posted request is checked. An error without id concerns the
    /// whole connection and is thrown.
    private func file(_ line: [UInt8]) throws(ClientError) -> RPCResponse? {
        let json: JSON
        do throws(JSONError) {
            json = try JSON(parsing: line)
        } catch {
            throw .garbled(error.text)
        }
        switch ServerMessage(json) {
        case nil: throw .garbled("a line is neither a response nor a notification")
        case .notification(let event):
            self.events.append(event)
            return nil
        case .response(let response):
            if case .failure(let error) = response.outcome, response.id == .null {
                throw .refused(error)
            }
            if case .integer(let id) = response.id, self.unanswered.remove(id) != nil {
                if case .failure(let error) = response.outcome { throw .refused(error) }
                return nil
            }
            if case .integer(let id) = response.id, self.asked.keys.contains(id) {
                self.asked[id] = .some(response.outcome)
                return nil
            }
            return response
        }
    }

    /// Whether a socket is for a group, too.
    private static func isShared(_ path: String) -> Bool {
        Files.permissions(path).map { $0.mode & 0o060 != 0 } ?? false
    }

    private static func clientError(_ error: SystemError) -> ClientError {
        switch error.code {
        case EPERM:
            .unusable(
                reason: "\(error.context) is served by another user, who could read what you write",
                remedy:
                    "start your own stoad, or name a socket in a folder that others cannot write to"
            )
        case EACCES:
            .unusable(
                reason: "\(error.context) belongs to another user",
                remedy: Self.isShared(error.context)
                    ? "ask to be added to the group of that file, or start your own stoad"
                    : "start your own stoad, or name its socket with --socket")
        case EAGAIN, ETIMEDOUT: .noAnswer
        default:
            .unusable(
                reason: error.reason, remedy: error.remedy ?? "name the socket with --socket")
        }
    }
}
