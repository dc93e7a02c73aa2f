package import Crypto
package import Formats

/// With which key own entries of a group, or of two people, are sealed.
package enum KeyToWrite: Hashable, Sendable {
    /// The one that all devices of two people make of their persons' keys: none of theirs is known to be revoked.
    case root
    /// One that is here.
    case use(HeldEpoch)
    /// A new one is due; its announcement names these heads and stands for these people.
    case make(basis: [ActID], people: Bytes32)
    case none(GroupObstacle)
}

/// Why nothing can be written in a group.
package enum GroupObstacle: Hashable, Sendable {
    /// The user is not a member, by the acts that are here.
    case notMember
    /// Acts are missing here, without which nobody knows who the members are.
    case waitsForActs
}
