/// The ends of what is shown of a conversation, which the next own entry follows.
///
/// An entry that is too far ahead to be followed takes no place from others here, neither from those
/// before it in its log nor from those that it names as deps: else whoever dates entries ahead could
/// have own entries sorted before what they answer. Until it may be followed the newest of each log
/// waits apart.
struct Heads: Sendable {
    /// The newest entry of a log that was too far ahead when it was shown.
    private struct Early: Sendable {
        var id: EntryID
        var time: HybridTime
        /// What stands before it in its log and may be followed.
        var before: EntryID?
    }

    private var heads: [EntryID: HybridTime] = [:]
    private var early: [LogName: Early] = [:]

    /// How many are kept.
    var count: Int { self.heads.count + self.early.count }

    /// Counts the end of a log that was shown before.
    mutating func restore(_ id: EntryID, at time: HybridTime) { self.heads[id] = time }

    /// Counts an entry as shown that may be followed: it follows its predecessors, so they are no
    /// heads any longer.
    ///
    /// One that the next of its run follows at once never becomes a head: two look-ups of an id less
    /// for each entry of a batch but the last.
    mutating func show(
        _ id: EntryID, _ entry: Entry, of log: LogName, prev: EntryID?, isFollowed: Bool
    ) {
        if !self.early.isEmpty, let early = self.early.removeValue(forKey: log) {
            if let before = early.before { self.heads[before] = nil }
        }
        if let prev { self.heads[prev] = nil }
        for dep in entry.deps {
            // What is later than who follows it is not known to be followed.
            if let time = self.heads[dep], time < entry.time { self.heads[dep] = nil }
        }
        if !isFollowed { self.heads[id] = entry.time }
    }

    /// Counts an entry as shown that is too far ahead to be followed yet.
    mutating func showEarly(
        _ id: EntryID, at time: HybridTime, of log: LogName, prev: EntryID?
    ) {
        let before =
            self.early[log].map(\.before) ?? prev.flatMap { self.heads[$0] == nil ? nil : $0 }
        self.early[log] = Early(id: id, time: time, before: before)
    }

    /// Counts an entry as shown that was held until now.
    mutating func release(
        _ id: EntryID, at time: HybridTime, of log: LogName, isFollowed: (HybridTime) -> Bool
    ) {
        guard isFollowed(time) else { return self.showEarly(id, at: time, of: log, prev: nil) }
        if let before = self.early.removeValue(forKey: log)?.before { self.heads[before] = nil }
        self.heads[id] = time
    }

    /// A log is gone, with its last entry.
    mutating func drop(_ head: EntryID, of log: LogName) {
        self.heads[head] = nil
        if let early = self.early.removeValue(forKey: log), let before = early.before {
            self.heads[before] = nil
        }
    }

    /// An entry is followed: own entries must not follow it, too.
    mutating func follow(_ id: EntryID) { self.heads[id] = nil }

    /// Lets what was too far ahead be followed once it is not.
    mutating func settle(isFollowed: (HybridTime) -> Bool) {
        guard !self.early.isEmpty else { return }
        for (log, early) in self.early where isFollowed(early.time) {
            if let before = early.before { self.heads[before] = nil }
            self.heads[early.id] = early.time
            self.early[log] = nil
        }
    }

    /// The deps of the next own entry, ascending, and the latest of their times: the newest heads that
    /// may be followed but the own log's.
    func deps(
        besides own: EntryID, isFollowed: (HybridTime) -> Bool
    ) -> (ids: [EntryID], latest: HybridTime) {
        let none = HybridTime(0)
        if self.heads.count == 1, self.heads[own] != nil { return ([], none) }
        // What cannot be followed must not take the places of what can.
        let others = self.heads.filter { $0.key != own && isFollowed($0.value) }
        let newest = others.sorted { ($0.value, $0.key) > ($1.value, $1.key) }
        return (newest.prefix(Limits.depCount).map(\.key).sorted(), newest.first?.value ?? none)
    }
}
