/// Entries whose payloads somebody wants erased: whether they may, and when it is done.
///
/// `Docs/Protocol/Entries.md` section 9.
extension Node {
    // MARK: What comes in

    /// A run without the payloads that are erased before they came.
    mutating func withoutErased(_ run: VerifiedRun) -> VerifiedRun {
        let key = run.run.key
        guard self.erasures.isWaiting(for: key) else { return run }
        let person = self.conversationTable[known: key.conversation].log(key.name).person
        var entries = run.run.entries
        for index in entries.indices where entries[index].mayLackPayload {
            let seq = run.run.first + UInt64(index)
            if self.erasures.erases(run.ids[index], at: seq, in: key, by: person) {
                entries[index].payload = entries[index].payload.omitted
            }
        }
        return VerifiedRun(
            run: Run(
                key: key, first: run.run.first, prev: run.run.prev,
                attestation: run.run.attestation, entries: entries), ids: run.ids)
    }

    /// Notes with the verdicts on a run which payloads are erased, and so not wanted.
    func noteErased(_ run: VerifiedRun, _ verdicts: [EntryVerdict]) -> [EntryVerdict] {
        let key = run.run.key
        guard self.erasures.isWaiting(for: key) else { return verdicts }
        let person = self.conversationTable[known: key.conversation].log(key.name).person
        var verdicts = verdicts
        for index in verdicts.indices where verdicts[index].payload == .wanted {
            let seq = run.run.first + UInt64(index)
            if self.erasures.erases(run.ids[index], at: seq, in: key, by: person) {
                verdicts[index].payload = .erased
            }
        }
        return verdicts
    }

    /// An append with what its control entries want erased, as far as it can be decided.
    mutating func withErasures(_ append: consuming Append) -> Append {
        append.erasures = append.run.erasures(by: self.keyring, person: append.person)
            .map { self.decided($0) }.filter { $0.step != .forget }
        // What waits is known from here on: its entry may come before this one is on disk.
        for erasure in append.erasures where erasure.step == .wait { self.wait(for: erasure) }
        return append
    }

    /// Whether an entry may be erased, as far as its log is known here.
    private func decided(_ erasure: Erasure) -> Erasure {
        var erasure = erasure
        let known = self.conversationTable[erasure.conversation]
        guard let known, known.logs.has(erasure.target.log) else {
            erasure.step = .wait
            return erasure
        }
        let log = known.log(erasure.target.log)
        let author = Authorship(device: erasure.target.log.author, person: log.person)
        // Of a log that forks at its beginning nothing counts, and all may be here.
        if log.tail.seq == 0 && log.forkPoint == nil {
            erasure.step = .wait
        } else if !erasure.eraser.mayChange(author) {
            erasure.step = .forget
        } else {
            // What is behind a fork point may be here all the same.
            let mayBeHere =
                erasure.target.seq <= log.tail.seq || log.isBeyondFork(erasure.target.seq)
            erasure.step = mayBeHere ? .erase : .wait
        }
        return erasure
    }

    private mutating func wait(for erasure: Erasure) {
        guard var dropped = self.erasures.wait(erasure) else { return }
        dropped.step = .forget
        self.commits.erasures.append(dropped)
    }

    // MARK: What is on disk

    /// A batch is on disk: what its erasures erased is not wanted, and the others wait.
    mutating func settleErasures(_ batch: Batch, _ erased: [Erasure]) {
        for erasure in erased {
            self.erasures.forget(erasure)
            guard erasure.step == .erase else { continue }
            self.payloadWants.settle(erasure.key, erasure.target.seq...erasure.target.seq)
            if self.conversationTable[erasure.conversation] != nil { self.noteWhole(erasure.key) }
        }
        let done = Set(erased.map(\.undecided))
        for append in batch.appends {
            // Its entry was on its way, but behind this batch.
            for erasure in append.erasures
            where erasure.step == .erase && !done.contains(erasure.undecided) {
                self.wait(for: erasure)
            }
        }
        guard !self.erasures.isEmpty else { return }
        for append in batch.appends { self.decideErasures(of: append.run.run.key) }
    }

    /// What waits for entries of a log that are on disk now is erased, or may not be.
    private mutating func decideErasures(of key: LogKey) {
        guard self.erasures.isWaiting(for: key),
            let log = self.conversationTable[key.conversation]?.log(key.name)
        else { return }
        let due = self.erasures.due(key) { $0 <= log.head.seq || log.isBeyondFork($0) }
        for erasure in due {
            self.erasures.forget(erasure)
            self.commits.erasures.append(self.decided(erasure))
        }
    }

    /// At the start: entries may have come since, and a crash between.
    mutating func decideErasures() {
        guard !self.erasures.isEmpty else { return }
        for (id, conversation) in self.conversationTable.sorted(by: { $0.key < $1.key }) {
            for name in conversation.logs.keys.sorted() {
                self.decideErasures(of: LogKey(conversation: id, name: name))
            }
        }
    }
}
