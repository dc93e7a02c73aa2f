internal import Engine
internal import Loop
internal import Posix

extension NodeShell {
    // MARK: Out

    func dial(_ dial: DialID, _ text: String, expecting key: PeerID?) {
        guard self.phase == .running, let identity = self.sessionIdentity else {
            self.happened(.dialFailed(dial, nil, detail: "the daemon is not running"))
            return
        }
        guard let address = SocketAddress(text), address.port > 0 else {
            // An interface that is gone makes its link-local addresses unreadable.
            self.happened(.dialFailed(dial, nil, detail: "\(text) is no address here"))
            return
        }
        do throws(SystemError) {
            let stream = try PeerStream(
                dial: dial, to: address, expecting: key, identity: identity,
                static: self.staticKey, loop: self.loop, buffer: self.readBuffer,
                turn: { self.turn($0) }
            ) { stream, event in
                self.happened(on: stream, event, dial: dial)
            }
            self.keep(stream)
            self.dials[dial] = stream
        } catch {
            self.happened(.dialFailed(dial, nil, detail: error.description))
        }
    }

    func send(_ frame: EncodedFrame, on link: LinkID) {
        // A link that has just ended may still be written to; the node is about to be told.
        guard let stream = self.links[link] else { return }
        guard stream.send(frame) else {
            self.links[link] = nil
            stream.close(.dead, "you do not read")
            self.closed(link, .notReading)
            return
        }
        self.dirtyStreams.append(stream)
    }

    // MARK: In

    func listen() throws(StartError) {
        var listeners: [TCPListener] = []
        do throws(SystemError) {
            // A misspelt interface would otherwise be noticed only by nobody being found.
            if let interface = self.configuration.interface {
                _ = try NetworkInterface.named(interface)
            }
            for socket in self.activated where socket.kind == .tcpListener {
                listeners.append(try TCPListener(adopting: socket.adopt()))
            }
            if listeners.isEmpty, self.configuration.listen.isEmpty {
                listeners = try TCPListener.open(interface: self.configuration.interface)
            } else if listeners.isEmpty {
                for address in self.configuration.listen {
                    listeners.append(try TCPListener(on: address))
                }
            }
        } catch { throw StartError(error, exitCode: .unavailable) }
        let identity = SessionIdentity(
            signer: self.signer, boot: self.boot,
            listenPort: listeners.first?.localAddress.port)
        self.sessionIdentity = identity
        do throws(SystemError) {
            self.listener = try self.makeListener(listeners)
            try self.watchAddresses()
        } catch { throw StartError(error) }
    }

    private func accepted(_ descriptor: consuming FileDescriptor, from address: SocketAddress) {
        guard self.phase == .running, let identity = self.sessionIdentity else { return }
        let handshake: UInt64
        switch self.admission.admit(address.ip, at: SystemClock.monotonicMilliseconds()) {
        case .admitted(let number, let oldest):
            handshake = number
            if let oldest { self.halfOpen[oldest]?.close() }
        case .tooManyHandshakes:
            self.noteRefusal("too many handshakes are under way", address)
            return
        case .tooFast:
            self.noteRefusal("connections come too fast", address)
            return
        }
        do throws(SystemError) {
            let stream = try PeerStream(
                accepted: descriptor, from: address, identity: identity,
                static: self.staticKey, loop: self.loop, buffer: self.readBuffer,
                turn: { self.turn($0) }
            ) { stream, event in
                self.happened(on: stream, event, dial: nil)
            }
            stream.handshake = handshake
            self.halfOpen[handshake] = stream
            self.keep(stream)
        } catch {
            self.admission.ended(handshake)
            self.log(.warning, "a connection from \(address) could not be taken: \(error)")
        }
    }

    // MARK: Both

    private func happened(on stream: PeerStream, _ event: PeerStreamEvent, dial: DialID?) {
        switch event {
        case .established(let info):
            self.handshakeEnded(stream)
            if let dial, self.dials.removeValue(forKey: dial) == nil { return }
            let link = LinkID(self.nextLink)
            self.nextLink += 1
            stream.link = link
            self.links[link] = stream
            self.happened(
                .linkOpened(link, info, address: stream.address.description, dial: dial))
        case .received(let frame):
            guard let link = stream.link else { return }
            if !self.bulk.take(frame, from: link) {
                if frame.channel == .sync { self.takeAllBulk(of: link) }
                self.happened(.received(link, frame))
            }
        case .ended(let failure, let detail):
            self.handshakeEnded(stream)
            if let link = stream.link {
                self.ended(link, failure, detail)
            } else if let dial {
                guard self.dials.removeValue(forKey: dial) != nil else { return }
                self.happened(.dialFailed(dial, failure, detail: detail))
            } else if let failure {
                self.happened(.incomingFailed(address: stream.address.description, failure))
            } else {
                self.log(
                    .debug, "\(stream.address) left before it said who it is: \(detail)")
            }
        }
    }

