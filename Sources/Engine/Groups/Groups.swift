internal import Crypto
internal import Formats

/// What is to be done about groups.
enum GroupAction: Hashable {
    case send(Frame, on: LinkID)
    /// To be written with the next batch; ``Groups/stored(_:)`` says when it is.
    case write(GroupWrites)
    /// The peer broke the protocol.
    case violation(LinkID, String)
    /// Somebody has brought the user into a group: the user is asked, where there is room for that.
    case asked(GroupRequest, of: Group, on: LinkID)
    /// A member has let the user in, who has come by a link.
    case entered(GroupRequest, of: Group, host: PersonID)
    /// A member has said why the user, who has come by a link, is not in.
    case joinAnswered(ConversationID, JoinObstacle, on: LinkID)
}

/// What has changed of a group with what is on the disk now.
struct GroupChange: Hashable {
    var group: ConversationID
    var came: Set<PersonID> = []
    var went: Set<PersonID> = []
    /// Whether anybody came, went, or has another role, or another device is cut.
    var isRosterNew = false
    /// Whether acts have come: also one that does not count is shown.
    var isTold = false
    /// What the user is told of those who came or went; nothing of what was so when they came in themselves.
    var turns: [RosterTurn] = []
    /// Keys that open entries from here on.
    var keys: [HeldEpoch] = []
    /// Whether entries that were not taken may be asked for again.
    var releases: Bool { self.isRosterNew || !self.keys.isEmpty }
    /// Whether this node has so many heads that a `tie` is due.
    var needsTie = false
    /// Whether there is another link by which one can come.
    var isLinkNew = false
}

/// The device that signs acts here.
struct ActSigner {
    var certificate: Certificate
    var device: Signer
}

/// Why an act was not signed: it would not count.
struct ActRefusal: Error, Hashable {
    var reason: Roster.Reason
}

/// The groups of this node: their acts, who is in them, and who is given which key.
///
/// Disk is a peer: what is taken counts, is told and is given on once it is on the disk. `Docs/Protocol/Groups.md`.
struct Groups {
    let own: PersonID
    let device: PeerID
    var table: [ConversationID: GroupState] = [:]
    var peers: [LinkID: GroupPeer] = [:]
    /// Groups that wait for the user, were declined, or whose acts are not all here since the user has accepted.
    var requests: Requests<GroupRequest>
    /// What has become of links by which the user comes into groups.
    var joining: [ConversationID: JoinProgress] = [:]
    /// Requests that wait until linked members have sent their acts.
    var syncs: [ActSync] = []
    /// Acts that are on the disk, as they are given to other sites.
    var arrivals = ActArrivals()
    /// Another number whenever other keys may be given to members without a link.
    var giftChanges: UInt64 = 0
    /// When acts came last.
    var wall: UInt64 = 0

    init(own: PersonID, device: PeerID) {
        self.own = own
        self.device = device
        self.requests = Requests([])
    }

    init(restoring snapshot: Snapshot, own: PersonID, device: PeerID) {
        self.own = own
        self.device = device
        self.requests = Requests(snapshot.groupRequests)
        for (id, membership) in snapshot.conversations {
            guard case .group(let group) = membership.kind else { continue }
            self.table[id] = GroupState(
                group, isActive: membership.isJoined, acts: snapshot.acts[id] ?? [],
                epochs: snapshot.epochs[id] ?? [], announced: snapshot.announced[id] ?? [])
            guard membership.isJoined, let request = self.requests.all[id], !request.isDeclined
            else { continue }
            self.host(request)
        }
        for id in self.table.keys.sorted() {
            self.chooseKey(in: id)
            self.arrivals.add(self.table[id]?.view.graph.ids ?? [], of: id)
        }
    }

    // MARK: Beginning and ending

    /// Begins a group with its founding; gives what is to be written.
    mutating func begin(
        _ group: Group, with acts: [Act], at wall: UInt64 = .max - Limits.joinMilliseconds
    ) -> GroupWrites {
        var writes = GroupWrites()
        if self.table[group.id] == nil {
            self.table[group.id] = GroupState(group, isActive: true)
        }
        self.table[group.id]?.isActive = true
        for act in acts { self.wait(act, in: group.id) }
        writes.acts = self.takeWaiting(in: group.id, at: wall)
        return writes
    }

    /// Begins a group into which the user was brought and has accepted it; nil where nothing of it waits.
    mutating func accept(_ id: ConversationID, at wall: UInt64) -> GroupWrites? {
        guard let request = self.pendingRequests.first(where: { $0.group == id }),
            let group = request.founding
        else { return nil }
        let writes = self.begin(group, with: request.wanted, at: wall)
        self.host(request)
        return writes
    }

    /// Requests that the user has not answered.
    var pendingRequests: [GroupRequest] {
        self.requests.pending.filter {
            $0.device != self.device && self.table[$0.group]?.isActive != true
        }.sorted { $0.group < $1.group }
    }

