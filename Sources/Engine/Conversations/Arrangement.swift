/// What the user has said of a conversation in their list; it concerns this node alone.
///
/// The numbers are those of the store.
package struct Arrangement: OptionSet, Hashable, Sendable {
    /// The bits.
    package let rawValue: UInt8

    /// Takes bits as they were stored.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Nothing of it is to ask for attention.
    package static let muted = Arrangement(rawValue: 1)
    /// It is put away.
    package static let archived = Arrangement(rawValue: 2)
}

/// What is to change of an ``Arrangement``; the rest stays.
package struct ArrangementChange: Hashable, Sendable {
    private var added: Arrangement
    private var removed: Arrangement

    /// Describes a change; what is both added and removed is removed.
    package init(adding added: Arrangement = [], removing removed: Arrangement = []) {
        self.added = added.subtracting(removed)
        self.removed = removed
    }

    /// Takes another change behind this one.
    mutating func add(_ later: ArrangementChange) {
        self.added = self.added.subtracting(later.removed).union(later.added)
        self.removed = self.removed.subtracting(later.added).union(later.removed)
    }

    func applied(to arrangement: Arrangement) -> Arrangement {
        arrangement.subtracting(self.removed).union(self.added)
    }
}
