internal import Formats

/// How many acts of each person are taken, so that nobody uses up the room of others.
///
/// `Docs/Protocol/Rosters.md` section 5 says why all nodes end with the same roster nevertheless.
struct ActShares {
    private let owner: PersonID
    private var acts: [PersonID: Int] = [:]
    /// Apart, so that a thief of a device cannot use up what its person needs to cut it.
    private var cuts: [PersonID: Int] = [:]
    /// People to whom the owner has ever given a rank.
    private var ranked: Set<PersonID> = []

    init(owner: PersonID) { self.owner = owner }

    mutating func add(_ act: ActStatement) {
        switch act.kind {
        case .cut: self.cuts[act.author, default: 0] += 1
        case .admin(let person, _) where act.author == self.owner:
            self.ranked.insert(person)
            fallthrough
        default: self.acts[act.author, default: 0] += 1
        }
    }

    func isRanked(_ person: PersonID) -> Bool {
        person == self.owner || self.ranked.contains(person)
    }

    func share(of person: PersonID) -> Int {
        if person == self.owner { return Limits.groupActs }
        return self.ranked.contains(person) ? Limits.actsOfAdmin : Limits.actsOfMember
    }

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
    func left(to person: PersonID, cuts isCut: Bool = false) -> Int {
        let own =
            isCut
            ? Limits.cutsOfPerson - (self.cuts[person] ?? 0)
            : self.share(of: person) - (self.acts[person] ?? 0)
        guard own > 0 else { return 0 }
        let room = self.room(for: person) - (isCut ? 0 : Limits.groupCuts)
        return max(0, min(own, room - self.charged(for: person)))
    }

    /// What uses up the room of somebody: an act beyond a share is here for the sake of another one, and those without a
    /// rank use up no more than their own room, those with one no more than that of both.
    private func charged(for person: PersonID) -> Int {
        var (low, high, owners) = (0, 0, 0)
        for author in Set(self.acts.keys).union(self.cuts.keys) {
            let count =
                min(self.acts[author] ?? 0, self.share(of: author))
                + min(self.cuts[author] ?? 0, Limits.cutsOfPerson)
            if author == self.owner {
                owners += count
            } else if self.ranked.contains(author) {
                high += count
            } else {
                low += count
            }
        }
        let middle = Limits.groupActs - Limits.groupOwnerActs
        if person == self.owner {
            return min(min(low, middle - Limits.groupAdminActs) + high, middle) + owners
        }
        let isRanked = self.ranked.contains(person)
        return (isRanked ? min(low, middle - Limits.groupAdminActs) : low) + high + owners
    }
}

extension GroupState {
    /// Whether an act is taken for itself.
    ///
    /// Nothing is of people whom nobody has brought: keys cost nothing. Who comes by a link that is here brings
    /// themselves.
    func hasRoom(for act: Act) -> Bool {
        let statement = act.statement
        let author = statement.author
        let comes = self.link(of: act) != nil && !self.shares.hasActs(of: author)
        guard comes || author == self.ownerID || self.view.known.contains(author) else {
            return false
        }
        var isCut = false
        if case .cut = statement.kind { isCut = true }
        return self.shares.left(to: author, cuts: isCut) > 0
    }

    /// Whether acts are taken for the sake of one that is within its author's share and follows them all: an honest node
    /// has taken them, and without them nothing of what follows can be.
    func takes(_ past: [Act], for act: Act) -> Bool {
        let author = act.statement.author
        guard self.count + past.count <= 2 * self.shares.room(for: author) else { return false }
        // Only who has a rank brings along what people have signed whom nobody has brought.
        return self.shares.isRanked(author)
            || past.allSatisfy {
                self.view.known.contains($0.statement.author) || $0.id == act.id
            }
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
