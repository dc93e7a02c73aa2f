internal import Engine

/// Walks one log run by run and notes what does not hold: the chain, the hashes, the signatures.
struct LogCheck: Sendable {
    let key: LogKey
    private let head: Head
    private var previous = Head.start
    private(set) var entries = 0
    /// What is wrong, in words; nil while nothing is.
    private(set) var fault: String?

    /// Checks a log up to the head that the store claims.
    init(_ key: LogKey, head: Head) {
        self.key = key
        self.head = head
    }

    /// The first entry of the next run to look at; nil once all were seen or something is wrong.
    var next: UInt64? {
        self.fault == nil && self.previous.seq < self.head.seq ? self.previous.seq + 1 : nil
    }

    /// Checks the run that begins at ``next``; nil where the store has none.
    mutating func check(_ run: Run?) {
        guard let run else {
            self.fault = "entry \(self.previous.seq + 1) is missing or has no attestation"
            return
        }
        guard run.key == self.key, run.first == self.previous.seq + 1 else {
            self.fault = "entry \(self.previous.seq + 1) is not where its index says"
            return
        }
        guard let verified = run.verified() else {
            self.fault = "entries \(run.first) to \(run.last) do not carry their author's signature"
            return
        }
        guard run.prev == (self.previous.seq == 0 ? nil : self.previous.id) else {
            self.fault = "entry \(run.first) does not follow entry \(self.previous.seq)"
            return
        }
        self.previous = verified.head
        self.entries += run.entries.count
        let reached = self.head.seq - min(run.first - 1, self.head.seq)
        guard reached > 0, reached <= UInt64(verified.ids.count) else { return }
        if verified.ids[Int(reached) - 1] != self.head.id {
            self.fault = "the noted last entry \(self.head.seq) is another than the stored one"
        }
    }
}
