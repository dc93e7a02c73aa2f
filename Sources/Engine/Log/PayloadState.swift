internal import Crypto

/// What a replica has of an entry's payload.
///
/// `Docs/Protocol/Entries.md` section 9. Of an entry whose payload is absent everything else is
/// there: its id, its place in the chain, the payload's length and hash. The numbers are those of
/// the wire.
package enum PayloadState: UInt8, Hashable, Sendable, CaseIterable {
    /// It is not here, and asked for.
    case wanted = 0
    case present = 1
    /// Somebody who may has erased it.
    case erased = 2
    /// This replica does not keep it any longer.
    case expired = 3
}

/// An entry with what the store has of its payload, and what it takes to read it.
package struct StoredPayload: Hashable, Sendable {
    /// The number of the entry in its log.
    package var seq: UInt64
    /// The entry; its payload is present or absent as the state says.
    package var entry: Entry
    /// The id of the entry before it; nil where the log begins.
    package var prev: EntryID?
    /// What became of its payload.
    package var state: PayloadState

    package init(seq: UInt64, entry: Entry, prev: EntryID?, state: PayloadState) {
        self.seq = seq
        self.entry = entry
        self.prev = prev
        self.state = state
    }

    /// The entry with a payload; nil where it has not the hash that the header commits to.
    func filled(with payload: [UInt8]) -> Entry? {
        guard payload.count == self.entry.payload.count,
            BLAKE2b.hash256(payload, personal: .payload) == self.entry.payload.hash
        else { return nil }
        var entry = self.entry
        entry.payload = .present(payload)
        return entry
    }
}

/// A payload that has come after its entry, to be put where it was missing.
package struct PayloadFill: Hashable, Sendable {
    package var key: LogKey
    /// The number of the entry.
    package var seq: UInt64
    /// The payload; its hash has been checked.
    package var payload: [UInt8]
    /// What becomes of the entry now that it can be read.
    package var verdict: EntryVerdict

    /// Describes a payload to be stored.
    package init(key: LogKey, seq: UInt64, payload: [UInt8], verdict: EntryVerdict) {
        self.key = key
        self.seq = seq
        self.payload = payload
        self.verdict = verdict
    }
}
