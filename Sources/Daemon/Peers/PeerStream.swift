internal import Engine
internal import Formats
internal import Loop
internal import Crypto
internal import Posix

/// What a stream tells its owner; after ``ended(_:)`` nothing more comes.
enum PeerStreamEvent {
    /// The handshake is done.
    case established(LinkInfo)
    /// A frame came in.
    case received(ReceivedFrame)
    /// The stream is over and closed; no session has failed where the network or the peer ended it.
    case ended(DialFailure)
}

extension DialFailure {
    /// Says why the network has ended a stream.
    init(_ error: SystemError) {
        let reason: Reason
        if error.meansNobodyListens {
            reason = .refused
        } else if error.meansNoRoute {
            reason = .noRoute
        } else {
            reason = error.meansTimedOut ? .timedOut : .failed
        }
        // Whoever tells of it names the address.
        self.init(reason, [error.cause, error.remedy].compactMap(\.self).joined(separator: "; "))
    }
}

/// One TCP connection to a peer and the session over it.
///
/// Lives on the loop. Reads and writes in bounded portions, so that one busy peer does not hold up
/// the others, and encrypts only what the socket can take, so that urgent frames stay in front.
final class PeerStream {
    private enum Phase {
        case connecting
        case handshaking
        case open
        /// The session is over; what it still has to say is written, then all that comes is
        /// dropped until the peer closes, since closing over unread bytes resets the connection
        /// and may destroy the goodbye.
        case draining
        case closed
    }

    /// One portion of encrypting: what the kernel holds unsent at most.
    static let outputBytes = Int(StreamSocket.notSentLowWaterBytes)
    /// Portions written per wake-up.
    static let portionsPerWakeUp = 8
    /// How long a goodbye may take while nothing comes in.
    static let drainMilliseconds: UInt64 = 1_000
    /// How long it may take in all: a peer in the middle of a flood finishes it before it reads.
    static let drainMillisecondsMost: UInt64 = 5_000
    /// How much is dropped meanwhile: what both systems hold of a stream that was full, and more.
    static let drainBytes = 16 * 1_048_576
    /// Sent bytes that nobody acknowledges for so long: with the time until something is sent, a lost peer is
    /// noticed within half a minute, of many links at rest a little later.
    static let userTimeoutMilliseconds: UInt32 = 14_000
    /// A little more than the time between two pings of few links, so that the kernel asks only where none is sent.
    static let keepaliveSeconds: Int32 = 20

    /// The address at the other end.
    let address: SocketAddress
    /// The owner's name for the stream once its handshake is done.
    var link: LinkID?
    /// The number under which ``Admission`` counts it while its handshake is under way.
    var handshake: UInt64?
    /// Who is at the other end, once that is known.
    private(set) var peer: PeerID?
    /// Whether that is nobody whom the user knows: then what is read of it is little at a time, and its turn
    /// may come last.
    var isStranger = true
    let source: Source
    /// Told how many microseconds a turn has taken that an open stream of a stranger began.
    var onSpent: ((UInt64) -> Void)?
    private var portion = ReadPortion()
    /// What was read and is still to be handled: of a stranger little is at a time, and nothing more is read.
    private var unhandled: ArraySlice<SessionEvent> = []
    private var unhandledWait = UnhandledWait()
    private var rank = 0
    private var isPaused = false
    /// Told what happens, within a turn.
    private var handler: ((PeerStream, PeerStreamEvent) -> Void)?
    private let buffer: ReadBuffer
    private let descriptor: FileDescriptor
    private var session: Session
    private var phase: Phase
    private var watch: IOWatch?
    private var deadline: LoopTimer?
    private var output: [UInt8] = []
    private var outputStart = 0
    private var hasFinishedSending = false
    private var drainBounds = DrainBounds()

    /// When draining ends at the latest, and how many bytes it may drop until then.
    private struct DrainBounds {
        var end: UInt64 = 0
        var bytesLeft = PeerStream.drainBytes

