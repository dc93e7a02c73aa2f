internal import Formats

/// One pass down the order of seniority, which settles what counts.
///
/// All that it keeps about a person comes from that person or from more senior people, so judging a later person
/// changes nothing about earlier ones.
struct RosterPass {
    /// How somebody was brought in.
    enum Way: Hashable {
        case create, add, admin, join
    }

    /// Why somebody is out, or no admin.
    enum EndKind: Hashable {
        case remove, demote, leave
    }

    /// An act that ends somebody's time, or their rank.
    struct End {
        var act: Int
        var by: Seniority
        var kind: EndKind
    }

    /// An act that brings somebody.
    struct Bringing {
        var act: Int
        var by: Seniority
        var way: Way
    }

    /// An act that ends links.
    enum LinkEnd {
        case one(ActID)
        /// All that it has not seen.
        case all
        /// All of one maker that it has not seen.
        case maker(PersonID)
    }

    let graph: ActGraph
    let places: Int
    var roster = Roster()
    /// The smallest rank that a person was given.
    var ranks: [PersonID: Rank] = [:]
    /// Acts that gave a person a rank.
    var grants: [PersonID: [Int]] = [:]
    var ends: [PersonID: [End]] = [:]
    var bringings: [PersonID: [Bringing]] = [:]
    /// Acts that made or accepted a link.
    var links: [ActID: [Int]] = [:]
    var linkEnds: [(act: Int, what: LinkEnd)] = []
    /// What people have said about their own devices.
    var statements: [OwnedDevice: [Int]] = [:]
    /// The last word of each of them.
    var words: [OwnedDevice: Int] = [:]
    var byAuthor: [PersonID: [Int]] = [:]

    init(_ graph: ActGraph, places: Int) {
        self.graph = graph
        self.places = places
        for id in graph.waiting { self.roster.verdicts[id] = .waits }
        for (place, act) in graph.acts.enumerated() {
            self.byAuthor[act.author, default: []].append(place)
            guard case .cut(let device, _, _) = act.kind else { continue }
            self.statements[OwnedDevice(person: act.author, device: device), default: []]
                .append(place)
        }
        for (device, said) in self.statements { self.words[device] = self.latest(of: said) }
    }

    mutating func run() {
        guard let root = self.graph.root else {
            for id in self.graph.ids { self.roster.verdicts[id] = .waits }
            return
        }
        let owner = self.graph.acts[root].author
        self.roster.owner = owner
        self.bringings[owner] = [Bringing(act: root, by: .owner, way: .create)]
        for place in 0..<self.graph.count where self.graph.acts[place].kind.isFounding {
            self.say(place, place == root ? .counts : .void(.form))
        }
        self.judgeAll(of: owner)
        // Only the owner gives ranks, so from here on the order is settled.
        for person in self.byAuthor.keys.sorted(by: { self.seniority($0) < self.seniority($1) })
        where person != owner {
            self.judgeAll(of: person)
        }
        for place in 0..<self.graph.count {
            guard case .join(let link, _) = self.graph.acts[place].kind else { continue }
            self.judgeJoin(place, by: link)
        }
        self.finish(beyondPlaces: self.seat(owner))
    }

    mutating func say(_ place: Int, _ verdict: Roster.Verdict) {
        self.roster.verdicts[self.graph.ids[place]] = verdict
    }

    /// Judges a person's own acts: their word about devices and that they leave first, which always count.
    private mutating func judgeAll(of person: PersonID) {
        let own = self.byAuthor[person] ?? []
        for place in own {
            if case .cut = self.graph.acts[place].kind { self.say(place, .counts) }
        }
        for place in own where self.graph.acts[place].kind == .leave { self.judge(place) }
        for place in own {
            switch self.graph.acts[place].kind {
            case .cut, .leave, .join, .create: continue
            default: self.judge(place)
            }
        }
    }

    /// Whether an act counts, once all who are more senior are done, and what it then does.
    private mutating func judge(_ place: Int) {
        let act = self.graph.acts[place]
        let meant = self.graph.meant(by: place)
        var kind = self.graph.acts[meant].kind
        if case .accept = act.kind {
            guard meant != place, self.graph.isSeen(meant, by: place) else {
                return self.say(place, .void(.notSeen))
            }
            switch kind {
            // To accept somebody who came by a link is to add them.
            case .join: kind = .add(self.graph.acts[meant].author)
            case .add, .remove, .admin, .demote, .link, .endLink: break
            case .create, .leave, .accept, .cut, .tie: return self.say(place, .void(.form))
            }
        }
        if kind != .leave, self.isCut(place) { return self.say(place, .undecided(.cut)) }
        if let reason = self.refusal(of: kind, at: place) {
            return self.say(place, reason == .granted ? .undecided(reason) : .void(reason))
        }
        if kind != .leave,
            (self.ends[act.author] ?? []).contains(where: {
                $0.kind != .leave && self.graph.areApart($0.act, place)
            })
        {
            return self.say(place, .undecided(.removed))
        }
        self.say(place, .counts)
        self.apply(kind, at: place, link: self.graph.ids[meant])
    }

    private mutating func apply(_ kind: ActKind, at place: Int, link: ActID) {
        let author = self.graph.acts[place].author
        let by = self.seniority(author)
        switch kind {
        case .leave: self.ends[author, default: []].append(End(act: place, by: by, kind: .leave))
        case .remove(let person, _):
            self.ends[person, default: []].append(End(act: place, by: by, kind: .remove))
            self.linkEnds.append((place, .all))
        case .demote(let person):
            self.ends[person, default: []].append(End(act: place, by: by, kind: .demote))
            self.linkEnds.append((place, .maker(person)))
        case .add(let person):
            self.bringings[person, default: []].append(Bringing(act: place, by: by, way: .add))
        case .admin(let person, let rank):
            self.bringings[person, default: []].append(Bringing(act: place, by: by, way: .admin))
            self.grants[person, default: []].append(place)
            self.ranks[person] = min(rank, self.ranks[person] ?? rank)
        case .link: self.links[link, default: []].append(place)
        case .endLink(let ended): self.linkEnds.append((place, .one(ended)))
        case .create, .join, .accept, .cut, .tie: break
        }
    }

    /// Gives the places to those whom more senior people have brought, then to those brought nearer to the founding;
    /// gives those for whom there is none.
    private mutating func seat(_ owner: PersonID) -> Set<PersonID> {
        typealias Place = (rank: UInt32, depth: Int, id: ActID)
        let inside = self.bringings.compactMap { person, bringings -> (PersonID, Place)? in
            guard
                (self.ends[person] ?? []).allSatisfy({
                    $0.kind == .demote || self.isLifted($0, of: person, in: nil)
                })
            else { return nil }
            let places: [Place] = bringings.map {
                ($0.by.rank, self.graph.depths[$0.act], self.graph.ids[$0.act])
            }
            return places.min { $0 < $1 }.map { (person, $0) }
        }.sorted { $0.1 < $1.1 }
        for (person, _) in inside.prefix(self.places) {
            let rank = self.isAdmin(person, in: nil) ? self.ranks[person] : nil
            self.roster.members[person] =
                person == owner ? .owner : rank.map(Roster.Role.admin) ?? .member
        }
        return Set(inside.dropFirst(self.places).map(\.0))
    }
}
