internal import Engine
internal import Loop

/// What the daemon does by itself now and then, as far as it is planned.
struct Upkeep {
    var scrub: ScrubSchedule
    /// What tells that the machine is to sleep; nil where the node is not locked for that.
    var login: LoginBus?
    private var isRetentionPlanned = false
    private var isMetricsPlanned = false
    private var metricsFailure: String?
    /// How many parts of a restored backup are still on their way to the disk.
    private var restoring = 0
    private var isRestoreShort = false

    init(_ scrub: ScrubSchedule) { self.scrub = scrub }

    /// Plans to look again at what is old; false where that is planned.
    mutating func planRetention() -> Bool {
        defer { self.isRetentionPlanned = true }
        return !self.isRetentionPlanned
    }

    mutating func retentionDue() { self.isRetentionPlanned = false }

    /// Plans to write counters again and again; false where that is planned.
    mutating func planMetrics() -> Bool {
        defer { self.isMetricsPlanned = true }
        return !self.isMetricsPlanned
    }

    mutating func endMetrics() { self.isMetricsPlanned = false }

    /// Notes how writing the counters went; true where that is a failure to tell, since it is a new one.
    mutating func metricsWritten(_ failure: String?) -> Bool {
        defer { self.metricsFailure = failure }
        return failure != nil && failure != self.metricsFailure
    }

    mutating func beginRestoring(_ parts: Int) {
        (self.restoring, self.isRestoreShort) = (parts, false)
    }

    /// One more part is done with; after the last one, whether the disk has taken all, and nil before.
    mutating func restoredOne(isKept: Bool) -> Bool? {
        self.restoring -= 1
        if !isKept { self.isRestoreShort = true }
        return self.restoring == 0 ? !self.isRestoreShort : nil
    }
}
