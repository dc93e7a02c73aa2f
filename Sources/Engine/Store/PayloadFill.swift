package import Formats

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
