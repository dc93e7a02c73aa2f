internal import Formats

/// What ``Dialling`` wants done, in order.
enum DiallingAction: Hashable, Sendable {
    /// Something that needs no more of the node: a dial, a timer, a line of the log, an answer.
    case perform(Action)
    /// Write a line that peers can cause again and again, where it is one of few.
    case tell(String)
    /// Keep on disk where a peer was linked.
    case keep(KnownPeer)
    /// Tell the user that more is announced than can be tried, though links are missing.
    case alert
    /// Count a refusal.
    case refuse(address: String, peer: PeerID?, reason: String)
}
