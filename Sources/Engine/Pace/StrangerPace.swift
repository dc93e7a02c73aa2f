/// How much of the loop's time strangers have as long as others want it, too.
///
/// Keys cost nothing, so whoever wants may have as many links as there are places, each with something to
/// ask at any time. What people wait for, clients and whom the user knows, must not wait behind all of
/// them: once strangers together have used up their share they come last, and have what is left. Nobody
/// is kept from anything while the loop has nothing else to do.
///
/// A value: moments and durations are arguments, in microseconds of the monotonic clock.
package struct StrangerPace {
    /// What strangers may use at once.
    package static let burst: Int64 = 20_000
    /// How far many turns together put them in arrears: so long others come first then, twice over.
    package static let arrears: Int64 = 20_000
    /// How far one turn does that took longer: others have waited as long, and come first for twice that.
    package static let longest: Int64 = 2_000_000
    /// Of so many microseconds they get one back.
    package static let refill: Int64 = 2

    /// What is left of their share.
    private var level = StrangerPace.burst
    private var since: UInt64 = 0
    /// Whether they come last.
    package private(set) var isOverdrawn = false

    package init() {}

    /// Strangers have used some time; true where they come last from here on.
    package mutating func spend(_ microseconds: UInt64, at now: UInt64) -> Bool {
        self.fill(at: now)
        let spent = Int64(clamping: microseconds)
        let lowest = min(self.level, -max(Self.arrears, min(spent, Self.longest)))
        self.level = max(lowest, self.level - min(spent, Self.burst + Self.longest))
        guard !self.isOverdrawn, self.level <= 0 else { return false }
        self.isOverdrawn = true
        return true
    }

    /// Time has gone by; true where they come last no longer.
    package mutating func look(at now: UInt64) -> Bool {
        guard self.isOverdrawn else { return false }
        self.fill(at: now)
        guard self.level >= Self.burst / 2 else { return false }
        self.isOverdrawn = false
        return true
    }

    private mutating func fill(at now: UInt64) {
        let passed = Int64(clamping: now - min(now, self.since))
        self.since = now
        self.level = min(Self.burst, self.level + passed / Self.refill)
    }
}

/// How much of the loop's time strangers have used of late, by where they are.
///
/// Whoever has taken much comes after whoever has taken little: so one who has just come has an answer
/// soon, however many others ask without end.
package struct SourceUsage {
    /// What was used this long ago counts half.
    package static let halving: UInt64 = 1_000_000
    /// Who has taken much is found anew so often.
    package static let interval: UInt64 = 50_000

    private var used: [Source: UInt64] = [:]
    private var total: UInt64 = 0
    private var halvedAt: UInt64 = 0
    private var toldAt: UInt64 = 0

    package init() {}

    /// Notes what was used; true where it is to be looked at again who has taken much.
    package mutating func spend(_ microseconds: UInt64, by source: Source, at now: UInt64) -> Bool {
        if now - min(now, self.halvedAt) >= Self.halving {
            self.halvedAt = now
            self.used = self.used.mapValues { $0 / 2 }.filter { $0.value > 0 }
            self.total = self.used.values.reduce(0, +)
        }
        self.used[source, default: 0] += microseconds
        self.total += microseconds
        guard now - min(now, self.toldAt) >= Self.interval else { return false }
        self.toldAt = now
        return true
    }

    /// Whether somebody has used more than half of what each has on average.
    package func isHeavy(_ source: Source) -> Bool {
        guard let used = self.used[source] else { return false }
        return 2 * used * UInt64(self.used.count) > self.total
    }

    /// Forgets all others.
    package mutating func keep(_ sources: Set<Source>) {
        self.used = self.used.filter { sources.contains($0.key) }
        self.total = self.used.values.reduce(0, +)
    }
}

/// How much of a stranger's bytes is read at a time: as much as takes the node a few milliseconds.
///
/// Bytes of history cost next to nothing each, and some hundred that begin a log as much as a page of it. What
/// is read is handled before anybody else has a turn.
package struct ReadPortion: Sendable {
    /// The smallest portion, less than which no frame of interest has.
    package static let least = 2_048
    /// The largest.
    package static let most = 65_536
    /// The most frames of a portion that one turn handles.
    package static let mostFrames = 64
    /// What a portion may take: a message of somebody waits for one at most.
    package static let goal: UInt64 = 4_000

    /// Of so many frames in a portion the next ones are smaller: frames that wait, read, take some times their
    /// bytes.
    package static let manyFrames = 256
    /// Of so few they may be larger.
    package static let fewFrames = 64

    /// Bytes.
    package private(set) var count = 8_192
    /// The most bytes of frames such as come.
    private var limit = 16_384
    /// Frames of them that are handled in one turn; a few bytes may have much be looked at.
    package private(set) var frames = 4

    package init() {}

    /// A portion was read, of so many frames.
    package mutating func note(frames: Int) {
        if frames > Self.manyFrames {
            self.limit = max(Self.least, self.limit / 2)
            self.count = min(self.count, self.limit)
        } else if frames < Self.fewFrames {
            self.limit = min(Self.most, self.limit * 2)
        }
    }

    /// A portion was handled.
    package mutating func note(microseconds: UInt64) {
        if microseconds > Self.goal {
            self.count = max(Self.least, self.count / 2)
            self.frames = max(1, self.frames / 2)
        } else if microseconds < Self.goal / 4 {
            self.count = min(self.limit, self.count * 2)
            self.frames = min(Self.mostFrames, self.frames * 2)
        }
    }
}

/// When what was read of a stream is handled on, though its socket takes nothing and so does not say that it could: else
/// two who wait for each other would for ever.
package struct UnhandledWait: Sendable {
    /// Nearly always the socket is there before.
    package static let milliseconds: UInt64 = 20
    /// Of strangers who come last, and may leave unread what they are sent.
    package static let lastMilliseconds: UInt64 = 2_000

    private var isArmed = false

    package init() {}

    /// After how many milliseconds the stream is to be woken; nil where that is arranged, or nothing is to be handled.
    ///
    /// What is sent meanwhile does not put it off.
    package mutating func arm(isBusy: Bool, isLast: Bool) -> UInt64? {
        defer { self.isArmed = isBusy }
        guard isBusy, !self.isArmed else { return nil }
        return isLast ? Self.lastMilliseconds : Self.milliseconds
    }

    /// Some of it was handled, or the stream was woken.
    package mutating func handled() { self.isArmed = false }
}
