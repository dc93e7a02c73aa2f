package import Crypto

/// Consecutive entries of one log, with the attestation of the last one: the unit of push and catch-up.
///
/// `Docs/Protocol/Entries.md` section 6. A run says nothing until ``verified()`` has held.
package struct Run: Hashable, Sendable {
    package let key: LogKey
    /// The seq of the first entry, from 1.
    package let first: UInt64
    /// The id of the entry before the first; nil where the log begins.
    package let prev: EntryID?
    /// The attestation of the last entry.
    package let attestation: Bytes64
    /// The entries, 1 to ``Limits/runEntries``; where the log begins, the first alone.
    package let entries: [Entry]

    /// Gathers a run.
    ///
    /// - Precondition: `entries` is not empty and within the limits; `prev` is nil exactly where `first` is 1.
    package init(
        key: LogKey, first: UInt64, prev: EntryID?, attestation: Bytes64, entries: [Entry]
    ) {
        precondition((1...Limits.runEntries).contains(entries.count), "a run has 1 to 128 entries")
        precondition((first == 1) == (prev == nil), "every entry but the first has a predecessor")
        self.key = key
        self.first = first
        self.prev = prev
        self.attestation = attestation
        self.entries = entries
    }

    /// The seq of the last entry.
    package var last: UInt64 { self.first + UInt64(self.entries.count) - 1 }

    /// Whether somebody has written something, rather than come or gone, as far as can be seen
    /// without reading it.
    package var isLive: Bool {
        self.entries.contains { $0.entryClass == EntryClass.content.rawValue }
    }

    /// The ids of the entries, in order, by hashing the chain.
    package var ids: [EntryID] {
        var ids: [EntryID] = []
        ids.reserveCapacity(self.entries.count)
        var prev = self.prev
        for (index, entry) in self.entries.enumerated() {
            let id = entry.id(key: self.key, seq: self.first + UInt64(index), prev: prev)
            ids.append(id)
            prev = id
        }
        return ids
    }

    /// Checks the attestation and that time grows, and gives the run with its ids; nil for a forgery.
    package func verified() -> VerifiedRun? {
        for (earlier, later) in zip(self.entries, self.entries.dropFirst())
        where later.time <= earlier.time { return nil }
        let ids = self.ids
        #if MUTANTS
            if Mutant.acceptUnattested.isActive { return VerifiedRun(run: self, ids: ids) }
        #endif
        guard let head = ids.last,
            Attestation.isValid(self.attestation, key: self.key, seq: self.last, id: head)
        else { return nil }
        return VerifiedRun(run: self, ids: ids)
    }

    /// The same run without payloads, as fork proofs carry it.
    package var withoutPayloads: Run {
        Run(
            key: self.key, first: self.first, prev: self.prev, attestation: self.attestation,
            entries: self.entries.map { entry in
                var entry = entry
                entry.payload = entry.payload.omitted
                return entry
            })
    }
}

/// A run whose chain and attestation have been checked, with the ids of its entries.
package struct VerifiedRun: Hashable, Sendable {
    package let run: Run
    /// The ids of its entries, in order.
    package let ids: [EntryID]

    /// Pairs a run with ids that the caller has checked or made.
    package init(run: Run, ids: [EntryID]) {
        precondition(run.entries.count == ids.count, "every entry has an id")
        self.run = run
        self.ids = ids
    }

    /// The position of the last entry.
    package var head: Head {
        Head(
            seq: self.run.last, id: self.ids[self.ids.count - 1],
            time: self.run.entries[self.ids.count - 1].time)
    }

    /// The run from a later seq on, with the same attestation; nil when nothing is left.
    package func suffix(from seq: UInt64) -> VerifiedRun? {
        guard seq > self.run.first else { return self }
        guard seq <= self.run.last else { return nil }
        let skip = Int(seq - self.run.first)
        return VerifiedRun(
            run: Run(
                key: self.run.key, first: seq, prev: self.ids[skip - 1],
                attestation: self.run.attestation, entries: Array(self.run.entries[skip...])),
            ids: Array(self.ids[skip...]))
    }
}
