/// What could be read of an entry.
package struct EntryReading: Hashable, Sendable {
    /// What it says; nil where nothing of it can be shown.
    package var content: Content?
    /// The number of its kind; nil where there is no body, or none that can be parsed.
    package var kind: UInt64?
    /// Whether it is sealed with a key that is not here.
    package var isLocked = false

    package init(content: Content? = nil, kind: UInt64? = nil) {
        self.content = content
        self.kind = kind
    }

    /// The name of the open room that the author joins with it; nil where it does not say.
    package var joinedRoom: RoomName? {
        if case .join(let name)? = self.content { name } else { nil }
    }

    /// The person whose log begins with this entry; nil where it opens none.
    package func person(of author: PeerID) -> PersonID? {
        if case .open(let opening)? = self.content { opening.person(of: author) } else { nil }
    }
}
