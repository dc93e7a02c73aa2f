internal import Formats

/// How many acts of each person are taken, so that nobody uses up the room of others.
///
/// `Docs/Protocol/Rosters.md` section 5 says why all nodes end with the same roster nevertheless.
struct ActShares {
    /// Those who share the room of a group: all within their own, and those before them leave more to those behind.
    private enum Class: Hashable {
        case owner, ranked, brought
        /// People whom nothing has brought that counts: all of them have what one pot holds.
        case strange
    }

    private let owner: PersonID
    private var acts: [PersonID: Int] = [:]
    /// Apart, so that a thief of a device cannot use up what its person needs to cut it.
    private var cuts: [PersonID: Int] = [:]
    /// People to whom the owner has ever given a rank.
    private var ranked: Set<PersonID> = []
    /// People whom an act on the disk has brought that counts.
    private var brought: Set<PersonID> = []
    /// What uses up room: of each person no more than their share.
    private var charged: [Class: Int] = [:]

    init(owner: PersonID) { self.owner = owner }

    mutating func add(_ act: ActStatement) {
        if case .admin(let person, _) = act.kind, act.author == self.owner {
            self.change(person) { $0.ranked.insert(person) }
        }
        self.change(act.author) {
            if case .cut = act.kind {
                $0.cuts[act.author, default: 0] += 1
            } else {
                $0.acts[act.author, default: 0] += 1
            }
        }
    }

    mutating func follow(brought: Set<PersonID>) {
        for person in brought.symmetricDifference(self.brought) {
            self.change(person) {
                if $0.brought.remove(person) == nil { $0.brought.insert(person) }
            }
        }
    }

    private mutating func change(_ person: PersonID, _ change: (inout Self) -> Void) {
        self.charged[self.group(of: person), default: 0] -= self.charge(of: person)
        change(&self)
        self.charged[self.group(of: person), default: 0] += self.charge(of: person)
    }

    private func group(of person: PersonID) -> Class {
        if person == self.owner { return .owner }
        if self.ranked.contains(person) { return .ranked }
        return self.brought.contains(person) ? .brought : .strange
    }

    private func charge(of person: PersonID) -> Int {
        min(self.acts[person] ?? 0, self.share(of: person))
            + min(self.cuts[person] ?? 0, Limits.cutsOfPerson)
    }

    func isRanked(_ person: PersonID) -> Bool {
        person == self.owner || self.ranked.contains(person)
    }

    func share(of person: PersonID) -> Int {
        if person == self.owner { return Limits.groupActs }
        return self.ranked.contains(person) ? Limits.actsOfAdmin : Limits.actsOfMember
    }

    func count(of person: PersonID) -> Int { (self.acts[person] ?? 0) + (self.cuts[person] ?? 0) }

    func hasActs(of person: PersonID) -> Bool { self.acts[person] ?? 0 > 0 }

    func isUsedUp(by person: PersonID) -> Bool {
        self.acts[person] ?? 0 >= self.share(of: person)
    }

    /// The acts of a group up to which those of somebody are taken: the last are the owner's, those before the admins'.
    func room(for person: PersonID) -> Int {
        if person == self.owner { return Limits.groupActs }
        let room = Limits.groupActs - Limits.groupOwnerActs
        return self.ranked.contains(person) ? room : room - Limits.groupAdminActs
    }

    /// How many more acts of somebody are taken for themselves.
    ///
    /// - Parameter isComing: whether it is the join of somebody whom an open link brings.
    func left(to person: PersonID, cuts isCut: Bool = false, isComing: Bool = false) -> Int {
        let own =
            isCut
            ? Limits.cutsOfPerson - (self.cuts[person] ?? 0)
            : self.share(of: person) - (self.acts[person] ?? 0)
        guard own > 0 else { return 0 }
        let room = self.room(for: person) - (isCut ? 0 : Limits.groupCuts)
        let left = max(0, min(own, room - self.charged(for: person)))
        guard self.group(of: person) == .strange, !isComing else { return left }
        return max(0, min(left, Limits.groupStrangeActs - (self.charged[.strange] ?? 0)))
    }

