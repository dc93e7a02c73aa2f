internal import Crypto
internal import Engine
internal import Formats
internal import Loop
internal import Posix

/// Every TCP stream to a peer, from the connection to its end, under the names that the node has
/// for it.
///
/// Lives on the loop. What the node is to know of streams is given to ``tell`` as the engine's
/// events, within a turn. A stream is a *dial* or a *half-open handshake* first, then a *link*, and
/// at last it may *drain*: say goodbye and wait for the peer to close.
final class PeerStreams {
    /// What streams are made with.
    struct Surroundings {
        let loop: EventLoop
        let buffer: ReadBuffer
        let log: Journal
        /// Runs what the loop calls as one turn of the owner.
        let turn: (() -> Void) -> Void
        /// Takes what the node is to know.
        let tell: (Event) -> Void
        /// Whether somebody is nobody whom the user knows, nor a fellow.
        let isStranger: (PeerID) -> Bool
    }

    private let surroundings: Surroundings
    /// Fresh per start and never written down.
    private let staticKey = KeyPair.generate()
    /// Who this node is to its peers; nil before it listens, and once it stops.
    private var identity: SessionIdentity?
    private var admission = Admission()
    private var refusals = RefusalLog()

    private var all: [ObjectIdentifier: PeerStream] = [:]
    private var dials: [DialID: PeerStream] = [:]
    private var handshakes: [UInt64: PeerStream] = [:]
    private var links: [LinkID: PeerStream] = [:]
    private var lastLink: UInt64 = 0
    /// Streams that say goodbye, the first one first: as many as links, which may all end at once.
    private var draining: [ObjectIdentifier] = []
    /// How much of the loop's time strangers have.
    private var pace = StrangerPace()
    private var usage = SourceUsage()
    /// Whether nothing is read of strangers.
    private var isPaused = false
    /// When it was looked at last who is one, in microseconds.
    private var strangersAt: UInt64 = 0
    private static let strangersMicroseconds: UInt64 = 1_000_000
    /// Whether goodbye was said on every link.
    private var hasSaidGoodbye = false
    /// Streams for which frames were queued in this turn.
    private var unwritten: [PeerStream] = []

    init(_ surroundings: Surroundings) { self.surroundings = surroundings }

    /// Whether no stream is left.
    var isEmpty: Bool { self.all.isEmpty }

    /// Whether frames wait for ``flush()``.
    var hasUnwritten: Bool { !self.unwritten.isEmpty }

    /// Takes connections and dials from here on.
    func open(as identity: SessionIdentity) { self.identity = identity }

    /// Shakes hands by these secrets from here on; what was begun goes on by those that it had.
    func hold(_ secrets: [RealmSecret]) { self.identity?.realms = secrets }

    // MARK: Beginning

    /// Connects to an address; ends with ``Event/linkOpened(_:_:address:dial:)`` or
    /// ``Event/dialFailed(_:_:)``.
    func dial(_ dial: DialID, _ text: String, expecting key: PeerID?, isNarrow: Bool) {
        guard let identity = self.identity else {
            return self.tell(.dialFailed(dial, DialFailure(.failed, "the daemon is not running")))
        }
        guard !identity.realms.isEmpty else {
            return self.tell(
                .dialFailed(dial, DialFailure(.wrongRealm, "this node is in no realm")))
        }
        guard let address = SocketAddress(text), address.port > 0 else {
            // An interface that is gone makes its link-local addresses unreadable.
            return self.tell(
                .dialFailed(dial, DialFailure(.failed, "\(text) is not an address here")))
        }
        do throws(SystemError) {
            let stream = try PeerStream(
                dial: dial, to: address, isNarrow: isNarrow, expecting: key, identity: identity,
                static: self.staticKey, loop: self.surroundings.loop,
                buffer: self.surroundings.buffer, turn: self.surroundings.turn
            ) { stream, event in
                self.happened(on: stream, event, dial: dial)
            }
            self.keep(stream)
            self.dials[dial] = stream
        } catch {
            self.tell(.dialFailed(dial, DialFailure(error)))
        }
    }

    /// Gives up a dial that has not ended; nothing is told.
    func abandon(_ dial: DialID) { self.dials.removeValue(forKey: dial)?.close() }