        /// Counts what was dropped; gives how long to wait for more, nil where that is enough.
        mutating func dropped(_ count: Int, at now: UInt64) -> UInt64? {
            self.bytesLeft -= count
            guard self.bytesLeft > 0, now < self.end else { return nil }
            return min(PeerStream.drainMilliseconds, self.end - now)
        }
    }

    /// Takes over an accepted connection.
    convenience init(
        accepted descriptor: consuming FileDescriptor, from address: SocketAddress,
        identity: SessionIdentity, static staticKey: borrowing KeyPair, loop: EventLoop,
        buffer: ReadBuffer, turn: @escaping (() -> Void) -> Void,
        handler: @escaping (PeerStream, PeerStreamEvent) -> Void
    ) throws(SystemError) {
        try self.init(
            descriptor, address, Session(responder: identity, static: staticKey), .handshaking,
            buffer, handler)
        try self.begin(on: loop, turn)
    }

    /// Starts to connect.
    ///
    /// Throws when the system refuses at once; no event follows then.
    convenience init(
        dial: DialID, to address: SocketAddress, isNarrow: Bool, expecting: PeerID?,
        identity: SessionIdentity,
        static staticKey: borrowing KeyPair, loop: EventLoop, buffer: ReadBuffer,
        turn: @escaping (() -> Void) -> Void,
        handler: @escaping (PeerStream, PeerStreamEvent) -> Void
    ) throws(SystemError) {
        let session = Session(
            initiator: identity, static: staticKey, expecting: expecting, dial: dial.rawValue)
        try self.init(
            StreamSocket.connect(
                to: address, segmentBytes: isNarrow ? Limits.smallSegmentBytes : nil),
            address, session, .connecting, buffer, handler)
        try self.begin(on: loop, turn)
    }

    private init(
        _ descriptor: consuming FileDescriptor, _ address: SocketAddress,
        _ session: consuming Session, _ phase: Phase, _ buffer: ReadBuffer,
        _ handler: @escaping (PeerStream, PeerStreamEvent) -> Void
    ) throws(SystemError) {
        try StreamSocket.tune(
            descriptor, userTimeoutMilliseconds: Self.userTimeoutMilliseconds,
            keepaliveSeconds: Self.keepaliveSeconds)
        self.address = address
        self.source = Source(address.description)
        self.handler = handler
        self.buffer = buffer
        self.descriptor = descriptor
        self.session = session
        self.phase = phase
    }

    private func begin(
        on loop: EventLoop, _ turn: @escaping (() -> Void) -> Void
    ) throws(SystemError) {
        self.watch = try loop.watch(
            self.descriptor.number, for: self.phase == .connecting ? .writable : .readable
        ) { [weak self] events in
            self?.timed(turn) { self?.handle(events) }
        }
        self.deadline = try loop.makeTimer { [weak self] in
            self?.timed(turn) { self?.deadlinePassed() }
        }
        self.deadline?.set(
            afterMilliseconds: Limits.handshakeMilliseconds, accuracy: .milliseconds(100))
    }

    /// Has a turn, and counts what it takes of an open stream of a stranger.
    private func timed(_ turn: (() -> Void) -> Void, _ work: @escaping () -> Void) {
        guard self.phase == .open, self.isStranger else { return turn(work) }
        let began = SystemClock.monotonicMicroseconds()
        turn(work)
        let took = SystemClock.monotonicMicroseconds() - began
        self.portion.note(microseconds: took)
        self.onSpent?(took)
    }

    /// Has nothing be read of an open stream for the time being, or again.
    func setPaused(_ isPaused: Bool) {
        guard isPaused != self.isPaused else { return }
        self.isPaused = isPaused
        self.updateInterest()
    }

    /// Has the stream come after all others that have something and a smaller rank.
    func setRank(_ rank: Int) {
        guard rank != self.rank else { return }
        self.rank = rank
        self.watch?.setRank(rank)
    }

    /// Queues a frame; call ``flush()`` when all frames of the moment are queued.
    ///
    /// Returns false when the peer does not read and the stream must be closed.
    func send(_ frame: EncodedFrame) -> Bool {
        guard self.phase == .open else { return true }
        return self.session.send(frame)
    }

