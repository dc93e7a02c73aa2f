public import Crypto

/// The classes of traffic on one link, most urgent first.
///
/// `Docs/Protocol/Wire.md` section 3.
public enum Channel: UInt8, Hashable, Sendable, CaseIterable {
    /// Pings, credits, goodbyes, room announcements: never held back.
    case control = 0
    /// New entries from their author.
    case live = 1
    /// Digests, clocks, wants and catch-up.
    case sync = 2
}

/// Why a link ends, as it is told to the peer.
///
/// `Docs/Protocol/Wire.md`, "Reasons of goaway".
public enum GoawayReason: UInt64, Hashable, Sendable {
    /// The daemon stops.
    case shutdown = 1
    /// Another link between the same two stays.
    case duplicate = 2
    /// The peer's key runs in another daemon, too.
    case identityInUse = 3
    /// The peer sent what the protocol does not allow.
    case protocolViolation = 4
    /// All links are taken.
    case busy = 5
    /// The dialled address is the dialling node itself.
    case `self` = 6
    /// The disk cannot be written.
    case storage = 7
    /// The user has blocked the peer.
    case blocked = 8
    /// Nothing came from the peer for too long.
    case dead = 9
}

/// A log in somebody's vector clock, named by a tag that only this link can compute.
public struct ClockRow: Hashable, Sendable {
    /// What the sender says of the log.
    public enum State: UInt8, Hashable, Sendable {
        /// Nothing special.
        case open = 0
        /// A fork is proven; `seq` stands before its point.
        case forked = 1
        /// The sender does not want this log.
        case refused = 2
    }

    /// The log's tag on this link.
    public var tag: UInt64
    /// The number of entries that the sender has on disk, without a gap.
    public var seq: UInt64
    /// The tag of the id at `seq`; 0 where `seq` is 0.
    public var headTag: UInt64
    /// The log's state.
    public var state: State

    /// Creates a row.
    public init(tag: UInt64, seq: UInt64, headTag: UInt64, state: State) {
        self.tag = tag
        self.seq = seq
        self.headTag = headTag
        self.state = state
    }
}

/// A record that the sender has: its author by tag, its kind and time.
public struct RecordRow: Hashable, Sendable {
    /// The author's tag on this link.
    public var tag: UInt64
    /// The record's kind.
    public var kind: UInt8
    /// The record's time.
    public var time: HybridTime

    /// Creates a row.
    public init(tag: UInt64, kind: UInt8, time: HybridTime) {
        self.tag = tag
        self.kind = kind
        self.time = time
    }
}

/// A request for entries of one log.
public struct Want: Hashable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The log's tag on this link.
    public var tag: UInt64
    /// The first seq that is lacking.
    public var from: UInt64
    /// The last seq that is asked for.
    public var through: UInt64

    /// Creates a request.
    public init(conversation: ConversationID, tag: UInt64, from: UInt64, through: UInt64) {
        self.conversation = conversation
        self.tag = tag
        self.from = from
        self.through = through
    }
}

/// One message between two nodes.
///
/// `Docs/Protocol/Wire.md` section 3.
public enum Frame: Hashable, Sendable {
    /// Are you there? Carries the sender's wall clock in milliseconds.
    case ping(nonce: UInt64, clock: UInt64)
    /// The answer to a ping, with its nonce and the answerer's clock.
    case pong(nonce: UInt64, clock: UInt64)
    /// The receiver of a channel has consumed so many bytes.
    case credit(Channel, bytes: UInt64)
    /// The link ends, and why.
    case goaway(GoawayReason?, String)
    /// Open rooms that the sender is in.
    case rooms([RoomName])
    /// Rooms that the sender has left.
    case roomsLeft([ConversationID])
    /// New entries from their author.
    case liveRun(Run)
    /// The digest of all that the sender has of a conversation.
    case digest(ConversationID, Bytes32)
    /// The sender's vector clock, whole or what has changed.
    case clock(ConversationID, isComplete: Bool, [ClockRow])
    /// A request for entries.
    case want(Want)
    /// Entries that were asked for.
    case syncRun(Run)
    /// The sender cannot serve a want.
    case unavailable(ConversationID, tag: UInt64, from: UInt64)
    /// Records.
    case records([Record])
    /// Which records the sender has.
    case recordClock(ConversationID, [RecordRow])
    /// Proof of a fork.
    case forkProof(ForkProof)
}

/// A frame in its final bytes, ready for any number of links.
public struct EncodedFrame: Hashable, Sendable {
    /// The channel that the frame's type belongs to.
    public let channel: Channel
    /// Type, length and body.
    public let bytes: [UInt8]
}

/// A frame that came in, and what it counts against credit.
public struct ReceivedFrame: Hashable, Sendable {
    /// The frame; nil for one of an unknown kind that may be skipped.
    public let frame: Frame?
    /// Its channel.
    public let channel: Channel
    /// The bytes of the whole frame, uncut.
    public let byteCount: Int
}
