import ControlAPI
import Posix

/// What can end a connection to the daemon.
enum ClientError: Error, Equatable {
    /// The daemon closed the connection or is gone.
    case closed
    /// The daemon answered with an error.
    case refused(RPCError)
    /// What came is no JSON-RPC, or answers nothing that was asked.
    case garbled(String)
}

/// A connection to the daemon that asks one thing at a time and keeps what comes unasked.
final class Client {
    private let connection: UnixConnection
    private var codec = LineCodec()
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    private var lastID: Int64 = 0
    private var events: [RPCRequest] = []
    private var unanswered: Set<Int64> = []

    /// Connects; throws a failure that says what to do when there is no daemon.
    init(path: String) throws(Failure) {
        do {
            self.connection = try UnixConnection(path: path)
        } catch {
            throw Self.failure(error, path: path)
        }
    }

    /// The socket's descriptor, for waiting on it.
    var number: Int32 { self.connection.descriptor.number }

    /// Asks and waits for the answer; events that come meanwhile are kept for `takeEvents`.
    func call(_ method: String, _ params: RPCParams = .absent) throws(ClientError) -> JSON {
        let id = try self.send(method, params)
        while true {
            while let line = try self.nextLine() {
                guard let response = try self.note(line) else { continue }
                guard response.id == .integer(id) else { continue }
                switch response.outcome {
                case .result(let result): return result
                case .failure(let error): throw .refused(error)
                }
            }
            try self.fill()
        }
    }

    /// Asks and does not wait: when the answer comes as an error, it ends the reading.
    func post(_ method: String, _ params: RPCParams) throws(ClientError) {
        self.unanswered.insert(try self.send(method, params))
    }

    /// Asks and ignores the answer.
    func tell(_ method: String, _ params: RPCParams) throws(ClientError) {
        _ = try self.send(method, params)
    }

    /// Whether answers to `post` are still to come.
    var awaitsAnswers: Bool { !self.unanswered.isEmpty }

    /// Reads once what is there, waiting when nothing is, and returns all complete events.
    func receive() throws(ClientError) -> [RPCRequest] {
        try self.fill()
        return try self.takeEvents()
    }

    /// The events that came during and right after calls, oldest first; each is returned once.
    ///
    /// One read may have brought events behind the answer, so this comes before waiting for more.
    func takeEvents() throws(ClientError) -> [RPCRequest] {
        while let line = try self.nextLine() { _ = try self.note(line) }
        defer { self.events = [] }
        return self.events
    }

    private func send(_ method: String, _ params: RPCParams) throws(ClientError) -> Int64 {
        self.lastID += 1
        let request = RPCRequest(method: method, params: params)
        do {
            try self.connection.writeAll(request.json(id: .integer(self.lastID)).line)
        } catch {
            // The daemon may have said why before it closed.
            while true {
                try self.fill()
                while let line = try self.nextLine() { _ = try self.note(line) }
            }
        }
        return self.lastID
    }

    private func fill() throws(ClientError) {
        do {
            guard let count = try self.connection.readSome(into: &self.buffer) else { return }
            guard count > 0 else { throw ClientError.closed }
            self.codec.append(self.buffer[..<count])
        } catch {
            throw .closed
        }
    }

    private func nextLine() throws(ClientError) -> [UInt8]? {
        do {
            return try self.codec.nextLine()
        } catch {
            throw .garbled("a line is longer than \(ControlLimits.lineBytes) bytes")
        }
    }

    /// Files one line and returns it when it is a response that a call may wait for.
    ///
    /// An event is kept, the answer to a posted request is checked. An error without id concerns the whole connection and is thrown.
    private func note(_ line: [UInt8]) throws(ClientError) -> RPCResponse? {
        let json: JSON
        do {
            json = try JSON(parsing: line)
        } catch {
            throw .garbled(error.text)
        }
        guard let message = ServerMessage(json) else {
            throw .garbled("a line is neither a response nor a notification")
        }
        switch message {
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
            return response
        }
    }

    private static func failure(_ error: SystemError, path: String) -> Failure {
        let path = TerminalText.line(path)
        if error.meansNobodyListens {
            return Failure(
                .noDaemon, why: "no daemon listens on \(path)",
                next: "start it with: systemctl --user start stoad, or run: stoad")
        }
        return Failure(
            .noDaemon, why: TerminalText.line(error.description),
            next: "check the path and who owns it; name another with --socket")
    }
}

extension Failure {
    /// What a person is told about an error of the connection.
    init(_ error: ClientError) {
        switch error {
        case .refused(let answer): self.init(answer)
        case .closed:
            self.init(
                .noDaemon, why: "the daemon closed the connection",
                next: "see its log: journalctl --user -u stoad")
        case .garbled(let why):
            self.init(
                .internalError, why: "what answers is not a Stoa daemon: \(why)",
                next: "check --socket and the versions of stoa and stoad")
        }
    }
}
