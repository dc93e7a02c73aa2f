internal import Formats

/// The rule: who may do what.
///
/// A *view* is what the author of an act had seen, or everything where it is nil; of it only what counts by now has
/// left a trace.
extension RosterPass {
    func seniority(_ person: PersonID) -> Seniority {
        person == self.roster.owner ? .owner : Seniority(person, rank: self.ranks[person])
    }

    private func isInView(_ act: Int, _ view: Int?) -> Bool {
        view.map { self.graph.isSeen(act, by: $0) } ?? true
    }

    /// Whether somebody has a rank in a view, given after each end of theirs there.
    func isAdmin(_ person: PersonID, in view: Int?) -> Bool {
        if person == self.roster.owner { return true }
        let given = (self.grants[person] ?? []).filter { self.isInView($0, view) }
        return !given.isEmpty
            && (self.ends[person] ?? []).allSatisfy { end in
                !self.isInView(end.act, view) || given.contains { self.knows($0, of: end) }
            }
    }

    /// Whether an act knew of an end; or, of somebody who left, that the device that said so had been cut before.
    private func knows(_ act: Int, of end: End) -> Bool {
        if self.graph.isSeen(end.act, by: act) { return true }
        let left = self.graph.acts[end.act]
        guard end.kind == .leave, let device = left.device else { return false }
        let said = self.statements[OwnedDevice(person: left.author, device: device)] ?? []
        return said.contains {
            self.graph.isSeen($0, by: act) && !self.graph.isSeen(end.act, by: $0)
                && !self.stands($0)
        }
    }

    /// Whether somebody was brought again after an end: after a removal only by who removed, or somebody more senior.
    func isLifted(_ end: End, of person: PersonID, in view: Int?) -> Bool {
        (self.bringings[person] ?? []).contains {
            self.isInView($0.act, view) && self.knows($0.act, of: end)
                && (end.kind == .leave || $0.way != .join && $0.by <= end.by)
        }
    }

    // MARK: Cut devices

    private func stands(_ statement: Int) -> Bool {
        guard case .cut(_, _, let stands) = self.graph.acts[statement].kind else { return false }
        return stands
    }

    /// The word about a device that counts.
    ///
    /// For an act that a more senior removal of its author had seen, only what that removal had seen, too: it seals
    /// what it knew.
    func latestWord(about device: OwnedDevice, for act: Int? = nil) -> Int? {
        guard let word = self.words[device] else { return nil }
        guard let act else { return word }
        let seals = (self.ends[device.person] ?? []).filter {
            $0.kind != .leave && $0.by < self.seniority(device.person)
                && self.graph.isSeen(act, by: $0.act)
        }
        // Most often there are none, and somebody may have said much.
        guard !seals.isEmpty else { return word }
        return self.latest(
            of: (self.statements[device] ?? []).filter { word in
                seals.allSatisfy { self.graph.isSeen(word, by: $0.act) }
            })
    }

    func latest(of said: [Int]) -> Int? { said.max { self.weight($0) < self.weight($1) } }

    private func weight(_ statement: Int) -> (UInt64, Int, ActID) {
        guard case .cut(_, let number, let stands) = self.graph.acts[statement].kind else {
            preconditionFailure("only cuts are kept as words about devices")
        }
        return (number, stands ? 0 : 1, self.graph.ids[statement])
    }

    /// Whether the device of an act was cut, and the cut did not know the act.
    func isCut(_ place: Int) -> Bool {
        let act = self.graph.acts[place]
        guard let device = act.device else { return false }
        let word = self.latestWord(
            about: OwnedDevice(person: act.author, device: device), for: place)
        return word.map { !self.stands($0) && !self.graph.isSeen(place, by: $0) } ?? false
    }

    // MARK: What somebody may do

