internal import Formats

/// How far a member has a log of another one, as it says of itself.
package struct MemberPosition: Hashable, Sendable {
    /// Through which entry it has all and can read it.
    package var stored: UInt64
    /// Through which entry it was read there; 0 for nothing, or where nobody is told.
    package var read: UInt64

    /// Names a position.
    package init(stored: UInt64 = 0, read: UInt64 = 0) {
        self.stored = stored
        self.read = read
    }

    /// Moves on to where another one is further; false where it is not.
    mutating func advance(to other: MemberPosition) -> Bool {
        let before = self
        self.stored = max(self.stored, other.stored)
        self.read = max(self.read, other.read)
        return self != before
    }
}

/// How far members have own logs, what the user has read of theirs, and when others are told.
///
/// What links and marks say is gathered for a moment, so that many cost one transaction.
/// `Docs/Protocol/Sync.md` section 10.
struct Marks: Sendable {
    private struct Due: Sendable {
        var moment: UInt64
        /// Whether something was read; else something came that others may wait to hear of.
        var isRead: Bool
    }

    private var positions: [LogKey: [PeerID: MemberPosition]] = [:]
    private var unsaved: [LogKey: Set<PeerID>] = [:]
    private var reads: [ConversationID: [LogName: UInt64]] = [:]
    /// Marks of others that are not yet on their way to the disk.
    private var arrived: [RecordKey: Record] = [:]
    /// What these take.
    private(set) var arrivedBytes = 0
    /// How often marks of somebody were kept.
    private var kept: [RecordKey: MarkPace] = [:]
    private var gatheredAt: UInt64?
    /// When what was gathered was written last.
    private var writtenAt: UInt64?
    private var due: [ConversationID: Due] = [:]
    private var told: [ConversationID: MarkPace] = [:]
    private var armedAt: UInt64?

    /// Takes what the store has kept.
    init(_ positions: [LogKey: [PeerID: MemberPosition]] = [:], own: PeerID) {
        for (key, members) in positions {
            if key.name.author == own {
                self.positions[key] = members
            } else if let position = members[own] {
                self.reads[key.conversation, default: [:]][key.name] = position.read
            }
        }
    }

    // MARK: Members

    /// How far members have an own log.
    func positions(of key: LogKey) -> [PeerID: MemberPosition] { self.positions[key] ?? [:] }

    /// How far a member has an own log.
    func position(of peer: PeerID, in key: LogKey) -> MemberPosition {
        self.positions[key]?[peer] ?? MemberPosition()
    }

    /// Notes how far a member says to have an own log; of strangers it is kept of some only.
    ///
    /// False where that is not news.
    mutating func note(
        _ position: MemberPosition, of peer: PeerID, isKnown: Bool, in key: LogKey, at now: UInt64
    ) -> Bool {
        var members = self.positions[key] ?? [:]
        let most = (isKnown ? Limits.ofKnown : Limits.ofStrangers).positions
        guard members[peer] != nil || members.count < most,
            members[peer, default: MemberPosition()].advance(to: position)
        else { return false }
        self.positions[key] = members
        self.unsaved[key, default: []].insert(peer)
        self.gather(at: now)
        return true
    }

    /// Forgets how far somebody has anything.
    mutating func forget(_ peer: PeerID) {
        for key in self.positions.keys { self.positions[key]?[peer] = nil }
        for key in self.unsaved.keys { self.unsaved[key]?.remove(peer) }
    }

    /// Takes out the positions that are not yet on their way to the disk.
    mutating func takeUnsaved() -> [LogKey: [PeerID: MemberPosition]] {
        var taken: [LogKey: [PeerID: MemberPosition]] = [:]
        for (key, peers) in self.unsaved {
            for peer in peers { taken[key, default: [:]][peer] = self.positions[key]?[peer] }
        }
        self.unsaved = [:]
        return taken
    }

    // MARK: Marks of others

    /// A mark that is about to be written; nil where none is.
    func arrived(_ key: RecordKey) -> Record? { self.arrived[key] }

    /// Whether a mark of somebody may be taken: each costs a signature, a row, and what it takes to pass
    /// it on.
    func isTimely(_ key: RecordKey, isKnown: Bool, at now: UInt64) -> Bool {
        guard let pace = self.kept[key] else { return true }
        let least = Limits.ofKnown.markMilliseconds
        return isKnown
            ? now >= pace.last + least
            : now >= pace.next(each: Limits.ofStrangers.markMilliseconds, least: least)
    }

