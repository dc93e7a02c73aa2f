package import Formats

/// All that one transaction of the store writes; committed whole or not at all.
///
/// The node makes one batch at a time and waits for its ``BatchOutcome``.
package struct Batch: Hashable, Sendable {
    /// Counts the batches of this start; comes back in the outcome.
    package var number: UInt64
    /// When it was given to the store, wall-clock milliseconds.
    package var time: UInt64 = 0
    /// Logs that give way, before anything else is written; of a long one a part goes, from its end.
    package var drops: [LogKey] = []
    /// What is noted of logs from here on, after the appends.
    package var logMarks: [LogKey: LogMarks] = [:]
    /// Runs to append to their logs, in order.
    ///
    /// Each starts right behind its log's head.
    package var appends: [Append] = []
    /// Payloads to put where they are missing; one whose entry does not want it any longer is left
    /// out.
    package var fills: [PayloadFill] = []
    /// Payloads that are not kept any longer, after all of these.
    package var expiry: Expiry?
    /// Records that take the place of the stored ones of the same author, conversation and kind.
    ///
    /// Usually newer ones; but one that is ahead of time gives way to any that is not.
    package var records: [Record] = []
    /// Records for which there is no room any longer.
    package var droppedRecords: [RecordKey] = []
    /// Proofs that end logs; each log's smallest point counts.
    package var proofs: [ForkProof] = []
    /// Conversations that the user joined, began or left.
    package var membership: [ConversationID: ConversationMembership] = [:]
    /// What the user has said of conversations in their list.
    package var arrangements: [ConversationID: Arrangement] = [:]
    /// How much of what is said in conversations is kept from here on.
    package var retentions: [ConversationID: Retention] = [:]
    /// How far members have own logs, and how far the own user has read those of others on another device; they
    /// never move back.
    package var positions: [LogKey: [PeerID: MemberPosition]] = [:]
    /// Up to where the user has read conversations.
    package var reads: [ConversationID: Cursor] = [:]
    /// Held entries up to these times are due: they become shown and get cursors, a share of them at once.
    package var release: Due?
    /// What to remember of peers.
    package var peers: [KnownPeer] = []
    /// Of whom nothing is remembered any longer, before what is: their addresses and records go, and
    /// their keys where nothing else names them.
    package var forgotten: [PeerID] = []
    /// Acts and keys of groups.
    package var groups = GroupWrites()
    /// Whom the user knows from here on (true), or no longer (false).
    package var people: [PeerID: Standing] = [:]
    /// Who waits to be let in, or does no longer.
    package var requests = RequestWrites()
    /// What subscribers are told beside entries, in order; they arrive after all entries of the batch.
    package var notices: [Notice] = []
    /// How far those are trusted of whom the store tells by itself: of whom it erases, and who has own messages.
    package var tiers: [PeerID: Tier] = [:]
    /// The incarnation that own logs have from here on.
    package var incarnation: UInt64?
    /// Whether this brings catch-up while live messages come or go, which wait for whatever the store
    /// does.
    package var isBesideLive = false

    package init(number: UInt64) { self.number = number }

    /// Whether nothing is to be written.
    package var isEmpty: Bool {
        self.appends.isEmpty && self.drops.isEmpty && self.logMarks.isEmpty
            && self.fills.isEmpty && self.expiry == nil && self.records.isEmpty
            && self.droppedRecords.isEmpty
            && self.proofs.isEmpty
            && self.membership.isEmpty && self.arrangements.isEmpty && self.retentions.isEmpty
            && self.release == nil && self.peers.isEmpty
            && self.positions.isEmpty && self.reads.isEmpty
            && self.forgotten.isEmpty && self.people.isEmpty
            && self.requests.isEmpty
            && self.groups.isEmpty
            && self.notices.isEmpty && self.incarnation == nil
    }
}

/// What one transaction writes of those who wait to be let in.
package struct RequestWrites: Hashable, Sendable {
    /// Requests to keep, in the place of earlier ones of the same people.
    package var kept: [DirectRequest] = []
    /// People whose requests are over, before those are kept.
    package var ended: [PersonID] = []

    package init() {}

    package var isEmpty: Bool { self.kept.isEmpty && self.ended.isEmpty }
}