    /// Lets those in who showed the group, until its acts are here.
    private mutating func host(_ request: GroupRequest) {
        for act in request.wanted {
            if act.id == request.add {
                self.table[request.group]?.hosts.insert(act.statement.author)
            }
            self.wait(act, in: request.group)
        }
    }

    /// The user is in a group no longer; its acts stay, for those who ask why, and so does what logs tell of keys: what is
    /// held back for want of these is read once the user is back.
    mutating func end(_ id: ConversationID) {
        guard self.table[id] != nil else { return }
        self.table[id]?.isActive = false
        self.table[id]?.waiting = [:]
        for link in self.peers.keys { self.peers[link]?.groups[id]?.end() }
    }

    /// Forgets a group that could not be begun.
    mutating func forget(_ id: ConversationID) {
        self.table[id] = nil
        for link in self.peers.keys { self.peers[link]?.groups[id] = nil }
    }

    // MARK: Asked by the node

    /// Whether the device at the other end of a link takes part in a group that the user is in.
    func concerns(_ id: ConversationID, _ link: LinkID) -> Bool {
        guard let peer = self.peers[link], !peer.isRevoked, let state = self.table[id],
            state.isActive
        else { return false }
        return state.isMember(peer.person, on: peer.device, for: self.own)
    }

    /// Whether the own person is a member by the acts that are on the disk.
    func isInside(_ id: ConversationID) -> Bool {
        self.table[id]?.view.roster.members[self.own] != nil
    }

    /// Whether somebody is the owner or an admin by the acts that are on the disk.
    func isAdmin(_ person: PersonID, in id: ConversationID) -> Bool {
        switch self.table[id]?.view.roster.members[person] {
        case .owner?, .admin?: true
        case .member?, nil: false
        }
    }

    /// Signs what this device does, behind all that it knows: what would not count is not signed.
    ///
    /// Where there are too many heads they are tied first.
    ///
    /// - Parameter since: milliseconds from when on what is known here is left out of what the act follows.
    mutating func sign(
        _ kind: ActKind, in id: ConversationID, since: UInt64? = nil, at time: HybridTime,
        by signer: ActSigner
    ) throws(ActRefusal) -> GroupWrites {
        // Without the founding nothing counts.
        guard let state = self.table[id], state.isActive, !state.heads.isEmpty else {
            throw ActRefusal(reason: .notMember)
        }
        var signed: [Act] = []
        var removed: PersonID?
        if case .remove(let person, _) = kind { removed = person }
        let older = since.flatMap { moment in
            state.basis(before: moment) { $0.author == removed }
        }
        var heads = older.map { Set($0) } ?? state.heads
        func add(_ kind: ActKind) {
            let latest = heads.compactMap { (state.acts[$0] ?? state.pending[$0])?.time }.max()
            // A tie follows as many as fit; one more leaves room for its own.
            let basis = heads.sorted().prefix(Limits.tiedHeads)
            let time = max(time, latest ?? time)
            let act = Act(
                kind.keyed(in: id, basis: basis, time: time, by: signer.device), in: id,
                basis: basis, time: time, certificate: signer.certificate, by: signer.device)
            heads.subtract(basis)
            heads.insert(act.id)
            signed.append(act)
        }
        while heads.count > Limits.tiedHeads, kind != .tie { add(.tie) }
        add(kind)
        // What nobody else would take is not signed. The last act of a share is for leaving, half of it is for no ties.
        let kept =
            switch kind {
            case .leave: 0
            case .tie: state.shares.share(of: self.own) / 2
            default: 1
            }
        guard
            state.shares.left(to: self.own) >= signed.count + kept
        else { throw ActRefusal(reason: .share) }
        let roster = state.view(with: signed).roster
        switch signed.last.flatMap({ roster.verdicts[$0.id] }) {
        case .counts?: break
        case .undecided(let reason)?, .settled(let reason)?, .void(let reason)?:
            throw ActRefusal(reason: reason)
        case .waits?, nil: throw ActRefusal(reason: .notSeen)
        }
        for act in signed { self.table[id]?.take(act) }
        var writes = GroupWrites()
        writes.acts = signed
        return writes
    }

    /// Whether entry number `seq` of a log is taken, by who wrote it.
    func shows(
        _ seq: UInt64, of log: LogName, by person: PersonID?, in id: ConversationID
    ) -> Bool {
        guard let state = self.table[id], let person else { return false }
        return state.view.showing(seq, of: log, by: person, wasShown: false) == .shown
    }

    /// The groups that the user is in, and out of once these acts are on the disk.
    func ending(with acts: [Act]) -> [ConversationID] {
        Set(acts.filter(\.mayEnd).map(\.group)).sorted().filter { id in
            self.isInside(id)
                && self.table[id]?.view(with: []).roster.members[self.own] == nil
        }
    }

    // MARK: What is on the disk

