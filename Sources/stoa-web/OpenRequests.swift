import Loop
import Posix
import Web

/// The socket on which `stoa web` asks this program for a page.
final class OpenRequests {
    /// Connections at a time: commands ask and go.
    private static let limit = 16
    /// A request, which is a line.
    private static let lineBytes = 1_024

    private final class Connection {
        let descriptor: FileDescriptor
        var watch: IOWatch?
        var line: [UInt8] = []

        init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
    }

    private let loop: EventLoop
    private let listener: UnixListener
    private let answer: (OpenRequest) -> String
    private var watch: IOWatch?
    private var connections: [Int32: Connection] = [:]

    init(
        loop: EventLoop, path: String, answer: @escaping (OpenRequest) -> String
    ) throws(SystemError) {
        self.loop = loop
        self.answer = answer
        self.listener = try UnixListener(path: path)
        self.watch = try loop.watch(self.listener.descriptor.number, for: .readable) {
            [unowned self] _ in self.accept()
        }
    }

    private func accept() {
        while let descriptor = try? self.listener.accept() {
            guard self.connections.count < Self.limit,
                let peer = try? PeerCredentials(of: descriptor),
                peer.userID == ProcessEnvironment.userID
            else { continue }
            let connection = Connection(descriptor)
            let number = connection.descriptor.number
            connection.watch = try? self.loop.watch(number, for: .readable) { [unowned self] _ in
                self.read(number)
            }
            self.connections[number] = connection
        }
    }

    private func read(_ number: Int32) {
        guard let connection = self.connections[number] else { return }
        var buffer = [UInt8](repeating: 0, count: Self.lineBytes)
        switch connection.descriptor.read(into: &buffer) {
        case .wouldBlock: return
        case .end, .failed: break
        case .bytes(let count):
            connection.line.append(contentsOf: buffer[..<count])
            if let end = connection.line.firstIndex(of: 0x0A) {
                let text = String(decoding: connection.line[..<end], as: UTF8.self)
                let answer = OpenRequest(line: text).map(self.answer) ?? "error no such request"
                // A line fits into what the kernel holds.
                _ = connection.descriptor.send(Array("\(answer)\n".utf8))
            } else if connection.line.count <= Self.lineBytes {
                return
            }
        }
        connection.watch?.cancel()
        self.connections[number] = nil
    }
}
