/// How reachable somebody is, as they tell themselves.
package enum PresenceWord: String, WordValue {
    /// They are there.
    case online
    /// They have left their machine for a while.
    case away
    /// They are not linked.
    case offline
}
