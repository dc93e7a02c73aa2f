/// Whether more services are announced than there are places, for longer than it takes all to start in the morning.
struct ServiceOverflow: Sendable {
    private var since: UInt64 = 0
    private var seenAt: UInt64?
    private var toldAt: UInt64?

    /// Another service has no place: whether people should know that it goes on, which they are told once a second.
    ///
    /// What a flood has left behind is come upon again for as long as it was announced for, with each look, and all
    /// at once: that does not go on.
    mutating func isNews(at moment: UInt64) -> Bool {
        let goesOn = self.seenAt.map { moment - $0 <= Limits.overflowAlertMilliseconds } ?? false
        if !goesOn { self.since = moment }
        self.seenAt = moment
        guard moment - self.since >= Limits.overflowMilliseconds,
            moment - (self.toldAt ?? 0) >= Limits.overflowToldMilliseconds
        else { return false }
        self.toldAt = moment
        return true
    }
}
