internal import Formats

/// What is known of a group in one place: its acts, and what they say.
struct GroupView {
    /// What somebody is to a group.
    enum Standing: Hashable {
        /// A member.
        case inside
        /// Something that counts has brought them, and they are out.
        case former
        /// Nothing that counts has ever brought them.
        case outside
    }

    let graph: ActGraph
    let roster: Roster
    let history: Group.History
    let places: Int
    /// Acts that a key's maker must have known.
    let takings: ActSet
    /// Acts that nothing follows, ascending.
    let heads: [ActID]
    /// People whom an act has brought that counts, or that was signed in good faith.
    let known: Set<PersonID>
    /// From when on devices are cut, in milliseconds.
    let cutTimes: [OwnedDevice: UInt64]
    /// The smallest rank that each was ever given.
    private let ranks: [PersonID: Rank]

    init(
        _ acts: [ActID: ActStatement], history: Group.History, places: Int = Limits.groupMembers
    ) {
        self.graph = ActGraph(acts)
        var pass = RosterPass(self.graph, places: places)
        pass.run()
        self.roster = pass.roster
        self.ranks = pass.ranks
        self.cutTimes = Self.cutTimes(self.graph, pass.roster)
        self.history = history
        self.places = places
        var takings = ActSet(room: self.graph.count)
        for id in self.roster.takings {
            if let place = self.graph.index[id] { takings.insert(place) }
        }
        self.takings = takings
        var known = self.roster.brought
        for (place, id) in self.graph.ids.enumerated() {
            switch self.roster.verdicts[id] {
            case .undecided?, .settled?:
                if let person = self.graph.acts[self.graph.meant(by: place)].brings {
                    known.insert(person)
                }
            case .counts?, .void?, .waits?, nil: break
            }
        }
        self.known = known
        let followed = Set(self.graph.acts.flatMap(\.basis))
        self.heads = self.graph.ids.filter { !followed.contains($0) }.sorted()
    }

    /// Whether somebody is a member, and the device is not one that they have cut.
    func isMember(_ person: PersonID, on device: PeerID) -> Bool {
        self.roster.members[person] != nil
            && !self.roster.cutDevices
                .contains(OwnedDevice(person: person, device: device))
    }

    /// The heads, before all others as many as it takes to reach all takings.
    var headsByTakings: [ActID] {
        var left = self.graph.ids.indices.filter(self.takings.contains)
        var first: [ActID] = []
        var others: [ActID] = []
        for head in self.heads {
            let past = self.graph.reach(of: [head])
            let count = left.count
            left.removeAll { past?.contains($0) == true }
            if left.count < count { first.append(head) } else { others.append(head) }
        }
        return first + others
    }

    func standing(of person: PersonID) -> Standing {
        if self.roster.members[person] != nil { return .inside }
        return self.roster.brought.contains(person) ? .former : .outside
    }

    /// What becomes of entry number `seq` of a log of somebody.
    ///
    /// Of those who were removed, what the most senior of who removed them had by then is shown; of those who left,
    /// everything.
    func showing(_ seq: UInt64, of log: LogName, by person: PersonID, wasShown: Bool) -> Showing {
        let isShown =
            switch self.standing(of: person) {
            case .inside: true
            case .outside: false
            case .former:
                self.roster.removals[person].map { seq <= self.end(of: log, by: $0) } ?? true
            }
        if isShown { return .shown }
        return wasShown ? .marked : .waits
    }

    /// The last entry of a log that these removals show.
    ///
    /// The most senior author's count alone, and of several the least: a junior one extends nothing.
    private func end(of log: LogName, by removals: [ActID]) -> UInt64 {
        let judged = removals.compactMap { removal in
            self.graph.index[removal].map {
                (removal: removal, by: self.seniority(of: self.graph.acts[$0].author))
            }
        }
        let first = judged.map(\.by).min()
        return judged.filter { $0.by == first }.map { judged in
            self.positions(in: judged.removal).first { $0.log == log }?.seq ?? 0
        }.min() ?? 0
    }

    private func seniority(of person: PersonID) -> Seniority {
        person == self.roster.owner ? .owner : Seniority(person, rank: self.ranks[person])
    }

    private func positions(in removal: ActID) -> [LogPosition] {
        guard let place = self.graph.index[removal],
            case .remove(_, let seen) = self.graph.acts[self.graph.meant(by: place)].kind
        else { return [] }
        return seen
    }
}
