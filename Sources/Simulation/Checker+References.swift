import Engine
import Formats

/// What is said of messages, worked out from what authors wrote alone.
extension Checker {
    /// What counts of a message.
    struct Said: Equatable {
        var edit: EntryID?
        var reactions: Set<EntryID> = []
    }

    /// After all has settled every replica that has the same entries shows the same edits and reactions of
    /// messages, whichever came first.
    func said(
        of entries: Set<EntryID>, in room: ConversationID, through deadline: HybridTime,
        on members: [Machine], _ limit: (LogName) -> UInt64
    ) throws {
        for member in members {
            var due: [EntryID: Said] = [:]
            for id in entries {
                // What is erased, or not kept there, says nothing.
                guard let entry = self.written[id], entry.time <= deadline,
                    let content = entry.content, let reference = Reference(content),
                    member.store.row(id)?.isWhole == true,
                    self.groups.table[room] == nil || self.visible(id, on: member.index) != nil,
                    entries.contains(reference.target.id),
                    let message = self.written[reference.target.id],
                    message.place.name == reference.target.log,
                    message.seq == reference.target.seq
                else { continue }
                self.add(id, entry, reference, of: message, to: &due[reference.target.id])
            }
            let shown = member.store.said(in: room, through: deadline, to: limit)
            for id in entries where member.store.row(id)?.isWhole == true {
                let (here, there) = (shown[id] ?? Said(), due[id] ?? Said())
                guard here == there else {
                    throw Violation(
                        "node \(member.index) shows \(here.reactions.count) reactions of a message "
                            + "and \(here.edit == nil ? "no" : "an") edit, its logs have "
                            + "\(there.reactions.count) and \(there.edit == nil ? "none" : "one")")
                }
            }
        }
    }

    private func add(
        _ id: EntryID, _ entry: Written, _ reference: Reference, of message: Written,
        to said: inout Said?
    ) {
        var known = said ?? Said()
        switch reference {
        case .reaction: known.reactions.insert(id)
        case .edit:
            let (one, other) = (entry.key.name.author, message.key.name.author)
            guard one == other || self.persons[one] == self.persons[other] else { return }
            let last = known.edit.flatMap { self.written[$0]?.place }
            if last.map({ $0 < entry.place }) ?? true { known.edit = id }
        }
        said = known
    }
}

extension ModelStore {
    /// What is shown with each message: the edit that counts, and reactions.
    func said(
        in room: ConversationID, through deadline: HybridTime, to limit: (LogName) -> UInt64
    ) -> [EntryID: Checker.Said] {
        var said: [EntryID: Checker.Said] = [:]
        var last: [EntryID: Place] = [:]
        for (key, log) in self.logs where key.conversation == room {
            for (index, row) in log.rows.enumerated()
            where row.visibility == .shown && row.entry.time <= deadline && row.isWhole
                && row.verdict.isSeen && !row.isForgotten && index < limit(key.name)
            {
                guard let reference = row.verdict.refersTo else { continue }
                let target = reference.target
                let named = LogKey(conversation: room, name: target.log)
                guard let other = self.logs[named], target.seq <= UInt64(other.rows.count),
                    other.rows[Int(target.seq) - 1].id == target.id,
                    reference.kind.counts(
                        from: Authorship(device: key.name.author, person: log.person),
                        for: Authorship(device: target.log.author, person: other.person))
                else { continue }
                let place = Place(
                    time: row.entry.time, name: key.name, seq: UInt64(index) + 1)
                switch reference.kind {
                case .reaction: said[target.id, default: Checker.Said()].reactions.insert(row.id)
                case .edit where last[target.id].map({ $0 < place }) ?? true:
                    last[target.id] = place
                    said[target.id, default: Checker.Said()].edit = row.id
                case .edit: break
                }
            }
        }
        return said
    }
}
