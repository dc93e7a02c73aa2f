package import Formats

/// A list that strangers can change as often as they like: subscribers hear that it changed, and read it.
package enum ChangedList: Hashable, Comparable, Sendable {
    /// The open rooms that the user or linked peers are in.
    case rooms
    /// The peers that are linked or known, and what those say of themselves whom the user does not know.
    case peers
    /// Those who wait to be accepted.
    case requests
    /// The user's own devices.
    case devices
    /// The members of a conversation that the user is in.
    case members(ConversationID)
    /// The members of a group, their roles, and what is undecided there.
    case roster(ConversationID)
}
