import ControlAPI
import Posix

/// A connection to a daemon's control socket.
final class ControlConnection {
    private let connection: UnixConnection
    private var codec = LineCodec()
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    private var lastID: Int64 = 0
    private var answers: [Int64: RPCResponse.Outcome] = [:]
    private var events: [RPCRequest] = []
    /// Whether the daemon has closed.
    private(set) var hasEnded = false

    init(path: String) throws { self.connection = try UnixConnection(path: path) }

    /// Asks without waiting and returns the request's number.
    @discardableResult
    func post(_ method: String, _ params: JSON = [:]) throws -> Int64 {
        self.lastID += 1
        let request = RPCRequest(method: method, params: .named(params.objectValue ?? []))
        try self.connection.writeAll(request.json(id: .integer(self.lastID)).line)
        return self.lastID
    }

    /// Asks and waits for the result.
    func call(
        _ method: String, _ params: JSON = [:], _ deadline: Deadline = .patient
    ) throws -> JSON {
        try self.result(of: self.post(method, params), deadline)
    }

    /// Waits for the result of a posted request; throws when it is an error.
    func result(of id: Int64, _ deadline: Deadline = .patient) throws -> JSON {
        switch try self.outcome(of: id, deadline) {
        case .result(let result): return result
        case .failure(let error): throw Broken("the daemon refuses: \(error)")
        case nil: throw Broken(self.hasEnded ? "the daemon closed" : "no answer in time")
        }
    }

    /// Waits for what comes of a posted request; nil when the time is up or the daemon closed.
    func outcome(
        of id: Int64, _ deadline: Deadline = .patient
    ) throws -> RPCResponse.Outcome? {
        while true {
            if let outcome = self.answers.removeValue(forKey: id) { return outcome }
            guard try self.receive(deadline) else { return nil }
        }
    }

    /// The results that have come, by request; those that are errors are thrown.
    func takeResults() throws -> [Int64: JSON] {
        defer { self.answers = [:] }
        return try self.answers.mapValues { outcome in
            switch outcome {
            case .result(let result): return result
            case .failure(let error): throw Broken("the daemon refuses: \(error)")
            }
        }
    }

    /// Reads once what is there, waiting for it; false when the time is up or the daemon closed.
    func receive(_ deadline: Deadline) throws -> Bool {
        guard !self.hasEnded else { return false }
        let count: Int?
        do {
            count = try self.connection.readSome(
                into: &self.buffer, timeoutMilliseconds: deadline.remainingMilliseconds)
        } catch {
            // A killed daemon resets the connection.
            self.hasEnded = true
            return false
        }
        guard let count else { return false }
        guard count > 0 else {
            self.hasEnded = true
            return false
        }
        self.codec.append(self.buffer[..<count])
        while let line = try self.codec.nextLine() {
            switch ServerMessage(try JSON(parsing: line)) {
            case .notification(let event): self.events.append(event)
            case .response(let response):
                guard case .integer(let id) = response.id else {
                    throw Broken("the daemon says: \(String(decoding: line, as: UTF8.self))")
                }
                self.answers[id] = response.outcome
            case nil: throw Broken("no JSON-RPC: \(String(decoding: line, as: UTF8.self))")
            }
        }
        return true
    }

    /// The messages of subscriptions that have come; a gap is an error.
    func takeMessages() throws -> [JSON] {
        defer { self.events = [] }
        return try self.events.map { event in
            guard event.method == "message", case .named(let members) = event.params,
                let message = JSON.object(members)["message"]
            else { throw Broken("not a message: \(event)") }
            return message
        }
    }

    /// Waits for a notification that is as wanted; what came before it is dropped.
    func awaitEvent(
        _ what: String, _ deadline: Deadline = .patient, _ isWanted: (RPCRequest, JSON) -> Bool
    ) throws {
        while true {
            while !self.events.isEmpty {
                let event = self.events.removeFirst()
                guard case .named(let members) = event.params else { continue }
                if isWanted(event, .object(members)) { return }
            }
            guard try self.receive(deadline) else { throw Broken("not in time: \(what)") }
        }
    }

    /// Waits for a change that is as wanted; what else has come is dropped.
    func awaitChange(
        _ what: String, _ deadline: Deadline = .patient, _ isWanted: (JSON) -> Bool
    ) throws {
        while true {
            let events = self.events
            self.events = []
            for event in events {
                guard case .named(let members) = event.params,
                    let change = JSON.object(members)["change"]
                else { continue }
                if isWanted(change) { return }
            }
            guard try self.receive(deadline) else { throw Broken("not in time: \(what)") }
        }
    }
}
