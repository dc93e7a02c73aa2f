/// How far the reading of the whole file has come, over restarts.
package struct ScrubPosition: Hashable, Sendable {
    /// The next page to read, from 1.
    package var next: UInt32 = 1
    /// When the whole file had been read last, wall-clock milliseconds; nil for never.
    package var completedAt: UInt64?
    /// How many pages were found damaged, in this round so far or in the one before.
    package var damagedPages: UInt32 = 0
    /// The first of them; 0 for none.
    package var firstDamaged: UInt32 = 0
    /// Those of this round alone; they count once it is complete.
    package var damagedInRound: UInt32 = 0

    /// Starts at the first page.
    package init() {}
}

/// What a step of the scrub read.
package struct ScrubReading: Hashable, Sendable {
    /// How many pages were read: fewer than asked for where the file ends.
    package var read: UInt32
    /// How many pages the file has.
    package var pages: UInt32
    /// How many of those that were read are damaged.
    package var damaged: UInt32
    /// The first of these; 0 for none.
    package var firstDamaged: UInt32

    /// Gathers what was read.
    package init(read: UInt32, pages: UInt32, damaged: UInt32 = 0, firstDamaged: UInt32 = 0) {
        self.read = read
        self.pages = pages
        self.damaged = damaged
        self.firstDamaged = firstDamaged
    }
}

/// Decides when which pages of the database are read, so that flipped bits are found within a day.
///
/// A step every ten minutes reads a seventy-second of the file, so a round takes half a day and may
/// fall behind by as much. A step is put off while the store has work, ten times at most. Time is
/// an argument; nothing is read here.
package struct ScrubSchedule: Hashable, Sendable {
    /// What to do next.
    package enum Decision: Hashable, Sendable {
        /// Wait so many milliseconds, then ask ``due(isBusy:)``.
        case wait(UInt64)
        /// Read pages, then tell ``read(_:at:)``.
        case read(first: UInt32, count: UInt32)
    }

    /// What a round over the whole file found.
    package struct Round: Hashable, Sendable {
        package let pages: UInt32
        package let damaged: UInt32
    }

    /// How many steps a round over the files has: as many as one over the database.
    package static let fileSteps: UInt64 = 72

    /// The time between two steps.
    private let interval: UInt64
    /// How many steps a round has.
    private let steps: UInt32
    /// How many pages are read at a time, so that a message that comes in waits for a millisecond.
    private static let chunk: UInt32 = 256
    /// How often a step is put off, and for which part of the interval.
    private static let delays = 10

    package private(set) var position: ScrubPosition
    private var delayed = 0
    /// How many pages of the present step are still to be read; nil before its first.
    private var left: UInt32?
    private var pages: UInt32 = 0

    package init(interval: UInt64 = 600_000, steps: UInt32 = 72) {
        self.interval = interval
        self.steps = steps
        self.position = ScrubPosition()
    }

    /// Goes on from where an earlier start was.
    package mutating func begin(at position: ScrubPosition) -> Decision {
        self.position = position
        return .wait(self.interval)
    }

    /// The time for a step has come.
    package mutating func due(isBusy: Bool) -> Decision {
        if isBusy && self.delayed < Self.delays {
            self.delayed += 1
            return .wait(max(1, self.interval / UInt64(Self.delays)))
        }
        self.delayed = 0
        self.left = nil
        return .read(first: self.position.next, count: Self.chunk)
    }

    /// Pages were read; gives what comes next, and what the round found where it ends here.
    package mutating func read(
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
    package mutating func failed() -> Decision { .wait(self.interval) }

    /// How much of the present round is done, in percent.
    package var percent: Int {
        self.pages == 0
            ? 0 : Int(min(UInt64(self.position.next - 1) * 100 / UInt64(self.pages), 99))
    }
}
