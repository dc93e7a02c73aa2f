public import Crypto

/// The Ed25519 key that names a peer.
public struct PeerID: Hashable, Comparable, Sendable {
    /// The public key, 32 bytes.
    public let key: Bytes32

    /// Wraps a public key; whether it is an acceptable point is checked where signatures are.
    public init(_ key: Bytes32) { self.key = key }

    /// Orders by bytes, as the wire protocol does.
    public static func < (left: PeerID, right: PeerID) -> Bool { left.key < right.key }
}

/// The 32-byte id of a conversation; for an open room a hash of its name.
public struct ConversationID: Hashable, Comparable, Sendable {
    /// The id, 32 bytes.
    public let hash: Bytes32

    /// Wraps an id.
    public init(_ hash: Bytes32) { self.hash = hash }

    /// Orders by bytes.
    public static func < (left: ConversationID, right: ConversationID) -> Bool {
        left.hash < right.hash
    }
}

/// The BLAKE2b-256 hash of an entry's header, which names the entry.
public struct EntryID: Hashable, Comparable, Sendable {
    /// The hash, 32 bytes.
    public let hash: Bytes32

    /// Wraps a hash.
    public init(_ hash: Bytes32) { self.hash = hash }

    /// Orders by bytes, as deps are ordered in a header.
    public static func < (left: EntryID, right: EntryID) -> Bool { left.hash < right.hash }
}

/// Which log within a conversation: an author and one (re)start of that author's history.
public struct LogName: Hashable, Comparable, Sendable {
    /// Whose log it is.
    public let author: PeerID
    /// Random; a new one begins whenever continuity of the author's own log is not proven.
    public let incarnation: UInt64

    /// Names a log.
    public init(author: PeerID, incarnation: UInt64) {
        self.author = author
        self.incarnation = incarnation
    }

    /// Orders by author, then incarnation: the order of logs in a digest.
    public static func < (left: LogName, right: LogName) -> Bool {
        (left.author, left.incarnation) < (right.author, right.incarnation)
    }
}

/// Which log of all: a conversation and the log's name in it.
public struct LogKey: Hashable, Comparable, Sendable {
    /// The conversation.
    public let conversation: ConversationID
    /// The log within it.
    public let name: LogName

    /// Names a log.
    public init(conversation: ConversationID, name: LogName) {
        self.conversation = conversation
        self.name = name
    }

    /// Orders by conversation, then by name.
    public static func < (left: LogKey, right: LogKey) -> Bool {
        (left.conversation, left.name) < (right.conversation, right.name)
    }
}

/// A position in a log.
public struct Head: Hashable, Sendable {
    /// The number of entries, from 1; 0 for an empty log.
    public var seq: UInt64
    /// The id of the entry at `seq`; zeros for an empty log.
    public var id: EntryID
    /// The time of the entry at `seq`; zero for an empty log.
    public var time: HybridTime

    /// Names a position.
    public init(seq: UInt64, id: EntryID, time: HybridTime) {
        self.seq = seq
        self.id = id
        self.time = time
    }

    /// The position before the first entry.
    public static let start = Head(seq: 0, id: EntryID(Bytes32.zero), time: HybridTime(0))
}
