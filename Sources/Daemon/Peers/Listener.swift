internal import Engine
internal import Formats
internal import Loop
internal import Posix

/// Accepts connections on all TCP listeners and lets in those that ``Admission`` allows.
final class Listener {
    /// Connections taken per wake-up, so that a flood does not hold up the links.
    static let acceptsPerWakeUp = 16
    /// The pause after descriptors have run out.
    static let pauseMilliseconds: UInt64 = 1_000

    /// The port of all of them.
    let port: UInt16
    private var listeners: [(socket: TCPListener, watch: IOWatch)] = []
    private let loop: EventLoop
    private var resume: LoopTimer?
    /// Whether it was told that nobody can be taken.
    private var isShort = false
    private let handler: (consuming FileDescriptor, SocketAddress) -> Void
    private let failed: (SystemError) -> Void

    /// Where peers can connect.
    var addresses: [SocketAddress] { self.listeners.map(\.socket.localAddress) }

    /// Begins to accept.
    ///
    /// - Parameters:
    ///   - handler: takes over each connection.
    ///   - failed: told why accepting pauses, once until somebody is taken again.
    init(
        _ listeners: [TCPListener], loop: EventLoop,
        handler: @escaping (consuming FileDescriptor, SocketAddress) -> Void,
        failed: @escaping (SystemError) -> Void
    ) throws(SystemError) {
        self.port = listeners.first?.localAddress.port ?? 0
        self.loop = loop
        self.handler = handler
        self.failed = failed
        self.resume = try loop.makeTimer { [weak self] in
            for listener in self?.listeners ?? [] { listener.watch.set(.readable) }
        }
        for listener in listeners { try self.watch(listener) }
    }

    private func watch(_ listener: TCPListener) throws(SystemError) {
        let watch = try self.loop.watch(listener.descriptor.number, for: .readable) {
            [weak self, unowned listener] _ in self?.accept(listener)
        }
        self.listeners.append((listener, watch))
    }

    /// Listens on these addresses from now on, in this order, at the same port.
    ///
    /// A socket whose address stays is not touched, so that nobody who connects meanwhile is lost.
    /// Throws the first failure when all others are open; call it again then.
    func follow(_ addresses: [IPAddress]) throws(SystemError) {
        for listener in self.listeners
        where !addresses.contains(listener.socket.localAddress.ip) {
            listener.watch.cancel()
        }
        self.listeners.removeAll { !addresses.contains($0.socket.localAddress.ip) }
        var failure: SystemError?
        for ip in addresses where !self.addresses.contains(where: { $0.ip == ip }) {
            do throws(SystemError) {
                try self.watch(
                    TCPListener(
                        on: SocketAddress(ip: ip, port: self.port), mayPrecedeAddress: true))
            } catch { failure = failure ?? error }
        }
        let order = addresses.enumerated().reduce(into: [:]) { $0[$1.element] = $1.offset }
        self.listeners.sort {
            order[$0.socket.localAddress.ip, default: 0]
                < order[$1.socket.localAddress.ip, default: 0]
        }
        if let failure { throw failure }
    }

    /// Stops accepting and closes the sockets.
    func close() {
        for listener in self.listeners { listener.watch.cancel() }
        self.listeners = []
        self.resume?.cancel()
        self.resume = nil
    }

    private func accept(_ listener: TCPListener) {
        for _ in 0..<Self.acceptsPerWakeUp {
            do throws(SystemError) {
                guard let descriptor = try listener.accept() else { return }
                self.isShort = false
                // One that was reset while it waited has no address and needs no answer.
                guard let address = try? StreamSocket.remoteAddress(of: descriptor) else {
                    continue
                }
                self.handler(descriptor, address)
            } catch {
                for listener in self.listeners { listener.watch.set([]) }
                self.resume?.set(afterMilliseconds: Self.pauseMilliseconds)
                if !self.isShort { self.failed(error) }
                self.isShort = true
                return
            }
        }
    }
}
