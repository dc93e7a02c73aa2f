/// Who must have an own message before a wait for its delivery ends.
///
/// In an open room anybody may say that a message has come, or say nothing for ever. So those members
/// count whom the user knows; others only where they are named, or where nobody there is known.
public enum DeliveryGoal: Hashable, Sendable {
    /// So many of those who count have it, at least one.
    case members(Int)
    /// All members whom the user knows have it.
    case all
    /// Each of these has it, known or not.
    case named(Set<PeerID>)
}

/// A wait for delivery: for whom, and how long.
public struct DeliveryWait: Hashable, Sendable {
    /// Who must have the message.
    public var goal: DeliveryGoal
    /// When the wait ends, a monotonic moment in milliseconds.
    public var deadline: UInt64

    /// Describes a wait.
    public init(_ goal: DeliveryGoal = .members(1), by deadline: UInt64) {
        self.goal = goal
        self.deadline = deadline
    }
}

/// What has become of an own message at a member, as that says of itself.
public enum DeliveryOutcome: Hashable, Sendable {
    /// It has the message.
    case delivered
    /// It has the message, and shows it later: it is ahead of time there.
    case held
    /// It is linked, and does not have the message yet.
    case waiting
    /// It is not linked, so that nothing is known.
    case away
}

/// How far the members of a conversation have an own log, and so which waits for it end.
///
/// A pure value: `Docs/Protocol/Sync.md` section 4 says what a member tells, and section 9 what counts.
struct DeliveryTally: Sendable {
    /// A member, and how far it says to have the log.
    struct Member: Hashable, Sendable {
        var peer: PeerID
        /// Whether the user knows it.
        var isKnown: Bool
        /// Up to where it has everything on disk, payloads too; 0 while it is not linked.
        var stored: UInt64 = 0
        /// Up to where it holds nothing.
        var shown = UInt64.max
        /// Whether it is linked.
        var isLinked = false

        /// Up to where its user can read.
        var delivered: UInt64 { min(self.stored, self.shown) }
    }

    /// The members but the node itself, by peer, each once.
    var members: [Member]

    /// Those who count towards a goal.
    func counted(_ goal: DeliveryGoal) -> [Member] {
        switch goal {
        case .named(let peers): return self.members.filter { peers.contains($0.peer) }
        case .all: return self.members.filter(\.isKnown)
        case .members:
            let known = self.members.filter(\.isKnown)
            #if MUTANTS
                if Mutant.countStrangersAsDelivered.isActive { return self.members }
            #endif
            return known.isEmpty ? self.members : known
        }
    }

    /// How many of those who count are needed for a goal.
    private func needed(_ goal: DeliveryGoal, of counted: [Member]) -> Int {
        switch goal {
        case .members(let count): max(count, 1)
        case .all: max(counted.count, 1)
        case .named(let peers): peers.count
        }
    }

    /// Through which entry a goal is reached; 0 while too few count.
    func reach(_ goal: DeliveryGoal) -> UInt64 {
        let counted = self.counted(goal)
        let needed = self.needed(goal, of: counted)
        guard needed <= counted.count else { return 0 }
        return counted.map(\.delivered).sorted(by: >)[needed - 1]
    }

    /// The last entry that anybody holds who counts towards a goal; nil where nobody holds one.
    func lastHeld(_ goal: DeliveryGoal) -> UInt64? {
        self.counted(goal).filter { $0.shown < $0.stored }.map(\.stored).max()
    }

    /// Whether so many hold an entry that a goal cannot be reached before it is due.
    func isHeldUp(_ seq: UInt64, for goal: DeliveryGoal) -> Bool {
        let counted = self.counted(goal)
        let holding = counted.count { $0.stored >= seq && $0.shown < seq }
        return holding > 0 && counted.count - holding < self.needed(goal, of: counted)
    }

    /// What has become of an entry at each member: those first whom the user knows.
    func outcomes(of seq: UInt64) -> [(peer: PeerID, outcome: DeliveryOutcome)] {
        (self.members.filter(\.isKnown) + self.members.filter { !$0.isKnown }).map { member in
            guard member.isLinked else { return (member.peer, .away) }
            guard member.stored >= seq else { return (member.peer, .waiting) }
            return (member.peer, member.shown >= seq ? .delivered : .held)
        }
    }

    /// Who has an entry and can read it.
    func delivered(_ seq: UInt64) -> [PeerID] {
        self.members.filter { $0.delivered >= seq }.map(\.peer).sorted()
    }

    /// Who has an entry and holds it.
    func holding(_ seq: UInt64) -> [PeerID] {
        self.members.filter { $0.stored >= seq && $0.shown < seq }.map(\.peer).sorted()
    }

    /// Who counts towards a goal and does not have an entry.
    func lacking(_ seq: UInt64, for goal: DeliveryGoal) -> [PeerID] {
        self.counted(goal).filter { $0.stored < seq }.map(\.peer).sorted()
    }
}
