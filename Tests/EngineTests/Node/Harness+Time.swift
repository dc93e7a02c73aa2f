@testable import Engine
@testable import Formats

/// Letting time pass, and what the node wants to be woken for come.
extension Harness {
    /// Lets so much time pass, and what waits in asking be asked.
    mutating func pass(milliseconds: UInt64) {
        self.advance(to: self.now.monotonic + milliseconds)
        self.give(.timer(.fetch))
        self.settle()
    }

    /// Lets so much time pass, and what is to be told of who is there and who writes be told.
    mutating func passSignals(milliseconds: UInt64) {
        let end = self.now.monotonic + milliseconds
        while let due = self.signalsAt, due <= end {
            self.signalsAt = nil
            self.advance(to: max(due, self.now.monotonic))
            self.give(.timer(.signals))
        }
        self.advance(to: end)
    }

    /// Lets so much time pass, and what is missing be looked at when the node wants to.
    mutating func passHoles(milliseconds: UInt64) {
        let end = self.now.monotonic + milliseconds
        while let due = self.holesAt, due <= end {
            self.holesAt = nil
            self.advance(to: max(due, self.now.monotonic))
            self.give(.timer(.holes))
            self.settle()
        }
        self.advance(to: end)
    }

    /// Lets so much time pass, and what streams have brought be looked at whenever the node wants that.
    mutating func passStreams(milliseconds: UInt64) {
        let end = self.now.monotonic + milliseconds
        while let due = self.streamsAt, due <= end {
            self.streamsAt = nil
            self.advance(to: max(due, self.now.monotonic))
            self.give(.timer(.streams))
            self.settle()
        }
        self.advance(to: end)
    }

    /// Lets the time pass until marks and positions are written and told, as often as it takes.
    mutating func passMarks() {
        for _ in 0..<3 {
            self.advance(to: self.now.monotonic + Limits.storedMilliseconds)
            self.give(.timer(.marks))
            self.settle()
        }
    }

    /// Lets the time pass until the next clock deltas, which may be overdue.
    mutating func passDelta() {
        guard let due = self.deltaAt.take() else { return }
        self.advance(to: max(due, self.now.monotonic))
        self.give(.timer(.delta))
    }

    mutating func advance(to moment: UInt64) {
        self.now = Instant(
            monotonic: moment, wall: self.now.wall + moment - self.now.monotonic)
    }
}
