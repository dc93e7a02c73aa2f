public import Crypto

/// What both ends of a link know of it once the handshake is done.
public struct LinkInfo: Hashable, Sendable {
    /// Who is at the other end, proven.
    public var peer: PeerID
    /// The peer's daemon's start, random.
    public var boot: UInt64
    /// Whether this node dialled.
    public var isInitiator: Bool
    /// The initiator's dial counter.
    public var dial: UInt64
    /// The protocol version in use.
    public var version: UInt8
    /// The port that the peer listens on, if it said so.
    public var listenPort: UInt16?
    /// The handshake hash, which keys the link's tags.
    public var handshakeHash: Bytes64

    /// Describes a link.
    public init(
        peer: PeerID, boot: UInt64, isInitiator: Bool, dial: UInt64, version: UInt8,
        listenPort: UInt16?, handshakeHash: Bytes64
    ) {
        self.peer = peer
        self.boot = boot
        self.isInitiator = isInitiator
        self.dial = dial
        self.version = version
        self.listenPort = listenPort
        self.handshakeHash = handshakeHash
    }
}

/// What a session needs to know of its own node.
public struct SessionIdentity: Sendable {
    /// The identity key.
    public let signer: Signer
    /// Random per start of the daemon.
    public let boot: UInt64
    /// The port that this node listens on, if any.
    public let listenPort: UInt16?

    /// Describes this node.
    public init(signer: Signer, boot: UInt64, listenPort: UInt16?) {
        self.signer = signer
        self.boot = boot
        self.listenPort = listenPort
    }
}

/// Why a session ended by itself; for our own log and the list of refusals.
public enum SessionFailure: Error, Hashable, Sendable {
    /// The first bytes are not a preface of this protocol.
    case notStoa
    /// There is no common version; the peer's range is given.
    case version(lowest: UInt8, highest: UInt8)
    /// Another key than the expected one answered.
    case otherKey(expected: PeerID, got: PeerID)
    /// The peer's signature does not cover this handshake, or its key is unusable.
    case badSignature
    /// A handshake message or a frame did not decrypt: tampering, replay or loss.
    case decryptFailed
    /// More bytes than a handshake may have.
    case handshakeTooLarge
    /// A length field outside its limits.
    case length(Int)
    /// A frame that the protocol does not allow.
    case wire(WireError)
    /// The control queue grew beyond its bound: the peer does not read.
    case notReading
    /// The handshake was not done in time.
    case timedOut
    /// More connections or handshakes at a time than are taken.
    case overloaded
}

extension SessionFailure: CustomStringConvertible {
    /// What happened, for a person who reads the log.
    public var description: String {
        switch self {
        case .notStoa: "the first bytes are not Stoa's"
        case .version(let lowest, let highest):
            "no common version: the peer speaks \(lowest) to \(highest), this node 1"
        case .otherKey(let expected, let got):
            "another key answered: expected \(expected.shortText), got \(got.shortText)"
        case .badSignature: "the identity signature does not fit this handshake"
        case .decryptFailed: "a message did not decrypt (tampered with, replayed or lost)"
        case .handshakeTooLarge: "the handshake is too large"
        case .length(let length): "a message length of \(length) is outside the limits"
        case .wire(let error): "protocol violation: \(error)"
        case .notReading: "the peer does not read"
        case .timedOut: "no handshake in time"
        case .overloaded: "too many connections or handshakes at a time"
        }
    }
}

/// What a session makes of incoming bytes.
public enum SessionEvent: Hashable, Sendable {
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
public struct Session: ~Copyable, Sendable {
    private enum Phase {
        case awaitingPreface
        case awaitingVersion
        case handshaking
        case open
        case closed
    }

    private let identity: SessionIdentity
    private let expected: PeerID?
    private let isInitiator: Bool
    private let dial: UInt64
    private var phase: Phase
    private var version: UInt8 = 0
    private var staticKey: KeyPair?
    private var handshake: HandshakeState?
    private var transport: TransportState?
    private var input: [UInt8] = []
    private var inputStart = 0
    private var handshakeBytes = 0
    private var pendingOutput: [UInt8]
    private var reader = FrameReader()
    private var queue = FrameQueue()

