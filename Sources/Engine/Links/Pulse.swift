internal import Formats

/// What the silence of a peer asks for.
enum PulseCheck: Hashable, Sendable {
    /// Nothing: there is none.
    case fine
    /// To look again.
    case wait
    /// A ping.
    case ask
    /// Another connection, beside this one.
    case doubt
}

/// Whether a peer lives, how far away it is, and what its clock says.
struct Pulse: Sendable {
    /// When something came in last, monotonic milliseconds.
    private(set) var lastHeard: UInt64
    /// What the answer to the last ping must carry.
    private(set) var nonce: UInt64 = 0
    private var sentAt: UInt64?
    /// When the last ping was sent.
    private var pingedAt: UInt64 = 0
    /// When the first ping was sent since something came in last; nil where none was.
    private var askedSince: UInt64?
    /// When the link is looked at next.
    var lookAt: UInt64 = 0
    /// When something was sent first since something came in last; nil where nothing was.
    private var unansweredSince: UInt64?
    /// Whether that was followed by a ping that must be answered.
    private var isAsked = false
    /// Whether it was not, so that another link is dialled.
    private(set) var isDoubted = false
    /// Of the last ping that was answered, in milliseconds.
    private(set) var roundTrip: UInt64?
    /// How far the peer's wall clock is ahead of the own monotonic one: it stays right when the own
    /// wall clock is set.
    private(set) var clockLead: UInt64?

    init(at now: Instant) { self.lastHeard = now.monotonic }

    /// Notes that something came in; true where the peer was doubted.
    mutating func hear(at now: Instant) -> Bool {
        self.lastHeard = now.monotonic
        self.unansweredSince = nil
        self.askedSince = nil
        self.isAsked = false
        guard self.isDoubted else { return false }
        self.isDoubted = false
        return true
    }

    /// Notes that something was sent; true where nothing else waits for a sign of the peer.
    mutating func send(at now: Instant) -> Bool {
        guard self.unansweredSince == nil else { return false }
        self.unansweredSince = now.monotonic
        return true
    }

    /// What is to be done about a peer of which nothing was heard since something was sent to it.
    mutating func check(at now: Instant) -> PulseCheck {
        guard let since = self.unansweredSince else { return .fine }
        let silence = now.monotonic - since
        // Who has got it need not answer it, but a ping.
        if !self.isAsked, silence >= Limits.unansweredMilliseconds {
            self.isAsked = true
            return .ask
        }
        guard self.isAsked, silence >= Limits.doubtMilliseconds else { return .wait }
        self.isDoubted = true
        return .doubt
    }

    mutating func ping(_ nonce: UInt64, at now: Instant) {
        self.nonce = nonce
        self.sentAt = now.monotonic
        self.pingedAt = now.monotonic
        self.askedSince = self.askedSince ?? now.monotonic
    }

    /// How often each of so many links is pinged.
    ///
    /// Of many each is as much more rarely, so that all together cost what a few do. The kernel notices who is
    /// gone.
    static func interval(beside count: Int) -> UInt64 {
        let few = Limits.oftenPingedLinks
        guard count > 2 * few else { return Limits.pingMilliseconds }
        return Limits.pingMilliseconds * UInt64(count - few) / UInt64(few)
    }

    /// Whether a ping is due where pings come so often.
    func isPingDue(every interval: UInt64, at now: Instant) -> Bool {
        now.monotonic >= self.pingedAt + interval
    }

    /// Whether something came in since the last ping was sent.
    var isAnswered: Bool { self.askedSince == nil }

    /// Whether nothing was heard for so long that nobody is there, though it was pinged when there was time to answer.
    func isDead(at now: Instant) -> Bool {
        now.monotonic - self.lastHeard >= Limits.silenceMilliseconds
            && self.askedSince.map {
                now.monotonic - $0 >= Limits.silenceMilliseconds - Limits.pingMilliseconds
            } ?? false
    }

    /// Reads the clock in a ping, where no pong has told it more exactly; true when that is news.
    mutating func receivePing(clock: UInt64, at now: Instant) -> Bool {
        guard self.clockLead == nil else { return false }
        self.clockLead = clock &- now.monotonic
        return true
    }

    /// Reads the clock in the answer to the last ping; false for any other pong.
    mutating func receivePong(_ nonce: UInt64, clock: UInt64, at now: Instant) -> Bool {
        guard nonce == self.nonce, let sent = self.sentAt.take() else { return false }
        let roundTrip = now.monotonic - sent
        self.roundTrip = roundTrip
        self.clockLead = clock &+ roundTrip / 2 &- now.monotonic
        #if MUTANTS
            if Mutant.trapOnSaturation.isActive {
                self.clockLead = clock + roundTrip / 2 - now.monotonic
            }
        #endif
        return true
    }

    /// When the peer was last heard, by today's wall clock.
    func lastHeardWall(at now: Instant) -> UInt64 {
        now.wall - min(now.wall, now.monotonic - self.lastHeard)
    }

    /// How far the peer's wall clock is from the own one, in milliseconds.
    func clockOffset(at now: Instant) -> Int64? {
        self.clockLead.map { Int64(bitPattern: $0 &+ now.monotonic &- now.wall) }
    }
}
