/// What goes to the disk and comes back from it.
struct DiskWork: Sendable {
    var commits = CommitQueue()
    var history: OwnHistory
    var held: HeldEntries
    var reads = StoreReads()
    var requestLine = RequestLine()
    var recentKeys = RecentKeys()
    var streams: StreamUpkeep
    /// What sites have brought and is on its way.
    var siteImports = SiteImports()
    /// Whether the store is new, though there was one.
    let isAfterLoss: Bool

    init(
        history: OwnHistory, held: HeldEntries, streams: StreamUpkeep, isAfterLoss: Bool
    ) {
        self.history = history
        self.held = held
        self.streams = streams
        self.isAfterLoss = isAfterLoss
    }
}
