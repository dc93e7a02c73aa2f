internal import Storage

/// Decides when which pages of the database are read, so that flipped bits are found within a day.
///
/// A step every ten minutes reads a seventy-second of the file, so a round takes half a day and may
/// fall behind by as much. A step is put off while the store has work, ten times at most. Time is
/// an argument; nothing is read here.
struct ScrubSchedule: Hashable, Sendable {
    /// What to do next.
    enum Decision: Hashable, Sendable {
        /// Wait so many milliseconds, then ask ``due(isBusy:)``.
        case wait(UInt64)
        /// Read pages, then tell ``read(_:at:)``.
        case read(first: UInt32, count: UInt32)
    }

    /// What a round over the whole file found.
    struct Round: Hashable, Sendable {
        let pages: UInt32
        let damaged: UInt32
    }

    /// How many steps a round over the files has: as many as one over the database.
    static let fileSteps: UInt64 = 72

    /// The time between two steps.
    private let interval: UInt64
    /// How many steps a round has.
    private let steps: UInt32
    /// How many pages are read at a time, so that a message that comes in waits for a millisecond.
    private static let chunk: UInt32 = 256
    /// How often a step is put off, and for which part of the interval.
    private static let delays = 10

    private(set) var position: ScrubPosition
    private var delayed = 0
    /// How many pages of the present step are still to be read; nil before its first.
    private var left: UInt32?
    private var pages: UInt32 = 0

    init(interval: UInt64 = 600_000, steps: UInt32 = 72) {
        self.interval = interval
        self.steps = steps
        self.position = ScrubPosition()
    }

    /// Goes on from where an earlier start was.
    mutating func begin(at position: ScrubPosition) -> Decision {
        self.position = position
        return .wait(self.interval)
    }

    /// The time for a step has come.
    mutating func due(isBusy: Bool) -> Decision {
        if isBusy && self.delayed < Self.delays {
            self.delayed += 1
            return .wait(max(1, self.interval / UInt64(Self.delays)))
        }
        self.delayed = 0
        self.left = nil
        return .read(first: self.position.next, count: Self.chunk)
    }

    /// Pages were read; gives what comes next, and what the round found where it ends here.
    mutating func read(
        _ reading: ScrubReading, at wallMilliseconds: UInt64
    ) -> (next: Decision, round: Round?) {
        self.pages = reading.pages
        let share = reading.pages / self.steps + 1
        self.left = (self.left ?? share) - min(self.left ?? share, reading.read)
        if reading.damaged > 0 {
            if self.position.damagedInRound == 0 {
                self.position.firstDamaged = reading.firstDamaged
            }
            self.position.damagedInRound += reading.damaged
            self.position.damagedPages = max(
                self.position.damagedPages, self.position.damagedInRound)
        }
        self.position.next += reading.read
        guard reading.read > 0, self.position.next <= reading.pages else {
            let round = Round(pages: reading.pages, damaged: self.position.damagedInRound)
            self.position.damagedPages = round.damaged
            self.position.damagedInRound = 0
            self.position.completedAt = wallMilliseconds
            self.position.next = 1
            return (.wait(self.interval), round)
        }
        if let left = self.left, left > 0 {
            return (.read(first: self.position.next, count: min(left, Self.chunk)), nil)
        }
        return (.wait(self.interval), nil)
    }

    /// The pages could not be read: the next ones are tried at the next step.
    mutating func failed() -> Decision { .wait(self.interval) }

    /// How much of the present round is done, in percent.
    var percent: Int {
        self.pages == 0
            ? 0 : Int(min(UInt64(self.position.next - 1) * 100 / UInt64(self.pages), 99))
    }
}
