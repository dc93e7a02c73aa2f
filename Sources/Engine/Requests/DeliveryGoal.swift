package import Formats

/// Who must have an own message before a wait for its delivery ends.
///
/// In an open room anybody may say that a message has come, or say nothing for ever. So those members
/// count whom the user knows; others only where they are named, or where nobody there is known.
package enum DeliveryGoal: Hashable, Sendable {
    /// So many of those who count have it, at least one.
    case members(Int)
    /// All members whom the user knows have it.
    case all
    /// Each of these has it, known or not.
    case named(Set<PeerID>)
}

/// A wait for delivery: for whom, whether they are to have read it, and how long.
package struct DeliveryWait: Hashable, Sendable {
    /// Who must have the message, or must have read it.
    package var aim: DeliveryAim
    /// When the wait ends, a monotonic moment in milliseconds.
    package var deadline: UInt64

    package init(
        _ goal: DeliveryGoal = .members(1), isRead: Bool = false, by deadline: UInt64
    ) {
        self.aim = DeliveryAim(goal, isRead: isRead)
        self.deadline = deadline
    }
}

package struct DeliveryAim: Hashable, Sendable {
    /// Who must have the message.
    package var goal: DeliveryGoal
    /// Whether they must have read it; not all tell others what they have read.
    package var isRead: Bool

    /// Describes what a wait is for.
    package init(_ goal: DeliveryGoal, isRead: Bool = false) {
        self.goal = goal
        self.isRead = isRead
    }
}

/// What has become of an own message at a member, as that says of itself.
package enum DeliveryOutcome: Hashable, Sendable {
    /// Its user has read the message.
    case read
    /// It has the message.
    case delivered
    /// It has the message, and shows it later: it is ahead of time there.
    case held
    /// It is linked, and does not have the message yet.
    case waiting
    /// It is not linked, and these have the message to pass it on.
    case passing(through: [PeerID])
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
        /// Whether it is another device of the user.
        var isOwn = false
        /// Up to where it has everything on disk, payloads too; 0 while it is not linked.
        var stored: UInt64 = 0
        /// Up to where it holds nothing.
        var shown = UInt64.max
        /// How far it had the log when it said so last, on whatever way.
        var position = MemberPosition()
        /// Whether nothing was heard of it for so long that nobody waits for it.
        var isLongAway = false
        /// Whether it is linked.
        var isLinked = false

        /// Up to where its user can read.
        var delivered: UInt64 { max(min(self.stored, self.shown), self.position.stored) }

        /// Up to where a wait for it is over.
        func reach(isRead: Bool) -> UInt64 { isRead ? self.position.read : self.delivered }
    }

    /// The members but the node itself, by peer, each once.
    var members: [Member]

    /// Those who count towards a goal.
    func counted(_ goal: DeliveryGoal) -> [Member] {
        switch goal {
        case .named(let peers): return self.members.filter { peers.contains($0.peer) }
        case .all: return self.members.filter { $0.isKnown && !$0.isOwn && !$0.isLongAway }
        case .members:
            // Nobody else has what is on two devices of the user, unless it is for these alone.
            let others = self.members.filter { !$0.isOwn }
            let known = others.filter(\.isKnown)
            #if MUTANTS
                if Mutant.countStrangersAsDelivered.isActive { return self.members }
            #endif
            return others.isEmpty ? self.members : known.isEmpty ? others : known
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

    /// Through which entry a wait is over; 0 while too few count.
    func reach(_ aim: DeliveryAim) -> UInt64 {
        let counted = self.counted(aim.goal)
        let needed = self.needed(aim.goal, of: counted)
        guard needed <= counted.count else { return 0 }
        return counted.map { $0.reach(isRead: aim.isRead) }.sorted(by: >)[needed - 1]
    }

    /// The last entry that anybody holds who counts towards a goal; nil where nobody holds one.
    func lastHeld(_ goal: DeliveryGoal) -> UInt64? {
        self.counted(goal).filter { $0.delivered < $0.stored }.map(\.stored).max()
    }

    /// Whether anybody holds an entry who counts towards a goal.
    func isHeld(_ seq: UInt64, for goal: DeliveryGoal) -> Bool {
        self.counted(goal).contains { $0.stored >= seq && $0.delivered < seq }
    }

    /// Whether so many hold an entry that a goal cannot be reached before it is due.
    func isHeldUp(_ seq: UInt64, for goal: DeliveryGoal) -> Bool {
        let counted = self.counted(goal)
        let holding = counted.count { $0.stored >= seq && $0.delivered < seq }
        return holding > 0 && counted.count - holding < self.needed(goal, of: counted)
    }

    /// What has become of an entry at each member: those first whom the user knows.
    func outcomes(
        of seq: UInt64, isBehindOthers: (PeerID) -> Bool = { _ in false }
    ) -> [(peer: PeerID, outcome: DeliveryOutcome)] {
        let ordered = self.members.filter(\.isKnown) + self.members.filter { !$0.isKnown }
        let through = Array(
            ordered.lazy.filter { $0.isLinked && $0.stored >= seq }.map(\.peer)
                .prefix(Limits.passingNamed))
        return ordered.map { member in
            if member.position.read >= seq { return (member.peer, .read) }
            if member.delivered >= seq { return (member.peer, .delivered) }
            guard member.isLinked else {
                let isPassing =
                    !through.isEmpty && !member.isLongAway && isBehindOthers(member.peer)
                return (member.peer, isPassing ? .passing(through: through) : .away)
            }
            guard member.stored >= seq else { return (member.peer, .waiting) }
            return (member.peer, .held)
        }
    }

    /// Who has an entry and can read it, or has read it.
    func delivered(_ seq: UInt64, isRead: Bool = false) -> [PeerID] {
        self.members.filter { $0.reach(isRead: isRead) >= seq }.map(\.peer).sorted()
    }

    /// Who has an entry and holds it.
    func holding(_ seq: UInt64) -> [PeerID] {
        self.members.filter { $0.stored >= seq && $0.delivered < seq }.map(\.peer).sorted()
    }

    /// Who counts towards a wait and does not have an entry, or has not read it.
    func lacking(_ seq: UInt64, for aim: DeliveryAim) -> [PeerID] {
        self.counted(aim.goal).filter {
            aim.isRead ? $0.position.read < seq : max($0.stored, $0.position.stored) < seq
        }.map(\.peer).sorted()
    }
}
