internal import Formats

/// Entries whose payloads somebody wanted erased: the store has looked up whether they may.
///
/// `Docs/Protocol/Entries.md` section 9.
extension Node {
    /// A batch is on disk: what is erased is not wanted any longer.
    mutating func settleErasures(_ erased: [Erasure]) {
        for erasure in erased {
            self.catchUp.payloadWants.settle(erasure.key, erasure.target.seq...erasure.target.seq)
            if self.conversations.table[erasure.conversation] != nil { self.noteWhole(erasure.key) }
        }
    }
}
