package import Crypto
package import Engine
package import Formats

/// What tells the database's file from its copies.
///
/// The caller reads it, since reading birth times takes statx(2).
package struct StoreFileIdentity: Hashable, Sendable {
    /// The inode on its device.
    package var inode: UInt64
    /// Nanoseconds since 1970 at which the inode was made; nil where the file system does not say.
    package var birthNanoseconds: Int64?

    package init(inode: UInt64, birthNanoseconds: Int64?) {
        self.inode = inode
        self.birthNanoseconds = birthNanoseconds
    }
}

/// Runs in the order in which they have come.
package struct ArrivedRuns: Sendable {
    package struct Element: Sendable {
        package var run: Run
        /// Whether texts of it were deleted, so that it takes the place of one that still has them.
        package var replaces: Bool
        /// Of a group, the key under which it goes.
        package var key: Bytes32?
    }

    package var runs: [Element] = []
    /// Up to where these are all.
    package var through: ArrivalPlace
    /// Whether nothing has come since.
    package var isAll = false

    init(through place: ArrivalPlace) { self.through = place }
}

/// A place among what has come to a store.
package struct ArrivalPlace: Equatable, Sendable {
    /// The arrival of the last run of which all was given.
    package var arrival: Int64 = 0
    /// How many of the runs that go with the next one, and of those that it has emptied, are done.
    package var within = 0

    package init(arrival: Int64 = 0, within: Int = 0) {
        (self.arrival, self.within) = (arrival, within)
    }
}

/// A place in the display order (hlc, author, incarnation, seq) of a conversation.
package struct DisplayPosition: Hashable, Sendable {
    /// The author's clock.
    package var time: HybridTime
    package var name: LogName
    /// The number in the log.
    package var seq: UInt64

    /// Names a place.
    package init(time: HybridTime, name: LogName, seq: UInt64) {
        self.time = time
        self.name = name
        self.seq = seq
    }

    /// The place of an entry.
    package init(_ entry: StoredEntry) {
        self.init(time: entry.time, name: entry.key.name, seq: entry.seq)
    }
}

/// Which part of a conversation to read.
package struct HistoryQuery: Hashable, Sendable {
    /// From where to read.
    package enum Direction: Hashable, Sendable {
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

    package var conversation: ConversationID
    /// The most entries to give.
    package var limit: Int
    /// From where to read.
    package var direction: Direction
    /// Only entries of this time or later; nil for all.
    package var since: HybridTime?
    /// The most payload bytes to give; the first entry is given whatever its size.
    package var byteLimit: Int

    /// Asks for a part of a conversation.
    package init(
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
package struct HistoryPage: Hashable, Sendable {
    package var entries: [StoredEntry]
    /// Whether the same query would have gone on, in its own direction.
    package var hasMore: Bool
}

/// Entries and notices, each in the order of their arrival.
package struct Arrivals: Hashable, Sendable {
    package var entries: [StoredEntry]
    /// The notices, where they were asked for.
    package var notices: [StoredNotice]
    /// How far the answer reaches: nothing that was asked for is missing up to here.
    ///
    /// Ask from here next.
    package var through: Cursor
    /// Whether more follows that the limits kept out.
    package var hasMore: Bool

    /// Gathers entries and notices.
    package init(
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
package struct ConversationSummary: Hashable, Sendable {
    package var conversation: ConversationID
    /// How many shown messages of others stand behind the read position.
    package var unread: Int
    /// How many of these call the user by name.
    package var mentions = 0
    /// What the user has read; 0 for nothing.
    package var readCursor: Cursor
    /// What was said last about what it is about; nil where nobody has.
    package var topic: StoredEntry?
    /// The first unread message in display order; nil where none is unread, or too many are to look for it.
    package var firstUnread: EntryID?
    /// The last shown message in display order; joins and leaves do not count.
    package var lastMessage: StoredEntry?
}

package struct ConversationUsage: Hashable, Sendable {
    package var conversation: ConversationID
    /// How many entries it has.
    package var entries: Int
    /// What their payloads take.
    package var bytes: Int
    /// What of that streams have brought.
    package var streamBytes: Int
}

/// Own messages that nobody else has yet.
package struct WaitingMessages: Hashable, Sendable {
    package var messages = 0
    /// Whether they are about so many, since not all was looked at.
    package var isEstimate = false
    /// The logs in which they are.
    package var logs: Set<LogKey> = []
    /// The time of the oldest of them; nil where there are none.
    package var since: HybridTime?
}

/// Where a durable consumer stands.
package struct ConsumerPosition: Hashable, Sendable {
    package var name: String
    /// The conversation; nil for the position over all of them.
    package var conversation: ConversationID?
    /// Up to where it has acknowledged.
    package var cursor: Cursor
}

/// How much is stored.
package struct StoreCounts: Hashable, Sendable {
    /// All entries, held ones too.
    package var entries: Int
    /// Entries that are not yet due.
    package var held: Int
    /// Conversations of which anything is known.
    package var conversations: Int
    package var logs: Int
    /// The size of the database without its write-ahead log, in bytes.
    package var databaseBytes: Int
    /// Of that, what something stands in.
    package var usedBytes: Int
}

/// Something that is wrong in the store.
package struct CheckFinding: Hashable, Sendable {
    /// The log that is concerned; nil for the file as a whole.
    package var log: LogKey?
    /// The number of the entry that is concerned.
    package var seq: UInt64?
    package var text: String
}