    /// Why the author of an act may not do this by what they had seen; nil where they may.
    func refusal(of kind: ActKind, at place: Int) -> Roster.Reason? {
        let author = self.graph.acts[place].author
        switch kind {
        case .leave, .tie: return nil
        case .admin(let person, let rank): return self.refusal(toGive: rank, to: person, at: place)
        default: break
        }
        guard self.isAdmin(author, in: place) else { return .notAdmin }
        switch kind {
        case .remove(let person, _), .demote(let person):
            if person == self.roster.owner { return .ownerStays }
            if person == author { return .oneself }
            return self.refusal(toEnd: person, kind, at: place)
        case .add(let person):
            let by = self.seniority(author)
            let needsMore = (self.ends[person] ?? []).contains {
                $0.kind == .remove && self.graph.isSeen($0.act, by: place) && $0.by < by
                    && !self.isLifted($0, of: person, in: place)
            }
            return needsMore ? .lift : nil
        case .endLink(let link):
            let isSeen = self.graph.index[link].map { self.graph.isSeen($0, by: place) } ?? false
            return isSeen ? nil : .notSeen
        default: return nil
        }
    }

    private func refusal(
        toGive rank: Rank, to person: PersonID, at place: Int
    ) -> Roster.Reason? {
        guard self.graph.acts[place].author == self.roster.owner else { return .notOwner }
        if person == self.roster.owner { return .ownerStays }
        guard rank > 0 else { return .form }
        var own: Set<Rank> = []
        var others: Set<Rank> = []
        var ranked = 0
        for (other, grants) in self.grants {
            let given = grants.filter { self.graph.isSeen($0, by: place) }.compactMap(self.rank)
            if other == person {
                own.formUnion(given)
            } else if !given.isEmpty {
                others.formUnion(given)
                ranked += 1
            }
        }
        // A rank that was given can be given again.
        if !own.isEmpty { return own.contains(rank) ? nil : .rankStands }
        if others.contains(rank) { return .rankTaken }
        return ranked >= Limits.groupRanks ? .full : nil
    }

    private func rank(givenBy grant: Int) -> Rank? {
        guard case .admin(_, let rank) = self.graph.acts[self.graph.meant(by: grant)].kind else {
            return nil
        }
        return rank
    }

    private func refusal(
        toEnd person: PersonID, _ kind: ActKind, at place: Int
    ) -> Roster.Reason? {
        let author = self.graph.acts[place].author
        let isJunior = self.seniority(author) < self.seniority(person)
        let grants = self.grants[person] ?? []
        if case .demote = kind {
            return isJunior && grants.contains { self.graph.isSeen($0, by: place) }
                ? nil : .outranked
        }
        if isJunior { return nil }
        if self.isAdmin(person, in: place) { return .outranked }
        // Beside it the owner has made them more senior.
        return grants.contains { self.graph.areApart($0, place) } ? .granted : nil
    }

    // MARK: Links

    /// The acts that have ended a link, as the act at a place made or accepted it.
    private func ends(ofLink link: ActID, at place: Int, for join: Int? = nil) -> [Int] {
        let maker = self.graph.acts[place]
        var found = self.linkEnds.filter { end in
            switch end.what {
            case .one(let ended): ended == link
            case .all: !self.graph.isSeen(end.act, by: place)
            case .maker(let person):
                person == maker.author && !self.graph.isSeen(end.act, by: place)
            }
        }.map(\.act)
        if let device = maker.device,
            let word = self.latestWord(
                about: OwnedDevice(person: maker.author, device: device), for: join),
            !self.stands(word)
        {
            found.append(word)
        }
        return found
    }

    /// Whether somebody comes by a link: when all other acts are judged.
    mutating func judgeJoin(_ place: Int, by id: ActID) {
        let act = self.graph.acts[place]
        guard let at = self.graph.index[id], self.graph.isSeen(at, by: place) else {
            return self.say(place, .void(.notSeen))
        }
        if self.isCut(place) { return self.say(place, .undecided(.cut)) }
        let made = (self.links[id] ?? []).filter { self.graph.isSeen($0, by: place) }
        guard case .link(let link) = self.graph.acts[at].kind, !made.isEmpty else {
            return self.say(place, .undecided(.noLink))
        }
        let open = made.filter { made in
            self.ends(ofLink: id, at: made, for: place).allSatisfy {
                self.graph.isSeen(place, by: $0)
            }
        }
        let makers = open.map { self.seniority(self.graph.acts[$0].author) }
        guard let by = makers.min() else { return self.say(place, .undecided(.ended)) }
        if let expires = link.expires, self.graph.times[place] > expires {
            return self.say(place, .undecided(.late))
        }
        if link.needsApproval { return self.say(place, .undecided(.approve)) }
        self.say(place, .counts)
        self.bringings[act.author, default: []].append(Bringing(act: place, by: by, way: .join))
    }

