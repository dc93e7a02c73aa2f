internal import Formats

/// Own entries that linked peers hold, since they are ahead of time by those peers' clocks.
///
/// What a peer says of it counts until its next row of the log (`Docs/Protocol/Sync.md` section 4).
struct HeldElsewhere: Sendable {
    private var held: [LinkID: [LogKey: ClosedRange<UInt64>]] = [:]

    /// The links whose peers hold something, ascending.
    var links: [LinkID] { self.held.keys.sorted() }

    /// What the peer of a link holds, ascending.
    func entries(on link: LinkID) -> [(key: LogKey, seqs: ClosedRange<UInt64>)] {
        (self.held[link] ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Takes a peer's row of an own log; false where it says nothing new.
    mutating func receive(_ row: ClockRow, of key: LogKey, on link: LinkID) -> Bool {
        let seqs = row.shown.flatMap { $0 < row.seq ? $0 + 1...row.seq : nil }
        guard self.held[link]?[key] != seqs else { return false }
        self.held[link, default: [:]][key] = seqs
        if self.held[link]?.isEmpty == true { self.held[link] = nil }
        return true
    }

    /// A link has ended, or shares a conversation no longer; false where its peer held nothing.
    mutating func drop(_ link: LinkID, where isOver: (LogKey) -> Bool) -> Bool {
        guard let before = self.held[link] else { return false }
        let left = before.filter { !isOver($0.key) }
        self.held[link] = left.isEmpty ? nil : left
        return left.count < before.count
    }
}