    /// Keeps a mark of somebody until the next transaction for such.
    mutating func keep(_ record: Record, at now: UInt64) {
        self.kept[record.key, default: MarkPace()].take(
            at: now, each: Limits.ofStrangers.markMilliseconds)
        let earlier = self.arrived.updateValue(record, forKey: record.key)
        self.arrivedBytes += record.keptBytes - (earlier?.keptBytes ?? 0)
        self.gather(at: now)
    }

    /// Takes out what was kept, in order.
    mutating func takeArrived(at now: UInt64) -> [Record] {
        defer { (self.arrived, self.arrivedBytes) = ([:], 0) }
        self.kept = self.kept.filter { now < $0.value.over }
        return self.arrived.sorted { $0.key < $1.key }.map(\.value)
    }

    private mutating func gather(at now: UInt64) {
        guard self.gatheredAt == nil else { return }
        let pause = self.writtenAt.map { $0 + Limits.gatherMilliseconds } ?? 0
        self.gatheredAt = max(now + Limits.soonMilliseconds, pause)
    }

    // MARK: The own mark

    /// What the user has read of a conversation, by log.
    func reads(in conversation: ConversationID) -> [LogName: UInt64] {
        self.reads[conversation] ?? [:]
    }

    /// The conversations of which anything was read.
    var readConversations: [ConversationID] { self.reads.keys.sorted() }

    /// Notes what the user has read: others are told at once, or a while after the last time.
    mutating func noteRead(
        _ reads: [LogName: UInt64], in conversation: ConversationID, at now: UInt64
    ) {
        self.reads[conversation, default: [:]].merge(reads) { max($0, $1) }
        let told = self.told[conversation].map { $0.last + Limits.readMilliseconds } ?? 0
        let moment = max(now, told)
        let earlier = self.due[conversation]?.moment ?? .max
        self.due[conversation] = Due(moment: min(moment, earlier), isRead: true)
    }

    /// An entry is seen from here on: it was not read with those behind it.
    mutating func noteUnread(_ name: LogName, from seq: UInt64, in conversation: ConversationID) {
        guard let read = self.reads[conversation]?[name], read >= seq else { return }
        self.reads[conversation]?[name] = seq - 1
    }

    /// Notes that something came of which others may wait to hear.
    mutating func noteStored(in conversation: ConversationID, at now: UInt64) {
        guard self.due[conversation] == nil else { return }
        let told = self.told[conversation]?.next(
            each: Limits.storedMilliseconds, least: Limits.storedLeastMilliseconds)
        let moment = max(now + Limits.soonMilliseconds, told ?? 0)
        self.due[conversation] = Due(moment: moment, isRead: false)
    }

    /// Takes out the conversations of which others are to be told, and whether something was read there.
    mutating func takeDue(at now: UInt64) -> [(conversation: ConversationID, isRead: Bool)] {
        let due = self.due.filter { $0.value.moment <= now }.sorted { $0.key < $1.key }
        for (conversation, due) in due {
            self.due[conversation] = nil
            if due.isRead {
                self.told[conversation, default: MarkPace()].note(at: now)
            } else {
                self.told[conversation, default: MarkPace()].take(
                    at: now, each: Limits.storedMilliseconds)
            }
        }
        self.told = self.told.filter {
            now < max($0.value.over, $0.value.last + Limits.readMilliseconds)
        }
        return due.map { ($0.key, $0.value.isRead) }
    }

    /// Whether what was gathered is to be written.
    mutating func isGathered(at now: UInt64) -> Bool {
        guard let moment = self.gatheredAt, moment <= now else { return false }
        (self.gatheredAt, self.writtenAt) = (nil, now)
        return true
    }

    /// When the node is to be woken; nil where that is arranged, or need not be.
    mutating func nextWakeUp() -> UInt64? {
        // Asked with each message: nothing is allocated for it.
        var first = self.gatheredAt ?? .max
        for due in self.due.values { first = min(first, due.moment) }
        guard first != .max, first < self.armedAt ?? .max else { return nil }
        self.armedAt = first
        return first
    }

    /// Notes that the node was woken.
    mutating func woke() { self.armedAt = nil }
}
