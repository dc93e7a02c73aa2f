package import ControlAPI

/// Parts of files that the daemon looks for on the servers, one at a time.
///
/// One that is not there is looked for again later and later, for as long as it is wanted.
package struct SiteWants: Sendable {
    /// When a part that was not there is looked for again at first, and at the latest.
    private static let firstMilliseconds: UInt64 = 1_000
    private static let lastMilliseconds: UInt64 = 64_000

    private struct Want: Sendable {
        var dueAt: UInt64 = 0
        var patience = SiteWants.firstMilliseconds
    }

    private var wants: [String: Want] = [:]
    /// In which order the daemon wants them.
    private var order: [String] = []
    /// What is looked for, or is with the daemon.
    private var current: String?

    /// How many parts were brought.
    package private(set) var broughtCount = 0
    /// How many the daemon has refused, by its word.
    package private(set) var refused: [ImportItemsMethod.Verdict: Int] = [:]
    /// How many are wanted that were not there.
    package var missing: Int {
        self.wants.values.count { $0.patience > Self.firstMilliseconds }
    }

    package init() {}

    /// The daemon wants these parts from here on, and no others.
    package mutating func want(_ subjects: [String]) {
        let known = self.wants
        (self.wants, self.order) = ([:], [])
        for subject in subjects.prefix(ControlLimits.siteWants) where self.wants[subject] == nil {
            self.wants[subject] = known[subject] ?? Want()
            self.order.append(subject)
        }
    }

    /// There may be something of all that is wanted.
    package mutating func lookAgain() {
        self.current = nil
        for subject in self.order { self.wants[subject] = Want() }
    }

    /// What is looked for next; ``found(_:at:)`` or ``missed(at:)`` ends that.
    package mutating func next(at now: UInt64) -> String? {
        guard self.current == nil else { return nil }
        self.current = self.order.first { self.wants[$0].map { $0.dueAt <= now } ?? false }
        return self.current
    }

    /// Nothing of use is there.
    package mutating func missed(at now: UInt64) {
        guard let subject = self.current else { return }
        self.current = nil
        guard var want = self.wants[subject] else { return }
        want.dueAt = now + want.patience
        want.patience = min(2 * want.patience, Self.lastMilliseconds)
        self.wants[subject] = want
    }

    /// What the daemon says of the part that was there.
    package mutating func given(_ verdict: ImportItemsMethod.Verdict?, at now: UInt64) {
        guard verdict == .taken, let subject = self.current else {
            // What stands there in the place of something deleted is nothing new here.
            if let verdict, verdict != .known { self.refused[verdict, default: 0] += 1 }
            return self.missed(at: now)
        }
        self.broughtCount += 1
        self.current = nil
        self.wants[subject] = nil
        self.order.removeAll { $0 == subject }
    }

    /// When ``next(at:)`` gives something; nil where nothing is wanted.
    package var nextDue: UInt64? {
        self.current == nil ? self.wants.values.map(\.dueAt).min() : nil
    }
}
