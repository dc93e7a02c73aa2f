/// The way back to what is missing: an item waits for the one before it, which the servers may have under its subject.
///
/// Only names are kept, and each item is read again on the way forward, so that a long way costs no memory.
package struct SiteChase: Sendable {
    /// The longest way back.
    package static let limit = 65_536

    /// An item that waits for another one.
    package struct Waiting: Hashable, Sendable {
        package var subject: String
        /// Whether the user knows its author, or that of an item that waits for it.
        package var isKnown: Bool

        package init(_ subject: String, isKnown: Bool) {
            (self.subject, self.isKnown) = (subject, isKnown)
        }
    }

    /// The items that wait, each for the next one.
    private var names: [Waiting]
    /// Whether something has arrived: what still waits then says the wrong thing of what is before it.
    private var isOnTheWayForward = false

    /// The item that waits for ``next``; nil where none does.
    package var waiting: Waiting? { self.names.dropLast().last }

    /// Begins where an item waits for another one.
    package init(for item: Waiting, needing other: String) {
        self.names = [item, Waiting(other, isKnown: false)]
    }

    /// What is to be read and imported next; nil at the end.
    package var next: String? { self.names.last?.subject }

    /// The item was taken or is known here: what waits for it is next.
    package mutating func arrived() {
        self.names.removeLast()
        self.isOnTheWayForward = true
    }

    /// The item waits itself; false where the way back is too long, or leads round in a circle.
    package mutating func needs(_ other: String, isKnown: Bool) -> Bool {
        guard !self.isOnTheWayForward, self.names.count < Self.limit, let last = self.next,
            other != last
        else { return false }
        // What somebody whom the user knows has written waits for it, too.
        let isNeeded = self.waiting?.isKnown ?? false
        self.names[self.names.count - 1].isKnown = isKnown || isNeeded
        self.names.append(Waiting(other, isKnown: false))
        return true
    }
}
