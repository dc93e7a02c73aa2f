import Engine
import Formats

/// Payloads that come after their entries, and those that go.
extension ModelStore {
    /// Puts a payload where it is wanted; gives the entry where people see it by that.
    mutating func fill(_ fill: PayloadFill) throws -> EntryID? {
        guard let log = self.logs[fill.key], fill.seq <= UInt64(log.rows.count) else { return nil }
        var row = log.rows[Int(fill.seq) - 1]
        guard row.verdict.payload == .wanted else { return nil }
        let hash = row.entry.payload.hash
        row.entry.payload = .present(fill.payload)
        guard row.entry.payload.hash == hash else {
            throw Violation("a node stores a payload that its author did not write")
        }
        row.verdict = fill.verdict
        let isShown = row.visibility.isShown && row.verdict.isSeen
        if isShown { row.cursor = self.nextCursor() }
        self.logs[fill.key]?.rows[Int(fill.seq) - 1] = row
        self.attach(row.verdict, at: EntryPlace(key: fill.key, seq: fill.seq))
        return isShown ? row.id : nil
    }

    /// Whether what an entry says of a message that is not here is lost, since much waits for that.
    mutating func isLost(_ row: Row, in conversation: ConversationID) -> Bool {
        #if MUTANTS
            guard Reference.isBoundEarly, let target = row.verdict.refersTo?.target
            else { return false }
            let key = LogKey(conversation: conversation, name: target.log)
            guard self.logs[key]?.rows.count ?? 0 < Int(target.seq) else { return false }
            self.earlyReferences[target, default: 0] += 1
            return self.earlyReferences[target, default: 0] > 8
        #else
            return false
        #endif
    }

    /// An entry has come: erases what it names, or itself where one that is here names it.
    mutating func eraseNamed(by row: Row, _ key: LogKey, seq: UInt64) {
        for target in row.verdict.erases {
            self.erasers[target, default: []].append(EntryPlace(key: key, seq: seq))
            self.erase(target, in: key.conversation)
        }
        self.erase(EntryTarget(log: key.name, seq: seq, id: row.id), in: key.conversation)
    }

    /// Erases a payload where its entry is here and somebody wants it who may.
    private mutating func erase(_ target: EntryTarget, in conversation: ConversationID) {
        let key = LogKey(conversation: conversation, name: target.log)
        let index = Int(target.seq) - 1
        guard var row = self.logs[key]?.rows.dropFirst(index).first, row.id == target.id,
            row.entry.entryClass != EntryClass.control.rawValue, row.verdict.payload != .erased
        else { return }
        let mayErase = self.erasers[target]?.contains { eraser in
            eraser.key.conversation == conversation
                && self.logs[eraser.key].map { eraser.seq <= $0.count } ?? false
                && self.authorship(of: eraser.key).mayChange(self.authorship(of: key))
        }
        guard mayErase == true else { return }
        self.detach(row.verdict, at: EntryPlace(key: key, seq: target.seq))
        row.entry.payload = row.entry.payload.omitted
        row.verdict = EntryVerdict()
        row.verdict.payload = .erased
        self.logs[key]?.rows[index] = row
        self.erased.append(Erasure(conversation: conversation, target: target))
    }

    private func authorship(of key: LogKey) -> Authorship {
        Authorship(device: key.name.author, person: self.logs[key]?.person)
    }

    /// What is stored of the payloads of consecutive entries.
    func payloads(_ key: LogKey, from first: UInt64, through: UInt64) -> [StoredPayload] {
        guard let log = self.logs[key], first >= 1, first <= min(through, log.count) else {
            return []
        }
        var found: [StoredPayload] = []
        var bytes = 0
        for seq in first...min(through, log.count) where found.count < Limits.payloadItems {
            let row = log.rows[Int(seq) - 1]
            if case .present(let payload) = row.entry.payload { bytes += payload.count }
            if bytes > Limits.runEntryBytes { break }
            found.append(
                StoredPayload(
                    seq: seq, entry: row.entry, prev: seq == 1 ? nil : log.rows[Int(seq) - 2].id,
                    state: row.verdict.payload))
        }
        return found
    }

