import ControlAPI
import Glibc
import Posix
import Synchronization
import Testing

/// Answers on a socket of its own as the test's closure says, one connection at a time.
final class FakeDaemon: Sendable {
    /// What to do about a request, in order.
    enum Step: Sendable {
        case result(JSON)
        case failure(RPCError)
        case event(any ControlEvent)
        case raw(String)
        case run(@Sendable () -> Void)
        /// Closes the connection and waits for the next.
        case close
        /// Closes the connection and the socket.
        case vanish
    }

    let path: String
    private let directory: String
    private let received = Mutex<[RPCRequest]>([])
    private let stop: Mutex<Int32>

    init(_ script: @escaping @Sendable (RPCRequest) -> [Step]) throws {
        var template = Array("/tmp/stoa-test-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        self.directory = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        self.path = self.directory + "/control.sock"
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        self.stop = Mutex(ends[1])
        let stopNumber = ends[0]
        let path = self.path
        // Listening before the first test can connect.
        let listener = Handover(try UnixListener(path: path))
        try OSThread.start(name: "fake-daemon") { [weak self] in
            let stopped = FileDescriptor(owning: stopNumber)
            guard let listener = listener.take() else { return }
            while true {
                let watched = [listener.descriptor.number, stopped.number]
                guard let ready = try? waitUntilReadable(watched),
                    !ready.contains(stopped.number)
                else { return }
                guard let connection = try? listener.accept() else { continue }
                let goesOn = Self.serve(connection, stopped.number, script) { request in
                    self?.received.withLock { $0.append(request) }
                }
                guard goesOn else { return }
            }
        }
    }

    deinit {
        _ = self.stop.withLock { close($0) }
        rmdir(self.directory)
    }

    /// The requests so far, oldest first.
    var requests: [RPCRequest] { self.received.withLock { $0 } }

    /// The JSON of the params of all requests of one method.
    func params(_ method: String) -> [String] {
        self.requests.filter { $0.method == method }.map { $0.params.json?.text ?? "" }
    }

    private static func serve(
        _ connection: consuming FileDescriptor, _ stopNumber: Int32,
        _ script: (RPCRequest) -> [Step], _ note: (RPCRequest) -> Void
    ) -> Bool {
        var codec = LineCodec()
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            guard let ready = try? waitUntilReadable([connection.number, stopNumber]),
                !ready.contains(stopNumber)
            else { return false }
            guard case .bytes(let count) = connection.read(into: &buffer) else { return true }
            codec.append(buffer[..<count])
            while let line = try? codec.nextLine() {
                guard case .single(.request(let id, let request)) = Incoming(parsing: line) else {
                    return false
                }
                note(request)
                for step in script(request) {
                    switch step {
                    case .result(let result):
                        _ = connection.send(RPCResponse(id: id, result: result).line)
                    case .failure(let error):
                        _ = connection.send(RPCResponse(id: id, error: error).line)
                    case .event(let event): _ = connection.send(event.line)
                    case .raw(let text): _ = connection.send(Array(text.utf8))
                    case .run(let body): body()
                    case .close: return true
                    case .vanish: return false
                    }
                }
            }
        }
    }
}

/// Hands one value to another thread.
private final class Handover<Value>: @unchecked Sendable {  // the mutex guards the only access
    private let value: Mutex<Value?>

    init(_ value: sending Value) { self.value = Mutex(value) }

    func take() -> Value? {
        self.value.withLock { value -> Value? in
            defer { value = nil }
            return value
        }
    }
}
