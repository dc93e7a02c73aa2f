import ControlAPI
import Discovery
import Engine
import Formats
import Glibc
import Loop
import Crypto
import Posix
import TestSupport
import Testing

@testable import Daemon

/// A node in this process with a thread of its own: loopback only, without discovery.
final class TestDaemon {
    let directory: TestFolder
    let run: DaemonRun
    let socket: String
    private let ended = BlockingQueue<Bool>()
    private var isStopped = false

    init(
        name: String = "ada", peers: [String] = [], bounds: ControlBounds = ControlBounds(),
        directory: TestFolder? = nil, scrub: ScrubSchedule = ScrubSchedule(),
        defaultRealm: String = "open", isInOpenRealm: Bool = true,
        listen: SocketAddress = SocketAddress(ip: .loopbackIPv4, port: 0),
        log: @escaping @Sendable (String) -> Void = { _ in },
        rereading: (@Sendable (Configuration) throws(ConfigurationError) -> DaemonCommand)? = nil,
        settings: (file: String, rereading: Birth.Rereading)? = nil
    ) throws {
        let directory = try directory ?? TestFolder()
        self.directory = directory
        self.socket = "\(directory.path)/run/control.sock"
        let data = "\(directory.path)/data"
        try Files.makePrivateDirectory(data)
        let safe = try SafeFile(in: data).open()
        let restored = try PendingRestore(in: data, safe).begin()
        let identity = try Identity.load(
            dataDirectory: data, credentialsDirectory: nil, safe: safe)
        let loop = try EventLoop()
        let configuration = Configuration(
            dataDirectory: data, stateDirectory: "\(directory.path)/state", socket: self.socket,
            listen: [listen], discovery: .off,
            peers: try peers.map { try PeerAddress($0) }, name: name,
            defaultRealm: try #require(RealmName(defaultRealm)), isInOpenRealm: isInOpenRealm,
            logLevel: rereading == nil ? .error : .notice)
        var birth = Birth(identity, safe)
        (birth.restored, birth.bounds, birth.scrub) = (restored, bounds, scrub)
        birth.rereading = { (_) throws(ConfigurationError) in
            try rereading?(configuration) ?? .run(configuration)
        }
        if let settings { (birth.settingsFile, birth.rereading) = settings }
        self.run = DaemonRun(
            Opening(
                configuration: configuration, birth: birth,
                log: Journal(threshold: configuration.logLevel, isJournal: false, write: log),
                loop: loop))
        self.run.launch()
        let ended = self.ended
        try OSThread.start(name: "test-loop") {
            let isClean = (try? loop.run()) != nil
            _ = ended.append(isClean)
        }
    }

    deinit { self.stop() }

    /// Stops and waits for the end.
    func stop() {
        guard !self.isStopped else { return }
        self.run.requestStop()
        self.awaitEnd()
    }

    /// Waits for the end that is near by itself.
    func awaitEnd() {
        self.isStopped = true
        #expect(self.ended.takeAll() == [true])
    }

    /// Connects, waiting for the socket to appear.
    func connect() throws -> TestClient {
        let deadline = SystemClock.monotonicMilliseconds() + 60_000
        while true {
            do throws(SystemError) {
                return TestClient(try UnixConnection(path: self.socket))
            } catch {
                guard error.meansNobodyListens, SystemClock.monotonicMilliseconds() < deadline
                else { throw error }
                _ = try waitUntilReadable([], timeoutMilliseconds: 2)
            }
        }
    }

    /// Asks one thing over a connection of its own.
    @discardableResult
    func ask(_ method: String, _ params: JSON? = nil) throws -> JSON {
        try self.connect().ask(method, params)
    }

    /// The elements of a list, over a connection of its own.
    func list(_ method: String) throws -> [JSON] { try self.connect().list(method) }

    /// Where peers reach it.
    func address() throws -> String {
        let listen = try self.ask("status")["listen"]?.arrayValue?.first?.stringValue
        return try #require(listen)
    }
}

/// Why a client of a test gave up.
enum TestClientError: Error {
    case timeout
    case closed
    case rpc(RPCError)
    case notJSON([UInt8])
}

/// A blocking client that reads line by line.
final class TestClient {
    let connection: UnixConnection
    private var codec = LineCodec(limit: 16 << 20)
    private var nextID: Int64 = 1
    /// Notifications that came between answers.
    private(set) var notifications: [JSON] = []

    init(_ connection: UnixConnection) { self.connection = connection }

    func write(_ text: String) throws { try self.connection.writeAll(Array(text.utf8)) }

