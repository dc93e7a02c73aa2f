/// How far a node's shell is, from its first turn to its end.
struct Life {
    /// What stopping waits for.
    enum Step {
        /// Commits and answers that are under way.
        case finishingWork
        /// Peers, clients and the network being told.
        case goodbyes
        /// The store being closed.
        case closing
    }

    enum Phase: Equatable {
        case running
        /// Pending work is finished, nothing new is taken.
        case stopping(Step)
        case stopped
    }

    private(set) var phase = Phase.running
    private var failure: StartError?
    private var next = DaemonRun.Outcome.stopped

    var isRunning: Bool { self.phase == .running }

    /// Whether the node is told nothing from here on.
    var isClosed: Bool { self.phase == .stopping(.closing) || self.phase == .stopped }

    /// How it has ended.
    var outcome: DaemonRun.Outcome {
        self.failure.map { .failed($0) } ?? self.next
    }

    /// Begins to stop; false where it has begun already.
    ///
    /// Whoever stops it for good has the last word.
    mutating func stop(then next: DaemonRun.Outcome) -> Bool {
        if next == .stopped || self.isRunning { self.next = next }
        return self.isRunning
    }

    mutating func begin(_ step: Step) { self.phase = .stopping(step) }

    /// Ends because of a failure; the first one counts.
    mutating func fail(_ error: StartError) {
        if self.failure == nil { self.failure = error }
    }

    mutating func end() { self.phase = .stopped }
}
