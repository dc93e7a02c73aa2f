internal import Crypto
internal import Formats

/// One open link, as far as decisions need it.
struct Link: Sendable {
    let id: LinkID
    let info: LinkInfo
    let address: String
    let dial: DialID?
    /// The monotonic moment at which it was opened.
    let openedAt: UInt64
    /// The monotonic moment since which its peer is linked, over this link and those in whose place it came.
    var linkedSince: UInt64

    /// Whether the user has named the address that was dialled.
    var isChosen = false
    /// Until when its peer may say in which conversations it is, having no place yet; nil for one that has a place.
    var trialEnd: UInt64?
    /// The realms that both ends are in.
    var realms: LinkRealms
    /// The rooms of these that the peer says it is in.
    var rooms = LinkRooms()
    /// The tags of other conversations that the peer has sent.
    var shares: Set<UInt64> = []
    /// The direct conversation with the peer's person, whether or not there is one here; nil before the
    /// peer has shown any tag.
    var direct: DirectConversation?
    /// Whether the peer was sent the own profile.
    var isProfileTold = false
    /// The conversations that both ends are in.
    var shared = Table<ConversationID, ConversationSync>()
    var flow = FlowControl()
    var pulse: Pulse
    var large = LargePackets()
    var ephemeral: EphemeralIntake
    /// What the peer may send on the channel that no credit bounds.
    var control: TokenBucket
    var wants = LinkWants()
    /// What the peer is to be sent of logs and records.
    var service = LinkService()
    /// Logs that the peer asks for payloads of and that are not known here.
    var awaited = AwaitedTags()
    /// Until when a live message is expected on this link, since one has come or gone.
    private var liveUntil: UInt64 = 0
    /// The number of the last news that the peer has had its turn for.
    var newsTold: UInt64 = 0
    /// Valid records of authors that no shared conversation knows yet, kept until their first entries come.
    var earlyRecords = EarlyRecords()

    init(id: LinkID, info: LinkInfo, address: String, dial: DialID?, now: Instant) {
        self.id = id
        self.info = info
        self.address = address
        self.dial = dial
        self.openedAt = now.monotonic
        self.linkedSince = now.monotonic
        self.pulse = Pulse(at: now)
        self.ephemeral = EphemeralIntake(at: now)
        self.control = TokenBucket(
            capacity: Limits.controlBurstBytes,
            fullMilliseconds: Limits.controlBurstMilliseconds, at: now.monotonic)
        self.realms = LinkRealms(LinkTags(exporter: info.exporter, role: info.role))
    }

    /// Whether it has no place yet.
    var isOnTrial: Bool { self.trialEnd != nil }

    var tags: LinkTags { LinkTags(exporter: self.info.exporter, role: self.info.role) }

    /// Puts a node's links in an order of its own.
    var order: UInt64 {
        self.info.exporter.withBytes { $0.unsafeLoadUnaligned(as: UInt64.self) }
    }

    /// Where the peer can be dialled; the source port of an accepted link is nobody's, so the peer
    /// says where it listens.
    ///
    /// Keys cost nothing, so nobody has ports dialled where services of the system are.
    var listenAddress: String? {
        if self.dial != nil { return self.address }
        guard let port = self.info.listenPort, port >= Limits.dialBackPort,
            let colon = self.address.lastIndex(of: ":")
        else {
            return nil
        }
        return "\(self.address[..<colon]):\(port)"
    }

    /// Notes a run that was pushed, by whichever side.
    mutating func notePushed(_ run: Run, at now: Instant) {
        guard run.isLive else { return }
        self.liveUntil = now.monotonic + Limits.liveMilliseconds
    }

    /// Whether live messages come or go, which wait for history on the way and at the peer.
    func isLive(at now: Instant) -> Bool { now.monotonic < self.liveUntil }

    /// Takes a committed run of an own log: takes credit for it, or notes that the log lags.
    ///
    /// - Parameters:
    ///   - number: that of the log.
    ///   - isBehindKey: whether it announces a key, which goes on another channel: read from the store the run comes
    ///     behind it, and before it the peer would take nothing.
    mutating func push(
        _ run: Run, number: UInt32, byteCount: Int, isBehindKey: Bool
    ) -> Push {
        let conversation = run.key.conversation
        let hasCredit = !isBehindKey && self.flow.credit(on: .live) >= byteCount
        let push = self.shared[known: conversation].push(run, hasCredit: hasCredit)
        if push != .none && run.first == 1 {
            let tag = self.tags.log(run.key.name, in: conversation)
            self.shared[known: conversation].names[tag] = number
        }
        switch push {
        case .none: break
        case .now: self.flow.spend(byteCount, on: .live)
        case .later: self.service.lagging.add(run.key)
        }
        return push
    }

    /// Up to where an own log was sent; nil where it is not pushed.
    func fed(_ key: LogKey) -> UInt64? { self.shared[key.conversation]?.fed[key.name] }

    /// How many bytes may be read from the store to be sent as live runs; nil when none are to be.
    var liveReadBytes: Int? {
        guard !self.service.isReadingLive, !self.service.lagging.isEmpty else { return nil }
        let credit = self.flow.credit(on: .live)
        return credit >= Limits.runFrameBytes ? credit : nil
    }

    /// The want to serve next; nil while there is none, or no credit for it, or one is being read.
    func nextServing() -> Serving? {
        guard !self.service.isReadingSync, self.flow.outbox.isEmpty,
            self.flow.credit(on: .sync) >= Limits.runFrameBytes
        else { return nil }
        return self.service.serving.first
    }

    /// The payloads to send next; nil while there are none, or no credit for them, or some are being
    /// read.
    func nextPayloads() -> PayloadServing? {
        guard !self.service.isReadingPayloads, self.flow.outbox.isEmpty,
            self.flow.credit(on: .sync) >= Limits.payloadsFrameBytes
        else { return nil }
        return self.service.payloads
    }
}
