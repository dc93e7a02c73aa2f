package import Crypto

/// Names an act of a group: the hash of all of it but the signature.
package struct ActID: Hashable, Comparable, Sendable {
    /// The hash, 32 bytes.
    package let hash: Bytes32

    package init(_ hash: Bytes32) { self.hash = hash }

    package static func < (left: ActID, right: ActID) -> Bool { left.hash < right.hash }
}

/// How senior an admin is: the smaller, the more senior. From 1 on.
package typealias Rank = UInt16

/// What an act of a group does.
package enum Deed: Hashable, Sendable {
    /// Begins the group; its author owns it for ever.
    case create
    case add(PersonID)
    case remove(PersonID)
    /// Gives somebody a rank.
    case admin(PersonID, Rank)
    case demote(PersonID)
    /// The author leaves.
    case leave
    /// A line by which anybody may come, until a time in milliseconds since 1970 or for ever; with approval they wait
    /// for an add.
    case link(expires: UInt64?, needsApproval: Bool)
    case endLink(ActID)
    /// The author comes by a link.
    case join(ActID)
    /// Does what an undecided act would have done.
    case accept(ActID)
    /// The author's word about one of their devices: that it is cut, or that it stands again. Of several about one device
    /// the greatest number counts.
    case cut(PeerID, number: UInt64, stands: Bool)
    /// Joins heads; nothing else.
    case tie
}

/// What somebody has signed about a group, and what they had seen of it.
package struct ActStatement: Hashable, Sendable {
    package let author: PersonID
    /// The device that signed; nil where the person's own key did, as for a cut.
    package let device: PeerID?
    /// The acts that the author had seen, and that no other seen act follows.
    package let basis: [ActID]
    /// When, in milliseconds since 1970, by the author's clock.
    package let time: UInt64
    package let deed: Deed

    package init(
        author: PersonID, device: PeerID?, basis: [ActID], time: UInt64, deed: Deed
    ) {
        self.author = author
        self.device = device
        self.basis = basis
        self.time = time
        self.deed = deed
    }
}
