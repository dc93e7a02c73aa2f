internal import Engine
internal import Formats
internal import Loop
internal import Posix

/// Where peers can connect, and what follows the machine's addresses.
struct Listening {
    fileprivate var listener: Listener?
    /// Why not all addresses are listened on; told when it is another reason.
    fileprivate var failure: SystemError?
    fileprivate var monitor: AddressMonitor?

    /// Where peers can connect, the preferred address first.
    var addresses: [SocketAddress] { self.listener?.addresses ?? [] }

    /// Takes no more connections.
    mutating func stop() {
        self.listener?.close()
        self.listener = nil
    }
}

extension NodeShell {
    private static let listenAgainMilliseconds: UInt64 = 2_000

    /// Opens the sockets of the configuration and follows the machine's addresses from now on.
    func listen() throws(StartError) {
        let listeners: [TCPListener]
        do throws(SystemError) {
            listeners = try self.openListeners()
        } catch { throw StartError(error, exitCode: .unavailable) }
        do throws(SystemError) {
            self.listening.listener = try Listener(listeners, loop: self.loop) {
                self.peerStreams.accept($0, from: $1)
            } failed: { error in
                self.log(.warning, "peers cannot connect for a moment: \(error)")
            }
            self.listening.monitor = try AddressMonitor(loop: self.loop) { [weak self] _ in
                self?.assumeIsolated { $0.addressesChanged() }
            }
        } catch { throw StartError(error) }
    }

    private func openListeners() throws(SystemError) -> [TCPListener] {
        // A misspelt interface would otherwise be noticed only by nobody being found.
        if let interface = self.configuration.interface {
            _ = try NetworkInterface.named(interface)
        }
        var listeners: [TCPListener] = []
        for socket in self.birth.activated where socket.kind == .tcpListener {
            listeners.append(try TCPListener(adopting: socket.duplicate()))
        }
        if !listeners.isEmpty { return listeners }
        if self.configuration.listen.isEmpty {
            return try TCPListener.open(interface: self.configuration.interface)
        }
        for address in self.configuration.listen {
            listeners.append(try TCPListener(on: address))
        }
        return listeners
    }

    private func addressesChanged() {
        guard self.phase == .running else { return }
        self.listenAgain()
        self.turn {
            self.happened(.networkChanged)
            for event in self.discovery.followNetworks() { self.happened(event) }
        }
    }

    /// Listeners that are bound to the addresses of an interface follow them, at the same port.
    private func listenAgain() {
        guard let interface = self.configuration.interface, self.configuration.listen.isEmpty,
            !self.birth.activated.contains(where: { $0.kind == .tcpListener }),
            let listener = self.listening.listener
        else { return }
        let found = (try? NetworkInterface.named(interface))?.addresses ?? []
        guard Set(found) != Set(listener.addresses.map(\.ip)), !found.isEmpty else { return }
        do throws(SystemError) {
            try listener.follow(found)
            self.listening.failure = nil
            let addresses = listener.addresses.map(\.description).joined(separator: ", ")
            self.log(.info, "listening on \(addresses)")
        } catch {
            // The same again is not worth another line.
            if self.listening.failure != error {
                self.log(.warning, "cannot listen on \(interface), trying again: \(error)")
            }
            self.listening.failure = error
            self.after(Self.listenAgainMilliseconds) { self.listenAgain() }
        }
    }
}