/// A run to append, and what the store must know of its entries.
package struct Append: Hashable, Sendable {
    /// The verified run; it starts right behind the log's head.
    package var run: VerifiedRun
    /// What becomes of each entry, by what it says: the store parses none.
    package var verdicts: [EntryVerdict]
    /// Whose log it is; nil where its first entry does not say so.
    package var person: PersonID?
    /// That person's keys, where the run has the first entry.
    package var keys: PublicPerson?
    /// Entries at or above this index are ahead of time: stored, not shown.
    ///
    /// Times grow within a run.
    package var heldFrom: Int
    /// Shown entries older than this are flagged as late; zero for none.
    package var lateBefore: HybridTime
    /// Whether the user knows its author, so that it is held for less long.
    package var isOfKnown = false
    /// From where its log came, where this begins one; nil for an own one.
    package var source: Source?
    /// Idempotency keys of own entries, by index in the run.
    package var idempotencyKeys: [Int: String]
    /// What each entry says, read when they came or were written; nil where nothing of one can be shown.
    ///
    /// Empty where they are to be read again.
    var contents: [Content?] = []

    /// Creates an append.
    ///
    /// - Precondition: there is a verdict for each entry.
    package init(
        run: VerifiedRun, verdicts: [EntryVerdict], person: PersonID?, heldFrom: Int,
        lateBefore: HybridTime = HybridTime(0), idempotencyKeys: [Int: String] = [:]
    ) {
        precondition(verdicts.count == run.ids.count, "every entry has a verdict")
        self.run = run
        self.verdicts = verdicts
        self.person = person
        self.heldFrom = heldFrom
        self.lateBefore = lateBefore
        self.idempotencyKeys = idempotencyKeys
    }
}

/// What a committed batch made of its entries.
package struct BatchOutcome: Hashable, Sendable {
    package var number: UInt64
    /// The cursors of the entries of each append, in the batch's order; nil for an entry that is
    /// held, or disputed before it was shown.
    package var cursors: [[Cursor?]]
    /// Entries that were released, in display order of their release.
    package var released: [StoredEntry]
    /// The cursors of the batch's notices.
    package var notices: [Cursor]
    /// Entries that people see now that their payloads have come, with new cursors, and such as came
    /// before the messages of which they say something, with these, in the order of cursors.
    package var filled: [StoredEntry] = []
    /// The entries whose payloads are erased now, whichever came first, they or the entry that says so.
    package var erased: [Erasure] = []
    /// What subscribers are told that the store alone knows, behind the batch's own notices: messages
    /// that were shown and are taken back, own ones that somebody has or has read, what is unread now.
    package var ownNotices: [StoredNotice] = []
    /// What the batch's reads have come to: through which entry of each log the user has read.
    package var reads: [ConversationID: [LogName: UInt64]] = [:]
    /// What the batch's expiry has come to; nil where it has none.
    package var expired: ExpiryOutcome?
    /// What has gone of logs that give way, in the order of the batch.
    package var drops: [LogDrop] = []
    /// Files of which no entry tells any longer, or none of a conversation, since those that did are erased
    /// or expired.
    package var withdrawn: [FileWithdrawal] = []
    /// What logs take of the disk of which entries or payloads came or went; of one the last counts.
    package var sizes: [LogSize] = []
    /// How many entries are still held, and when the first of them is due.
    ///
    /// A release is bounded: where more are due than it takes, the first is still due after it, and
    /// the caller releases again.
    package var held: HeldEntries
    /// Whether the store is to make a checkpoint when nobody waits for it, lest a long one is made
    /// within another batch.
    package var isCheckpointDue = false

    /// Whether requests have ended or were declined, so that their texts are gone, or keys of a group are.
    package var hasEndedRequests = false

    /// Whether something that was on the disk is to be so no longer.
    package var hasErased: Bool {
        !self.erased.isEmpty || self.expired?.entries.isEmpty == false
            || self.hasEndedRequests || !self.drops.isEmpty
    }

    package init(
        number: UInt64, cursors: [[Cursor?]], released: [StoredEntry], notices: [Cursor] = [],
        held: HeldEntries
    ) {
        self.number = number
        self.cursors = cursors
        self.released = released
        self.notices = notices
        self.held = held
    }
}