    /// The next line as JSON; throws `closed` at the end.
    func read(timeoutMilliseconds: Int = 60_000) throws -> JSON {
        while true {
            if let line = try self.codec.nextLine() {
                guard let json = try? JSON(parsing: line) else {
                    throw TestClientError.notJSON(line)
                }
                return json
            }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            guard
                let count = try self.connection.readSome(
                    into: &buffer, timeoutMilliseconds: timeoutMilliseconds)
            else { throw TestClientError.timeout }
            guard count > 0 else { throw TestClientError.closed }
            self.codec.append(buffer[..<count])
        }
    }

    /// Whether the daemon closes the connection without another line.
    func isClosed() -> Bool {
        do {
            _ = try self.read()
            return false
        } catch TestClientError.closed {
            return true
        } catch is SystemError {
            return true
        } catch { return false }
    }

    /// Sends a request and gives its result, keeping notifications that come before.
    @discardableResult
    func ask(_ method: String, _ params: JSON? = nil) throws -> JSON {
        try self.answer(to: try self.send(method, params))
    }

    /// Sends a request with a descriptor of a file that holds some bytes.
    func ask(_ method: String, _ params: JSON, passing bytes: [UInt8]) throws -> JSON {
        let folder = try TestFolder()
        try Files.writeAtomically(bytes, to: folder("passed"))
        let file = FileDescriptor(owning: open(folder("passed"), O_RDONLY | O_CLOEXEC))
        let id = self.nextID
        self.nextID += 1
        let request: JSON = [
            "jsonrpc": "2.0", "id": .integer(id), "method": .string(method), "params": params,
        ]
        try self.connection.writeAll(request.line, passing: file.number)
        return try self.answer(to: id)
    }

    /// The next notification of a name.
    func notification(_ name: String) throws -> JSON {
        while true {
            let json =
                self.notifications.isEmpty ? try self.read() : self.notifications.removeFirst()
            if json["method"]?.stringValue == name { return try #require(json["params"]) }
        }
    }

    /// Sends a request; gives its id.
    func send(_ method: String, _ params: JSON? = nil) throws -> Int64 {
        let id = self.nextID
        self.nextID += 1
        let request: JSON = .members([
            "jsonrpc": "2.0", "id": .integer(id), "method": .string(method), "params": params,
        ])
        try self.connection.writeAll(request.line)
        return id
    }

    /// The result of a request that was sent, keeping notifications that come before.
    func answer(to id: Int64, timeoutMilliseconds: Int = 60_000) throws -> JSON {
        while true {
            let json = try self.read(timeoutMilliseconds: timeoutMilliseconds)
            guard json["id"] == .integer(id) else {
                self.notifications.append(json)
                continue
            }
            if let error = json["error"].flatMap({ RPCError($0) }) {
                throw TestClientError.rpc(error)
            }
            return try #require(json["result"])
        }
    }

    /// The elements of a list, page by page, which are as small as `limit` says.
    func list(_ method: String, limit: Int64? = nil) throws -> [JSON] {
        var (items, after): ([JSON], JSON?) = ([], nil)
        repeat {
            let page = try self.ask(
                method, .members(["limit": limit.map { .integer($0) }, "after": after]))
            items += try #require(page["items"]?.arrayValue)
            after = page["next"]
        } while after != nil
        return items
    }

    /// The next message of a subscription.
    func message() throws -> JSON {
        while true {
            let json =
                self.notifications.isEmpty ? try self.read() : self.notifications.removeFirst()
            if json["method"] == "message" { return try #require(json["params"]?["message"]) }
        }
    }

    /// The next change of a subscription that is no message.
    func change() throws -> JSON {
        while true {
            let json =
                self.notifications.isEmpty ? try self.read() : self.notifications.removeFirst()
            if json["method"] == "change" { return try #require(json["params"]?["change"]) }
        }
    }
}

/// Asks again until it is so.
///
/// It has failed only after a minute: a machine that runs other tests may take long.
func awaitThat(_ what: Comment? = nil, _ holds: () throws -> Bool) throws {
    let deadline = SystemClock.monotonicMilliseconds() + 60_000
    while try !holds() {
        try #require(SystemClock.monotonicMilliseconds() < deadline, what)
        _ = try waitUntilReadable([], timeoutMilliseconds: 5)
    }
}

/// Why a request is refused, in one word; nil where it is not.
func refusal(_ body: () throws -> Void) -> String? {
    do {
        try body()
    } catch TestClientError.rpc(let error) {
        return error.reason
    } catch { return "\(error)" }
    return nil
}

/// The error that a request gets; nil for none, or one of another kind.
func rpcError(_ body: () throws -> JSON) -> RPCError? {
    do { _ = try body() } catch TestClientError.rpc(let error) { return error } catch {}
    return nil
}

/// The code of the error that a request gets.
func errorCode(_ body: () throws -> JSON) -> RPCError.Code? {
    do {
        _ = try body()
        return nil
    } catch TestClientError.rpc(let error) {
        return error.knownCode
    } catch { return nil }
}
