internal import Formats

/// The own clock, by which everything is decided, and those of others, for a warning.
struct Clocks: Sendable {
    /// What has become of the own clock since it was read before.
    struct Change: Hashable, Sendable {
        /// What is wrong with it from now on; empty where it is right again, nil where nothing changes.
        var warning: String?
        /// Whether it was set forward, so that what is held may be due.
        var isForward: Bool
    }

    var own: NodeTime
    var peers = PeerClocks()
    private let buildTime: UInt64
    /// The newest time that was ever shown here, by this clock or by what others wrote.
    private var newest: UInt64
    /// How far the wall clock was ahead of the monotonic one.
    private var lead: UInt64?
    private var isPast = false

    init(buildTime: UInt64, newest: HybridTime) {
        self.own = NodeTime(buildTime: buildTime)
        self.buildTime = buildTime
        self.newest = newest.milliseconds
    }

    /// Notes the time of an entry that is shown.
    mutating func note(shown time: HybridTime) { self.newest = max(self.newest, time.milliseconds) }

    /// Reads the own clock.
    mutating func look(at now: Instant) -> Change {
        self.own.look(at: now)
        let lead = now.wall &- now.monotonic
        let moved = self.lead.map { Int64(bitPattern: lead &- $0) } ?? 0
        self.lead = lead
        var change = Change(isForward: moved > Int64(Limits.differenceMilliseconds))
        let isPast =
            now.wall < self.buildTime || now.wall + Limits.pastMilliseconds < self.newest
        if isPast != self.isPast {
            self.isPast = isPast
            change.warning = isPast ? self.warning(at: now.wall) : ""
        }
        return change
    }

    /// What to tell people of a clock that says what cannot be.
    private func warning(at wall: UInt64) -> String {
        let clock = "this machine's clock is wrong: it says \(UTCTime.text(wall)), but "
        guard wall < self.buildTime else {
            return clock + "messages here are from \(UTCTime.text(self.newest)); yours appear "
                + "out of place until it is set"
        }
        return clock + "this version of Stoa was built on \(UTCTime.text(self.buildTime)); until "
            + "it is set, your messages all bear that time"
    }
}