    // MARK: When all is judged

    /// Says what follows of the roster for acts: which are settled, which links are open, after which keys change.
    mutating func finish(beyondPlaces over: Set<PersonID>) {
        for device in self.statements.keys {
            if let word = self.latestWord(about: device), !self.stands(word) {
                self.roster.cutDevices.insert(device)
            }
        }
        var accepted: Set<ActID> = []
        for place in 0..<self.graph.count {
            if case .accept(let id) = self.graph.acts[place].kind, self.counts(place) {
                accepted.insert(id)
            }
        }
        for place in 0..<self.graph.count {
            if self.takesAway(place) { self.roster.takings.insert(self.graph.ids[place]) }
            if self.counts(place) { self.review(place, beyondPlaces: over) }
            self.settle(place, accepted)
        }
        for (person, bringings) in self.bringings
        where bringings.contains(where: { self.counts($0.act) }) {
            self.roster.brought.insert(person)
        }
        for (person, ends) in self.ends where self.roster.brought.contains(person) {
            let removals = ends.filter {
                $0.kind == .remove && !self.isLifted($0, of: person, in: nil)
            }
            guard !removals.isEmpty else { continue }
            self.roster.removals[person] = removals.map { self.graph.ids[$0.act] }.sorted()
        }
    }

    private func counts(_ place: Int) -> Bool {
        self.roster.verdicts[self.graph.ids[place]] == .counts
    }

    /// Whether an act can put somebody out, for anyone.
    private func takesAway(_ place: Int) -> Bool {
        switch self.graph.acts[self.graph.meant(by: place)].kind {
        case .remove, .demote, .admin, .leave, .endLink, .cut: true
        case .create, .add, .link, .join, .accept, .tie: false
        }
    }

    private mutating func review(_ place: Int, beyondPlaces over: Set<PersonID>) {
        let act = self.graph.acts[place]
        let id = self.graph.ids[place]
        let meant = self.graph.meant(by: place)
        switch (act.kind, self.graph.acts[meant].kind) {
        case (.leave, _), (.cut, _):
            if self.bringings[act.author] == nil { self.say(place, .void(.notMember)) }
        case (.join, _) where self.roster.members[act.author] == nil && !over.contains(act.author):
            let isKeptOut = (self.ends[act.author] ?? []).contains {
                $0.kind == .remove && !self.isLifted($0, of: act.author, in: nil)
                    && !self.graph.isSeen(place, by: $0.act)
            }
            if isKeptOut { self.say(place, .undecided(.cameBack)) }
        case (_, .join) where over.contains(self.graph.acts[meant].author):
            self.turnAway(place, id)
        case (_, .add(let person)) where over.contains(person): self.turnAway(place, id)
        case (_, .link):
            let link = self.graph.ids[meant]
            if self.ends(ofLink: link, at: place).isEmpty { self.roster.openLinks.insert(link) }
        default: break
        }
    }

    /// There is no place for whom it brings; for somebody who sees more places it may put another one out.
    private mutating func turnAway(_ place: Int, _ id: ActID) {
        self.say(place, .undecided(.full))
        self.roster.takings.insert(id)
    }

    private mutating func settle(_ place: Int, _ accepted: Set<ActID>) {
        let id = self.graph.ids[place]
        guard case .undecided(let reason) = self.roster.verdicts[id] else { return }
        let act = self.graph.acts[place]
        let members = self.roster.members
        let hasComeAbout =
            switch act.kind {
            case .add(let person): members[person] != nil
            case .join: members[act.author] != nil
            case .remove(let person, _): members[person] == nil
            case .demote(let person): members[person] == nil || members[person] == .member
            default: false
            }
        if hasComeAbout || accepted.contains(id) { self.say(place, .settled(reason)) }
    }
}
