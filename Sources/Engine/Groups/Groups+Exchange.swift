internal import Crypto
internal import Formats

/// Acts, as they come and go on links.
extension Groups {
    // MARK: Links

    mutating func linked(_ link: LinkID, _ info: LinkInfo) {
        self.peers[link] = GroupPeer(
            person: info.certificate.personID, device: info.peer, certificate: info.certificate)
    }

    mutating func unlinked(_ link: LinkID) {
        // Of strangers' links nothing follows for groups.
        if self.peers[link]?.groups.isEmpty == false { self.giftChanges += 1 }
        self.peers[link] = nil
        for index in self.syncs.indices { self.syncs[index].end(link) }
        for id in self.joining.keys { self.joining[id]?.answers[link] = nil }
        for id in self.table.keys {
            for (act, waiting) in self.table[id]?.waiting ?? [:] where waiting.links == [link] {
                if !waiting.isAccepted { self.table[id]?.waiting[act] = nil }
            }
            for act in self.table[id]?.waiting.keys.sorted() ?? [] {
                self.table[id]?.waiting[act]?.links.remove(link)
            }
        }
    }

    /// Both ends show that they are in a group: its acts and keys are exchanged from here on.
    mutating func exchange(_ id: ConversationID, on link: LinkID) -> [GroupAction] {
        guard self.table[id]?.isActive == true, self.peers[link] != nil else { return [] }
        self.peers[link]?.groups[id, default: GroupExchange()].begin()
        return self.tellHeads(of: id, on: link) + self.giveKeys(of: id, on: link)
    }

    mutating func noteShown(_ ids: Set<ConversationID>, on link: LinkID) {
        self.peers[link]?.shown = ids
    }

    mutating func endExchange(_ id: ConversationID, on link: LinkID) {
        self.peers[link]?.groups[id]?.end()
    }

    // MARK: Telling

    /// Tells which acts are here, where the peer was not told the same.
    mutating func tellHeads(of id: ConversationID, on link: LinkID) -> [GroupAction] {
        guard let state = self.table[id], state.isActive,
            let exchange = self.peers[link]?.groups[id], exchange.isShared,
            exchange.told != state.digest, self.concerns(id, link)
        else { return [] }
        self.peers[link]?.groups[id]?.told = state.digest
        return [
            .send(
                .actHeads(
                    ActHeads(
                        group: id, digest: state.digest,
                        heads: state.view.headsByTakings.prefix(Limits.actBasis).sorted())),
                on: link)
        ]
    }

    /// Sends what this node has just signed to those who share the group, so that they need not ask; also that it leaves.
    mutating func push(
        _ acts: [Act], of id: ConversationID, on link: LinkID
    ) -> [GroupAction] {
        let own = acts.filter { $0.statement.device == self.device }.firstFrame
        guard !own.isEmpty, self.peers[link]?.groups[id]?.isShared == true,
            self.concerns(id, link)
        else { return [] }
        return [.send(.acts(id, own), on: link)]
    }

    /// Tells a peer that does not share a group what it may not know: that its person was brought in, or is out.
    ///
    /// Once on a link, until something else is to be told there or the peer shows anew what it is in.
    mutating func greet(_ id: ConversationID, on link: LinkID) -> [GroupAction] {
        guard let state = self.table[id], state.isActive, self.isInside(id),
            let peer = self.peers[link], peer.person != self.own, !peer.isRevoked
        else { return [] }
        let isMember = state.view.isMember(peer.person, on: peer.device)
        if isMember, peer.groups[id]?.isShared != true, let act = state.bringing(peer.person) {
            return self.greet(
                [act.id] + state.reasons(for: act), of: id, on: link, asNewcomer: true)
        }
        let isFormer = state.view.standing(of: peer.person) == .former
        guard isFormer || state.isOut(peer.person) && peer.shown.contains(id) else { return [] }
        return self.greet(state.endsToTell(peer.person), of: id, on: link)
    }

    /// The peer has shown what it is in: it may have come into a group since it was greeted.
    mutating func greet(on link: LinkID) -> [GroupAction] {
        for id in self.peers[link]?.groups.keys.sorted() ?? [] where self.concerns(id, link) {
            self.peers[link]?.groups[id]?.greeted = []
        }
        return self.table.keys.sorted().flatMap { self.greet($0, on: link) }
    }