    /// What was to be written is on the disk: it counts, is told and given on from here.
    mutating func stored(_ writes: GroupWrites) -> (changes: [GroupChange], actions: [GroupAction])
    {
        guard !writes.isEmpty else { return ([], []) }
        if !writes.acts.isEmpty || !writes.epochs.isEmpty { self.giftChanges += 1 }
        var acts: [ConversationID: [Act]] = [:]
        for act in writes.acts { acts[act.group, default: []].append(act) }
        var keys: [ConversationID: [HeldEpoch]] = [:]
        for epoch in writes.epochs { keys[epoch.group, default: []].append(epoch) }
        var changes: [GroupChange] = []
        var actions: [GroupAction] = []
        for id in Set(acts.keys).union(keys.keys).sorted() where self.table[id] != nil {
            let before = self.table[id]?.view.roster
            if let acts = acts[id] {
                self.table[id]?.store(acts)
                self.arrivals.add(acts.map(\.id), of: id)
            }
            for epoch in keys[id] ?? [] { self.table[id]?.store(epoch) }
            self.chooseKey(in: id)
            self.arrange(keys[id] ?? [], of: id)
            guard let before, let state = self.table[id] else { continue }
            let now = state.view.roster
            var change = GroupChange(group: id, keys: keys[id] ?? [])
            change.came = Set(now.members.keys).subtracting(before.members.keys)
            change.went = Set(before.members.keys).subtracting(now.members.keys)
            change.isRosterNew =
                now.members != before.members || now.cutDevices != before.cutDevices
                || now.removals != before.removals || now.brought != before.brought
            change.isTold = acts[id] != nil
            if before.members[self.own] != nil { change.turns = state.turns(since: before) }
            change.needsTie =
                state.isActive && now.members[self.own] != nil
                && self.needsTie(state) && self.tiesAtOnce(state)
            change.isLinkNew = acts[id]?.contains { $0.link != nil } == true
            changes.append(change)
            actions += self.settleRequest(of: id)
            actions += self.tryKeys(of: id)
            // What waits may be by people whom these acts have brought.
            if acts[id] != nil { actions += self.settleWaiting(in: id).actions }
            for link in self.peers.keys.sorted() {
                actions += self.push(acts[id] ?? [], of: id, on: link)
                actions += self.tellHeads(of: id, on: link)
                // What it was asked for may have come from another one, and no answer follows then.
                actions += self.ask(in: id, on: link)
                actions += self.giveKeys(of: id, on: link)
                // Also where the roster is the same: who left meanwhile may have been brought in again.
                if acts[id] != nil { actions += self.greet(id, on: link) }
            }
        }
        return (changes, actions)
    }

    /// Whether there are too many heads, or one is by somebody whose share is used up: others may have taken other acts of
    /// theirs, and take these once one by this person follows them.
    private func needsTie(_ state: GroupState) -> Bool {
        state.heads.count > Limits.tiedHeads
            || state.view.heads.contains { head in
                state.acts[head].map {
                    $0.statement.author != self.own
                        && state.shares.isUsedUp(by: $0.statement.author)
                } ?? false
            }
    }

    private func tiesAtOnce(_ state: GroupState) -> Bool {
        // No key can be made: then it is not left to another device.
        if state.heads.count > Limits.tiedHeads, case .none = state.writing { return true }
        return self.isFirst(in: state.group.id)
    }

    /// Groups whose heads are to be tied now, since the device that was to do it has not.
    mutating func tiesDue(at moment: UInt64, using random: inout NodeRandom) -> [ConversationID] {
        var due: [ConversationID] = []
        for id in self.table.keys.sorted() {
            guard let state = self.table[id], state.isActive, self.isInside(id),
                self.needsTie(state)
            else {
                self.table[id]?.tieAt = nil
                continue
            }
            // Not all at once, or there were as many heads again.
            let at = state.tieAt ?? moment + .random(in: 0...Limits.tieMilliseconds, using: &random)
            self.table[id]?.tieAt = at <= moment ? nil : at
            if at <= moment { due.append(id) }
        }
        return due
    }

    /// Whether of the devices that share a group here this one ties heads: if all did, there were as many again.
    private func isFirst(in id: ConversationID) -> Bool {
        self.peers.values.allSatisfy {
            $0.groups[id]?.isShared != true || self.device < $0.device
        }
    }

    /// A request is over once the acts are here that say that the user is in the group.
    private mutating func settleRequest(of id: ConversationID) -> [GroupAction] {
        guard self.table[id]?.isActive == true, self.isInside(id),
            self.requests.remove(id) != nil
        else { return [] }
        self.table[id]?.hosts = []
        self.joining[id] = nil
        var writes = GroupWrites()
        writes.endedRequests = [id]
        return [.write(writes)]
    }
}

extension Act {
    /// Whether it can put somebody out other than for want of places: only then it costs a look at the whole roster.
    fileprivate var mayEnd: Bool {
        switch self.statement.kind {
        case .create, .add, .link, .join, .tie: false
        case .remove, .admin, .demote, .leave, .endLink, .accept, .cut: true
        }
    }
}
