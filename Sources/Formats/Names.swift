package import Crypto

/// The Ed25519 key that names a peer.
package struct PeerID: Hashable, Comparable, Sendable {
    /// The public key, 32 bytes.
    package let key: Bytes32

    /// Wraps a public key; whether it is an acceptable point is checked where signatures are.
    package init(_ key: Bytes32) { self.key = key }

    /// Orders by bytes, as the wire protocol does.
    package static func < (left: PeerID, right: PeerID) -> Bool { left.key < right.key }
}

/// The 32-byte id of a conversation; for an open room a hash of its name.
package struct ConversationID: Hashable, Comparable, Sendable {
    /// The id, 32 bytes.
    package let hash: Bytes32

    package init(_ hash: Bytes32) { self.hash = hash }

    package static func < (left: ConversationID, right: ConversationID) -> Bool {
        left.hash < right.hash
    }
}

/// The BLAKE2b-256 hash of an entry's header, which names the entry.
package struct EntryID: Hashable, Comparable, Sendable {
    /// The hash, 32 bytes.
    package let hash: Bytes32

    package init(_ hash: Bytes32) { self.hash = hash }

    /// Orders by bytes, as deps are ordered in a header.
    package static func < (left: EntryID, right: EntryID) -> Bool { left.hash < right.hash }
}

/// Which log within a conversation: an author and one (re)start of that author's history.
package struct LogName: Hashable, Comparable, Sendable {
    package let author: PeerID
    /// Random; a new one begins whenever continuity of the author's own log is not proven.
    package let incarnation: UInt64

    package init(author: PeerID, incarnation: UInt64) {
        self.author = author
        self.incarnation = incarnation
    }

    /// Orders by author, then incarnation: the order of logs in a digest.
    package static func < (left: LogName, right: LogName) -> Bool {
        (left.author, left.incarnation) < (right.author, right.incarnation)
    }
}

/// Which log of all: a conversation and the log's name in it.
package struct LogKey: Hashable, Comparable, Sendable {
    package let conversation: ConversationID
    /// The log within it.
    package let name: LogName

    package init(conversation: ConversationID, name: LogName) {
        self.conversation = conversation
        self.name = name
    }

    /// Orders by conversation, then by name.
    package static func < (left: LogKey, right: LogKey) -> Bool {
        (left.conversation, left.name) < (right.conversation, right.name)
    }
}

/// A position in a log.
package struct Head: Hashable, Sendable {
    /// The number of entries, from 1; 0 for an empty log.
    package var seq: UInt64
    /// The id of the entry at `seq`; zeros for an empty log.
    package var id: EntryID
    /// The time of the entry at `seq`; zero for an empty log.
    package var time: HybridTime

    /// Names a position.
    package init(seq: UInt64, id: EntryID, time: HybridTime) {
        self.seq = seq
        self.id = id
        self.time = time
    }

    /// The position before the first entry.
    package static let start = Head(seq: 0, id: EntryID(Bytes32.zero), time: HybridTime(0))
}