    /// Writes what is queued as far as the socket takes it.
    func flush() {
        guard self.phase == .open || self.phase == .handshaking || self.phase == .draining else {
            return
        }
        for _ in 0..<Self.portionsPerWakeUp {
            if self.outputStart == self.output.count {
                guard self.session.hasOutput else { break }
                self.output = self.session.output(limit: Self.outputBytes)
                self.outputStart = 0
            }
            switch self.descriptor.send(self.output, from: self.outputStart) {
            case .bytes(let count): self.outputStart += count
            case .wouldBlock:
                self.updateInterest()
                return
            case .failed(let error):
                // What the peer sent before it closed may still be unread and say why.
                if self.phase == .draining { self.close() } else { self.writeFailed(error) }
                return
            }
        }
        if self.phase == .draining, !self.hasOutput, !self.hasFinishedSending {
            self.hasFinishedSending = true
            self.descriptor.finishSending()
        }
        self.updateInterest()
    }

    /// Says goodbye and closes when the peer does, within seconds; no event follows.
    func close(_ reason: GoawayReason, _ text: String) {
        self.handler = nil
        guard self.phase == .open else {
            self.close()
            return
        }
        _ = self.session.send(Frame.goaway(reason, text).encoded)
        self.drain()
    }

    /// Closes at once; no event follows.
    func close() {
        guard self.phase != .closed else { return }
        self.phase = .closed
        self.handler = nil
        self.watch?.cancel()
        self.watch = nil
        self.deadline?.cancel()
        self.deadline = nil
        self.onClosed?()
        self.onClosed = nil
        self.onSpent = nil
    }

    /// What the system has counted of its packets; nil where it says nothing.
    var packetCounts: PacketCounts? {
        StreamSocket.packets(of: self.descriptor).map {
            PacketCounts(
                sent: $0.sent, resent: $0.resent, needless: $0.needless, received: $0.received,
                early: $0.early, segmentBytes: $0.segmentBytes, pathBytes: $0.pathBytes)
        }
    }

    /// What the system says to be on its way; nil where it says nothing.
    var flight: Flight? {
        StreamSocket.packets(of: self.descriptor).map {
            Flight(
                bytes: $0.unacknowledgedBytes, resends: $0.resends,
                segmentBytes: $0.segmentBytes, behind: $0.behind, arrived: $0.arrived,
                pathBytes: $0.pathBytes)
        }
    }

    /// Called once when the stream begins to drain, which takes a place among those that do.
    var onDraining: (() -> Void)?
    /// Called once when the stream is closed, whoever closed it.
    var onClosed: (() -> Void)?

    private var hasOutput: Bool {
        self.outputStart < self.output.count || self.session.hasOutput
    }

    private func updateInterest() {
        guard self.phase != .connecting, let watch = self.watch else { return }
        let isBusy = !self.unhandled.isEmpty
        var wanted: IOEvents = self.isPaused || isBusy ? [] : .readable
        // Nearly always at once, behind all others of its rank.
        if self.hasOutput || isBusy && !self.isPaused { wanted.insert(.writable) }
        if let wait = self.unhandledWait.arm(isBusy: isBusy, isLast: self.rank > 0) {
            self.deadline?.set(afterMilliseconds: wait, accuracy: .milliseconds(10))
        }
        if watch.interest != wanted { watch.set(wanted) }
    }

    private func handle(_ events: IOEvents) {
        switch self.phase {
        case .connecting: self.connected()
        case .handshaking, .open:
            if !self.unhandled.isEmpty {
                // Who has left will be paused no longer than that.
                let hasLeft = !events.isDisjoint(with: [.hangup, .error])
                if !self.isPaused || hasLeft { self.handleOn() }
            } else if !events.isDisjoint(with: [.readable, .hangup, .error]) {
                self.read()
            }
            if events.contains(.writable) { self.flush() }
        case .draining:
            if !events.isDisjoint(with: [.readable, .hangup, .error]) { self.discard() }
            if events.contains(.writable) { self.flush() }
        case .closed: break
        }
    }