    /// Sends some acts with the founding and as much of their past as fits a frame, the latest of it.
    private mutating func greet(
        _ ids: [ActID], of id: ConversationID, on link: LinkID, asNewcomer: Bool = false
    ) -> [GroupAction] {
        guard let state = self.table[id], !ids.isEmpty,
            self.peers[link]?.groups[id]?.greeted != Set(ids),
            let past = state.view.graph.reach(of: asNewcomer ? state.view.heads : ids)
        else { return [] }
        self.peers[link]?.groups[id, default: GroupExchange()].greeted = Set(ids)
        let all = state.acts(in: past)
        // These fit in any case; then the latest.
        let needed = Set(ids)
        let first = all.filter { needed.contains($0.id) || $0.statement.kind.isFounding }
        let rest = all.filter { !needed.contains($0.id) && !$0.statement.kind.isFounding }
            .reversed()
        let chosen = Set((first + rest).firstFrame.map(\.id))
        return [.send(.acts(id, all.filter { chosen.contains($0.id) }), on: link)]
    }

    // MARK: What comes in

    /// - Parameter tier: how far the peer is trusted, which counts where it comes by a link.
    mutating func receive(
        _ frame: Frame, on link: LinkID, as tier: Tier = .stranger, at wall: UInt64
    ) -> [GroupAction] {
        switch frame {
        case .actHeads(let heads): self.receive(heads, on: link)
        case .actWant(let want): self.receive(want, on: link)
        case .acts(let id, let acts): self.receive(acts, of: id, on: link, as: tier, at: wall)
        case .epochKeys(let id, let keys): self.receiveKeys(keys, of: id, on: link)
        default: []
        }
    }

    private mutating func receive(_ heads: ActHeads, on link: LinkID) -> [GroupAction] {
        let id = heads.group
        guard let state = self.table[id], state.isActive,
            self.peers[link]?.groups[id]?.isShared == true
        else { return [] }
        self.peers[link]?.groups[id]?.theirHeads = heads.heads
        return heads.heads.allSatisfy(state.has) ? [] : self.ask(in: id, on: link)
    }

    /// Answers with one frame, the oldest of what is asked for: the peer asks for the rest.
    ///
    /// Half of it may be the acts themselves that are named, the owner's first: each answer brings something new, and
    /// what the owner's acts follow is kept until it can be taken.
    private func receive(_ want: ActWant, on link: LinkID) -> [GroupAction] {
        guard let state = self.table[want.group], let allowed = self.allowed(want.group, on: link)
        else { return [] }
        let graph = state.view.graph
        func reach(_ ids: [ActID]) -> ActSet? {
            graph.reach(of: ids.filter { graph.index[$0] != nil })
        }
        guard let wanted = reach(want.wanted), let known = reach(want.heads) else { return [] }
        let answer = state.acts(in: wanted).filter { act in
            graph.index[act.id].map { allowed.contains($0) && !known.contains($0) } ?? false
        }
        guard !answer.isEmpty else { return [] }
        let names = Set(want.wanted)
        let named = answer.filter { names.contains($0.id) }
        let owners = named.filter { $0.statement.author == state.ownerID }
        let others = named.filter { $0.statement.author != state.ownerID }
        let first = Array((owners + others).prefix(Limits.groupFrameItems / 2))
        return [.send(.acts(want.group, answer.frame(with: first)), on: link)]
    }

    /// The acts that the peer of a link may have: a member all, who is out those that say so, and their past.
    private func allowed(_ id: ConversationID, on link: LinkID) -> ActSet? {
        guard let state = self.table[id], let peer = self.peers[link], !peer.isRevoked else {
            return nil
        }
        let view = state.view
        if state.isActive, view.isMember(peer.person, on: peer.device) {
            return view.graph.reach(of: view.heads)
        }
        guard
            view.roster.brought.contains(peer.person)
                || state.isOut(peer.person) && peer.shown.contains(id)
        else { return nil }
        let ends = state.isActive ? state.endsToTell(peer.person) : state.ends(of: self.own)
        return ends.isEmpty ? nil : view.graph.reach(of: ends)
    }

