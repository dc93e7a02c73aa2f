import Engine
import Formats
import Crypto

/// Where an entry stands among all of its conversation.
struct Place: Hashable, Comparable {
    var time: HybridTime
    var name: LogName
    var seq: UInt64

    /// Display order: total, since no author signs a seq of a log twice unless it forks.
    static func < (left: Place, right: Place) -> Bool {
        (left.time, left.name, left.seq) < (right.time, right.name, right.seq)
    }
}

/// What somebody sees who has followed a node from its first start: every message that it showed.
struct Screen {
    /// A message in its place.
    struct Line: Hashable {
        var place: Place
        var id: EntryID
    }

    private(set) var rooms: [ConversationID: [Line]] = [:]
    private(set) var ids: Set<EntryID> = []

    init() {}

    /// What a history shows that was read from a disk, of what somebody there can see.
    init(of store: ModelStore, _ find: (EntryID) -> Checker.Written?) {
        for log in store.logs.values {
            for row in log.rows where row.cursor != nil && row.verdict.payload == .present {
                if let entry = find(row.id) { self.insert(row.id, entry) }
            }
        }
    }

    /// The last message of a room.
    func last(in room: ConversationID) -> Line? { self.rooms[room]?.last }

    /// Logs have given way, in part or whole: what is here no longer may come, and be shown, again.
    mutating func forget(_ keys: Set<LogKey>, isHere: (EntryID) -> Bool) {
        for room in Set(keys.map(\.conversation)) {
            self.rooms[room]?.removeAll { line in
                guard keys.contains(LogKey(conversation: room, name: line.place.name)),
                    !isHere(line.id)
                else { return false }
                self.ids.remove(line.id)
                return true
            }
        }
    }

    @discardableResult
    mutating func insert(_ id: EntryID, _ entry: Checker.Written) -> Bool {
        guard self.ids.insert(id).inserted else { return false }
        let line = Line(place: entry.place, id: id)
        self.rooms[entry.key.conversation, default: []].insert(line)
        return true
    }
}

extension [Screen.Line] {
    /// Puts a line in its place.
    fileprivate mutating func insert(_ line: Screen.Line) {
        var (low, high) = (0, self.count)
        if let last = self.last, last.place < line.place { low = high }
        while low < high {
            let middle = (low + high) / 2
            if self[middle].place < line.place { low = middle + 1 } else { high = middle }
        }
        self.insert(line, at: low)
    }
}

/// What a disk holds, told by batches alone: how far each log goes, and where it was proven to fork.
struct Holding {
    private(set) var ends: [LogKey: UInt64] = [:]
    private(set) var points: [LogKey: UInt64] = [:]

    init() {}

    init(of store: ModelStore) {
        for (key, log) in store.logs {
            self.ends[key] = log.count
            self.points[key] = log.proof?.point
        }
    }

    /// Logs have given way, in part or whole.
    mutating func forget(_ keys: Set<LogKey>, on store: ModelStore) {
        for key in keys {
            self.ends[key] = store.logs[key]?.count
            self.points[key] = store.logs[key]?.proof?.point
        }
    }

    mutating func took(_ batch: Batch) {
        for append in batch.appends { self.ends[append.run.run.key] = append.run.run.last }
        for proof in batch.proofs {
            self.points[proof.key] = min(self.points[proof.key] ?? .max, proof.point)
        }
    }
}
