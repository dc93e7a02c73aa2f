internal import Formats

/// How much may be looked at to choose whom to ask for what, and which conversations wait for that.
///
/// A plan looks at each log that each link has more of, and strangers invent both. So all plans together
/// look at so much in a stretch of time: what is within it is planned at once, and what is beyond it in
/// turns, from where the last one has ended.
struct FetchPlans: Sendable {
    /// What is left to look at; negative after a plan that took more.
    private var level = Limits.fetchSteps
    private var since: UInt64 = 0
    /// Those to be planned, in the order of their turns.
    private(set) var waiting = Turns<ConversationID>()
    /// The link on which the last turn of a conversation has ended, where it has not come to all.
    private var lastTurn: [ConversationID: LinkID] = [:]
    /// How many logs on links all plans have looked at.
    private(set) var steps = 0

    private static var stepsPerMillisecond: Int {
        Limits.fetchStepsPerTurn / Int(Limits.fetchTurnMilliseconds)
    }

    /// Whether a plan may be made now.
    mutating func isFree(at now: UInt64) -> Bool {
        let passed = Int(clamping: now - min(now, self.since))
        self.since = now
        let gained = min(passed, 2 * Limits.fetchSteps) * Self.stepsPerMillisecond
        self.level = min(Limits.fetchSteps, self.level + gained)
        return self.level > 0
    }

    /// A plan has looked at so much.
    mutating func spend(_ steps: Int) {
        self.steps += steps
        self.level = max(-Limits.fetchSteps, self.level - steps)
    }

    /// Puts a conversation at the end, unless it waits already.
    mutating func wait(_ conversation: ConversationID) { self.waiting.add(conversation) }

    /// The next conversation to be planned; nil where there is none, or nothing is left to look at.
    mutating func next(at now: UInt64) -> ConversationID? {
        guard !self.waiting.isEmpty, self.isFree(at: now) else { return nil }
        return self.waiting.next()
    }

    /// When the next turn begins.
    func nextTurn(after now: UInt64) -> UInt64 {
        let lacking = UInt64(max(0, -self.level) / Self.stepsPerMillisecond + 1)
        return now + max(Limits.fetchTurnMilliseconds, lacking)
    }

    /// Chooses of links those that a turn of a conversation comes to, as far as a turn goes; gives whether
    /// these are all.
    ///
    /// - Parameter links: how much there is to look at on each, ascending.
    mutating func choose(
        of links: [(id: LinkID, steps: Int)], in conversation: ConversationID, atMost limit: Int
    ) -> (links: Set<LinkID>, isAll: Bool) {
        let last = self.lastTurn.removeValue(forKey: conversation) ?? LinkID(0)
        var chosen: Set<LinkID> = []
        var steps = 0
        for link in links.filter({ $0.id > last }) + links.filter({ $0.id <= last }) {
            // One is looked at in any case, so that all come to their turn.
            guard steps < limit || chosen.isEmpty else { return (chosen, false) }
            steps += link.steps
            chosen.insert(link.id)
            self.lastTurn[conversation] = link.id
        }
        self.lastTurn[conversation] = nil
        return (chosen, true)
    }

    /// A conversation in which nobody is asked any longer: where it waits, its turn does nothing.
    mutating func drop(_ conversation: ConversationID) { self.lastTurn[conversation] = nil }
}