    /// Takes over a connection, if ``Admission`` lets it in.
    func accept(_ descriptor: consuming FileDescriptor, from address: SocketAddress) {
        guard let identity = self.identity else { return }
        let handshake: UInt64
        switch self.admission.admit(
            Source(address.description), at: SystemClock.monotonicMilliseconds())
        {
        case .admitted(let number, let replaced):
            handshake = number
            if let replaced { self.handshakes[replaced]?.close() }
        case .tooManyHandshakes:
            return self.refuse(address, "too many handshakes are under way")
        case .tooFast:
            return self.refuse(address, "connections come too fast")
        }
        do throws(SystemError) {
            let stream = try PeerStream(
                accepted: descriptor, from: address, identity: identity,
                static: self.staticKey, loop: self.surroundings.loop,
                buffer: self.surroundings.buffer, turn: self.surroundings.turn
            ) { stream, event in
                self.happened(on: stream, event, dial: nil)
            }
            stream.handshake = handshake
            self.handshakes[handshake] = stream
            self.keep(stream)
        } catch {
            self.admission.ended(handshake)
            self.surroundings.log(
                .warning, "a connection from \(address) could not be accepted: \(error)")
        }
    }

    /// Says once a minute how many strangers were turned away, since each of a flood is one too many.
    private func refuse(_ address: SocketAddress, _ reason: String) {
        let now = SystemClock.monotonicMilliseconds()
        guard let text = self.refusals.note(reason, "\(address.ip)", at: now) else { return }
        self.surroundings.log(.warning, text)
        self.surroundings.turn {
            self.tell(.incomingFailed(address: address.description, .overloaded))
        }
    }

    private func keep(_ stream: PeerStream) {
        let number = ObjectIdentifier(stream)
        self.all[number] = stream
        stream.onDraining = {
            self.draining.append(number)
            if self.draining.count > Limits.links {
                self.all[self.draining.removeFirst()]?.close()
            }
        }
        stream.onClosed = {
            self.draining.removeAll { $0 == number }
            if let stream = self.all.removeValue(forKey: number) { self.endHandshake(of: stream) }
        }
    }

    // MARK: Links

    /// Queues a frame; ``flush()`` writes it.
    func send(_ frame: EncodedFrame, on link: LinkID) {
        // A link that has just ended may still be written to; the node is about to be told.
        guard let stream = self.links[link] else { return }
        guard stream.send(frame) else {
            self.links[link] = nil
            stream.close(.dead, "you do not read")
            return self.tell(.linkClosed(link, .notReading))
        }
        self.unwritten.append(stream)
    }

    /// What the system has counted of the packets of links; without those of which it says nothing.
    func packetCounts(of links: [LinkID]) -> [LinkID: PacketCounts] {
        var counts: [LinkID: PacketCounts] = [:]
        for link in links { counts[link] = self.links[link]?.packetCounts }
        return counts
    }

    /// What the system says to be on its way on links; without those of which it says nothing.
    func flights(of links: [LinkID]) -> [LinkID: Flight] {
        var flights: [LinkID: Flight] = [:]
        for link in links { flights[link] = self.links[link]?.flight }
        return flights
    }

    /// Writes what was queued, as far as the sockets take it.
    func flush() {
        guard !self.unwritten.isEmpty else { return }
        let streams = self.unwritten
        self.unwritten = []
        for stream in streams { stream.flush() }
    }

    /// Says goodbye on a link and closes it; nothing is told.
    func close(_ link: LinkID, _ reason: GoawayReason, _ text: String) {
        self.links.removeValue(forKey: link)?.close(reason, text)
    }

    // MARK: Turns

    /// A turn begins: strangers who came last may have their share again.
    func beginTurn() {
        guard self.pace.isOverdrawn else { return }
        if self.pace.look(at: SystemClock.monotonicMicroseconds()) { self.setRanks() }
    }

    /// What has come on a link has used some of the loop's time in a turn of its own.
    func spent(_ microseconds: UInt64, by link: LinkID) {
        guard let stream = self.links[link], stream.isStranger else { return }
        self.spent(microseconds, by: stream)
    }

    /// Whether others come before a link now.
    func comesLast(_ link: LinkID) -> Bool {
        self.pace.isOverdrawn && self.links[link]?.isStranger == true
    }

