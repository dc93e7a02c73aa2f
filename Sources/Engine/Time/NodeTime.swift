package import Formats

/// What a node takes for *now*, and what is ahead of it: its own clock decides, nobody else's.
///
/// `Docs/Protocol/Entries.md` section 7.
struct NodeTime: Sendable {
    /// The moment the software was built: *now* is never before it.
    private let buildTime: UInt64
    private var wall: UInt64 = 0
    #if MUTANTS
        /// How far ahead the clock of a peer is that is believed.
        private var believed: UInt64 = 0
    #endif

    init(buildTime: UInt64) { self.buildTime = buildTime }

    // MARK: Now

    mutating func look(at now: Instant) {
        self.wall = now.wall
        #if MUTANTS
            self.wall = min(self.wall, Limits.latestMilliseconds) + self.believed
        #endif
    }

    #if MUTANTS
        /// Believes a peer's clock where it is ahead of the own one.
        mutating func believe(_ clock: UInt64) {
            guard Mutant.countStrangersClocks.isActive else { return }
            let own = self.wall - self.believed
            let lead = max(own, min(clock, Limits.latestMilliseconds)) - own
            self.believed = max(self.believed, lead)
            self.wall = own + self.believed
        }
    #endif

    /// *Now* in wall-clock milliseconds.
    var now: UInt64 { min(max(self.wall, self.buildTime), Limits.latestMilliseconds) }

    // MARK: Entries of others

    /// The last millisecond that is not ahead of time, for anything but entries of people whom the user does
    /// not know.
    var latestDue: UInt64 { self.now + Limits.aheadMilliseconds }

    /// Up to when entries are due: those of known people, and of all others only what may be followed, lest
    /// strangers fill pages from the future.
    var due: Due {
        Due(
            known: HybridTime(endOf: self.latestDue),
            others: HybridTime(endOf: self.now + Limits.followedMilliseconds))
    }

    /// Whether a time is so far ahead that an entry of somebody whom the user knows is held, or a record
    /// ignored.
    func isAhead(_ time: HybridTime) -> Bool {
        #if MUTANTS
            if Mutant.believeEveryClock.isActive { return false }
        #endif
        return time.milliseconds > self.latestDue
    }

    /// Whether an entry of that time is held, by whether the user knows its author.
    func isHeld(_ time: HybridTime, isOfKnown: Bool) -> Bool {
        #if MUTANTS
            if Mutant.believeEveryClock.isActive { return false }
        #endif
        return isOfKnown ? self.isAhead(time) : self.isAhead(time) || !self.isFollowed(time)
    }

    /// Whether own entries may follow an entry of that time.
    ///
    /// So nobody can push the times of own entries further ahead than that.
    func isFollowed(_ time: HybridTime) -> Bool {
        #if MUTANTS
            if Mutant.followTooFar.isActive { return !self.isAhead(time) }
        #endif
        return time.milliseconds <= self.now + Limits.followedMilliseconds
    }

    /// The index from which entries are ahead of time; times grow, so all behind it are, too.
    func heldFrom(_ entries: [Entry], isOfKnown: Bool) -> Int {
        Self.index(in: entries) { self.isHeld($0, isOfKnown: isOfKnown) }
    }

    /// The index from which entries are too far ahead to be followed.
    func unfollowedFrom(_ entries: [Entry]) -> Int {
        Self.index(in: entries) { !self.isFollowed($0) }
    }

    private static func index(in entries: [Entry], where isBeyond: (HybridTime) -> Bool) -> Int {
        // Where the last one is not, as nearly always, none is.
        guard let last = entries.last, isBeyond(last.time) else { return entries.count }
        return entries.firstIndex { isBeyond($0.time) } ?? entries.count
    }

    /// How long until one of the entries that are held is due, and when to look again: clocks are set
    /// right, so once an hour at least.
    func wait(until held: HeldEntries) -> UInt64 {
        func wait(_ time: HybridTime?, _ bound: UInt64) -> UInt64 {
            guard let time else { return Limits.releaseMilliseconds }
            let due = time.milliseconds - min(time.milliseconds, bound)
            return due > self.now ? due - self.now : 1
        }
        return min(
            wait(held.first, Limits.followedMilliseconds),
            wait(held.firstOfKnown, Limits.aheadMilliseconds), Limits.releaseMilliseconds)
    }

    /// Whether any of the entries that are held is due.
    func isDue(_ held: HeldEntries) -> Bool {
        held.first.map { !self.isHeld($0, isOfKnown: false) } ?? false
            || held.firstOfKnown.map { !self.isHeld($0, isOfKnown: true) } ?? false
    }

    // MARK: Own entries

    /// The time of the next own entry: `max(now, 1 + what comes before it)`.
    ///
    /// - Precondition: what comes before it is not too far ahead (``isTooFarAhead(_:)``), which only
    ///   the end of an own log can be.
    func own(after earlier: HybridTime) -> HybridTime {
        let now = HybridTime(wallMilliseconds: self.now)
        guard let next = earlier.next else {
            preconditionFailure("nothing that is followed is near the end of time")
        }
        #if MUTANTS
            if Mutant.followTheWallClock.isActive { return now }
        #endif
        return max(now, next)
    }

    /// The time of the message that an own entry answers, as far as others would show what is later.
    func answered(by draft: Draft) -> HybridTime {
        guard let time = draft.outgoing?.answers, !self.isAhead(time) else {
            return HybridTime(0)
        }
        return time
    }

    /// Whether an own log that ends at this time cannot go on: the clock was set back since, and what
    /// would follow would be so far ahead that others may not show it.
    func isTooFarAhead(_ time: HybridTime) -> Bool {
        time.milliseconds >= self.now + Limits.ownAheadMilliseconds
    }
}

/// Up to when entries that are held are due.
package struct Due: Hashable, Sendable {
    /// Those of people whom the user knows, and of all their devices.
    package var known: HybridTime
    package var others: HybridTime

    package init(known: HybridTime, others: HybridTime) {
        self.known = known
        self.others = others
    }
}

extension HybridTime {
    /// The last time of a millisecond.
    init(endOf milliseconds: UInt64) {
        self.init(HybridTime(wallMilliseconds: milliseconds).rawValue | 0xFFFF)
    }
}