    private mutating func receive(
        _ acts: [Act], of id: ConversationID, on link: LinkID, as tier: Tier, at wall: UInt64
    ) -> [GroupAction] {
        guard let peer = self.peers[link] else { return [] }
        let state = self.table[id]
        var fresh = acts.filter { state?.has($0.id) != true && state?.waiting[$0.id] == nil }
        var checked = [peer.device: peer.certificate]
        for act in fresh {
            guard act.statement.basis.isEmpty == act.statement.kind.isFounding else {
                return [.violation(link, "an act of a group without what it follows")]
            }
            guard act.isValid(knowing: checked) else {
                return [.violation(link, "forged act of a group")]
            }
            // A frame has many acts of few devices.
            if let device = act.statement.device, let certificate = act.certificate {
                checked[device] = certificate
            }
        }
        guard let state, state.isActive else {
            return self.consider(acts, of: id, on: link, at: wall)
        }
        self.answered(id, on: link)
        // Until the acts are here that say so, whoever shows the one that brought the user is a host; anybody can sign
        // an add, so only one by somebody whom the group is known to have makes hosts.
        if !self.isInside(id), self.isHost(link, bringing: acts, into: state) {
            self.table[id]?.hosts.insert(peer.person)
        }
        var isBrought = self.concerns(id, link)
        var answer: [GroupAction] = []
        // A member who does not know that yet was greeted before the link of the group was shown, or by nobody.
        if isBrought, peer.groups[id]?.isShared != true,
            acts.contains(where: { $0.isJoin(of: peer.person) })
        {
            self.peers[link]?.groups[id]?.greeted = []
            answer = self.greet(id, on: link)
        }
        // Somebody new comes by one join, of the device that shows it: whatever another one says is not looked at.
        let joins = isBrought ? [] : acts.filter { $0.isJoin(of: peer.person) }
        guard joins.count <= 1, joins.allSatisfy({ $0.statement.device == peer.device }) else {
            return []
        }
        if let join = joins.first {
            let looked = self.look(
                at: join, among: acts, of: id, on: link, as: tier, at: wall)
            answer += looked.answer
            switch looked.finding {
            case .brings: isBrought = true
            case .waits: (fresh, isBrought) = ([join], true)
            case .refused: return answer
            }
        }
        // What somebody signs who was put out changes nothing; from strangers nothing is taken.
        isBrought = isBrought || state.view.roster.brought.contains(peer.person)
        // That costs a look at the whole roster, so it must be new to this node what somebody known has signed.
        if !isBrought, peer.joins < Limits.joinsOfLink,
            fresh.contains(where: { $0.mayBring(peer.person) }),
            fresh.contains(where: { state.view.known.contains($0.statement.author) })
        {
            self.peers[link]?.joins += 1
            isBrought = state.view(with: fresh).roster.brought.contains(peer.person)
        }
        guard isBrought else { return [] }
        let isAnyNew = self.keep(
            acts.filter { state.waiting[$0.id] != nil } + fresh,
            of: Set(self.peers.filter { $0.value.person == peer.person }.keys), from: link, in: id
        )
        if self.peers[link]?.groups[id] == nil { self.peers[link]?.groups[id] = GroupExchange() }
        self.wall = wall
        let settled: (actions: [GroupAction], forgers: Set<LinkID>, isAny: Bool) =
            isAnyNew ? self.settleWaiting(in: id) : ([], [], false)
        if settled.isAny { self.peers[link]?.groups[id]?.refused = [] }
        let kept = fresh.filter { act in
            self.table[id].map { $0.has(act.id) || $0.waiting[act.id] != nil } ?? false
        }
        self.refuse(Set(fresh.map(\.id)).subtracting(kept.map(\.id)), of: id, on: link)
        // What brings nothing is not asked for again, or that would never end.
        let asks = !kept.isEmpty && !settled.forgers.contains(link)
        return answer + settled.actions + (asks ? self.ask(in: id, on: link) : [])
    }

    /// Whether the peer of a link shows what has brought the user.
    private func isHost(_ link: LinkID, bringing acts: [Act], into state: GroupState) -> Bool {
        if acts.contains(where: { $0.brings == self.own && state.vouches(for: $0, of: self.own) }) {
            return true
        }
        let join = self.joinsToShow.first { $0.group == state.group.id }
        return join.map { self.founding(letIn: $0, by: acts, on: link) != nil } ?? false
    }

    var isAnyActWaiting: Bool { self.table.values.contains { !$0.waiting.isEmpty } }

    /// Takes those acts that have waited for their time.
    mutating func takeDue(at wall: UInt64) -> [GroupAction] {
        self.wall = wall
        let due = self.table.filter {
            $0.value.earliestAhead.map { $0 <= wall + Limits.joinMilliseconds } ?? false
        }
        return due.keys.sorted().flatMap { self.settleWaiting(in: $0).actions }
    }

