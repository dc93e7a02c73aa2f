internal import Crypto

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
    /// The logs of `unknown` whose first entries the peer was asked for, by their tags.
    var discoveries: [UInt64: Fetch] = [:]
    /// Until when nobody else is asked for first entries, while `discoveries` are open.
    var patience: UInt64 = 0
    /// Logs of which the peer has more than this node, and when they may be asked for.
    var lacking: [LogName: UInt64] = [:]
    /// Own logs that the peer has, or was sent, up to here: new entries are pushed from there.
    var fed: [LogName: UInt64] = [:]
    /// Logs of others that the peer has asked for here: it is told at once when they grow.
    var taken: Set<LogName> = []
    /// The number of the last news that the own complete clock has told.
    var newsTold: UInt64 = 0
    /// The names behind the link's tags.
    var names: [UInt64: LogName] = [:]

    /// Whether the peer has what this node might ask it for.
    var isSeeking: Bool {
        !self.lacking.isEmpty || !self.unknown.isEmpty || !self.discoveries.isEmpty
    }

    /// Takes a run of an own log that was committed just now, as far as the peer may be pushed it.
    mutating func push(_ run: Run, hasCredit: Bool) -> Push {
        let name = run.key.name
        // A log that begins is nowhere yet.
        guard let fed = self.fed[name] ?? (run.first == 1 ? 0 : nil) else { return .none }
        let isNext = fed + 1 == run.first && hasCredit
        self.fed[name] = isNext ? run.last : fed
        return isNext ? .now : .later
    }

    /// Whether the peer is to be told of a log's head; `isTurn` says that all peers are told.
    ///
    /// The author learns from it that its entries have arrived; anybody else that has as much, or
    /// is being fed, learns nothing.
    func isNews(
        _ name: LogName, head: UInt64, number: UInt64, to peer: PeerID, isTurn: Bool
    ) -> Bool {
        guard self.newsTold < number else { return false }
        if name.author == peer { return !isTurn }
        return isTurn != self.taken.contains(name) && (self.rows[name]?.seq ?? 0) < head
            && self.fed[name] == nil
    }
}

/// What became of a run that was to be pushed.
enum Push {
    /// The peer lacks what is before it, and will ask.
    case none
    /// It is sent.
    case now
    /// The link lags: what is missing comes from the store.
    case later
}

/// What became of a frame that was to be sent.
enum Sending {
    case now
    /// It waits for credit.
    case later
    /// Too much waits.
    case never
}

/// A number for each channel that has credit.
struct PerChannel: Hashable, Sendable {
    private var live: Int
    private var sync: Int

    init(_ value: Int) { (self.live, self.sync) = (value, value) }

    /// Of the control channel, which nothing bounds, there is none.
    subscript(channel: Channel) -> Int? {
        get {
            switch channel {
            case .control: nil
            case .live: self.live
            case .sync: self.sync
            }
        }
        set {
            switch channel {
            case .control: break
            case .live: self.live = newValue ?? 0
            case .sync: self.sync = newValue ?? 0
            }
        }
    }
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
    var shared = Table<ConversationID, SharedConversation>()

    // Sending: what may still be sent, and what waits for credit.
    private var credit = PerChannel(Limits.initialCredit)
    private(set) var outbox = Queue<EncodedFrame>()
    /// Logs that are fed and of which the peer has not been sent all: those whose push had no
    /// credit, until the store has brought the rest.
    var lagging = Turns<LogKey>()
    var serving: [Serving] = []
    var isReadingLive = false
    var isReadingSync = false
    /// Until when a live message is expected on this link, since one has come or gone.
    private var liveUntil: UInt64 = 0
    private(set) var openWants = 0
    /// Conversations that would ask the peer for something, once it has answered something else.
    var lackingWants = Turns<ConversationID>()
    /// How many wants in a row the peer has not served in time: who serves is asked first.
    var missedWants = 0

    var hasFreeWants: Bool { self.openWants < Limits.wantsPerLink }

    /// Notes a run that was pushed, by whichever side.
    mutating func notePushed(_ run: Run, at now: Instant) {
        guard run.isLive else { return }
        self.liveUntil = now.monotonic + Limits.liveMilliseconds
    }

    /// Whether live messages come or go, which wait for history on the way and at the peer.
    func isLive(at now: Instant) -> Bool { now.monotonic < self.liveUntil }

    mutating func beginWant() { self.openWants += 1 }

    mutating func endWant() { self.openWants -= 1 }

    // Receiving: what was taken in and what of it was credited back.
    private var outstanding = PerChannel(0)
    private var owed = PerChannel(0)
    /// The number of the last news that the peer has had its turn for.
    var newsTold: UInt64 = 0

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

