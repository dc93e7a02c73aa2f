/// Whether more services are announced than there are places, for longer than it takes all to start in the morning.
struct ServiceOverflow: Sendable {
    private var since: UInt64?
    private var toldAt: UInt64?

    /// Another service has no place: whether people should know that it goes on, which they are told once a second.
    mutating func isNews(at moment: UInt64) -> Bool {
        let since = self.since ?? moment
        self.since = since
        guard moment - since >= Limits.overflowMilliseconds,
            moment - (self.toldAt ?? 0) >= Limits.overflowToldMilliseconds
        else { return false }
        self.toldAt = moment
        return true
    }
}
