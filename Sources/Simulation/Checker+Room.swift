import Engine
import Formats

/// Who may have to give way, and who never: what a node keeps of people whom its user knows is never less
/// for what strangers do.
extension Checker {
    /// A run has come to a machine that may begin a log there.
    mutating func brought(_ run: Run, to machine: Machine, from source: Source?) {
        guard run.first == 1, let source, machine.store.logs[run.key]?.rows.isEmpty != false else {
            return
        }
        self.yielding.bringers[machine.index, default: [:]][run.key, default: []].insert(source)
    }

    /// A node gives its store a batch: it charges logs to who has brought them, and of those that give way
    /// none is of somebody whom its user knows, and none came before others of its source.
    mutating func gaveWay(_ batch: Batch, by machine: Machine, at time: UInt64) throws {
        let index = machine.index
        for append in batch.appends where append.run.run.first == 1 {
            let key = append.run.run.key
            guard key.name.author != machine.id else { continue }
            guard let source = append.source,
                self.yielding.bringers[index]?[key]?.contains(source) == true
            else {
                throw Violation(
                    "node \(index) charges a log to \(append.source?.description ?? "nobody"), "
                        + "who has not brought it")
            }
        }
        // What answered it may be erased by now: then it stays protected for as long as it was.
        for (key, marks) in batch.logMarks
        where marks.answeredDay > machine.store.logs[key]?.marks.answeredDay ?? 0 {
            guard self.isAnswered(key, on: machine, beside: batch) else {
                throw Violation("node \(index) protects a log that nobody has answered")
            }
        }
        for key in batch.drops where self.yielding.dropping[index, default: []].insert(key).inserted
        {
            let author = key.name.author
            guard author != machine.id else { throw Violation("node \(index) drops its own log") }
            guard machine.store.people[author].map({ $0 == .known || $0 == .verified }) != true
            else {
                throw Violation(
                    "node \(index) lets a log give way of somebody whom its user knows")
            }
            try self.cameLast(key, on: machine, beside: batch.drops, at: time)
        }
    }

    /// Whether somebody else has said what they make of an entry of a log; nobody replies in a simulation.
    private func isAnswered(_ key: LogKey, on machine: Machine, beside batch: Batch) -> Bool {
        func answers(_ verdict: EntryVerdict) -> Bool {
            verdict.refersTo.map { $0.kind == .reaction && $0.target.log == key.name } ?? false
        }
        return machine.store.logs.contains { other, log in
            other.conversation == key.conversation && other.name.author != key.name.author
                && log.rows.contains { answers($0.verdict) }
        }
            || batch.appends.contains {
                $0.run.run.key.conversation == key.conversation
                    && $0.verdicts.contains(where: answers)
            }
    }

    /// How long a node goes by what it has found out of who may give way, and a while for the disk.
    private static var crowdMilliseconds: UInt64 { 25_000 }
    /// How long a run may wait for the disk behind others that came after it.
    private static var waitMilliseconds: UInt64 { 5_000 }

    /// Of the logs that nobody on this network has written, and of one source, those that came last give way.
    private func cameLast(
        _ key: LogKey, on machine: Machine, beside drops: [LogKey], at time: UInt64
    ) throws {
        // Where bytes count the largest gives way, and of one author's the oldest that is closed.
        let author = key.name.author
        guard !self.yielding.countsBytes, let log = machine.store.logs[key], !log.marks.isClosed,
            self.suspects.invented.contains(author) || !self.suspects.strange.contains(author)
        else { return }
        let gone = self.yielding.dropping[machine.index] ?? []
        for (other, later) in machine.store.logs
        where other.conversation == key.conversation && later.source == log.source
            && later.number > log.number && self.suspects.invented.contains(other.name.author)
            && later.marks.answeredDay == 0 && !gone.contains(other) && !drops.contains(other)
        {
            // What came first may have waited for the disk behind it.
            let first = self.yielding.storedAt[machine.index]?[key] ?? time
            let since = self.yielding.storedAt[machine.index]?[other] ?? time
            guard since < first + Self.waitMilliseconds || since + Self.crowdMilliseconds > time
            else {
                throw Violation(
                    "node \(machine.index) lets a log give way that came before others of its source"
                )
            }
        }
    }

    /// A batch is on a machine's disk.
    mutating func stored(
        _ batch: Batch, _ outcome: BatchOutcome, by machine: Machine, at time: UInt64
    ) {
        let index = machine.index
        for append in batch.appends where append.run.run.first == 1 {
            self.yielding.bringers[index]?[append.run.run.key] = nil
            self.yielding.storedAt[index, default: [:]][append.run.run.key] = time
        }
        guard !outcome.drops.isEmpty else { return }
        for drop in outcome.drops {
            self.yielding.wereDropped[index, default: []].insert(drop.key)
            guard drop.isWhole else { continue }
            self.yielding.dropping[index]?.remove(drop.key)
            self.yielding.storedAt[index]?[drop.key] = nil
        }
        let keys = Set(outcome.drops.map(\.key))
        self.screens[index]?.forget(keys) { machine.store.row($0) != nil }
        self.holdings[index]?.forget(keys, on: machine.store)
    }

    /// A node begins anew: what came and was not written is gone.
    mutating func forgotWhatCame(_ machine: Int) {
        self.yielding.bringers[machine] = nil
        self.yielding.dropping[machine] = nil
    }

    /// A node closes a link, or turns somebody away: never somebody whom its user knows for want of a place,
    /// since there are fewer of them than places for them.
    func gavePlace(_ reason: GoawayReason, by machine: Machine, to peer: Machine) throws {
        guard reason == .busy || reason == .notNeeded, let standing = machine.store.people[peer.id],
            standing == .known || standing == .verified
        else { return }
        throw Violation(
            "node \(machine.index) has no place for node \(peer.index), whom its user knows")
    }

    /// Whether all must have the logs of an author: where there is not room for all, those of strangers may
    /// be here or there.
    func counts(_ author: PeerID) -> Bool {
        !self.yielding.isNarrow || !self.suspects.strange.contains(author)
    }
}