    private mutating func refuse(_ acts: Set<ActID>, of id: ConversationID, on link: LinkID) {
        let count = self.peers[link]?.groups[id]?.refused.count ?? 0
        guard count + acts.count <= Limits.groupActs else { return }
        self.peers[link]?.groups[id]?.refused.formUnion(acts)
    }

    /// Takes what can be of what waits, and ends the links that brought forged joins.
    mutating func settleWaiting(
        in id: ConversationID
    ) -> (actions: [GroupAction], forgers: Set<LinkID>, isAny: Bool) {
        let (taken, forgers) = self.takeChecked(in: id, at: self.wall)
        var writes = GroupWrites()
        writes.acts = taken
        let ended = forgers.subtracting([.sites]).sorted().map {
            GroupAction.violation($0, "a join of a group without its line")
        }
        return ((taken.isEmpty ? [] : [.write(writes)]) + ended, forgers, !taken.isEmpty)
    }

    /// One frame answers one question.
    private mutating func answered(_ id: ConversationID, on link: LinkID) {
        guard self.peers[link]?.groups[id]?.wants.isEmpty == false else { return }
        self.peers[link]?.groups[id]?.wants.removeFirst()
    }

    /// Asks for what the peer has told of and for what is missing below what came.
    mutating func ask(in id: ConversationID, on link: LinkID) -> [GroupAction] {
        guard let state = self.table[id], state.isActive,
            var exchange = self.peers[link]?.groups[id]
        else { return [] }
        exchange.wants.removeAll { want in want.allSatisfy(state.has) }
        defer { self.peers[link]?.groups[id] = exchange }
        guard exchange.wants.count < Limits.openActWants else { return [] }
        let asked = Set(exchange.wants.joined()).union(exchange.refused)
        var lacking: Set<ActID> = []
        func look(for ids: [ActID]) {
            for id in ids where lacking.count < Limits.actBasis && !state.has(id) {
                // What came from another one without its past is asked for here, with it.
                let isWaiting = state.waiting[id]?.isFor(link) ?? false
                if !isWaiting && !asked.contains(id) { lacking.insert(id) }
            }
        }
        look(for: exchange.theirHeads)
        // Also what is missing below acts that are on the disk.
        look(for: state.view.graph.waiting.flatMap { state.acts[$0]?.statement.basis ?? [] })
        for act in state.waiting.keys.sorted() where lacking.count < Limits.actBasis {
            guard let waiting = state.waiting[act], waiting.isFor(link) else { continue }
            look(for: waiting.act.statement.basis)
        }
        guard !lacking.isEmpty else { return [] }
        let wanted = lacking.sorted()
        exchange.wants.append(wanted)
        let heads = state.headsToTell.prefix(Limits.actBasis).sorted()
        return [.send(.actWant(ActWant(group: id, wanted: wanted, heads: heads)), on: link)]
    }

    // MARK: Taking

    /// Keeps an act that the user has accepted until all that it follows is here.
    mutating func wait(_ act: Act, in id: ConversationID) {
        guard let state = self.table[id], !state.has(act.id) else { return }
        self.table[id]?.waiting[act.id, default: WaitingAct(act: act)].isAccepted = true
    }

    /// Keeps acts that somebody has sent until all that they follow is here; gives whether any of them is new.
    ///
    /// - Parameter links: all of that person.
    mutating func keep(
        _ acts: [Act], of links: Set<LinkID>, from link: LinkID, in id: ConversationID
    ) -> Bool {
        guard var state = self.table[id] else { return false }
        let earlier = state.waiting.values.filter { !$0.links.isDisjoint(with: links) }.map(\.act)
        // All that the owner's acts follow is taken, and may have to wait until then.
        let isOwners = (earlier + acts).contains { $0.statement.author == state.ownerID }
        var left = (isOwners ? Limits.actsWithOwner : Limits.waitingActs) - earlier.count
        var isAnyNew = false
        for act in acts where !state.has(act.id) {
            if state.waiting[act.id] == nil {
                // What follows at once is taken in a moment.
                let isNext = act.statement.basis.allSatisfy(state.has) && state.hasRoom(for: act)
                guard isNext || left > 0 else { continue }
                if !isNext { left -= 1 }
                isAnyNew = true
            }
            state.waiting[act.id, default: WaitingAct(act: act)].links.insert(link)
        }
        self.table[id] = state
        return isAnyNew
    }

