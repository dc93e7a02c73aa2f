internal import Formats

/// Who has asked for what vanished from servers: how often each is answered, and all together.
///
/// In the long run no more is answered than a program looks up: 64 runs each, eight looks a second. Those who are only of the realm get
/// no more than half, so that many keys of one of them keep nobody back whom the user knows.
struct SiteAskers: Sendable {
    private struct Answered: Sendable {
        /// By the asker's clock.
        var time: UInt64
        var heardAt: UInt64
        var bucket = TokenBucket(
            capacity: Limits.siteAsksOfOne, fullMilliseconds: Limits.siteAskMilliseconds)
    }

    private var answered: [PeerID: Answered] = [:]
    private var all = TokenBucket(
        capacity: Limits.siteAsksOfAll, fullMilliseconds: Limits.siteAskMilliseconds)
    private var fellows = TokenBucket(
        capacity: Limits.siteAsksOfAll / 2, fullMilliseconds: Limits.siteAskMilliseconds)

    /// How many are remembered.
    var count: Int { self.answered.count }

    /// Whether somebody asks now, and for the first time; their signature need not be checked otherwise.
    func isNews(_ ask: SiteAsk, at now: Instant) -> Bool {
        let age = Int64(clamping: now.wall) - Int64(clamping: ask.time)
        guard abs(age) <= Int64(Limits.siteWindowMilliseconds) else { return false }
        return self.answered[ask.device].map { ask.time > $0.time } ?? true
    }

    /// Whether what a device has signed is answered now.
    ///
    /// - Parameter tier: how far its device is trusted.
    mutating func take(_ ask: SiteAsk, _ tier: Tier, at now: Instant) -> Bool {
        // So long one could be repeated.
        self.answered = self.answered.filter {
            now.monotonic < $0.value.heardAt + 2 * Limits.siteWindowMilliseconds
        }
        var answered =
            self.answered[ask.device] ?? Answered(time: ask.time, heardAt: now.monotonic)
        // What is not answered takes nothing of any share.
        var (all, fellows) = (self.all, self.fellows)
        guard answered.bucket.take(at: now.monotonic), all.take(at: now.monotonic),
            tier > .fellow || fellows.take(at: now.monotonic)
        else { return false }
        (self.all, self.fellows) = (all, fellows)
        (answered.time, answered.heardAt) = (ask.time, now.monotonic)
        self.answered[ask.device] = answered
        return true
    }
}

extension Limits {
    /// How many questions for what vanished from servers are answered in a minute: of one device, and of all.
    static let siteAsksOfOne = 4
    static let siteAsksOfAll = 6
    static let siteAskMilliseconds: UInt64 = 60_000
    /// The most acts that answer one: that which is asked for, and what is before it.
    static let siteActsAnswered = 32
}
