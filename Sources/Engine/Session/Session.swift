package import Crypto
package import Formats

/// What a session makes of incoming bytes.
package enum SessionEvent: Hashable, Sendable {
    /// The handshake is done and the peer is who it says.
    case established(LinkInfo)
    /// A frame came in.
    case received(ReceivedFrame)
    /// The session is over; nothing more comes out of it but what ``Session/output(limit:)`` still has.
    case failed(SessionFailure)
}

/// One link as bytes see it: preface, handshake, encryption, frames.
///
/// No socket, no clock.
///
/// The owner feeds what it reads into ``receive(_:)``, writes what ``output(limit:)`` gives, and adds
/// frames by ``send(_:)`` once ``SessionEvent/established(_:)`` has come. `Docs/Protocol/Wire.md`.
package struct Session: ~Copyable, Sendable {
    private var handshake: SessionHandshake?
    private var transport: TransportState?
    private var isOver = false
    private var input = SessionInput()
    private var handshakeBytes = 0
    private var pendingOutput: [UInt8] = []
    private var reader = FrameReader()
    private var queue = FrameQueue()

    /// Starts the side that dialled; its preface and first attempt are output at once.
    ///
    /// Traps on an identity without secrets, which can link with nobody.
    ///
    /// - Parameters:
    ///   - expecting: the only key that may answer; nil for any.
    ///   - dial: this boot's dial counter, from 1.
    package init(
        initiator identity: SessionIdentity, static staticKey: borrowing KeyPair,
        expecting expected: PeerID?, dial: UInt64
    ) {
        precondition(!identity.realms.isEmpty, "a dial is made with a secret")
        self.handshake = SessionHandshake(
            initiator: identity, static: staticKey, expecting: expected, dial: dial,
            output: &self.pendingOutput)
    }

    /// Starts the side that was dialled.
    package init(responder identity: SessionIdentity, static staticKey: borrowing KeyPair) {
        self.handshake = SessionHandshake(responder: identity, static: staticKey)
    }

    /// Whether the handshake is done.
    package var isEstablished: Bool { self.transport != nil && !self.isOver }

    /// Why there is no link when the peer leaves now; nil where the session cannot tell.
    package var failureWhenLeft: SessionFailure? {
        switch self.handshake {
        case .some(let handshake): handshake.failureWhenLeft
        case nil: nil
        }
    }

    /// Whether ``output(limit:)`` has something to write.
    package var hasOutput: Bool {
        !self.pendingOutput.isEmpty || (self.isEstablished && !self.queue.isEmpty)
    }

    /// Queues a frame behind those of its channel; dropped when the session is over.
    ///
    /// - Returns: whether the queue is within its bounds; false means that the peer does not read, or gives
    ///   credit for what it was not sent, and the owner must close the link.
    package mutating func send(_ frame: EncodedFrame) -> Bool {
        guard self.isEstablished else { return true }
        self.queue.append(frame)
        return self.queue.isWithinBounds
    }

    /// Up to about `limit` bytes to write, at least one whole message; empty when nothing waits.
    ///
    /// Frames are encrypted only here, so that an urgent one never waits behind what has not left yet.
    package mutating func output(limit: Int) -> [UInt8] {
        var bytes = self.pendingOutput
        self.pendingOutput = []
        while bytes.count < limit, self.isEstablished, let plaintext = self.queue.nextPlaintext() {
            self.encrypt(plaintext, appendingTo: &bytes)
        }
        return bytes
    }

    private mutating func encrypt(_ plaintext: [UInt8], appendingTo bytes: inout [UInt8]) {
        let start = bytes.count
        bytes.append(contentsOf: [0, 0])
        do throws(CryptoError) {
            try self.transport?.encrypt(plaintext, appendingTo: &bytes)
        } catch {
            // 2^64 messages cannot have been sent; anything else is our own mistake.
            preconditionFailure("encryption of a bounded plaintext cannot fail")
        }
        let length = bytes.count - start - 2
        bytes[start] = UInt8(length >> 8)
        bytes[start + 1] = UInt8(length & 0xff)
    }

    /// Takes bytes from the stream and says what they mean, in order.
    ///
    /// After ``SessionEvent/failed(_:)`` all further input is dropped. What it refuses on an open link it
    /// answers with a goaway, which ``output(limit:)`` still gives.
    package mutating func receive(_ bytes: some Collection<UInt8>) -> [SessionEvent] {
        guard !self.isOver else { return [] }
        self.input.append(bytes)
        if !self.isEstablished { self.handshakeBytes += bytes.count }
        var events: [SessionEvent] = []
        do throws(SessionFailure) {
            while try self.step(&events) {}
            if !self.isEstablished && self.handshakeBytes > Limits.handshakeBytes {
                throw .handshakeTooLarge
            }
        } catch {
            if self.isEstablished {
                // What exactly was wrong is for our own log.
                let goaway = Frame.goaway(.protocolViolation, "").encoded.bytes
                var bytes = self.pendingOutput
                self.encrypt(goaway, appendingTo: &bytes)
                self.pendingOutput = bytes
            }
            self.isOver = true
            self.input.removeAll()
            events.append(.failed(error))
        }
        self.input.compact()
        return events
    }

    /// Takes what comes next; false when it is not all there.
    private mutating func step(_ events: inout [SessionEvent]) throws(SessionFailure) -> Bool {
        guard self.transport == nil else { return try self.readTransport(&events) }
        guard try self.handshake?.advance(&self.input, &self.pendingOutput) ?? false else {
            return false
        }
        if self.handshake?.isFinished ?? false, let handshake = self.handshake.take() {
            let outcome = handshake.finish()
            events.append(.established(outcome.info))
            let transport = outcome.transport
            self.transport = consume transport
        }
        return true
    }

    private mutating func readTransport(
        _ events: inout [SessionEvent]
    ) throws(SessionFailure) -> Bool {
        let overhead = TransportState.overheadByteCount
        guard
            let message = try self.input.takeMessage(
                1 + overhead...Limits.plaintextBytes + overhead)
        else { return false }
        var plaintext: [UInt8] = []
        do throws(CryptoError) {
            try self.transport?.decrypt(message, appendingTo: &plaintext)
        } catch { throw .decryptFailed }
        do throws(WireError) {
            for frame in try self.reader.read(plaintext) { events.append(.received(frame)) }
        } catch { throw .wire(error) }
        return true
    }
}