    /// Takes all acts whose basis is here, in an order in which each follows its own.
    mutating func takeWaiting(in id: ConversationID, at wall: UInt64) -> [Act] {
        self.takeChecked(in: id, at: wall).taken
    }

    /// Gives also the links that brought joins without the line of their link.
    private mutating func takeChecked(
        in id: ConversationID, at wall: UInt64
    ) -> (taken: [Act], forgers: Set<LinkID>) {
        guard var state = self.table[id], !state.waiting.isEmpty else { return ([], []) }
        defer { self.table[id] = state }
        // One that is ahead of time waits: every later act would have its time.
        let latest = wall + Limits.joinMilliseconds
        state.earliestAhead = state.waiting.values.map(\.act.statement.time)
            .filter { $0 > latest }.min()
        var forgers: Set<LinkID> = []
        var graph = state.waitingGraph(until: latest)
        let forged = graph.ids.filter { id in
            state.waiting[id].map { !state.isShown($0.act) } ?? false
        }
        for id in forged { forgers.formUnion(state.waiting.removeValue(forKey: id)?.links ?? []) }
        // Of what follows a forged one nothing is left here.
        if !forged.isEmpty { graph = state.waitingGraph(until: latest) }
        var taken: [Act] = []
        // Acts of people who are not known, and all that follow them.
        var strange = ActSet(room: graph.count)
        for (place, id) in graph.ids.enumerated() {
            guard let act = state.waiting[id]?.act else { continue }
            let before = graph.acts[place].basis.filter { state.waiting[$0] != nil }
            let isBehindStrange = before.contains { graph.index[$0].map(strange.contains) ?? false }
            if isBehindStrange || !state.isKnown(authorOf: act) { strange.insert(place) }
            guard state.waiting[id]?.isAccepted == true || state.hasRoom(for: act) else { continue }
            if before.isEmpty {
                state.take(act)
                taken.append(act)
                continue
            }
            // With all of its past that is beyond shares.
            guard !isBehindStrange || state.shares.isRanked(act.statement.author),
                let reach = graph.reach(of: [id])
            else { continue }
            let past = graph.ids.indices.filter(reach.contains)
                .compactMap { state.waiting[graph.ids[$0]]?.act }
            guard state.takes(past, for: act) else { continue }
            for act in past { state.take(act) }
            taken += past
        }
        return (taken, forgers)
    }
}

extension Act {
    /// Whether it may bring somebody: who an accepted act brings, it does not say itself.
    fileprivate func mayBring(_ person: PersonID) -> Bool {
        if case .accept = self.statement.kind { return true }
        return self.brings == person
    }
}

extension GroupState {
    /// Whether an act that brings the user is by somebody of the group, as far as that is known here.
    fileprivate func vouches(for act: Act, of own: PersonID) -> Bool {
        let author = act.statement.author
        return author == own || author == self.ownerID || self.hosts.contains(author)
            || self.view.roster.brought.contains(author)
    }

    /// The acts that show a newcomer without the whole past why they are in: the link that they came by, what was
    /// accepted, and what made whoever let them in an admin.
    func reasons(for act: Act) -> [ActID] {
        switch act.statement.kind {
        case .join(let link, _): return [link]
        case .accept(let id):
            let link: [ActID]
            if case .join(let name, _)? = self.acts[id]?.statement.kind {
                link = [name]
            } else {
                link = []
            }
            return [id] + link + self.grant(of: act.statement.author)
        case .add: return self.grant(of: act.statement.author)
        default: return []
        }
    }

    private func grant(of person: PersonID) -> [ActID] {
        self.view.graph.ids.last {
            self.acts[$0]?.statement.admin(by: self.ownerID) == person
                && self.view.roster.verdicts[$0] == .counts
        }.map { [$0] } ?? []
    }

    /// Whether a join shows the line of its link; all other acts need not.
    ///
    /// One that does not have its link in its past counts nowhere, whatever it shows.
    fileprivate func isShown(_ act: Act) -> Bool {
        guard let (id, link) = self.link(of: act) else { return true }
        return link.isShown(by: act, as: id)
    }

    /// The link by which a join comes, where it is here and in the join's past.
    func link(of act: Act) -> (id: ActID, link: GroupLink)? {
        guard case .join(let id, _) = act.statement.kind, let link = self.known(id)?.link,
            self.isSeen(id, from: act.statement.basis)
        else { return nil }
        return (id, link)
    }
}