/// What a log takes of the disk.
package struct LogSize: Hashable, Sendable {
    package var key: LogKey
    /// What its entries take, about, in bytes; 2^40 at most, so that sums have room whatever damage says.
    package var bytes: UInt64

    /// Takes the size as the store counts it.
    package init(key: LogKey, bytes: Int64) {
        self.key = key
        self.bytes = UInt64(min(max(0, bytes), 1 << 40))
    }
}

/// The entries that are stored but not yet due.
package struct HeldEntries: Hashable, Sendable {
    package var count: Int
    /// The time of the first one; nil when there are none.
    package var first: HybridTime?
    /// The time of the first one of somebody whom the user knows; nil when there are none.
    package var firstOfKnown: HybridTime?

    package init(count: Int, first: HybridTime?, firstOfKnown: HybridTime? = nil) {
        self.count = count
        self.first = first
        self.firstOfKnown = firstOfKnown
    }
}

/// A position in the node's local order of arrival, from 1; what a subscriber has processed.
package struct Cursor: Hashable, Comparable, Sendable {
    /// The number; 0 stands before everything.
    package let rawValue: Int64

    package init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// Orders by arrival.
    package static func < (left: Cursor, right: Cursor) -> Bool { left.rawValue < right.rawValue }
}

/// An entry as the store gives it back to be shown.
package struct StoredEntry: Hashable, Sendable {
    /// Its place in the order of arrival.
    package var cursor: Cursor
    package var key: LogKey
    /// Its number in the log.
    package var seq: UInt64
    package var id: EntryID
    /// The author's clock.
    package var time: HybridTime
    /// What it takes to read it.
    package var envelope: Envelope
    /// Whether people see it: what the node said when it came.
    package var isSeen: Bool
    /// Whether it arrived long after newer ones had been shown.
    package var isLate: Bool
    /// Whether it stands at or behind a proven fork point.
    package var isDisputed: Bool
    /// The edit that counts, if any, and reactions: only where it is read for people.
    package var references: [StoredEntry] = []
    /// What was said of it and does not count, since a fork has put it in dispute, the latest first.
    package var disputes: [StoredEntry] = []

    /// About how many bytes it takes to show it.
    package var payloadBytes: Int {
        self.references.reduce(self.envelope.payload?.count ?? 0) {
            $0 + 128 + ($1.envelope.payload?.count ?? 0)
        }
    }

    package init(
        cursor: Cursor, key: LogKey, seq: UInt64, id: EntryID, time: HybridTime,
        envelope: Envelope, isSeen: Bool, isLate: Bool, isDisputed: Bool
    ) {
        self.cursor = cursor
        self.key = key
        self.seq = seq
        self.id = id
        self.time = time
        self.envelope = envelope
        self.isSeen = isSeen
        self.isLate = isLate
        self.isDisputed = isDisputed
    }
}

