import Engine
import Formats

/// What is shown, held and disputed, worked out from logs and proofs alone: it does not ask
/// ``Visibility``, which is what it checks.
extension Checker {
    /// What a batch has made of its entries: what was known to lie behind a fork is not shown, nor
    /// is it ever released.
    func judged(_ batch: Batch, _ outcome: BatchOutcome, by machine: Machine) throws {
        let points = self.holdings[machine.index]?.points ?? [:]
        for (append, cursors) in zip(batch.appends, outcome.cursors) {
            let run = append.run.run
            for (offset, cursor) in cursors.enumerated() where cursor != nil {
                guard run.first + UInt64(offset) < points[run.key] ?? .max else {
                    throw Violation("node \(machine.index) shows what comes behind a fork")
                }
                guard offset < append.heldFrom else {
                    throw Violation("node \(machine.index) shows what is ahead of time")
                }
            }
        }
        for entry in outcome.released {
            let proven = batch.proofs.filter { $0.key == entry.key }.map(\.point).min() ?? .max
            guard entry.seq < min(proven, points[entry.key] ?? .max) else {
                throw Violation("node \(machine.index) releases what lies behind a fork")
            }
        }
    }

    /// On each disk what lies behind a fork is marked, and nothing else; and all that was ever shown
    /// still is.
    func marked(on machine: Machine) throws {
        let holding = self.holdings[machine.index] ?? Holding()
        let shown = self.screens[machine.index]?.ids ?? []
        for (key, log) in machine.store.logs {
            for (index, row) in log.rows.enumerated() {
                let isBehind = UInt64(index) + 1 >= holding.points[key] ?? .max
                guard row.visibility.isDisputed == isBehind else {
                    throw Violation(
                        "node \(machine.index) \(isBehind ? "does not mark" : "marks") entry "
                            + "\(index + 1) of a log that forks at "
                            + "\(holding.points[key].map(String.init) ?? "no entry")")
                }
                // What is not here, or no longer, is on a screen or not.
                guard row.verdict.payload == .present else { continue }
                guard
                    self.visible(row.id, on: machine.index) == nil
                        || shown.contains(row.id) == (row.cursor != nil)
                else { throw Violation("node \(machine.index) does not show what it has shown") }
            }
        }
    }
}
