internal import Formats

/// One log, as far as a node keeps it in memory.
struct LogProgress: Hashable, Sendable {
    /// The last entry on disk; what clocks, digests and wants speak of.
    var head = Head.start
    /// The last entry accepted, on disk or on its way there.
    var tail = Head.start
    /// Where the author's two histories part, which a proof on disk shows; the log ends before it.
    var forkPoint: UInt64?
    /// Whose log it is, as its first entry says; nil where nothing of it is shown.
    var person: PersonID?
    /// The last entry up to which all payloads are here that are to be had; nil for the head.
    var whole: UInt64?
    /// The entries that are held, because they are ahead of time; nil where none is.
    var held: ClosedRange<UInt64>?
    /// Whether there is no room for the log: nothing of it is taken.
    var isRefused = false
    /// Who brought it, and when.
    var charge = LogCharge()
    /// How many changes of heads the conversation had counted when this one moved last.
    var change: UInt64 = 0
    /// The log's bucket; nil while it is not kept here.
    var bucket: UInt8?

    /// Whether digests and clocks tell of what is here of it.
    var isCounted: Bool { self.head.seq > 0 || self.forkPoint != nil }

    /// What a clock says of it.
    var state: ClockRow.State {
        if self.isRefused { return .refused }
        return self.forkPoint == nil ? .open : .forked
    }

    /// How many entries up to one are not here, or not with their payloads.
    func lacking(through seq: UInt64) -> UInt64 {
        let here = min(self.head.seq, self.whole ?? .max)
        return seq > here ? seq - here : 0
    }

    /// Whether entries from this seq on count no longer.
    func isBeyondFork(_ seq: UInt64) -> Bool {
        self.forkPoint.map { seq >= $0 } ?? false
    }

    /// The last entry of a run that counts.
    ///
    /// Of a forked log the run may reach beyond the point, where only a later attestation covers
    /// what lies before it.
    func countedHead(of run: VerifiedRun) -> Head {
        guard let point = self.forkPoint, run.run.last >= point else { return run.head }
        let index = Int(point - run.run.first) - 1
        return Head(
            seq: point - 1, id: run.ids[index], time: run.run.entries[index].time)
    }
}

extension LinkTags {
    /// The row for a log as one of the sides, which has as much of it, sends it.
    func row(
        _ name: LogName, _ log: LogProgress, in conversation: ConversationID, by role: LinkRole
    ) -> ClockRow {
        var row = ClockRow(
            tag: self.log(name, in: conversation), state: log.state, seq: log.head.seq,
            headTag: log.head.seq > 0 ? self.head(log.head.id, by: role) : 0)
        row.whole = log.whole.flatMap { $0 < row.seq ? $0 : nil }
        row.shown = log.held.flatMap { $0.lowerBound <= row.seq ? $0.lowerBound - 1 : nil }
        return row
    }
}