    /// Starts the side that dialled; its preface and first message are output at once.
    ///
    /// - Parameters:
    ///   - expecting: the only key that may answer; nil for any.
    ///   - dial: this boot's dial counter, from 1.
    public init(
        initiator identity: SessionIdentity, static staticKey: borrowing KeyPair,
        expecting expected: PeerID?, dial: UInt64
    ) {
        self.identity = identity
        self.expected = expected
        self.isInitiator = true
        self.dial = dial
        self.phase = .awaitingVersion
        var handshake = HandshakeState(
            role: .initiator, static: staticKey, prologue: Preface.ours.encoded.span.bytes)
        guard let first = try? handshake.writeMessage() else {
            preconditionFailure("the first message needs nothing from the peer")
        }
        self.pendingOutput = Preface.ours.encoded + Self.framed(first)
        self.handshake = consume handshake
    }

    /// Starts the side that was dialled.
    public init(responder identity: SessionIdentity, static staticKey: borrowing KeyPair) {
        self.identity = identity
        self.expected = nil
        self.isInitiator = false
        self.dial = 0
        self.phase = .awaitingPreface
        self.staticKey = staticKey.copy()
        self.pendingOutput = []
    }

    /// Whether the handshake is done.
    public var isEstablished: Bool { self.phase == .open }

    /// Whether ``output(limit:)`` has something to write.
    public var hasOutput: Bool {
        !self.pendingOutput.isEmpty || (self.phase == .open && !self.queue.isEmpty)
    }

    /// Queues a frame behind those of its channel; dropped when the session is over.
    ///
    /// - Returns: whether the queue is within its bound; false means that the peer does not read and
    ///   the owner must close the link.
    public mutating func send(_ frame: EncodedFrame) -> Bool {
        guard self.phase == .open else { return true }
        self.queue.append(frame)
        return self.queue.controlBytes <= Limits.controlQueueBytes
    }

