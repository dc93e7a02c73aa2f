/// How reachable somebody is, as they tell themselves.
package enum PresenceWord: String, WordValue {
    /// They are there.
    case online
    /// They have left their machine for a while.
    case away
    /// They are not linked.
    case offline
}

/// How somebody comes or goes, as a conversation is told of it.
package enum ComingWord: String, WordValue {
    /// They are there, for the first time since the daemon has started.
    case joined
    case back
    case away
    /// They have said goodbye.
    case left
    /// The link to them was lost.
    case interrupted
}
