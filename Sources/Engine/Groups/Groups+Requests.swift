package import Formats

/// Groups into which somebody brings the user, who is asked.
extension Groups {
    /// Looks at acts of a group that the user is not in: whether they ask, or whether the peer is to be told why not.
    mutating func consider(
        _ acts: [Act], of id: ConversationID, on link: LinkID, at wall: UInt64
    ) -> [GroupAction] {
        guard let peer = self.peers[link] else { return [] }
        if let join = self.join(id) { return self.receive(acts, for: join, on: link, at: wall) }
        guard let founding = acts.lazy.compactMap({ $0.statement.kind.founded }).first else {
            return self.tellOut(of: id, on: link)
        }
        // Of a group that was left this costs a look at the whole roster.
        if self.table[id]?.view.roster.brought.contains(peer.person) == false {
            guard peer.joins < Limits.joinsOfLink else { return [] }
            self.peers[link]?.joins += 1
        }
        let earlier = self.requests.all[id]
        let (view, asks) = self.bringing(acts + (earlier?.acts ?? []), of: id, founding)
        // What another device of the user does asks here as if anybody did it, and what this one did where its disk was
        // put back to before that.
        let isOwn = asks.map { act in
            act.statement.device == self.device && self.table[id]?.acts[act.id] != nil
        }
        guard let asks, isOwn == false else {
            // Who was brought and is out again before they have answered is not asked any longer.
            if var earlier, !earlier.isDeclined, view.standing(of: self.own) == .former {
                // It is kept as if it were declined: by bringing and removing nobody calls the user again.
                earlier.acts = []
                earlier.time = 0
                return [.write(self.ask(earlier))]
            }
            return self.tellOut(of: id, on: link)
        }
        if earlier?.add == asks.id { return [] }
        let request = GroupRequest(
            group: id, device: peer.device, add: asks.id, acts: acts, time: wall, source: "")
        return [.asked(request, of: founding, on: link)]
    }

    /// What brings the user in by acts that came with their founding: nil where they are out, by the roster that is given.
    func bringing(
        _ acts: [Act], of id: ConversationID, _ founding: Group
    ) -> (view: GroupView, act: Act?) {
        let state = self.table[id]
        var all = state?.acts ?? [:]
        for act in acts { all[act.id] = act }
        let view = GroupView(all.mapValues(\.statement), history: founding.history)
        // Of a long past not all came: then what asks is not judged here, but by the user.
        let latest = acts.last { $0.brings == self.own && state?.acts[$0.id] == nil }
        let act =
            view.roster.members[self.own] != nil
            ? view.bringing(self.own, of: all) ?? latest
            : latest.flatMap { view.roster.verdicts[$0.id] == .waits ? $0 : nil }
        return (view, act)
    }

    /// Tells somebody who takes the user for a member that the user is out.
    private mutating func tellOut(of id: ConversationID, on link: LinkID) -> [GroupAction] {
        guard let state = self.table[id], let peer = self.peers[link],
            state.view.roster.brought.contains(peer.person),
            state.view.standing(of: self.own) == .former
        else { return [] }
        let ends = state.ends(of: self.own)
        guard !ends.isEmpty, let past = state.view.graph.reach(of: ends),
            self.peers[link]?.groups[id]?.greeted != Set(ends)
        else { return [] }
        self.peers[link]?.groups[id, default: GroupExchange()].greeted = Set(ends)
        // The latest: who lacks more asks.
        let latest = Array(state.acts(in: past).reversed()).firstFrame
        return [.send(.acts(id, latest.reversed()), on: link)]
    }

    /// Takes a request, in the place of one of the same group; gives what is to be written.
    mutating func ask(_ request: GroupRequest) -> GroupWrites {
        var writes = GroupWrites()
        writes.endedRequests = Set(self.requests.add(request).map(\.group))
        writes.requests = [request]
        return writes
    }

    /// Whether the author of a request has asked before, for another group or within the hour.
    func hasAsked(_ request: GroupRequest, at wall: UInt64) -> Bool {
        // Time 0 is that of one that was taken back, not declined.
        if let earlier = self.requests.all[request.group], earlier.isDeclined, earlier.time > 0,
            earlier.time + Limits.requestSourceMilliseconds > wall
        {
            return true
        }
        return self.pendingRequests.contains {
            $0.group != request.group && $0.author == request.author
        }
    }

    /// Forgets a request, as one that gives way.
    mutating func endRequest(_ id: ConversationID) -> GroupWrites {
        var writes = GroupWrites()
        if self.requests.remove(id) != nil { writes.endedRequests = [id] }
        return writes
    }

    /// The user is out of a group that takes none of their acts: what had brought them does not ask again.
    mutating func turnDown(_ id: ConversationID, at wall: UInt64) -> GroupWrites {
        guard let brought = self.table[id]?.bringing(self.own) else { return GroupWrites() }
        return self.ask(
            GroupRequest(
                group: id, device: self.device, add: brought.id, acts: [], time: wall, source: ""))
    }

    /// The user has declined, and the same act does not ask again; nil where nothing waits.
    mutating func decline(_ id: ConversationID) -> GroupWrites? {
        guard var request = self.pendingRequests.first(where: { $0.group == id }) else {
            return nil
        }
        request.acts = []
        return self.ask(request)
    }
}

extension GroupRequest: WaitingRequest {
    var key: ConversationID { self.group }

    /// The group, as its maker has founded it; nil once it is declined.
    package var founding: Group? { self.acts.lazy.compactMap { $0.statement.kind.founded }.first }

    /// What is taken with it: the founding, and what brings the user in with its past.
    ///
    /// What else came along nobody has looked at.
    var wanted: [Act] {
        let byID = Dictionary(self.acts.map { ($0.id, $0) }, uniquingKeysWith: { one, _ in one })
        var found: Set<ActID> = []
        var left = [self.add]
        while let id = left.popLast() {
            guard let act = byID[id], found.insert(id).inserted else { continue }
            left += act.statement.basis
        }
        return self.acts.filter { found.contains($0.id) || $0.statement.kind.founded != nil }
    }

    /// The device that signed what brings the user in; once it is declined, the one that brought it.
    package var inviter: PeerID {
        self.acts.first { $0.id == self.add }?.statement.device ?? self.device
    }

    /// Who brings the user in.
    package var author: PersonID? {
        self.acts.first { $0.id == self.add }?.statement.author
    }
}
