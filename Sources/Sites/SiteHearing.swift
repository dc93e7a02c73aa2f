package import ControlAPI

/// Presence and typing that others have published, on their way to the daemon, which nothing stores: what is too much is
/// dropped.
///
/// Each conversation has a share, and each has its turn, so that a flood under one tag keeps no other back.
package struct SiteHearing: Sendable {
    /// The most that wait in one conversation.
    package static let shareLimit = 8
    /// The most conversations in which some wait: a server can invent them.
    package static let tagLimit = 1_024
    /// How soon after some were given others are: the daemon checks signatures, and a flood must not keep it busy.
    package static let paceMilliseconds: UInt64 = 250
    /// How many of those that this program has published are known again.
    private static let ownLimit = 64

    private var waiting: [String: [SiteOutgoing.Item]] = [:]
    /// Whose turn it is, in the order in which something came.
    private var turns: [String] = []
    private var own: [[UInt8]] = []
    private var earliest: UInt64 = 0

    /// How many the daemon has refused, by its word.
    package private(set) var refused: [ImportItemsMethod.Verdict: Int] = [:]

    package init() {}

    /// This program has published these: they come back.
    package mutating func published(_ items: [SiteOutgoing.Item]) {
        self.own = Array((self.own + items.map(\.data)).suffix(Self.ownLimit))
    }

    /// Something was published; true where nothing has waited before it.
    package mutating func heard(_ item: SiteOutgoing.Item, in tag: String) -> Bool {
        guard item.data.count <= ControlLimits.siteSignalBytes, !self.own.contains(item.data),
            self.waiting[tag, default: []].count < Self.shareLimit,
            self.waiting[tag] != nil || self.turns.count < Self.tagLimit
        else { return false }
        if self.waiting[tag] == nil { self.turns.append(tag) }
        self.waiting[tag, default: []].append(item)
        return self.turns.count == 1 && self.waiting[tag]?.count == 1
    }

    /// Takes out what is to be given to the daemon now, as much as one call takes.
    package mutating func take(at now: UInt64) -> [SiteOutgoing.Item] {
        guard self.earliest <= now, !self.turns.isEmpty else { return [] }
        self.earliest = now + Self.paceMilliseconds
        var items: [SiteOutgoing.Item] = []
        while items.count < ControlLimits.siteItems, !self.turns.isEmpty {
            let tag = self.turns.removeFirst()
            guard var share = self.waiting.removeValue(forKey: tag), !share.isEmpty else {
                continue
            }
            items.append(share.removeFirst())
            guard !share.isEmpty else { continue }
            self.waiting[tag] = share
            self.turns.append(tag)
        }
        return items
    }

    /// When ``take(at:)`` gives something; nil where nothing waits.
    package var nextDue: UInt64? { self.turns.isEmpty ? nil : self.earliest }

    /// What the daemon says of those that it was given.
    package mutating func given(_ outcomes: [ImportItemsMethod.Outcome]) {
        for outcome in outcomes where [.unsealed, .forged].contains(outcome.verdict) {
            self.refused[outcome.verdict, default: 0] += 1
        }
    }
}
