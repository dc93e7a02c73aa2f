/// The clocks of linked peers beside the own one.
///
/// Times are asked for with each entry, so what they say is worked out only when a peer's clock or
/// the own one has changed.
struct PeerClocks: Sendable {
    /// How far each peer's wall clock is ahead of the own monotonic one.
    private var leads: [LinkID: UInt64] = [:]
    /// How far the own monotonic clock is ahead of the own wall clock, modulo 2⁶⁴.
    private var shift: UInt64 = 0
    /// How far the peers' wall clocks are ahead of the own one, ascending.
    private(set) var offsets: [Int64] = []
    private(set) var commonOffset: Int64 = 0

    mutating func set(_ lead: UInt64?, of link: LinkID) {
        self.leads[link] = lead
        self.compare()
    }

    mutating func look(at now: Instant) {
        let shift = now.monotonic &- now.wall
        // The two are rounded to milliseconds on their own.
        let change = Int64(bitPattern: shift &- self.shift)
        guard change.magnitude > 1 else { return }
        self.shift = shift
        self.compare()
    }

    private mutating func compare() {
        let shift = self.shift
        self.offsets = self.leads.values.map { Int64(bitPattern: $0 &+ shift) }.sorted()
        let all = (self.offsets + [0]).sorted()
        let upper = all[all.count / 2]
        if all.count % 2 == 1 {
            self.commonOffset = upper
        } else {
            let lower = all[all.count / 2 - 1]
            self.commonOffset = lower.magnitude <= upper.magnitude ? lower : upper
        }
    }
}

/// The time that linked nodes have in common, and what is ahead of it.
///
/// `Docs/Protocol/Entries.md` section 5.
extension Node {
    /// *Now* in wall-clock milliseconds.
    var commonTime: UInt64 {
        let common = Int64(clamping: self.now.wall).addingReportingOverflow(self.commonOffset)
        let wall = common.overflow || common.partialValue < 0 ? 0 : UInt64(common.partialValue)
        return max(
            wall, self.configuration.buildTime,
            self.isOwnTimeTrusted ? self.latestOwnTime.milliseconds : 0)
    }

    /// A last own reading far above the wall clock comes from a clock that was wrong then.
    private var isOwnTimeTrusted: Bool {
        self.latestOwnTime.milliseconds <= self.now.wall + Limits.aheadMilliseconds
    }

    /// How far *now* is from the own clock: the median of the own clock and those of linked peers.
    ///
    /// Of an even number of clocks the middle one nearer to the own counts, so that one peer alone
    /// moves nothing.
    var commonOffset: Int64 { self.clocks.commonOffset }

    /// The last millisecond that is not ahead of time.
    var latestDue: UInt64 { self.commonTime + Limits.aheadMilliseconds }

    /// Whether a time is so far ahead that its entry is held.
    func isAhead(_ time: HybridTime) -> Bool {
        #if MUTANTS
            if Mutant.believeEveryClock.isActive { return false }
        #endif
        return time.milliseconds > self.latestDue
    }

    mutating func updateClockAlert() {
        let peers = self.clocks.offsets
        guard !peers.isEmpty else {
            self.alerts.clear(.clock)
            return
        }
        let median = peers[(peers.count - 1) / 2]
        if median.magnitude > Limits.aheadMilliseconds {
            // Whole minutes, so that jitter does not make a new alert of it.
            let minutes = median.magnitude / 60_000
            self.raiseAlert(
                .clock,
                "this machine's clock is \(minutes) minutes \(median > 0 ? "behind" : "ahead of") "
                    + "most of \(peers.count) linked peers; set it right (timedatectl set-ntp true)"
            )
        } else {
            self.alerts.clear(.clock)
        }
    }

    /// Releases held entries that a better knowledge of the time shows to be due.
    mutating func releaseIfDue() {
        if let first = self.held.first, !self.isAhead(first) { self.commitQueue.release = true }
    }

    /// Wakes the node when the first held entry is due.
    mutating func armRelease() {
        guard let first = self.held.first else { return }
        let due =
            first.milliseconds > Limits.aheadMilliseconds
            ? first.milliseconds - Limits.aheadMilliseconds : 0
        let common = self.commonTime
        let wait = due > common ? due - common : 1
        // Clocks are set right and peers come and go: look again at least once an hour.
        self.actions.append(
            .arm(.release, at: self.now.monotonic + min(wait, Limits.releaseMilliseconds)))
    }
}