    private func connected() {
        if let error = StreamSocket.connectResult(of: self.descriptor) {
            self.end(DialFailure(SystemError(error.code, "connect", "\(self.address)")))
            return
        }
        self.phase = .handshaking
        self.watch?.set(.readable)
        self.flush()
    }

    private func read() {
        let limit = self.isStranger ? self.portion.count : ReadBuffer.byteCount
        switch self.descriptor.read(into: &self.buffer.bytes, limit: limit) {
        case .bytes(let count): self.process(self.session.receive(self.buffer.bytes[..<count]))
        case .wouldBlock: break
        case .end:
            if let failure = self.session.failureWhenLeft { return self.end(DialFailure(failure)) }
            let text = self.phase == .open ? "the peer closed" : "closed in handshake"
            self.end(DialFailure(.failed, text))
        case .failed(let error): self.end(DialFailure(error))
        }
    }

    private func process(_ events: [SessionEvent]) {
        self.portion.note(frames: events.count)
        self.unhandled = events[...]
        self.handleOn()
    }

    /// Handles what was read, of a stranger some frames in a turn: a few bytes may have much be looked at.
    private func handleOn() {
        self.unhandledWait.handled()
        var left = self.portion.frames
        while let event = self.unhandled.popFirst() {
            switch event {
            case .established(let info):
                self.phase = .open
                self.peer = info.peer
                self.deadline?.clear()
                self.handler?(self, .established(info))
            case .received(let frame):
                self.handler?(self, .received(frame))
            case .failed(let failure):
                // The refusal of a version is still to be written.
                let handler = self.handler
                self.handler = nil
                self.drain()
                handler?(self, .ended(DialFailure(failure)))
                return
            }
            // The owner may have closed the stream because of the event.
            guard self.phase == .open || self.phase == .handshaking else {
                self.unhandled = []
                return
            }
            left -= 1
            if left <= 0, self.isStranger, self.phase == .open { break }
        }
        self.flush()
    }

    private func writeFailed(_ error: SystemError) {
        var left = self.portion.frames
        var events = self.unhandled
        self.unhandled = []
        reading: while self.phase == .open || self.phase == .handshaking {
            for event in events {
                // Of a stranger the rest comes again, if it was of worth.
                left -= 1
                if self.isStranger && left < 0 { break reading }
                if case .received(let frame) = event { self.handler?(self, .received(frame)) }
            }
            guard self.phase == .handshaking || self.session.isEstablished,
                case .bytes(let count) = self.descriptor.read(into: &self.buffer.bytes)
            else { break }
            events = self.session.receive(self.buffer.bytes[..<count])[...]
        }
        self.end(DialFailure(error))
    }

    private func drain() {
        guard self.phase != .closed else { return }
        self.isPaused = false
        self.unhandled = []
        self.phase = .draining
        self.drainBounds.end = SystemClock.monotonicMilliseconds() + Self.drainMillisecondsMost
        self.deadline?.set(afterMilliseconds: Self.drainMilliseconds, accuracy: .milliseconds(50))
        self.onDraining?()
        self.onDraining = nil
        self.flush()
    }

    private func discard() {
        switch self.descriptor.read(into: &self.buffer.bytes) {
        case .bytes(let count):
            let now = SystemClock.monotonicMilliseconds()
            guard let wait = self.drainBounds.dropped(count, at: now) else { return self.close() }
            self.deadline?.set(afterMilliseconds: wait, accuracy: .milliseconds(50))
        case .wouldBlock: break
        case .end, .failed: self.close()
        }
    }

    private func deadlinePassed() {
        switch self.phase {
        case .connecting: self.end(DialFailure(.timedOut, "no answer within 5 seconds"))
        case .handshaking: self.end(DialFailure(.timedOut))
        case .draining: self.close()
        case .open:
            self.unhandledWait.handled()
            if !self.isPaused { self.handleOn() }
        case .closed: break
        }
    }

    private func end(_ failure: DialFailure) {
        let handler = self.handler
        self.close()
        handler?(self, .ended(failure))
    }
}
