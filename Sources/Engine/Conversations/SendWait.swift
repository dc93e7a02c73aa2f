/// What the own messages of a conversation wait for.
package enum SendWait: Hashable, Sendable {
    /// The person is not linked: nobody else passes on what is for them alone.
    case away
    /// The same, and something that they wrote a moment ago came through others.
    case indirect
    /// The person is linked, and has not let the user in.
    case unaccepted
    /// Nobody else of the room is linked.
    case nobody
}
