internal import Noise

/// What a node knows of a conversation that it shares on one link.
struct SharedConversation: Sendable {
    /// The digest that was sent last; nil before the first.
    var digestSent: Bytes32?
    /// The digest that the peer sent last; nil before the first.
    var digestReceived: Bytes32?
    /// When to send an unchanged digest again because the peer's differs, and how long to wait next.
    var repair: (at: UInt64, wait: UInt64)?
    /// Whether the own complete clock was sent since the own digest was.
    var isClockSent = false
    /// The peer's clock, for logs whose names are known here.
    var rows: [LogName: ClockRow] = [:]
    /// The peer's clock, for logs not yet known here.
    var unknown: [UInt64: ClockRow] = [:]
    /// The log of `unknown` whose first entries the peer was asked for.
    var discovery: Fetch?
    /// Logs of which the peer has more than this node, and when they may be asked for.
    var lacking: [LogName: UInt64] = [:]
    /// Own logs that the peer has, or was sent, up to here: new entries are pushed from there.
    var fed: [LogName: UInt64] = [:]
    /// Logs whose committed heads the peer has not been told.
    var dirty: Set<LogName> = []
    /// The names behind the link's tags.
    var names: [UInt64: LogName] = [:]
}

/// A want of the peer that is being served.
struct Serving: Hashable, Sendable {
    var key: LogKey
    var tag: UInt64
    var from: UInt64
    var through: UInt64
}

/// One open link, as far as decisions need it.
struct Link: Sendable {
    let id: LinkID
    let info: LinkInfo
    let address: String
    let dial: DialID?
    let since: Instant

    var rooms: [ConversationID: RoomName] = [:]
    var shared: [ConversationID: SharedConversation] = [:]

    // Sending: what may still be sent, and what waits for credit.
    private var credit: [Channel: Int] = [
        .live: Limits.initialCredit, .sync: Limits.initialCredit,
    ]
    var outbox: [EncodedFrame] = []
    var serving: [Serving] = []
    var isReadingLive = false
    var isReadingSync = false
    var openWants = 0
    /// How many wants in a row the peer has not served in time: who serves is asked first.
    var missedWants = 0

    // Receiving: what was taken in and what of it was credited back.
    private var outstanding: [Channel: Int] = [.live: 0, .sync: 0]
    private var owed: [Channel: Int] = [.live: 0, .sync: 0]

    /// Valid records of authors that no shared conversation knows yet.
    var earlyRecords: [PeerID: Record] = [:]

    // Liveness and clocks.
    var lastHeard: UInt64
    var pingNonce: UInt64 = 0
    var pingSent: Instant?
    var roundTrip: UInt64?
    /// How far the peer's wall clock is ahead of the own monotonic one: it stays right when the own wall
    /// clock is set.
    var clockLead: UInt64?

    /// Small leftovers are not worth a frame, and can never starve the peer of a whole one.
    private static let creditStep = 16_384

    init(id: LinkID, info: LinkInfo, address: String, dial: DialID?, now: Instant) {
        self.id = id
        self.info = info
        self.address = address
        self.dial = dial
        self.since = now
        self.lastHeard = now.monotonic
    }

    /// How far the peer's wall clock is from the own one, in milliseconds.
    func clockOffset(at now: Instant) -> Int64? {
        self.clockLead.map { Int64(bitPattern: $0 &+ now.monotonic &- now.wall) }
    }

    /// The identity that dialled.
    func initiator(own: PeerID) -> PeerID { self.info.isInitiator ? own : self.info.peer }

    func credit(on channel: Channel) -> Int { self.credit[channel] ?? .max }

    mutating func spend(_ bytes: Int, on channel: Channel) {
        guard channel != .control else { return }
        self.credit[channel, default: 0] -= bytes
        precondition(self.credit(on: channel) >= 0, "a frame starts only when all of it fits")
    }

    /// Takes credit from the peer; false when it would be more than was ever given.
    mutating func earn(_ bytes: UInt64, on channel: Channel) -> Bool {
        let space = Limits.initialCredit - self.credit(on: channel)
        guard bytes <= UInt64(space) else { return false }
        self.credit[channel, default: 0] += Int(bytes)
        return true
    }

    /// Counts a frame that came in; false when the peer sent more than it may.
    mutating func take(_ frame: ReceivedFrame) -> Bool {
        guard frame.channel != .control else { return true }
        self.outstanding[frame.channel, default: 0] += frame.byteCount
        return (self.outstanding[frame.channel] ?? 0) <= Limits.initialCredit
    }

    /// How many bytes were taken in and not credited back.
    func uncredited(on channel: Channel) -> Int { self.outstanding[channel] ?? 0 }

    /// Gives back what was consumed; the credit to send, once it is worth a frame.
    mutating func consume(_ bytes: Int, on channel: Channel) -> Frame? {
        guard channel != .control else { return nil }
        let owed = (self.owed[channel] ?? 0) + bytes
        guard owed >= Self.creditStep else {
            self.owed[channel] = owed
            return nil
        }
        self.owed[channel] = 0
        self.outstanding[channel, default: 0] -= owed
        return .credit(channel, bytes: UInt64(owed))
    }

    /// Keeps a record for when the first entry of its author comes.
    mutating func keepEarly(_ record: Record) {
        if let known = self.earlyRecords[record.author] {
            guard record.supersedes(known) else { return }
        } else if self.earlyRecords.count >= Limits.earlyRecords {
            return
        }
        self.earlyRecords[record.author] = record
    }

    func tag(_ name: LogName, in conversation: ConversationID) -> UInt64 {
        var writer = WireWriter(capacity: 72)
        writer.raw(conversation.hash)
        writer.raw(name.author.key)
        writer.u64(name.incarnation)
        return self.tag(writer.bytes, .logTag)
    }

    func headTag(_ id: EntryID) -> UInt64 { self.tag(id.hash.bytes, .headTag) }

    func authorTag(_ author: PeerID) -> UInt64 { self.tag(author.key.bytes, .authorTag) }

    private func tag(_ bytes: [UInt8], _ personal: BLAKE2b.Personal) -> UInt64 {
        let hash = self.info.handshakeHash.withBytes { key in
            BLAKE2b.hash256(bytes.span.bytes, key: key, personal: personal)
        }
        return hash.bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The own row for a log as the peer reads it.
    func row(_ name: LogName, _ log: Log, in conversation: ConversationID) -> ClockRow {
        ClockRow(
            tag: self.tag(name, in: conversation), seq: log.head.seq,
            headTag: log.head.seq > 0 ? self.headTag(log.head.id) : 0,
            state: log.fork == nil ? .open : .forked)
    }
}
