/// The way back to what is missing: an item waits for the one before it, which the servers may have under its subject.
///
/// Only names are kept, and each item is read again on the way forward, so that a long way costs no memory.
package struct SiteChase: Sendable {
    /// The longest way back.
    package static let limit = 65_536

    /// The items that wait, each for the next one.
    private var names: [String]
    /// Whether something has arrived: what still waits then says the wrong thing of what is before it.
    private var isOnTheWayForward = false

    /// The item that waits for ``next``; nil where none does.
    package var waiting: String? { self.names.dropLast().last }

    /// Begins where an item waits for another one.
    package init(for item: String, needing other: String) { self.names = [item, other] }

    /// What is to be read and imported next; nil at the end.
    package var next: String? { self.names.last }

    /// The item was taken or is known here: what waits for it is next.
    package mutating func arrived() {
        self.names.removeLast()
        self.isOnTheWayForward = true
    }

    /// The item waits itself; false where the way back is too long, or leads round in a circle.
    package mutating func needs(_ other: String) -> Bool {
        guard !self.isOnTheWayForward, self.names.count < Self.limit, other != self.names.last
        else { return false }
        self.names.append(other)
        return true
    }
}
