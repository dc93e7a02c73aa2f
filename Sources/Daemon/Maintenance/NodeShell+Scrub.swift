internal import ControlAPI
internal import Engine
internal import Formats
internal import Loop
internal import Posix
internal import Storage

/// Reading the whole database and all files bit by bit, and telling people what is damaged.
extension NodeShell {
    /// How much later a step may be, so that it shares a wake-up with another timer.
    private static let scrubAccuracy = LoopTimer.Accuracy.milliseconds(60_000)

    /// Starts where the last start was.
    func startScrub() {
        self.ask { (store) async throws(StoreFailure) in
            await store.scrubPosition()
        } then: { result in
            guard case .success(let position) = result, self.life.isRunning else { return }
            if position.damagedPages > 0 { self.scrubFound(position) }
            self.goOnScrubbing(self.upkeep.scrub.begin(at: position))
        }
    }

    private func goOnScrubbing(_ decision: ScrubSchedule.Decision) {
        switch decision {
        case .wait(let milliseconds):
            self.after(milliseconds, accuracy: Self.scrubAccuracy) {
                guard self.life.isRunning else { return }
                let next = self.upkeep.scrub.due(isBusy: !self.disk.tasks.isEmpty)
                if case .read = next { self.scrubFiles() }
                self.goOnScrubbing(next)
            }
        case .read(let first, let count):
            self.ask { (store) async throws(StoreFailure) in
                try await store.scrub(from: first, count: count)
            } then: { result in
                guard self.life.isRunning else { return }
                switch result {
                case .success(let reading): self.scrubbed(reading)
                case .failure(let failure):
                    self.log(.warning, "the database cannot be checked: \(failure.detail)")
                    self.goOnScrubbing(self.upkeep.scrub.failed())
                }
            }
        }
    }

    private func scrubbed(_ reading: ScrubReading) {
        let (next, round) = self.upkeep.scrub.read(reading, at: SystemClock.wallMilliseconds())
        let position = self.upkeep.scrub.position
        if reading.damaged > 0 { self.scrubFound(position) }
        if let round {
            self.log(
                .info,
                "checked all \(round.pages) pages of the database: \(round.damaged) are damaged")
            if round.damaged == 0 { self.happened(.damage(nil)) }
        }
        if case .wait = next {
            self.ask { (store) async throws(StoreFailure) in
                await store.noteScrub(position)
            } then: { _ in
            }
        }
        self.goOnScrubbing(next)
    }

    private func scrubFound(_ position: ScrubPosition) {
        let count = position.damagedPages
        self.noteDamage(
            "page \(position.firstDamaged) of \(self.configuration.dataDirectory)/stoa.db does not "
                + "have its checksum"
                + (count > 1 ? ", nor have \(count - 1) others" : "")
                + "; stop the daemon and run stoad --repair, which keeps a copy")
    }

    /// Tells the node what is damaged, which says it once, in the log and among the alerts.
    func noteDamage(_ text: String) { self.happened(.damage(text)) }

    /// How the round does, for `status`.
    var scrubStatus: StatusMethod.Scrub {
        let position = self.upkeep.scrub.position
        return StatusMethod.Scrub {
            $0.completedAt = position.completedAt.map { Timestamp(clamping: $0) }
            $0.percent = Int64(self.upkeep.scrub.percent)
            $0.damagedPages = Int64(position.damagedPages)
        }
    }
}
