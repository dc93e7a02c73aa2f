/// The time that linked nodes have in common, and what is ahead of it.
///
/// `Docs/Protocol/Entries.md` section 7. Times are asked for with each entry, so what the peers'
/// clocks say is worked out only when one of them or the own one has changed.
struct CommonTime: Sendable {
    /// The moment the software was built: *now* is never before it.
    private let buildTime: UInt64
    private var wall: UInt64 = 0
    /// The greatest own clock reading that was written.
    private(set) var latestOwn: HybridTime
    /// How far each peer's wall clock is ahead of the own monotonic one.
    private var leads: [LinkID: UInt64] = [:]
    /// How far the own monotonic clock is ahead of the own wall clock, modulo 2⁶⁴.
    private var shift: UInt64 = 0
    /// How far the peers' wall clocks are ahead of the own one, ascending.
    private var offsets: [Int64] = []
    /// How far *now* is from the own clock: the median of the own clock and those of linked peers.
    ///
    /// Of an even number of clocks the middle one nearer to the own counts, so that one peer alone
    /// moves nothing.
    private(set) var offset: Int64 = 0

    init(buildTime: UInt64, latestOwn: HybridTime) {
        self.buildTime = buildTime
        self.latestOwn = latestOwn
    }

    // MARK: Clocks

    /// Takes a peer's clock, as far ahead of the own monotonic one; nil where its link has ended.
    mutating func read(_ lead: UInt64?, of link: LinkID) {
        self.leads[link] = lead
        self.compare()
    }

    mutating func look(at now: Instant) {
        self.wall = min(now.wall, Limits.latestMilliseconds)
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
            self.offset = upper
        } else {
            let lower = all[all.count / 2 - 1]
            self.offset = lower.magnitude <= upper.magnitude ? lower : upper
        }
    }

    /// What to tell people where most peers' clocks differ by more than five minutes.
    var warning: String? {
        guard !self.offsets.isEmpty else { return nil }
        let median = self.offsets[(self.offsets.count - 1) / 2]
        guard median.magnitude > Limits.aheadMilliseconds else { return nil }
        // Whole minutes, so that jitter does not make a new alert of it.
        let minutes = median.magnitude / 60_000
        return "this machine's clock is \(minutes) minutes \(median > 0 ? "behind" : "ahead of") "
            + "most of \(self.offsets.count) linked peers; set it right "
            + "(timedatectl set-ntp true)"
    }

    // MARK: Now

    /// *Now* in wall-clock milliseconds.
    var now: UInt64 {
        let common = Int64(clamping: self.wall).addingReportingOverflow(self.offset)
        let wall = common.overflow || common.partialValue < 0 ? 0 : UInt64(common.partialValue)
        // A last own reading far above the wall clock comes from a clock that was wrong then.
        let isOwnTrusted = self.latestOwn.milliseconds <= self.wall + Limits.aheadMilliseconds
        let now = max(wall, self.buildTime, isOwnTrusted ? self.latestOwn.milliseconds : 0)
        return min(now, Limits.latestMilliseconds)
    }

    /// The last millisecond that is not ahead of time.
    var latestDue: UInt64 { self.now + Limits.aheadMilliseconds }

    /// Whether a time is so far ahead that its entry is held.
    func isAhead(_ time: HybridTime) -> Bool {
        #if MUTANTS
            if Mutant.believeEveryClock.isActive { return false }
        #endif
        return time.milliseconds > self.latestDue
    }

    /// The index from which entries are ahead of time; times grow, so all behind it are, too.
    func heldFrom(_ entries: [Entry]) -> Int {
        // Where the last one is due, as nearly always, all are.
        guard let last = entries.last, self.isAhead(last.time) else { return entries.count }
        return entries.firstIndex { self.isAhead($0.time) } ?? entries.count
    }

    /// How long until an entry is due, and when to look again: clocks are set right and peers come
    /// and go, so once an hour at least.
    func wait(until time: HybridTime) -> UInt64 {
        let due = time.milliseconds - min(time.milliseconds, Limits.aheadMilliseconds)
        let now = self.now
        return min(due > now ? due - now : 1, Limits.releaseMilliseconds)
    }

    // MARK: Own entries

    /// `max(wall, 1 + what came before)`: never goes back, whatever the wall clock does.
    func own(after earlier: HybridTime) -> HybridTime {
        let wall = HybridTime(wallMilliseconds: self.wall)
        guard let next = earlier.next else {
            preconditionFailure("times at the end of time are ahead and so never followed")
        }
        #if MUTANTS
            if Mutant.followTheWallClock.isActive { return wall }
        #endif
        return max(wall, next)
    }

    /// Whether an own log that ends at this time cannot go on: its time ran ahead of everybody's, and
    /// the clock is set right since.
    func isBehind(_ time: HybridTime) -> Bool {
        self.isAhead(time) && HybridTime(wallMilliseconds: self.wall) < time
    }

    mutating func wrote(_ time: HybridTime) { self.latestOwn = max(self.latestOwn, time) }
}
