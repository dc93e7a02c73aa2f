internal import Engine
internal import Loop
internal import Posix

/// Accepts connections on all TCP listeners and lets in those that ``Admission`` allows.
final class Listener {
    /// Connections taken per wake-up, so that a flood does not hold up the links.
    static let acceptsPerWakeUp = 16
    /// The pause after descriptors have run out.
    static let pauseMilliseconds: UInt64 = 250

    private let listeners: [TCPListener]
    private let loop: EventLoop
    private var watches: [IOWatch] = []
    private var resume: LoopTimer?
    private let handler: (consuming FileDescriptor, SocketAddress) -> Void
    private let failed: (SystemError) -> Void

    /// Where peers can connect.
    var addresses: [SocketAddress] { self.listeners.map(\.localAddress) }

    /// Begins to accept.
    ///
    /// - Parameters:
    ///   - handler: takes over each connection.
    ///   - failed: told why accepting pauses.
    init(
        _ listeners: [TCPListener], loop: EventLoop,
        handler: @escaping (consuming FileDescriptor, SocketAddress) -> Void,
        failed: @escaping (SystemError) -> Void
    ) throws(SystemError) {
        self.listeners = listeners
        self.loop = loop
        self.handler = handler
        self.failed = failed
        self.resume = try loop.makeTimer { [weak self] in
            for watch in self?.watches ?? [] { watch.set(.readable) }
        }
        for listener in listeners {
            self.watches.append(
                try loop.watch(listener.descriptor.number, for: .readable) { [weak self] _ in
                    self?.accept(listener)
                })
        }
    }

    /// Stops accepting and closes the sockets.
    func close() {
        for watch in self.watches { watch.cancel() }
        self.watches = []
        self.resume?.cancel()
        self.resume = nil
    }

    private func accept(_ listener: TCPListener) {
        for _ in 0..<Self.acceptsPerWakeUp {
            do throws(SystemError) {
                guard let descriptor = try listener.accept() else { return }
                // One that was reset while it waited has no address and needs no answer.
                guard let address = try? StreamSocket.remoteAddress(of: descriptor) else {
                    continue
                }
                self.handler(descriptor, address)
            } catch {
                for watch in self.watches { watch.set([]) }
                self.resume?.set(afterMilliseconds: Self.pauseMilliseconds)
                self.failed(error)
                return
            }
        }
    }
}