/// What a node finds on disk when it starts; its size grows with logs, not with messages.
package struct Snapshot: Sendable {
    /// The incarnation of own logs; nil where none was ever written or continuity is not proven.
    package var incarnation: UInt64?
    /// Whether this store is new though this identity had one, which is gone.
    package var isAfterLoss = false
    /// Conversations the user is or was in.
    package var conversations: [ConversationID: ConversationMembership] = [:]
    /// Each log's committed head, and the fork point where one is proven.
    package var logs: [LogKey: StoredLog] = [:]
    /// Who brought each of them, and when.
    package var charges: [LogKey: LogCharge] = [:]
    /// What logs take of the disk.
    package var sizes: [LogSize] = []
    /// The records that stand.
    package var records: [Record] = []
    /// Who was ever in a conversation, and whether they still are.
    package var attendance: [ConversationID: [PeerID: Attendance]] = [:]
    /// The acts of groups, in the order in which they were taken: each behind those of its basis.
    package var acts: [ConversationID: [Act]] = [:]
    /// The keys of groups that are here, with what their makers announced.
    package var epochs: [ConversationID: [HeldEpoch]] = [:]
    /// What logs on the disk announce of missing keys, which damage or a wrong announcement can leave behind.
    package var announced: [ConversationID: [AnnouncedEpoch]] = [:]
    /// Groups into which somebody has brought the user, who has not accepted it, or has declined it.
    package var groupRequests: [GroupRequest] = []
    /// Peers that were linked before.
    package var peers: [KnownPeer] = []
    /// Whom the user knows.
    package var people: [PeerID: Standing] = [:]
    /// The keys of the people whose logs are here.
    package var persons: [PersonID: PublicPerson] = [:]
    /// Who waits to be accepted, or was declined.
    package var requests: [DirectRequest] = []
    /// How far members have own logs, and how far the own user has read those of others.
    package var positions: [LogKey: [PeerID: MemberPosition]] = [:]
    /// What is stored but not due.
    package var held = HeldEntries(count: 0, first: nil)
    /// What the user has said of conversations in their list.
    package var arrangements: [ConversationID: Arrangement] = [:]
    /// How much of what is said in conversations is kept, where that is not all.
    package var retentions: [ConversationID: Retention] = [:]
    /// The conversations that have data of streams.
    package var streams: Set<ConversationID> = []
    /// What the user's devices have told each other in the notes.
    package var own: [StoredEntry] = []
    /// The newest time of each conversation that was ever shown.
    package var latestShown: [ConversationID: HybridTime] = [:]

    /// Creates an empty snapshot, as a first start finds it.
    package init() {}
}

/// One log as the store has it.
package struct StoredLog: Hashable, Sendable {
    /// The last committed entry; for a forked log the last one before the fork point.
    package var head: Head
    /// The smallest proven fork point.
    package var forkPoint: UInt64?
    /// Whether `head` is shown, so that it may be a dep of own entries.
    package var isHeadShown: Bool
    /// Whose log it is; nil where its first entry does not say so.
    package var person: PersonID?
    /// The entries up to the head whose payloads are wanted.
    package var wanted = SeqRanges()
    /// The first and the last entry that are held; nil where none is.
    package var held: ClosedRange<UInt64>?

    package init(head: Head, forkPoint: UInt64?, isHeadShown: Bool, person: PersonID?) {
        self.head = head
        self.forkPoint = forkPoint
        self.isHeadShown = isHeadShown
        self.person = person
    }
}

/// Why the store could not do what it was asked.
package struct StoreFailure: Error, Hashable, Sendable {
    /// What kind of failure.
    package enum Reason: Hashable, Sendable {
        /// No space is left on the device.
        case full
        /// The file or its directory may not be written.
        case readOnly
        /// The file is damaged or not a database.
        case corrupt
        /// Reading or writing failed.
        case inputOutput
        /// The file that is open was deleted or moved away: what is written to it is lost.
        case deleted
        /// The file is empty, though there was a store in it.
        case emptied
        /// The file was written by a newer version.
        case newer(version: Int)
        /// Another process holds the data directory.
        case locked
        /// A statement failed in a way that none of the above names.
        case other(code: Int32)
    }

    /// What kind of failure.
    package var reason: Reason
    /// What was done to which file and what the library said.
    package var detail: String
    /// What the user can do about it.
    package var remedy: String

    package init(reason: Reason, detail: String, remedy: String) {
        self.reason = reason
        self.detail = detail
        self.remedy = remedy
    }
}

/// That no entry tells of a file any longer, or none of a conversation, though one of another one does.
package struct FileWithdrawal: Hashable, Sendable {
    package var blob: BlobID
    /// The conversation; nil where there is none left that tells of it.
    package var conversation: ConversationID?

    package init(blob: BlobID, conversation: ConversationID?) {
        self.blob = blob
        self.conversation = conversation
    }
}
