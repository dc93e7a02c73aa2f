internal import Formats

/// The ends of what is shown of a conversation, which the next own entry follows.
///
/// An entry that is too far ahead to be followed takes no place from others here, neither from those
/// before it in its log nor from those that it names as deps: else whoever dates entries ahead could
/// have own entries sorted before what they answer. Until it may be followed the newest of each log
/// waits apart.
struct Heads: Sendable {
    /// An entry of a log.
    private struct End: Sendable {
        var id: EntryID
        var time: HybridTime
    }

    private var heads: [EntryID: HybridTime] = [:]
    /// The newest entry of each log that was shown and may be followed, a head or not: of a log one is a
    /// head at most, in whatever order its entries come to be shown.
    private var ends: [LogName: End] = [:]
    /// The newest entry of a log that was too far ahead when it was shown.
    private var early: [LogName: End] = [:]

    /// How many are kept.
    var count: Int { self.heads.count + self.early.count }

    /// Counts the end of a log that was shown before.
    mutating func restore(_ id: EntryID, at time: HybridTime, of log: LogName) {
        self.end(log, with: id, at: time)
    }

    /// Makes an entry the head of its log, unless a newer one has been.
    private mutating func end(_ log: LogName, with id: EntryID, at time: HybridTime) {
        if let earlier = self.ends[log] {
            guard earlier.time < time else { return }
            self.heads[earlier.id] = nil
        }
        self.ends[log] = End(id: id, time: time)
        self.heads[id] = time
    }

    /// Counts an entry as shown that may be followed: it follows its predecessors, so they are no
    /// heads any longer.
    ///
    /// One that the next of its run follows at once never becomes a head: some look-ups less for each
    /// entry of a batch but the last.
    mutating func show(_ id: EntryID, _ entry: Entry, of log: LogName, isFollowed: Bool) {
        if !self.early.isEmpty { self.early[log] = nil }
        for dep in entry.deps {
            // What is later than who follows it is not known to be followed.
            if let time = self.heads[dep], time < entry.time { self.heads[dep] = nil }
        }
        if !isFollowed { self.end(log, with: id, at: entry.time) }
    }

    /// Counts an entry as shown that is too far ahead to be followed yet.
    mutating func showEarly(_ id: EntryID, at time: HybridTime, of log: LogName) {
        if let other = self.early[log], other.time >= time { return }
        self.early[log] = End(id: id, time: time)
    }

    /// Counts an entry as shown that was held until now.
    ///
    /// One behind it in its log may have been shown before.
    mutating func release(
        _ id: EntryID, at time: HybridTime, of log: LogName, isFollowed: (HybridTime) -> Bool
    ) {
        guard isFollowed(time) else { return self.showEarly(id, at: time, of: log) }
        if let other = self.early[log], other.time <= time { self.early[log] = nil }
        self.end(log, with: id, at: time)
    }

    /// A log is gone.
    mutating func drop(_ log: LogName) {
        if let end = self.ends.removeValue(forKey: log) { self.heads[end.id] = nil }
        self.early[log] = nil
    }

    /// Lets what was too far ahead be followed once it is not.
    mutating func settle(isFollowed: (HybridTime) -> Bool) {
        guard !self.early.isEmpty else { return }
        for (log, early) in self.early where isFollowed(early.time) {
            self.early[log] = nil
            self.end(log, with: early.id, at: early.time)
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