    /// Puts a node's links in an order of its own.
    var order: UInt64 {
        self.info.handshakeHash.withBytes { $0.unsafeLoadUnaligned(as: UInt64.self) }
    }

    /// How far the peer's wall clock is from the own one, in milliseconds.
    func clockOffset(at now: Instant) -> Int64? {
        self.clockLead.map { Int64(bitPattern: $0 &+ now.monotonic &- now.wall) }
    }

    /// When the peer was last heard, by today's wall clock.
    func lastHeardWall(at now: Instant) -> UInt64 {
        now.wall - min(now.wall, now.monotonic - self.lastHeard)
    }

    /// Where the peer can be dialled; the source port of an accepted link is nobody's, so the peer
    /// says where it listens.
    var listenAddress: String? {
        if self.dial != nil { return self.address }
        guard let port = self.info.listenPort, let colon = self.address.lastIndex(of: ":") else {
            return nil
        }
        return "\(self.address[..<colon]):\(port)"
    }

    func credit(on channel: Channel) -> Int { self.credit[channel] ?? .max }

    mutating func spend(_ bytes: Int, on channel: Channel) {
        guard channel != .control else { return }
        self.credit[channel] = self.credit(on: channel) - bytes
        precondition(self.credit(on: channel) >= 0, "a frame starts only when all of it fits")
    }

    /// Takes credit from the peer; false when it would be more than was ever given.
    mutating func earn(_ bytes: UInt64, on channel: Channel) -> Bool {
        let space = Limits.initialCredit - self.credit(on: channel)
        guard bytes <= UInt64(space) else { return false }
        self.credit[channel] = self.credit(on: channel) + Int(bytes)
        return true
    }

    /// Takes credit for a frame, or queues it behind those that wait for credit.
    mutating func send(_ frame: EncodedFrame) -> Sending {
        guard frame.channel == .sync else {
            self.spend(frame.bytes.count, on: frame.channel)
            return .now
        }
        if self.outbox.isEmpty && self.credit(on: .sync) >= frame.bytes.count {
            self.spend(frame.bytes.count, on: .sync)
            return .now
        }
        guard self.outbox.count < Limits.outboxFrames else { return .never }
        self.outbox.append(frame)
        return .later
    }

    /// The next frame that waited for credit and need not any longer.
    mutating func nextWaiting() -> EncodedFrame? {
        guard let next = self.outbox.first, self.credit(on: .sync) >= next.bytes.count else {
            return nil
        }
        self.spend(next.bytes.count, on: .sync)
        return self.outbox.removeFirst()
    }

    /// Takes a committed run of an own log: takes credit for it, or notes that the log lags.
    mutating func push(_ run: Run, byteCount: Int) -> Push {
        let room = run.key.conversation
        let hasCredit = self.credit(on: .live) >= byteCount
        guard let push = self.shared[room]?.push(run, hasCredit: hasCredit) else { return .none }
        if push != .none && run.first == 1 {
            let tag = self.tag(run.key.name, in: room)
            self.shared[room]?.names[tag] = run.key.name
        }
        switch push {
        case .none: break
        case .now: self.spend(byteCount, on: .live)
        case .later: self.lagging.add(run.key)
        }
        return push
    }

    /// Up to where an own log was sent; nil where it is not pushed.
    func fed(_ key: LogKey) -> UInt64? { self.shared[key.conversation]?.fed[key.name] }

    /// How many bytes may be read from the store to be sent as live runs; nil when none are to be.
    var liveReadBytes: Int? {
        guard !self.isReadingLive, !self.lagging.isEmpty else { return nil }
        let credit = self.credit(on: .live)
        return credit >= Limits.runFrameBytes ? credit : nil
    }

    /// The want to serve next; nil while there is none, or no credit for it, or one is being read.
    func nextServing() -> Serving? {
        guard !self.isReadingSync, self.outbox.isEmpty,
            self.credit(on: .sync) >= Limits.runFrameBytes
        else { return nil }
        return self.serving.first
    }

    /// Notes that the peer lives, and says who it is.
    mutating func heard(at now: Instant) -> PeerID {
        self.lastHeard = now.monotonic
        return self.info.peer
    }

    /// Counts a frame that came in; false when the peer sent more than it may.
    mutating func take(_ frame: ReceivedFrame) -> Bool {
        guard frame.channel != .control else { return true }
        let outstanding = self.uncredited(on: frame.channel) + frame.byteCount
        self.outstanding[frame.channel] = outstanding
        return outstanding <= Limits.initialCredit
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
        self.outstanding[channel] = self.uncredited(on: channel) - owed
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
