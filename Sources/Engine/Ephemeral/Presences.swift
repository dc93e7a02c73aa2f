internal import Formats

/// Who is there and who is away, as they say; and what they are told of the own user.
///
/// It knows which links may be told, and sends nothing by itself. `Docs/Protocol/Ephemeral.md` section 2.
struct Presences: Sendable {
    private struct Told {
        /// Nil for nothing yet.
        var presence: Presence?
        var at: UInt64 = 0
    }

    /// What the own user is.
    private(set) var own = Presence.online
    /// The links whose peers may know, and what they were told last.
    private var told: [LinkID: Told] = [:]
    /// What peers have told, and when.
    private var heard: [LinkID: Told] = [:]

    /// What the peer of a link has told; nil for one that tells nothing.
    func presence(on link: LinkID) -> Presence? { self.heard[link]?.presence }

    /// Takes what the own user says.
    mutating func set(_ presence: Presence) { self.own = presence }

    /// The peer of a link may know from here on.
    mutating func open(_ link: LinkID) {
        if self.told[link] == nil { self.told[link] = Told() }
    }

    /// No peer may know from here on.
    mutating func tellNobody() { self.told = [:] }

    /// Whether the peer of a link may know.
    func isOpen(_ link: LinkID) -> Bool { self.told[link] != nil }

    /// The peer of a link must not know any more, or the link ended.
    mutating func close(_ link: LinkID) { (self.told[link], self.heard[link]) = (nil, nil) }

    /// The links that are to be told now; they are told from here on.
    mutating func takeDue(at now: UInt64) -> [LinkID] {
        let due = self.told.filter { self.due($0.value).map { $0 <= now } ?? false }.keys.sorted()
        for link in due { self.told[link] = Told(presence: self.own, at: now) }
        return due
    }

    /// When the next link is to be told; nil for none.
    var nextDue: UInt64? { self.told.values.compactMap { self.due($0) }.min() }

    private func due(_ told: Told) -> UInt64? {
        guard told.presence != self.own else { return nil }
        return told.presence == nil ? 0 : told.at + Limits.presenceMilliseconds
    }

    /// Takes what a peer tells; true where it is news that came in time.
    mutating func receive(_ presence: Presence, on link: LinkID, at now: UInt64) -> Bool {
        if let before = self.heard[link] {
            guard now >= before.at + Limits.presenceLeastMilliseconds else { return false }
            self.heard[link]?.at = now
            guard before.presence != presence else { return false }
        }
        self.heard[link] = Told(presence: presence, at: now)
        return true
    }
}
