/// The ids of the newest own entries: who says to have one shows it by its head tag.
struct RecentOwnIDs: Sendable {
    private var ids: [EntryPlace: EntryID] = [:]
    private var order = Queue<EntryPlace>()

    /// An own entry is on disk.
    mutating func add(_ id: EntryID, at place: EntryPlace) {
        guard self.ids.updateValue(id, forKey: place) == nil else { return }
        self.order.append(place)
        if self.ids.count > Limits.recentOwnIDs, let oldest = self.order.removeFirst() {
            self.ids[oldest] = nil
        }
    }

    /// The id of an own entry; nil where it is not among the newest.
    func id(at place: EntryPlace) -> EntryID? { self.ids[place] }

    var count: Int { self.ids.count }
}
