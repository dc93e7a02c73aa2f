internal import Crypto

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
    package func filled(with payload: [UInt8]) -> Entry? {
        guard payload.count == self.entry.payload.count,
            BLAKE2b.hash256(payload, personal: .payload) == self.entry.payload.hash
        else { return nil }
        var entry = self.entry
        entry.payload = .present(payload)
        return entry
    }
}
