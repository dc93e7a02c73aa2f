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
        for id in self.table.keys {
            let left = self.table[id]?.waiting.filter { $0.value.link != link } ?? [:]
            self.table[id]?.waiting = left
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

    mutating func receive(_ frame: Frame, on link: LinkID, at wall: UInt64) -> [GroupAction] {
        switch frame {
        case .actHeads(let heads): self.receive(heads, on: link)
        case .actWant(let want): self.receive(want, on: link)
        case .acts(let id, let acts): self.receive(acts, of: id, on: link, at: wall)
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
        _ acts: [Act], of id: ConversationID, on link: LinkID, at wall: UInt64
    ) -> [GroupAction] {
        guard let peer = self.peers[link] else { return [] }
        let state = self.table[id]
        let fresh = acts.filter { state?.has($0.id) != true && state?.waiting[$0.id] == nil }
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
        // Until the acts are here that say so, whoever shows the one that brought the user is a host.
        if !self.isInside(id), acts.contains(where: { $0.brings == self.own }) {
            self.table[id]?.hosts.insert(peer.person)
        }
        // What somebody signs who was put out changes nothing; from strangers nothing is taken.
        let isBrought =
            self.concerns(id, link)
            || state.view.roster.brought.contains(peer.person)
            || state.view(with: fresh).roster.brought.contains(peer.person)
        guard isBrought else { return [] }
        for act in fresh { self.wait(act, from: link, in: id) }
        if self.peers[link]?.groups[id] == nil { self.peers[link]?.groups[id] = GroupExchange() }
        var writes = GroupWrites()
        do throws(ForgedJoin) {
            writes.acts = try self.takeChecked(in: id)
        } catch {
            return [.violation(link, "a join of a group without its line")]
        }
        let write: [GroupAction] = writes.isEmpty ? [] : [.write(writes)]
        return write + self.ask(in: id, on: link)
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
        let waiting = state.waiting.values.filter { $0.link == link || $0.link == nil }
        let lacking = Set(waiting.flatMap { $0.act.statement.basis })
            .union(exchange.theirHeads)
            .filter { !state.has($0) && state.waiting[$0] == nil && !asked.contains($0) }
        defer { self.peers[link]?.groups[id] = exchange }
        guard !lacking.isEmpty, exchange.wants.count < Limits.openActWants else { return [] }
        let wanted = Array(lacking.sorted().prefix(Limits.actBasis))
        exchange.wants.append(wanted)
        let heads = Array(state.heads.sorted().prefix(Limits.actBasis))
        return [.send(.actWant(ActWant(group: id, wanted: wanted, heads: heads)), on: link)]
    }

    // MARK: Taking

    /// Keeps an act until all that it follows is here.
    mutating func wait(_ act: Act, from link: LinkID?, in id: ConversationID) {
        guard let state = self.table[id], !state.has(act.id), state.waiting[act.id] == nil else {
            return
        }
        let isNext = act.statement.basis.allSatisfy { state.has($0) || state.waiting[$0] != nil }
        let ofLink = state.waiting.values.count { $0.link == link }
        // What follows at once is taken in a moment.
        guard isNext || ofLink < Limits.waitingActs else { return }
        self.table[id]?.waiting[act.id] = WaitingAct(act: act, link: link)
    }

    /// Takes all acts whose basis is here, in an order in which each follows its own.
    mutating func takeWaiting(in id: ConversationID) -> [Act] {
        (try? self.takeChecked(in: id)) ?? []
    }

    private struct ForgedJoin: Error {}

    private mutating func takeChecked(in id: ConversationID) throws(ForgedJoin) -> [Act] {
        guard var state = self.table[id] else { return [] }
        defer { self.table[id] = state }
        var taken: [Act] = []
        var isMore = true
        while isMore {
            isMore = false
            for (_, waiting) in state.waiting.sorted(by: { $0.key < $1.key }) {
                let act = waiting.act
                guard act.statement.basis.allSatisfy(state.has) else { continue }
                state.waiting[act.id] = nil
                guard state.hasRoom(for: act) else { continue }
                guard state.isShown(act) else { throw ForgedJoin() }
                state.take(act)
                taken.append(act)
                isMore = true
            }
        }
        return taken
    }
}

extension GroupState {
    /// Whether one more act is taken: the last ones are the owner's.
    fileprivate func hasRoom(for act: Act) -> Bool {
        let isOwners = act.statement.author == self.ownerID
        return self.count < Limits.groupActs - (isOwners ? 0 : Limits.groupOwnerActs)
    }

    /// Whether a join shows the line of its link; all other acts need not.
    ///
    /// One that does not have its link in its past counts nowhere, whatever it shows.
    fileprivate func isShown(_ act: Act) -> Bool {
        guard case .join(let id, _) = act.statement.kind,
            case .link(let link)? = (self.acts[id] ?? self.pending[id])?.statement.kind,
            self.isSeen(id, from: act.statement.basis)
        else { return true }
        return link.isShown(by: act, as: id)
    }
}
