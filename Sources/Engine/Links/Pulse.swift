/// Whether a peer lives, how far away it is, and what its clock says.
struct Pulse: Sendable {
    /// When something came in last, monotonic milliseconds.
    private(set) var lastHeard: UInt64
    /// What the answer to the last ping must carry.
    private(set) var nonce: UInt64 = 0
    private var sentAt: UInt64?
    /// Of the last ping that was answered, in milliseconds.
    private(set) var roundTrip: UInt64?
    /// How far the peer's wall clock is ahead of the own monotonic one: it stays right when the own
    /// wall clock is set.
    private(set) var clockLead: UInt64?

    init(at now: Instant) { self.lastHeard = now.monotonic }

    mutating func hear(at now: Instant) { self.lastHeard = now.monotonic }

    mutating func ping(_ nonce: UInt64, at now: Instant) {
        self.nonce = nonce
        self.sentAt = now.monotonic
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
