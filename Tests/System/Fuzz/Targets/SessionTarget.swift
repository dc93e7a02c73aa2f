import Crypto

@testable import Engine
@testable import Formats

/// Somebody who knows the protocol's cryptography, in a handshake with a session of ours.
struct Peer: ~Copyable {
    private var session: Session
    private var transport: TransportState?
    /// What the session has said of all that came.
    private(set) var events: [SessionEvent] = []

    /// Goes through the handshake as `role`, with a payload 2 or 3 of its own making.
    init(_ role: HandshakeRole, payload: (PayloadContext) -> [UInt8]) throws {
        let key = Keys.pair(0x31)
        var handshake = Keys.handshake(role)
        switch role {
        case .initiator:
            self.session = Session(responder: Keys.responder, static: key)
            let first = try handshake.writeMessage(payload: OpeningPayload.empty)
            self.events += self.session.receive(
                Preface.ours.encoded + Keys.tag + Self.framed(first))
            let answer = self.session.output(limit: .max)
            _ = try handshake.readMessage(Array(answer[3...]))
            let third = try handshake.writeMessage(payload)
            self.events += self.session.receive(Self.framed(third))
        case .responder:
            self.session = Session(
                initiator: Keys.initiator, static: key, expecting: nil, dial: 7)
            let opening = self.session.output(limit: .max)
            handshake = Keys.handshake(role, opening: Array(opening.prefix(28)))
            _ = try handshake.readMessage(Array(opening[30...]))
            let second = try handshake.writeMessage(payload)
            self.events += self.session.receive([2] + Self.framed(second))
            let third = self.session.output(limit: .max)
            if !third.isEmpty { _ = try handshake.readMessage(Array(third[2...])) }
        }
        let isFinished = handshake.isFinished
        var finished: HandshakeState? = consume handshake
        if isFinished, let done = finished.take() { self.transport = done.split() }
    }

    static func honest(_ role: HandshakeRole) throws -> Peer {
        let identity = role == .initiator ? Keys.initiator : Keys.responder
        let peer = try Peer(role) { Keys.introduction(identity, in: $0) }
        try demand(peer.isEstablished, "an honest peer is refused")
        return peer
    }

    var isEstablished: Bool { self.session.isEstablished }

    private static func framed(_ message: [UInt8]) -> [UInt8] {
        [UInt8(message.count >> 8), UInt8(message.count & 0xff)] + message
    }

    /// A message with this plaintext; nothing when there is no link.
    mutating func sealed(_ plaintext: [UInt8]) throws -> [UInt8] {
        var message: [UInt8] = []
        try self.transport?.encrypt(plaintext, appendingTo: &message)
        return Self.framed(message)
    }

    /// Sends a plaintext.
    mutating func deliver(_ plaintext: [UInt8]) throws {
        let message = try self.sealed(plaintext)
        self.events += self.session.receive(message)
    }

    /// Sends bytes as they are, so many at a time.
    mutating func deliver(raw bytes: [UInt8], portion: Int) {
        for start in stride(from: 0, to: bytes.count, by: portion) {
            let end = min(start + portion, bytes.count)
            self.events += self.session.receive(bytes[start..<end])
        }
    }

    /// Has the session send a frame, and says whether its queue is within its bound.
    mutating func send(_ frame: Frame) -> Bool { self.session.send(frame.encoded) }

    /// The frames that the session has sent.
    mutating func read() throws -> [Frame] {
        var output = self.session.output(limit: .max)[...]
        var reader = FrameReader()
        var frames: [Frame] = []
        while !output.isEmpty {
            let length = Int(output.removeFirst()) << 8 | Int(output.removeFirst())
            var plaintext: [UInt8] = []
            try self.transport?.decrypt(Array(output.prefix(length)), appendingTo: &plaintext)
            output = output.dropFirst(length)
            frames += try reader.read(plaintext).compactMap(\.frame)
        }
        return frames
    }
}

/// What a peer with a proven identity may send on an open link.
///
/// A session makes of it what a frame reader makes of the plaintexts, however the stream is cut; what it
/// refuses it answers with a goaway, and nothing comes out of it afterwards.
enum SessionTarget {
    static func run(_ bytes: [UInt8]) throws -> Verdict {
        var feed = Feed(bytes)
        let flags = feed.byte()
        let portion = Int(feed.byte())
        var peer = try Peer.honest(flags & 1 == 0 ? .initiator : .responder)
        let established = peer.events
        var reader = FrameReader()
        var due: [SessionEvent] = []
        var isOver = false
        while !feed.isEmpty {
            let plaintext = PlaintextFeed.next(&feed)
            if plaintext.isRaw {
                peer.deliver(raw: plaintext.bytes, portion: max(1, portion))
                // Where the stream goes on afterwards nobody can say.
                break
            }
            let message = try peer.sealed(plaintext.bytes)
            peer.deliver(raw: message, portion: portion == 0 ? message.count : portion)
            if isOver { continue }
            if !(1...Limits.plaintextBytes).contains(plaintext.bytes.count) {
                due.append(.failed(.length(plaintext.bytes.count + 16)))
                isOver = true
            } else {
                do throws(WireError) {
                    for frame in try reader.read(plaintext.bytes) { due.append(.received(frame)) }
                } catch {
                    due.append(.failed(.wire(error)))
                    isOver = true
                }
            }
        }
        try demand(
            Array(peer.events.dropFirst(established.count).prefix(due.count)) == due,
            "a session and a frame reader differ")
        let failures = peer.events.count { if case .failed = $0 { true } else { false } }
        try demand(failures <= 1, "a session fails twice")
        if failures == 1 {
            guard case .failed = peer.events.last else { throw Finding("a dead session speaks") }
        }
        try Self.answers(&peer, isOver: failures == 1)
        return failures == 0 ? .accepted : .refused
    }

    /// What the session says at last.
    private static func answers(_ peer: inout Peer, isOver: Bool) throws {
        let ping = Frame.ping(nonce: 1, clock: 2)
        try demand(peer.send(ping), "an empty queue is full")
        let said = try peer.read()
        try demand(
            said == (isOver ? [.goaway(.protocolViolation, "")] : [ping]),
            "a session answers with \(said)")
        try demand(peer.isEstablished != isOver, "a session is open and closed")
    }
}

/// Plaintexts as a short input can tell them.
enum PlaintextFeed {
    /// A length of two bytes, then the bytes.
    ///
    /// With its highest bit set ff fills the plaintext up to its
    /// limit, as fragments need it; the length 7f ff means bytes that are not encrypted.
    static func next(_ feed: inout Feed) -> (bytes: [UInt8], isRaw: Bool) {
        let head = feed.u16()
        if head == 0x7fff { return (feed.remainder(), true) }
        var bytes = feed.bytes(head & 0x7fff)
        if head & 0x8000 != 0 {
            bytes += [UInt8](repeating: 0xff, count: max(0, Limits.plaintextBytes - bytes.count))
        }
        return (bytes, false)
    }
}