    /// What uses up the room of somebody: those without a rank use up no more than their own room, those with one no more
    /// than that of both.
    private func charged(for person: PersonID) -> Int {
        let strange = min(self.charged[.strange] ?? 0, Limits.groupStrangeActs)
        let low = strange + (self.charged[.brought] ?? 0)
        let high = self.charged[.ranked] ?? 0
        let owners = self.charged[.owner] ?? 0
        let middle = Limits.groupActs - Limits.groupOwnerActs
        let lowest = min(low, middle - Limits.groupAdminActs)
        switch self.group(of: person) {
        case .owner: return min(lowest + high, middle) + owners
        case .ranked: return lowest + high + owners
        case .brought, .strange: return low + high + owners
        }
    }
}

extension GroupState {
    /// Whether an act is taken for itself.
    ///
    /// Nothing is of people whom nobody has brought: keys cost nothing. Who comes by a link that is here brings
    /// themselves.
    func hasRoom(for act: Act) -> Bool {
        let author = act.statement.author
        if author == self.ownerID || self.view.known.contains(author) {
            return self.left(for: act, isComing: false) > 0
        }
        guard !self.shares.hasActs(of: author), let (id, link) = self.link(of: act) else {
            return false
        }
        let isOpen =
            self.view.roster.openLinks.contains(id) && !link.needsApproval
            && link.expires.map { act.statement.time <= $0 } ?? true
        return self.left(for: act, isComing: isOpen) > 0
    }

    private func left(for act: Act, isComing: Bool) -> Int {
        var isCut = false
        if case .cut = act.statement.kind { isCut = true }
        return self.shares.left(to: act.statement.author, cuts: isCut, isComing: isComing)
    }

    /// Whether acts are taken for the sake of one that is within its author's share and follows them all: an honest node
    /// has taken them, and without them nothing of what follows can be.
    ///
    /// Whatever the owner's acts follow is taken: so a removal by the owner reaches all.
    func takes(_ past: [Act], for act: Act) -> Bool {
        let author = act.statement.author
        if author == self.ownerID {
            return self.count + past.count <= Limits.actsWithOwner
        }
        guard self.count + past.count <= 2 * self.shares.room(for: author) else { return false }
        // So much of one person costs no more than a moment to judge.
        var counts: [PersonID: Int] = [:]
        for act in past { counts[act.statement.author, default: 0] += 1 }
        return counts.allSatisfy { person, count in
            person == self.ownerID
                || self.shares.count(of: person) + count
                    <= Limits.sharesAlong * self.shares.share(of: person)
        }
    }

    /// Whether the author of an act is known, or comes by a link that is here: acts of others come along with those of
    /// people with a rank alone.
    func isKnown(authorOf act: Act) -> Bool {
        let author = act.statement.author
        return author == self.ownerID || self.view.known.contains(author)
            || self.shares.hasActs(of: author) || self.link(of: act) != nil
    }

    /// The acts that wait for nothing that is not here, each behind those that it follows.
    func waitingGraph(until latest: UInt64 = .max) -> ActGraph {
        ActGraph(
            self.waiting.mapValues(\.act.statement).filter { $0.value.time <= latest }.mapValues {
                ActStatement(
                    author: $0.author, device: $0.device,
                    basis: $0.basis.filter { !self.has($0) }, time: $0.time, kind: $0.kind)
            })
    }

    /// The heads of all that is here, also of what is not taken: a peer need not send it again, so that it comes to what
    /// follows.
    var headsToTell: [ActID] {
        guard !self.waiting.isEmpty else { return self.heads.sorted() }
        let complete = self.waitingGraph().ids
        let followed = Set(complete.flatMap { self.waiting[$0]?.act.statement.basis ?? [] })
        return complete.filter { !followed.contains($0) }.sorted()
            + self.heads.filter { !followed.contains($0) }.sorted()
    }
}