    /// A stranger's stream has used some of the loop's time.
    private func spent(_ microseconds: UInt64, by stream: PeerStream) {
        let now = SystemClock.monotonicMicroseconds()
        let isDue = self.usage.spend(microseconds, by: stream.source, at: now)
        if self.pace.spend(microseconds, at: now) || isDue && self.pace.isOverdrawn {
            self.setRanks()
        }
    }

    /// While strangers come last, those who have used much come after the others.
    private func setRanks() {
        let isOverdrawn = self.pace.isOverdrawn
        if isOverdrawn { self.lookWhoIsStranger() }
        for stream in self.links.values {
            let isLast = isOverdrawn && stream.isStranger
            stream.setRank(isLast ? (self.usage.isHeavy(stream.source) ? 2 : 1) : 0)
        }
    }

    private func lookWhoIsStranger() {
        let now = SystemClock.monotonicMicroseconds()
        guard now - self.strangersAt >= Self.strangersMicroseconds else { return }
        self.strangersAt = now
        for stream in self.links.values {
            stream.isStranger = stream.peer.map(self.surroundings.isStranger) ?? true
        }
        self.usage.keep(Set(self.links.values.map(\.source)))
    }

    /// Has nothing be read of strangers while too much of what they have sent waits for the disk.
    func setPaused(_ isPaused: Bool) {
        guard isPaused != self.isPaused else { return }
        self.isPaused = isPaused
        if isPaused { self.lookWhoIsStranger() }
        for stream in self.links.values { stream.setPaused(isPaused && stream.isStranger) }
    }

    // MARK: Ending

    /// Ends all dials, and takes no more of them nor connections.
    func stopOpening() {
        self.identity = nil
        for dial in self.dials.keys.sorted() { self.abandon(dial) }
    }

    /// Says goodbye on every link, and on those whose handshakes end from here on.
    func sayGoodbye() {
        self.hasSaidGoodbye = true
        for link in self.links.keys.sorted() { self.close(link, .shutdown, Self.farewell) }
    }

    private static let farewell = "the daemon stops"

    /// Closes every stream at once.
    func closeAll() {
        for number in self.all.keys { self.all[number]?.close() }
    }

    // MARK: What happens on a stream

    private func tell(_ event: Event) { self.surroundings.tell(event) }

    private func happened(on stream: PeerStream, _ event: PeerStreamEvent, dial: DialID?) {
        switch event {
        case .received(let frame):
            if let link = stream.link { self.tell(.received(link, frame)) }
        case .established(let info): self.established(stream, info, dial: dial)
        case .ended(let failure): self.ended(stream, failure, dial: dial)
        }
    }

    private func established(_ stream: PeerStream, _ info: LinkInfo, dial: DialID?) {
        self.endHandshake(of: stream)
        if let dial, self.dials.removeValue(forKey: dial) == nil { return }
        // Who has said the last word of the handshake has a link, and would take its end for a failure.
        guard !self.hasSaidGoodbye else { return stream.close(.shutdown, Self.farewell) }
        self.lastLink += 1
        let link = LinkID(self.lastLink)
        stream.link = link
        self.links[link] = stream
        stream.onSpent = { [weak self, weak stream] microseconds in
            if let stream { self?.spent(microseconds, by: stream) }
        }
        if self.pace.isOverdrawn { stream.setRank(1) }
        self.tell(.linkOpened(link, info, address: stream.address.description, dial: dial))
    }

    private func ended(_ stream: PeerStream, _ failure: DialFailure, dial: DialID?) {
        self.endHandshake(of: stream)
        if let link = stream.link {
            guard self.links.removeValue(forKey: link) != nil else { return }
            self.surroundings.log(.debug, "link \(link.rawValue) ended: \(failure.detail)")
            self.tell(.linkClosed(link, failure.session))
        } else if let dial {
            guard self.dials.removeValue(forKey: dial) != nil else { return }
            self.tell(.dialFailed(dial, failure))
        } else if let failed = failure.session {
            self.tell(.incomingFailed(address: stream.address.description, failed))
        } else {
            self.surroundings.log(
                .debug, "\(stream.address) left before it said who it is: \(failure.detail)")
        }
    }

    /// Gives the place of a stranger's handshake free.
    private func endHandshake(of stream: PeerStream) {
        guard let handshake = stream.handshake.take() else { return }
        self.handshakes[handshake] = nil
        self.admission.ended(handshake)
    }
}