    /// Takes the last runs of a log away, one at a time, so that there are many parts.
    mutating func drop(_ key: LogKey) -> LogDrop {
        var drop = LogDrop(key: key, isWhole: true, shown: [], attendance: nil)
        guard var log = self.logs[key] else { return drop }
        let cut = log.rows.dropLast().lastIndex { $0.attestation != nil }.map { $0 + 1 } ?? 0
        for index in log.rows.indices.suffix(from: cut) {
            if log.rows[index].cursor != nil { drop.shown.append(UInt64(index) + 1) }
            self.forgetPlace(of: log.rows[index].id)
            self.detach(
                log.rows[index].verdict, at: EntryPlace(key: key, seq: UInt64(index) + 1))
        }
        log.rows.removeSubrange(cut...)
        drop.isWhole = log.rows.isEmpty
        self.logs[key] = log.rows.isEmpty ? nil : log
        return drop
    }

    /// How many payloads one batch gives up: few, so that there are many parts.
    private static var expiredPerBatch: Int { 7 }

    /// Gives up payloads of entries that are beyond a bound.
    mutating func expire(_ expiry: Expiry) -> ExpiryOutcome {
        var outcome = ExpiryOutcome(entries: [], next: nil)
        switch expiry.bound {
        case .before(let moment):
            let aged = self.aged(in: expiry.conversation, before: moment)
            outcome.entries = aged.prefix(Self.expiredPerBatch).map { self.expire($0.place) }
            // What has expired is not found again, so this goes on where it has come to by itself.
            if aged.count > Self.expiredPerBatch, let last = outcome.entries.last {
                outcome.next = ExpiryPosition(
                    time: aged[Self.expiredPerBatch - 1].time, number: Int64(last.seq))
            }
        case .above(let bytes):
            let aged = self.aged(in: expiry.conversation, before: HybridTime(.max))
            outcome.entries = Self.excess(of: aged, above: bytes, by: expiry.steps)
                .map { self.expire($0) }
        case .streams(let bound):
            let streams = self.aged(
                in: expiry.conversation, before: HybridTime(.max), of: .stream)
            let due = streams.filter {
                bound.covers($0.place.seq, of: $0.place.key.name, at: $0.time)
            }
            outcome.entries = due.prefix(Self.expiredPerBatch).map { self.expire($0.place) }
            if due.count > Self.expiredPerBatch {
                outcome.next = ExpiryPosition(of: 0)
            } else {
                outcome.isStreamLeft = streams.count > due.count
            }
        }
        return outcome
    }

    /// An entry that may go, and what its payload takes.
    private typealias Aged = (time: HybridTime, place: EntryPlace, bytes: UInt64)

    /// What may go of a conversation, the oldest first.
    private func aged(
        in conversation: ConversationID, before moment: HybridTime, of kind: EntryClass? = nil
    ) -> [Aged] {
        var aged: [Aged] = []
        for (key, log) in self.logs where key.conversation == conversation {
            for (index, row) in log.rows.enumerated()
            where row.entry.time < moment && row.visibility != .held
                && row.entry.entryClass != EntryClass.control.rawValue
                && (kind == nil || row.entry.entryClass == kind?.rawValue)
                && [.present, .wanted].contains(row.verdict.payload)
            {
                let place = EntryPlace(key: key, seq: UInt64(index) + 1)
                var bytes: UInt64 = 0
                if case .present(let payload) = row.entry.payload { bytes = UInt64(payload.count) }
                aged.append((row.entry.time, place, bytes))
            }
        }
        return aged.sorted {
            ($0.time, $0.place.key, $0.place.seq) < ($1.time, $1.place.key, $1.place.seq)
        }
    }

    /// What goes of that where it takes more than is kept: all passes at once.
    private static func excess(
        of aged: [Aged], above bytes: UInt64, by steps: [RetentionStep]
    ) -> [EntryPlace] {
        var taken = aged.reduce(0) { $0 + $1.bytes }
        var gone: [EntryPlace] = []
        func take(_ one: Aged) {
            taken -= one.bytes
            gone.append(one.place)
        }
        if steps.isEmpty { for one in aged where taken > bytes { take(one) } }
        for step in steps {
            var left = step.most
            for one in aged where taken > bytes && !gone.contains(one.place) {
                guard let share = step.shares[one.place.key.name], left[share] > 0 else { continue }
                left[share] -= min(left[share], one.bytes)
                take(one)
            }
        }
        return gone
    }

    private mutating func expire(_ place: EntryPlace) -> EntryPlace {
        let index = Int(place.seq) - 1
        guard var row = self.logs[place.key]?.rows[index] else { return place }
        self.detach(row.verdict, at: place)
        row.entry.payload = row.entry.payload.omitted
        row.verdict = EntryVerdict()
        row.verdict.payload = .expired
        self.logs[place.key]?.rows[index] = row
        return place
    }
}