    /// Up to about `limit` bytes to write, at least one whole message; empty when nothing waits.
    ///
    /// Frames are encrypted only here, so that an urgent one never waits behind what has not left yet.
    public mutating func output(limit: Int) -> [UInt8] {
        var bytes = self.pendingOutput
        self.pendingOutput = []
        while bytes.count < limit, self.phase == .open, let plaintext = self.queue.nextPlaintext() {
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
    public mutating func receive(_ bytes: some Collection<UInt8>) -> [SessionEvent] {
        guard self.phase != .closed else { return [] }
        self.input.append(contentsOf: bytes)
        if self.phase != .open {
            self.handshakeBytes += bytes.count
        }
        var events: [SessionEvent] = []
        do throws(SessionFailure) {
            while try self.step(&events) {}
            if self.phase != .open && self.handshakeBytes > Limits.handshakeBytes {
                throw .handshakeTooLarge
            }
        } catch {
            if self.phase == .open {
                // What exactly was wrong is for our own log.
                let goaway = Frame.goaway(.protocolViolation, "").encoded.bytes
                var bytes = self.pendingOutput
                self.encrypt(goaway, appendingTo: &bytes)
                self.pendingOutput = bytes
            }
            self.phase = .closed
            self.input = []
            self.inputStart = 0
            events.append(.failed(error))
        }
        if self.inputStart > 0 {
            self.input.removeFirst(self.inputStart)
            self.inputStart = 0
        }
        return events
    }

    private mutating func step(_ events: inout [SessionEvent]) throws(SessionFailure) -> Bool {
        switch self.phase {
        case .awaitingPreface: return try self.readPreface()
        case .awaitingVersion: return try self.readVersion()
        case .handshaking: return try self.readHandshake(&events)
        case .open: return try self.readTransport(&events)
        case .closed: return false
        }
    }

    private mutating func take(_ count: Int) -> [UInt8]? {
        guard self.input.count - self.inputStart >= count else { return nil }
        defer { self.inputStart += count }
        return Array(self.input[self.inputStart..<self.inputStart + count])
    }

    /// The next length-prefixed message, once all of it is there.
    private mutating func takeMessage(
        _ limits: ClosedRange<Int>
    ) throws(SessionFailure) -> [UInt8]? {
        guard self.input.count - self.inputStart >= 2 else { return nil }
        let length =
            Int(self.input[self.inputStart]) << 8 | Int(self.input[self.inputStart + 1])
        guard limits.contains(length) else { throw .length(length) }
        guard self.input.count - self.inputStart >= 2 + length else { return nil }
        self.inputStart += 2
        return self.take(length)
    }

    private mutating func readPreface() throws(SessionFailure) -> Bool {
        guard let bytes = self.take(Preface.byteCount) else { return false }
        guard let preface = Preface(bytes) else { throw .notStoa }
        guard let version = preface.common(with: .ours) else {
            self.pendingOutput += [0, Preface.ours.lowest, Preface.ours.highest]
            throw .version(lowest: preface.lowest, highest: preface.highest)
        }
        guard let staticKey = self.staticKey.take() else {
            preconditionFailure("the responder keeps its static key until the preface")
        }
        self.version = version
        self.handshake = HandshakeState(
            role: .responder, static: staticKey, prologue: bytes.span.bytes)
        self.pendingOutput.append(version)
        self.phase = .handshaking
        return true
    }

    private mutating func readVersion() throws(SessionFailure) -> Bool {
        guard self.input.count > self.inputStart else { return false }
        let version = self.input[self.inputStart]
        if version == 0 {
            guard let refusal = self.take(3) else { return false }
            throw .version(lowest: refusal[1], highest: refusal[2])
        }
        guard (Preface.ours.lowest...Preface.ours.highest).contains(version) else {
            throw .notStoa
        }
        self.inputStart += 1
        self.version = version
        self.phase = .handshaking
        return true
    }

    private mutating func readHandshake(
        _ events: inout [SessionEvent]
    ) throws(SessionFailure) -> Bool {
        guard let message = try self.takeMessage(1...Limits.handshakeBytes - 2) else {
            return false
        }
        let payload: HandshakePayload
        do throws(CryptoError) {
            guard let read = try self.handshake?.readMessage(message) else { return false }
            payload = read
        } catch { throw .decryptFailed }
        if self.isInitiator {
            let introduction = try self.introduction(of: payload)
            // Nothing of ours has been shown yet: a stranger at this address learns no key.
            try self.admit(introduction.identity)
            try self.writeIntroduction()
            self.establish(introduction, dial: self.dial, &events)
        } else if payload.context.senderStatic == nil {
            guard payload.bytes.isEmpty else { throw .wire(.value(field: "payload 1")) }
            try self.writeIntroduction()
        } else {
            let introduction = try self.introduction(of: payload)
            self.establish(introduction, dial: introduction.dial, &events)
        }
        return true
    }

    /// Throws where another key than the expected one has answered.
    private func admit(_ peer: PeerID) throws(SessionFailure) {
        #if MUTANTS
            if Mutant.acceptAnotherKey.isActive { return }
        #endif
        guard let expected = self.expected, peer != expected else { return }
        throw .otherKey(expected: expected, got: peer)
    }

    private func introduction(
        of payload: HandshakePayload
    ) throws(SessionFailure) -> Introduction {
        let introduction: Introduction
        do throws(WireError) {
            introduction = try Introduction(decoding: payload.bytes)
            guard introduction.version == self.version else {
                throw .value(field: "introduction version")
            }
            guard (introduction.dial == 0) == self.isInitiator else {
                throw .value(field: "introduction dial")
            }
        } catch { throw .wire(error) }
        guard introduction.isSigned(in: payload.context) else { throw .badSignature }
        return introduction
    }

    private mutating func writeIntroduction() throws(SessionFailure) {
        let (identity, version, dial) = (self.identity, self.version, self.dial)
        do throws(CryptoError) {
            let message = try self.handshake?.writeMessage { context in
                Introduction(
                    version: version, signer: identity.signer, boot: identity.boot, dial: dial,
                    listenPort: identity.listenPort, context: context
                ).encoded
            }
            self.pendingOutput += Self.framed(message ?? [])
        } catch { throw .decryptFailed }
    }

    private mutating func establish(
        _ introduction: Introduction, dial: UInt64, _ events: inout [SessionEvent]
    ) {
        guard let handshake = self.handshake.take() else {
            preconditionFailure("a handshake is established once")
        }
        let transport = handshake.split()
        let info = LinkInfo(
            peer: introduction.identity, boot: introduction.boot, isInitiator: self.isInitiator,
            dial: dial, version: self.version, listenPort: introduction.listenPort,
            handshakeHash: transport.handshakeHash)
        self.transport = consume transport
        self.phase = .open
        events.append(.established(info))
    }

    private mutating func readTransport(
        _ events: inout [SessionEvent]
    ) throws(SessionFailure) -> Bool {
        let overhead = TransportState.overheadByteCount
        guard
            let message = try self.takeMessage(
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

    private static func framed(_ message: [UInt8]) -> [UInt8] {
        [UInt8(message.count >> 8), UInt8(message.count & 0xff)] + message
    }
}