    /// Gives the place of a stranger's handshake free.
    private func handshakeEnded(_ stream: PeerStream) {
        guard let handshake = stream.handshake.take() else { return }
        self.halfOpen[handshake] = nil
        self.admission.ended(handshake)
    }

    private func ended(_ link: LinkID, _ failure: SessionFailure?, _ detail: String) {
        guard self.links.removeValue(forKey: link) != nil else { return }
        self.log(.debug, "link \(link.rawValue) ended: \(detail)")
        self.closed(link, failure)
    }

    /// Tells the node, after what came on the link before.
    private func closed(_ link: LinkID, _ failure: SessionFailure?) {
        self.takeAllBulk(of: link)
        self.happened(.linkClosed(link, failure))
    }

    private func takeAllBulk(of link: LinkID) {
        for frame in self.bulk.removeAll(of: link) { self.happened(.received(link, frame)) }
    }

    /// Keeps a stream until it is closed, which may be after it has left all tables.
    private func keep(_ stream: PeerStream) {
        let number = ObjectIdentifier(stream)
        self.streams[number] = stream
        stream.onDraining = {
            self.draining.append(number)
            if self.draining.count > Limits.links {
                self.streams[self.draining.removeFirst()]?.close()
            }
        }
        stream.onClosed = {
            self.draining.removeAll { $0 == number }
            if let stream = self.streams.removeValue(forKey: number) { self.handshakeEnded(stream) }
        }
    }

    /// Says once a minute how many strangers were turned away, since each of a flood is one too many.
    private func noteRefusal(_ reason: String, _ address: SocketAddress) {
        let now = SystemClock.monotonicMilliseconds()
        if let text = self.refusalLog.note(reason, "\(address.ip)", at: now) {
            self.log(.warning, text)
            self.turn {
                self.happened(.incomingFailed(address: address.description, .overloaded))
            }
        }
    }

    // MARK: Addresses

    /// Follows the machine's addresses from now on.
    func watchAddresses() throws(SystemError) {
        self.addressMonitor = try AddressMonitor(loop: self.loop) { [weak self] _ in
            self?.assumeIsolated { $0.addressesChanged() }
        }
    }

    private func addressesChanged() {
        guard self.phase == .running else { return }
        self.listenAgain()
        self.turn { self.happened(.networkChanged) }
    }

    /// Listeners that are bound to the addresses of an interface follow them, at the same port.
    private func listenAgain() {
        guard let interface = self.configuration.interface, self.configuration.listen.isEmpty,
            !self.activated.contains(where: { $0.kind == .tcpListener }),
            let listener = self.listener
        else { return }
        let found = (try? NetworkInterface.named(interface))?.addresses ?? []
        guard Set(found) != Set(listener.addresses.map(\.ip)), !found.isEmpty else { return }
        do throws(SystemError) {
            try listener.follow(found)
            self.listenFailure = nil
            let addresses = listener.addresses.map(\.description).joined(separator: ", ")
            self.log(.info, "listening on \(addresses)")
        } catch {
            // The same again is not worth another line.
            if self.listenFailure != error {
                self.log(.warning, "cannot listen on \(interface), trying again: \(error)")
            }
            self.listenFailure = error
            self.after(Self.listenAgainMilliseconds) { self.listenAgain() }
        }
    }

    private static let listenAgainMilliseconds: UInt64 = 2_000

    private func makeListener(_ listeners: [TCPListener]) throws(SystemError) -> Listener {
        try Listener(listeners, loop: self.loop) { descriptor, address in
            self.accepted(descriptor, from: address)
        } failed: { error in
            self.log(.warning, "peers cannot connect for a moment: \(error)")
        }
    }
}

/// Thins out the log lines about strangers that are turned away.
struct RefusalLog: Hashable, Sendable {
    private static let intervalMilliseconds: UInt64 = 60_000
    private var count = 0
    private var lastLine: UInt64?

    /// Counts a refusal; gives a line at the first one and at most once a minute.
    mutating func note(_ reason: String, _ source: String, at now: UInt64) -> String? {
        self.count += 1
        if let last = self.lastLine, now - min(now, last) < Self.intervalMilliseconds { return nil }
        self.lastLine = now
        defer { self.count = 0 }
        return "\(self.count) connection\(self.count == 1 ? "" : "s") refused, "
            + "the last one from \(source): \(reason)"
    }
}
