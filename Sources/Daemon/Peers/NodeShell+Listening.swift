internal import Engine
internal import Formats
internal import Loop
internal import Posix

/// Where peers can connect, and what follows the machine's addresses.
struct Listening {
    /// Bound sockets, until they are watched.
    private var sockets: [TCPListener]
    fileprivate var listener: Listener?
    /// Why not all addresses are listened on; told when it is another reason.
    fileprivate var failure: SystemError?
    fileprivate var monitor: AddressMonitor?

    /// Addresses of `Listen=` that another program holds.
    let taken: [SocketAddress]

    init(_ sockets: [TCPListener], taken: [SocketAddress] = []) {
        self.sockets = sockets
        self.taken = taken
    }

    /// Where peers can connect, the preferred address first.
    var addresses: [SocketAddress] {
        self.listener?.addresses ?? self.sockets.map(\.localAddress)
    }

    fileprivate mutating func takeSockets() -> [TCPListener] {
        defer { self.sockets = [] }
        return self.sockets
    }

    /// Takes no more connections.
    mutating func stop() {
        self.listener?.close()
        self.listener = nil
    }
}

extension NodeShell {
    private static let listenAgainMilliseconds: UInt64 = 2_000

    /// Takes peers, and follows the machine's addresses, from now on.
    func listen() throws(SystemError) {
        let sockets = self.network.listening.takeSockets()
        self.network.listening.listener = try Listener(sockets, loop: self.loop) {
            self.peerStreams.accept($0, from: $1)
        } failed: { error in
            self.log(.warning, "peers cannot connect for a moment: \(error)")
        }
        self.network.listening.monitor = try AddressMonitor(loop: self.loop) { [weak self] _ in
            self?.assumeIsolated { $0.addressesChanged() }
        }
    }

    private func addressesChanged() {
        guard self.life.isRunning else { return }
        self.listenAgain()
        self.turn {
            self.happened(.networkChanged)
            self.tellReach()
            for event in self.network.discovery.followNetworks() { self.happened(event) }
        }
    }

    /// Listeners that are bound to the addresses of an interface follow them, at the same port.
    private func listenAgain() {
        guard !self.birth.isOnlyReading else { return }
        guard let interface = self.configuration.interface, self.configuration.listen.isEmpty,
            !self.birth.activated.contains(where: { $0.kind == .tcpListener }),
            let listener = self.network.listening.listener
        else { return }
        let found = (try? NetworkInterface.named(interface))?.addresses ?? []
        guard Set(found) != Set(listener.addresses.map(\.ip)), !found.isEmpty else { return }
        do throws(SystemError) {
            try listener.follow(found)
            self.network.listening.failure = nil
            let addresses = listener.addresses.map(\.description).joined(separator: ", ")
            self.log(.info, "listening on \(addresses)")
        } catch {
            // The same again is not worth another line.
            if self.network.listening.failure != error {
                self.log(.warning, "cannot listen on \(interface), trying again: \(error)")
            }
            self.network.listening.failure = error
            self.after(Self.listenAgainMilliseconds) { self.listenAgain() }
        }
    }
}
