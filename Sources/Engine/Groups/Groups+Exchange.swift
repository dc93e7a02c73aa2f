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
        self.peers[link] = nil
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
                        heads: Array(state.view.heads.prefix(Limits.actBasis)))), on: link)
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
    /// Once on a link, until something else is to be told there.
    mutating func greet(_ id: ConversationID, on link: LinkID) -> [GroupAction] {
        guard let state = self.table[id], state.isActive, self.isInside(id),
            let peer = self.peers[link], peer.person != self.own
        else { return [] }
        let isMember = state.view.isMember(peer.person, on: peer.device)
        if isMember, peer.groups[id]?.isShared != true, let act = state.bringing(peer.person) {
            return self.greet([act.id], of: id, on: link, asNewcomer: true)
        }
        guard state.view.standing(of: peer.person) == .former else { return [] }
        return self.greet(state.ends(of: peer.person), of: id, on: link)
    }

    mutating func greet(on link: LinkID) -> [GroupAction] {
        self.table.keys.sorted().flatMap { self.greet($0, on: link) }
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
        return heads.digest == state.digest ? [] : self.ask(in: id, on: link)
    }

    /// Answers with one frame, the oldest of what is asked for: the peer asks for the rest.
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
        return answer.isEmpty ? [] : [.send(.acts(want.group, answer.firstFrame), on: link)]
    }

    /// The acts that the peer of a link may have: a member all, who is out those that say so, and their past.
    private func allowed(_ id: ConversationID, on link: LinkID) -> ActSet? {
        guard let state = self.table[id], let peer = self.peers[link] else { return nil }
        let view = state.view
        if state.isActive, view.isMember(peer.person, on: peer.device) {
            return view.graph.reach(of: view.heads)
        }
        guard view.roster.brought.contains(peer.person) else { return nil }
        let ends = state.ends(of: state.isActive ? peer.person : self.own)
        return ends.isEmpty ? nil : view.graph.reach(of: ends)
    }

    private mutating func receive(
        _ acts: [Act], of id: ConversationID, on link: LinkID, as tier: Tier, at wall: UInt64
    ) -> [GroupAction] {
        guard let peer = self.peers[link] else { return [] }
        let state = self.table[id]
        var fresh = acts.filter { state?.has($0.id) != true && state?.waiting[$0.id] == nil }
        let checked = [peer.device: peer.certificate]
        for act in fresh {
            guard act.statement.basis.isEmpty == act.statement.kind.isFounding else {
                return [.violation(link, "an act of a group without what it follows")]
            }
            guard act.isValid(knowing: checked) else {
                return [.violation(link, "forged act of a group")]
            }
        }
        guard let state, state.isActive else {
            return self.consider(acts, of: id, on: link, at: wall)
        }
        self.answered(id, on: link)
        // Until the acts are here that say so, whoever shows the one that brought the user is a host; anybody can sign
        // an add, so only one by somebody whom the group is known to have makes hosts.
        if !self.isInside(id),
            acts.contains(where: { $0.brings == self.own && state.vouches(for: $0, of: self.own) })
        {
            self.table[id]?.hosts.insert(peer.person)
        }
        var isBrought = self.concerns(id, link)
        var answer: [GroupAction] = []
        // Somebody new comes by one join, of the device that shows it: whatever another one says is not looked at.
        let joins = isBrought ? [] : acts.filter { $0.isJoin(of: peer.person) }
        guard joins.count <= 1, joins.allSatisfy({ $0.statement.device == peer.device }) else {
            return []
        }
        if let join = joins.first {
            let looked = self.look(
                at: join, among: acts, of: id, on: link, as: tier, at: wall)
            answer = looked.answer
            switch looked.finding {
            case .brings: break
            case .waits: (fresh, isBrought) = ([join], true)
            case .refused: return answer
            }
        }
        // What somebody signs who was put out changes nothing; from strangers nothing is taken.
        isBrought = isBrought || state.view.roster.brought.contains(peer.person)
        // That costs a look at the whole roster.
        if !isBrought, fresh.contains(where: { $0.mayBring(peer.person) }) {
            isBrought = state.view(with: fresh).roster.brought.contains(peer.person)
        }
        guard isBrought else { return [] }
        for act in acts where state.waiting[act.id] != nil { self.wait(act, from: link, in: id) }
        for act in fresh { self.wait(act, from: link, in: id) }
        if self.peers[link]?.groups[id] == nil { self.peers[link]?.groups[id] = GroupExchange() }
        self.wall = wall
        let settled = self.settleWaiting(in: id)
        if settled.isAny { self.peers[link]?.groups[id]?.refused = [] }
        let kept = fresh.filter { act in
            self.table[id].map { $0.has(act.id) || $0.waiting[act.id] != nil } ?? false
        }
        self.refuse(Set(fresh.map(\.id)).subtracting(kept.map(\.id)), of: id, on: link)
        // What brings nothing is not asked for again, or that would never end.
        let asks = !kept.isEmpty && !settled.forgers.contains(link)
        return answer + settled.actions + (asks ? self.ask(in: id, on: link) : [])
    }

    var isAnyActWaiting: Bool { self.table.values.contains { !$0.waiting.isEmpty } }

    /// Takes those acts that have waited for their time.
    mutating func takeDue(at wall: UInt64) -> [GroupAction] {
        self.wall = wall
        return self.table.keys.sorted().flatMap { self.settleWaiting(in: $0).actions }
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
        let ended = forgers.sorted().map {
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
        let asked = Set(exchange.wants.joined())
        let waiting = state.waiting.values.filter { $0.isAccepted || $0.links.contains(link) }
        // Also what is missing below acts that are on the disk.
        let torn = state.view.graph.waiting.flatMap { state.acts[$0]?.statement.basis ?? [] }
        let lacking = Set(waiting.flatMap { $0.act.statement.basis }).union(torn)
            .union(exchange.theirHeads)
            .subtracting(exchange.refused)
            .filter { id in
                // What came from another one without its past is asked for here, with it.
                let isWaiting = waiting.contains { $0.act.id == id }
                return !state.has(id) && !isWaiting && !asked.contains(id)
            }
        defer { self.peers[link]?.groups[id] = exchange }
        guard !lacking.isEmpty, exchange.wants.count < Limits.openActWants else { return [] }
        let wanted = Array(lacking.sorted().prefix(Limits.actBasis))
        exchange.wants.append(wanted)
        let heads = state.headsToTell.prefix(Limits.actBasis).sorted()
        return [.send(.actWant(ActWant(group: id, wanted: wanted, heads: heads)), on: link)]
    }

    // MARK: Taking

    /// Keeps an act until all that it follows is here; without a link, one that the user has accepted.
    mutating func wait(_ act: Act, from link: LinkID?, in id: ConversationID) {
        guard let state = self.table[id], !state.has(act.id) else { return }
        var waiting = state.waiting[act.id] ?? WaitingAct(act: act)
        if let link { waiting.links.insert(link) } else { waiting.isAccepted = true }
        if let link, state.waiting[act.id] == nil {
            // What follows at once is taken in a moment.
            let isNext =
                act.statement.basis.allSatisfy(state.has) && state.hasRoom(for: act)
            let ofLink = state.waiting.values.count { $0.links.contains(link) }
            guard isNext || ofLink < Limits.waitingActs else { return }
        }
        self.table[id]?.waiting[act.id] = waiting
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
        var forgers: Set<LinkID> = []
        for id in state.waitingGraph(until: latest).ids {
            guard let waiting = state.waiting[id], !state.isShown(waiting.act) else { continue }
            state.waiting[id] = nil
            forgers.formUnion(waiting.links)
        }
        var taken: [Act] = []
        // Of what follows a forged one nothing is left here.
        let graph = state.waitingGraph(until: latest)
        for id in graph.ids {
            guard let waiting = state.waiting[id],
                waiting.isAccepted || state.hasRoom(for: waiting.act),
                let reach = graph.reach(of: [id])
            else { continue }
            // With all of its past that is beyond shares.
            let past = graph.ids.indices.filter(reach.contains)
                .compactMap { state.waiting[graph.ids[$0]]?.act }
            guard past.count == 1 || state.takes(past, for: waiting.act) else { continue }
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
