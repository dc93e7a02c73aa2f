package import Crypto

/// The classes of traffic on one link.
///
/// `Docs/Protocol/Wire.md` section 3.
package enum Channel: UInt8, Hashable, Sendable, CaseIterable {
    /// Pings, credits, goodbyes, room announcements: never held back.
    case control = 0
    /// New entries from their author.
    case live = 1
    /// Digests, clocks, wants and catch-up.
    case sync = 2
    /// The bytes of files.
    case blob = 3
    /// What is worth nothing later, never held back.
    case ephemeral = 4

    /// Whether what is sent on it is bounded by credit.
    package var hasCredit: Bool {
        switch self {
        case .live, .sync, .blob: true
        case .control, .ephemeral: false
        }
    }

    /// The most bytes of one frame, its type and length included.
    var frameBytes: Int {
        switch self {
        case .control: Limits.controlFrameBytes
        case .live, .sync, .blob: Limits.frameBytes
        case .ephemeral: Limits.ephemeralFrameBytes
        }
    }
}

/// Why a link ends, as it is told to the peer.
///
/// `Docs/Protocol/Wire.md`, "Reasons of goaway".
package enum GoawayReason: UInt64, Hashable, Sendable {
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
    /// The peer has links enough, and no conversation that needs this one.
    case notNeeded = 10
}

/// A log in somebody's vector clock, named by a tag that only this link can compute.
package struct ClockRow: Hashable, Sendable {
    /// What the sender says of the log.
    package enum State: UInt8, Hashable, Sendable {
        /// Nothing special.
        case open = 0
        /// A fork is proven; `seq` stands before its point.
        case forked = 1
        /// The sender does not want this log.
        case refused = 2
    }

    /// The log's tag on this link.
    package var tag: UInt64
    /// The log's state.
    package var state: State
    /// The last entry up to which the sender has all on disk, but for what ``first`` leaves out.
    package var seq: UInt64
    /// The tag of the id at `seq`; 0 where `seq` is 0.
    package var headTag: UInt64
    /// Of the entries before this one the sender has the very first at most; 1 where it has all.
    package var first: UInt64 = 1
    /// The last entry up to which the sender has all payloads that are to be had; nil for `seq`.
    package var whole: UInt64?
    /// The last entry before those that are held, because they are ahead of time; nil for `seq`.
    package var shown: UInt64?

    /// What a row takes nearly always: two tags, a state and a small seq.
    package static let typicalBytes = 8 + 1 + 2 + 8
    /// The most that a row takes that this node sends, but for logs of billions of entries.
    package static let mostBytesSent = 8 + 1 + 5 + 8 + 3 * 5

    /// Creates a row of a log of which the sender has all up to `seq`.
    package init(tag: UInt64, state: State, seq: UInt64, headTag: UInt64) {
        self.tag = tag
        self.state = state
        self.seq = seq
        self.headTag = headTag
    }
}

/// All logs of one bucket: one that has no row in it has no entries at the sender.
package struct ClockPage: Hashable, Sendable {
    package var bucket: UInt8
    /// Its logs, ascending by tag.
    package var rows: [ClockRow]

    package init(bucket: UInt8, rows: [ClockRow]) {
        self.bucket = bucket
        self.rows = rows
    }
}

/// A record that the sender has: its author by tag, its scope, kind and time, and which one it is.
package struct RecordRow: Hashable, Sendable {
    /// The author's tag on this link.
    package var tag: UInt64
    /// Whether the record is one of the conversation (1) or of all (0).
    package var scope: UInt8
    package var kind: UInt8
    package var time: HybridTime
    /// The record's tag on this link: of one time there may be several.
    package var recordTag: UInt64

    package init(tag: UInt64, scope: UInt8, kind: UInt8, time: HybridTime, recordTag: UInt64) {
        self.tag = tag
        self.scope = scope
        self.kind = kind
        self.time = time
        self.recordTag = recordTag
    }
}

/// A request for entries of one log.
package struct Want: Hashable, Sendable {
    package var conversation: ConversationID
    /// The log's tag on this link.
    package var tag: UInt64
    /// The first seq that is lacking.
    package var from: UInt64
    /// The last seq that is asked for.
    package var through: UInt64

    package init(conversation: ConversationID, tag: UInt64, from: UInt64, through: UInt64) {
        self.conversation = conversation
        self.tag = tag
        self.from = from
        self.through = through
    }
}

