internal import Crypto
internal import Formats

/// Groups over servers between sites: under which keys things go there, and what comes.
///
/// `Docs/Protocol/Sites.md` sections 2 and 11.
extension Groups {
    // MARK: What names and seals

    /// What names and seals a group on servers by the keys that are here, the newest first.
    func siteRoots(of id: ConversationID) -> [SiteRoot] {
        guard let state = self.table[id] else { return [] }
        return state.held.suffix(Limits.siteKeysRead).reversed().map { SiteRoot($0.key, of: id) }
    }

    /// By one of its keys; nil where that is not here.
    func siteRoot(of id: ConversationID, under name: Bytes32) -> SiteRoot? {
        self.table[id]?.epochs[name]?.key.map {
            SiteRoot(EpochKey(id: name, key: $0), of: id)
        }
    }

    /// By the key that is used now, or else the newest one; nil where none is here.
    func newestRoot(of id: ConversationID) -> SiteRoot? {
        if case .use(let held)? = self.table[id]?.writing {
            return self.siteRoot(of: id, under: held.epoch.id)
        }
        return self.table[id]?.held.last.map { SiteRoot($0.key, of: id) }
    }

    /// Under which key an act goes: the first one that is for nobody whom its author knew to be out; nil while there is
    /// none.
    ///
    /// So whoever is put out learns of that and of nothing later, and all members publish an act under one subject.
    func siteRoot(of act: Act) -> SiteRoot? {
        guard let state = self.table[act.group],
            let past = state.view.graph.reach(of: act.statement.basis)
        else { return nil }
        let ends = state.ends.intersection(past)
        return state.held.first { ends.isSubset(of: $0.past) }
            .map { SiteRoot($0.key, of: act.group) }
    }

    /// Keys have come: acts that go under one of them are told of again.
    mutating func arrange(_ keys: [HeldEpoch], of id: ConversationID) {
        guard let state = self.table[id] else { return }
        let roots = keys.compactMap { self.siteRoot(of: id, under: $0.epoch.id) }
        guard !roots.isEmpty else { return }
        for act in state.view.graph.ids {
            if let root = state.acts[act].flatMap({ self.siteRoot(of: $0) }), roots.contains(root) {
                self.arrivals.append((id, act))
            }
        }
    }

    // MARK: What comes

    /// Takes an act that a site has brought under a key of its group: whoever published it there was a member once.
    ///
    /// All sites are one source, as the links of one person are.
    mutating func importAct(
        _ act: Act, at wall: UInt64
    ) -> (verdict: SiteVerdict, actions: [GroupAction]) {
        let id = act.group
        guard let state = self.table[id], state.isActive else { return (.refused(.foreign), []) }
        guard !state.has(act.id) else { return (.known, []) }
        guard act.statement.basis.isEmpty == act.statement.kind.isFounding,
            state.waiting[act.id] != nil || act.isValid()
        else { return (.refused(.forged), []) }
        guard act.statement.time <= wall + Limits.joinMilliseconds else {
            return (.refused(.early), [])
        }
        _ = self.keep([act], of: [.sites], from: .sites, in: id)
        self.wall = wall
        let settled = self.settleWaiting(in: id)
        return (self.verdict(of: act, forgers: settled.forgers), settled.actions)
    }

    private func verdict(of act: Act, forgers: Set<LinkID>) -> SiteVerdict {
        guard let state = self.table[act.group], !state.has(act.id) else { return .taken }
        let isWaiting = state.waiting[act.id] != nil
        if let missing = act.statement.basis.first(where: { state.known($0) == nil }) {
            return .waits(for: .act(missing))
        }
        if act.statement.basis.contains(where: { !state.has($0) }) { return .refused(.early) }
        return .refused(!isWaiting && forgers.contains(.sites) ? .forged : .room)
    }
}
