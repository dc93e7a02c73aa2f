internal import Crypto
internal import Formats

/// What is exchanged of groups with the device at the other end of a link.
struct GroupPeer {
    let person: PersonID
    let device: PeerID
    /// That of the device, which the handshake has checked.
    let certificate: Certificate
    /// Whether its person has revoked the device: the link ends once that is on the disk.
    var isRevoked = false
    var groups: [ConversationID: GroupExchange] = [:]
    /// Groups of the user in which the peer shows to be.
    var shown: Set<ConversationID> = []
    /// Links of groups that both ends have shown: the peer comes by one, or the user does.
    var openedLinks: Set<ActID> = []
    /// How many joins of its own were looked at.
    var joins = 0
    /// How many keys it may be given before its link is looked at again.
    var keysDue = Limits.keysAtOnce
}

/// What is exchanged of one group.
struct GroupExchange {
    /// Whether both sides are in the group, by the acts that each has.
    private(set) var isShared = false
    /// Of the acts that the peer was told of last.
    var told: Bytes32?
    /// The acts that the peer has told of last.
    var theirHeads: [ActID] = []
    /// Open questions: each is answered by one frame.
    var wants: [[ActID]] = []
    /// Acts that came and are not taken, for want of room or since they are forged: they are not asked for again.
    var refused: Set<ActID> = []
    /// Keys that the peer was given, or has.
    var given: Set<Bytes32> = []
    /// Keys that wait for what their makers tell of them.
    var keys: [Bytes32: Bytes32] = [:]
    /// The acts that the peer was greeted with last: that brought its person, or put one of the two out.
    var greeted: Set<ActID> = []

    mutating func begin() { self.isShared = true }

    /// Ends what members share; what one of the two lacks may be told anew.
    mutating func end() { self = GroupExchange() }
}