/// One message between two nodes.
///
/// `Docs/Protocol/Wire.md` section 3.
package enum Frame: Hashable, Sendable {
    /// Are you there? Carries the sender's wall clock in milliseconds.
    case ping(nonce: UInt64, clock: UInt64)
    /// The answer to a ping, with its nonce and the answerer's clock.
    case pong(nonce: UInt64, clock: UInt64)
    /// The receiver of a channel has consumed so many bytes.
    case credit(Channel, bytes: UInt64)
    /// The link ends, and why.
    case goaway(GoawayReason?, String)
    /// Tags of the realms that the sender is in, among random ones.
    case realms([Bytes16])
    /// Open rooms that the sender is in, of the realm that it shows by a tag.
    case rooms(Bytes16, [RoomName])
    /// Rooms that the sender has left.
    case roomsLeft([ConversationID])
    /// New entries from their author.
    case liveRun(Run)
    /// The digest of all that the sender has of a conversation.
    case digest(ConversationID, ConversationDigest)
    /// The tags of all 256 buckets of the sender's logs.
    case buckets(ConversationID, [UInt64])
    /// Pages of the sender's vector clock.
    case clock(ConversationID, [ClockPage])
    /// What has changed in the sender's vector clock.
    case delta(ConversationID, [ClockRow])
    /// A request for entries.
    case want(Want)
    /// Entries that were asked for.
    case syncRun(Run)
    /// The sender cannot serve a want.
    case unavailable(ConversationID, tag: UInt64, from: UInt64)
    case records([Record])
    /// Which records the sender has.
    case recordClock(ConversationID, [RecordRow])
    case forkProof(ForkProof)
    /// Which acts of a group the sender has.
    case actHeads(ActHeads)
    /// A request for acts.
    case actWant(ActWant)
    /// Acts of a group, each behind its basis.
    case acts(ConversationID, [Act])
    /// Keys of a group, ascending by their ids.
    case epochKeys(ConversationID, [EpochKey])
    /// Keys of a group for devices that others are linked with.
    case sealedKeys(ConversationID, [SealedKey])
    /// A request for payloads of entries that are here without them.
    case payloadWant(Want)
    /// Payloads that were asked for, or what became of them.
    case payloads(Payloads)
    /// Where devices of the realm that the sender shows by a tag can be dialled.
    case addresses(AddressNews)
    /// Tags of the conversations that the sender is in and that are no open rooms, among random ones.
    case shares([UInt64])
    /// Dial the sender at this port of the host that its link comes from.
    case dialBack(port: UInt16)
    /// What became of such a dial.
    case dialledBack(DialBackOutcome)
    /// How much has the receiver of a file of a conversation, or of a picture that a profile names?
    case blobAsk(ConversationID?, BlobID)
    /// How much of a file the sender has.
    case blobHoldings(BlobHoldings)
    /// A request for a part of a file.
    case blobWant(BlobWant)
    /// The sender does not serve a request for a part of a file.
    case blobUnavailable(number: UInt64)
    /// Bytes of a part of a file.
    case blobPiece(BlobPiece)
    /// A piece of a stream that is worth nothing later.
    case ephemeral(EphemeralPiece)
    /// Whether the sender's user is there.
    case presence(Presence)
    /// A step on the way to another device of a person.
    case device(DeviceStep)
    /// A piece of what a new device is handed, at most ``Limits/handOverPieceBytes``.
    case handOver(isLast: Bool, [UInt8])
}

/// A frame in its final bytes, ready for any number of links.
package struct EncodedFrame: Hashable, Sendable {
    /// The channel that the frame's type belongs to.
    package let channel: Channel
    /// Type, length and body.
    package let bytes: [UInt8]
}

/// A frame that came in, and what it counts against credit.
package struct ReceivedFrame: Hashable, Sendable {
    /// The frame; nil for one of an unknown kind that may be skipped.
    package let frame: Frame?
    package let channel: Channel
    /// The bytes of the whole frame, uncut.
    package let byteCount: Int
}
