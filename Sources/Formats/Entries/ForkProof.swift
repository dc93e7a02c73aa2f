/// Proof that an author signed two histories: two runs of one log that differ from their first entry on.
///
/// `Docs/Protocol/Entries.md` section 8.
package struct ForkProof: Hashable, Sendable {
    /// The run whose first id is smaller, without payloads.
    package let left: Run
    /// The other run, without payloads.
    package let right: Run

    /// The log that forked.
    package var key: LogKey { self.left.key }
    /// The seq at which the histories differ; the log ends before it.
    package var point: UInt64 { self.left.first }

    /// Makes a proof from two verified runs, in either order; nil where they prove nothing.
    package init?(_ one: VerifiedRun, _ other: VerifiedRun) {
        guard one.run.key == other.run.key, one.run.first == other.run.first,
            one.ids[0] != other.ids[0]
        else { return nil }
        let (left, right) = one.ids[0] < other.ids[0] ? (one, other) : (other, one)
        self.left = left.run.withoutPayloads
        self.right = right.run.withoutPayloads
    }

    /// Checks both runs of a proof that came from a peer.
    package var isValid: Bool {
        guard let left = self.left.verified(), let right = self.right.verified() else {
            return false
        }
        return ForkProof(left, right) == self
    }

    /// The proof as it stands in a frame.
    package var encoded: [UInt8] {
        var writer = WireWriter()
        writer.sized(self.left.encoded)
        writer.sized(self.right.encoded)
        return writer.bytes
    }

    /// Reads a proof to the end of the reader; whether it proves anything says ``isValid``.
    package init(from reader: inout WireReader) throws(WireError) {
        var left = try reader.nested("forkProof left", limit: Limits.frameBytes)
        self.left = try Run(from: &left)
        var right = try reader.nested("forkProof right", limit: Limits.frameBytes)
        self.right = try Run(from: &right)
        try reader.finish("forkProof")
        for run in [self.left, self.right] {
            for entry in run.entries {
                guard case .absent = entry.payload else {
                    throw .value(field: "forkProof payload")
                }
            }
        }
    }
}
