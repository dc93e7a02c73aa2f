public import Engine

/// What tells the database's file from its copies.
///
/// The caller reads it, since reading birth times takes statx(2).
public struct StoreFileIdentity: Hashable, Sendable {
    /// The inode on its device.
    public var inode: UInt64
    /// Nanoseconds since 1970 at which the inode was made; nil where the file system does not say.
    public var birthNanoseconds: Int64?

    /// Creates an identity.
    public init(inode: UInt64, birthNanoseconds: Int64?) {
        self.inode = inode
        self.birthNanoseconds = birthNanoseconds
    }
}

/// A place in the display order (hlc, author, incarnation, seq) of a conversation.
public struct DisplayPosition: Hashable, Sendable {
    /// The author's clock.
    public var time: HybridTime
    /// The log.
    public var name: LogName
    /// The number in the log.
    public var seq: UInt64

    /// Names a place.
    public init(time: HybridTime, name: LogName, seq: UInt64) {
        self.time = time
        self.name = name
        self.seq = seq
    }

    /// The place of an entry.
    public init(_ entry: StoredEntry) {
        self.init(time: entry.time, name: entry.key.name, seq: entry.seq)
    }
}

/// Which part of a conversation to read.
public struct HistoryQuery: Hashable, Sendable {
    /// From where to read.
    public enum Direction: Hashable, Sendable {
        /// The last entries.
        case last
        /// The last entries before a place.
        case before(DisplayPosition)
        /// The first entries behind a place.
        case after(DisplayPosition)
        /// The first entries from a place on.
        case from(DisplayPosition)
        /// The first entries of all.
        case first
    }

    /// The conversation.
    public var conversation: ConversationID
    /// The most entries to give.
    public var limit: Int
    /// From where to read.
    public var direction: Direction
    /// Only entries of this time or later; nil for all.
    public var since: HybridTime?
    /// The most payload bytes to give; the first entry is given whatever its size.
    public var byteLimit: Int

    /// Asks for a part of a conversation.
    public init(
        conversation: ConversationID, limit: Int, direction: Direction = .last,
        since: HybridTime? = nil, byteLimit: Int = 8_388_608
    ) {
        self.conversation = conversation
        self.limit = limit
        self.direction = direction
        self.since = since
        self.byteLimit = byteLimit
    }
}

/// A part of a conversation in display order, oldest first.
public struct HistoryPage: Hashable, Sendable {
    /// The entries.
    public var entries: [StoredEntry]
    /// Whether the same query would have gone on, in its own direction.
    public var hasMore: Bool
}

/// Entries and notices, each in the order of their arrival.
public struct Arrivals: Hashable, Sendable {
    /// The entries.
    public var entries: [StoredEntry]
    /// The notices, where they were asked for.
    public var notices: [StoredNotice]
    /// How far the answer reaches: nothing that was asked for is missing up to here.
    ///
    /// Ask from here next.
    public var through: Cursor
    /// Whether more follows that the limits kept out.
    public var hasMore: Bool

    /// Gathers entries and notices.
    public init(
        entries: [StoredEntry], notices: [StoredNotice] = [], through: Cursor, hasMore: Bool
    ) {
        self.entries = entries
        self.notices = notices
        self.through = through
        self.hasMore = hasMore
    }

    /// Keeps what arrived up to a cursor: more follows.
    mutating func end(at cursor: Cursor) {
        self.through = cursor
        self.hasMore = true
        self.notices.removeAll { $0.cursor > cursor }
    }
}

/// One line about a conversation.
public struct ConversationSummary: Hashable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// How many shown messages of others stand behind the read position.
    public var unread: Int
    /// How many of these call the user by name.
    public var mentions = 0
    /// What the user has read; 0 for nothing.
    public var readCursor: Cursor
    /// What was said last about what it is about; nil where nobody has.
    public var topic: StoredEntry?
    /// The last shown message in display order; joins and leaves do not count.
    public var lastMessage: StoredEntry?
}

/// What a conversation takes.
public struct ConversationUsage: Hashable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// How many entries it has.
    public var entries: Int
    /// What their payloads take.
    public var bytes: Int
}

/// Own messages that nobody else has yet.
public struct WaitingMessages: Hashable, Sendable {
    /// How many.
    public var messages = 0
    /// Whether they are about so many, since not all was looked at.
    public var isEstimate = false
    /// The logs in which they are.
    public var logs: Set<LogKey> = []
    /// The time of the oldest of them; nil where there are none.
    public var since: HybridTime?
}

/// Where a durable consumer stands.
public struct ConsumerPosition: Hashable, Sendable {
    /// The consumer's name.
    public var name: String
    /// The conversation; nil for the position over all of them.
    public var conversation: ConversationID?
    /// Up to where it has acknowledged.
    public var cursor: Cursor
}

/// How much is stored.
public struct StoreCounts: Hashable, Sendable {
    /// All entries, held ones too.
    public var entries: Int
    /// Entries that are not yet due.
    public var held: Int
    /// Conversations of which anything is known.
    public var conversations: Int
    /// Logs.
    public var logs: Int
    /// The size of the database without its write-ahead log, in bytes.
    public var databaseBytes: Int
    /// Of that, what something stands in.
    public var usedBytes: Int
}

/// Something that is wrong in the store.
public struct CheckFinding: Hashable, Sendable {
    /// The log that is concerned; nil for the file as a whole.
    public var log: LogKey?
    /// The number of the entry that is concerned.
    public var seq: UInt64?
    /// What is wrong.
    public var text: String
}
