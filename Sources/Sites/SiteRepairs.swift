package import ControlAPI

/// What others have asked for, since it is missing on the servers, until one of all who have it has published it.
///
/// Its author comes first; all others wait for a time that chance gives, and then look whether it is there.
package struct SiteRepairs: Sendable {
    /// How long own items wait at most, and how long others' do at least and at most.
    package static let ownMilliseconds: UInt64 = 1_000
    package static let othersMilliseconds: ClosedRange<UInt64> = 2_000...12_000
    /// What may wait here, in bytes, and how many items.
    package static let heldBytes = 4 << 20
    package static let heldItems = 1_024
    /// How many subjects are looked at in a moment, and how long after these others are.
    private static let looksAtOnce = 8
    private static let paceMilliseconds: UInt64 = 1_000
    /// How long nobody is answered again of a subject once it was looked at or seen.
    package static let restMilliseconds: UInt64 = 60_000

    private struct Held: Sendable {
        var item: SiteOutgoing.Item
        var due: UInt64
    }

    private var held: [Held] = []
    private var bytes = 0
    /// What is held, which has no end, and what was looked at or seen a moment ago: until when it rests.
    private var resting: [String: UInt64] = [:]
    private var earliest: UInt64 = 0

    package init() {}

    /// Takes what was asked for.
    ///
    /// - Parameter chance: gives a number of a range.
    package mutating func take(
        _ items: [ExportItemsMethod.Item], at now: UInt64,
        chance: (ClosedRange<UInt64>) -> UInt64
    ) {
        self.resting = self.resting.filter { now < $0.value }
        // All of one answer at once, in their order: each goes on from the one before.
        let own = now + chance(0...Self.ownMilliseconds)
        let others = now + chance(Self.othersMilliseconds)
        for given in items {
            var item = SiteOutgoing.Item(subject: given.subject, data: given.data.bytes)
            item.replaces = given.replaces == true
            guard self.resting[item.subject] == nil, self.held.count < Self.heldItems,
                self.bytes + item.data.count <= Self.heldBytes
            else { continue }
            self.bytes += item.data.count
            let due = given.mine == true ? own : others
            self.resting[item.subject] = .max
            let place = self.held.firstIndex { $0.due > due } ?? self.held.endIndex
            self.held.insert(Held(item: item, due: due), at: place)
        }
    }

    /// The servers have given this.
    package mutating func saw(_ item: SiteOutgoing.Item, at now: UInt64) {
        guard self.resting[item.subject] != nil else { return }
        self.held.removeAll {
            guard $0.item.isSame(as: item) else { return false }
            self.bytes -= $0.item.data.count
            self.resting[item.subject] = now + Self.restMilliseconds
            return true
        }
    }

    /// Takes out what is to be looked up, and published where it is missing.
    package mutating func due(at now: UInt64) -> [SiteOutgoing.Item] {
        guard self.earliest <= now else { return [] }
        let due = self.held.prefix(Self.looksAtOnce).prefix { $0.due <= now }.map(\.item)
        guard !due.isEmpty else { return [] }
        self.held.removeFirst(due.count)
        self.bytes -= due.reduce(0) { $0 + $1.data.count }
        self.earliest = now + Self.paceMilliseconds
        for item in due { self.resting[item.subject] = now + Self.restMilliseconds }
        return due
    }

    /// When ``due(at:)`` gives something; nil where nothing waits.
    package var nextDue: UInt64? { self.held.first.map { max($0.due, self.earliest) } }
}
