import Engine
import Formats
import Crypto

/// What two replicas of a conversation must have in common when all is exchanged.
struct Replica: Hashable {
    struct Log: Hashable {
        var seq: UInt64
        var head: EntryID
        /// The fork point as far as it shows: what would stand before it and is with nobody makes no
        /// difference to a row, so two such nodes do not tell each other their proofs.
        var point: UInt64?
    }

    /// Logs that are not empty.
    var logs: [LogName: Log] = [:]
    /// The records of the authors.
    var records: [RecordKey: Bytes32] = [:]
    /// What is shown and not disputed, in display order.
    var shown: [EntryID] = []
}

extension ModelStore {
    /// What this store holds of a conversation.
    ///
    /// Records of after `deadline` do not count yet, nor do entries count as shown: a node whose
    /// clock was ahead has shown its own at once.
    ///
    /// - Parameters:
    ///   - counts: whether the logs of an author count.
    ///   - limit: up to which entry a log counts.
    func replica(
        of room: ConversationID, through deadline: HybridTime,
        counts: (PeerID) -> Bool = { _ in true }, to limit: (LogName) -> UInt64 = { _ in .max }
    ) -> Replica {
        var replica = Replica()
        var shown: [(order: (HybridTime, PeerID, UInt64, Int), id: EntryID)] = []
        var members: Set<PeerID> = []
        for (key, log) in self.logs where key.conversation == room {
            if log.count > 0 || log.proof != nil { members.insert(key.name.author) }
            guard counts(key.name.author) else { continue }
            let count = min(log.count, limit(key.name))
            guard count > 0 || log.proof != nil && count == log.count else { continue }
            replica.logs[key.name] = Replica.Log(
                seq: count, head: count == 0 ? log.head.id : log.rows[Int(count) - 1].id,
                point: count < log.count ? nil : log.proof.map { min($0.point, count + 1) })
            for (index, row) in log.rows.enumerated()
            where row.visibility == .shown && row.entry.time <= deadline && index < limit(key.name)
            {
                let name = key.name
                shown.append(
                    ((row.entry.time, name.author, name.incarnation, index), row.id))
            }
        }
        let authors = Set(replica.logs.keys.map(\.author))
        // In larger conversations marks are not taken any longer, and in groups their number is another one.
        let takesMarks =
            self.groups.known[room] == nil && members.count <= Limits.markMembers + 1
            && members.count == authors.count
        for (key, record) in self.records
        where authors.contains(key.author) && (key.conversation ?? room) == room
            && record.time <= deadline && (takesMarks || key.kind != Record.Kind.mark)
        {
            replica.records[key] = record.hash
        }
        replica.shown = shown.sorted { $0.order < $1.order }.map(\.id)
        return replica
    }
}
