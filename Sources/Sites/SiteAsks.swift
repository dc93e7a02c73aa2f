/// What is missing here and no server has: others are asked to publish it again.
///
/// What was asked for in vain is asked for again ever later, and what was asked for least comes first. What people whom
/// the user knows have written comes before all else, since anybody else can invent what waits.
package struct SiteAsks: Sendable {
    /// How long something is missing before it is asked for: authors and others have published it by then.
    package static let patienceMilliseconds: UInt64 = 12_000
    /// After how long it is asked for again at the latest.
    private static let lastMilliseconds: UInt64 = 3_600_000
    /// How often something is asked for at most: others answer each device four times a minute.
    package static let paceMilliseconds: UInt64 = 15_000
    /// How soon another one is looked at where nothing was asked for.
    private static let lookMilliseconds: UInt64 = 1_000
    /// The most items that wait for something that is missing.
    package static let limit = 1_024

    private struct Gap: Sendable {
        var isKnown: Bool
        var dueAt: UInt64
        var patience = SiteAsks.patienceMilliseconds
        /// How much was missing when it was asked for.
        var missing: Int64 = .max
    }

    /// By the subject of the item that waits.
    private var gaps: [String: Gap] = [:]
    private var earliest: UInt64 = 0

    package init() {}

    /// An item waits for another one, which the servers do not have.
    ///
    /// - Parameter isKnown: whether the user knows its author.
    package mutating func lacks(before subject: String, isKnown: Bool, at now: UInt64) {
        guard self.gaps[subject] == nil else {
            self.gaps[subject]?.isKnown = isKnown
            return
        }
        if self.gaps.count >= Self.limit {
            // What was asked for most often gives way, of those whom nobody knows first.
            let most = self.gaps.max {
                ($0.value.isKnown ? 0 : 1, $0.value.patience, $0.key)
                    < ($1.value.isKnown ? 0 : 1, $1.value.patience, $1.key)
            }
            guard let most,
                most.value.isKnown == isKnown
                    ? most.value.patience > Self.patienceMilliseconds : isKnown
            else { return }
            self.gaps[most.key] = nil
        }
        self.gaps[subject] = Gap(isKnown: isKnown, dueAt: now + Self.patienceMilliseconds)
    }

    /// An item that waits, to be looked at again; ``settled(_:)``, ``asked(_:missing:at:)`` or
    /// ``unasked(_:at:)`` says what came of that.
    package mutating func next(at now: UInt64) -> String? {
        guard self.earliest <= now else { return nil }
        let due = self.gaps.filter { $0.value.dueAt <= now }.min {
            ($0.value.isKnown ? 0 : 1, $0.value.patience, $0.value.dueAt, $0.key)
                < ($1.value.isKnown ? 0 : 1, $1.value.patience, $1.value.dueAt, $1.key)
        }
        guard let subject = due?.key else { return nil }
        self.earliest = now + Self.paceMilliseconds
        // Whatever becomes of the look.
        self.gaps[subject]?.dueAt = now + Self.patienceMilliseconds
        return subject
    }

    /// The item waits no more, or is gone itself.
    package mutating func settled(_ subject: String) { self.gaps[subject] = nil }

    /// The item waits, and nobody may be asked for what is before it: it is looked at once in an hour, and another one soon.
    package mutating func unasked(_ subject: String, at now: UInt64) {
        guard self.gaps[subject] != nil else { return }
        self.gaps[subject]?.patience = Self.lastMilliseconds
        self.gaps[subject]?.dueAt = now + Self.lastMilliseconds
        self.earliest = now + Self.lookMilliseconds
    }

    /// It was asked for what is before an item: so much was missing.
    package mutating func asked(_ subject: String, missing: Int64, at now: UInt64) {
        guard var gap = self.gaps[subject] else { return }
        // Others answer with as much as goes at once.
        gap.patience =
            missing < gap.missing
            ? Self.patienceMilliseconds : min(2 * gap.patience, Self.lastMilliseconds)
        gap.missing = missing
        gap.dueAt = now + gap.patience
        self.gaps[subject] = gap
    }

    /// When ``next(at:)`` gives something; nil where nothing is missing.
    package var nextDue: UInt64? {
        self.gaps.values.map(\.dueAt).min().map { max($0, self.earliest) }
    }
}
