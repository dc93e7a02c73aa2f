internal import Crypto
package import Formats

/// Groups over servers between sites: under which keys things go there, and what comes.
///
/// `Docs/Protocol/Sites.md` sections 2 and 11.
extension Groups {
    // MARK: What names and seals

    /// What names and seals a group on servers by the keys that are here, the newest first.
    func siteRoots(of id: ConversationID) -> [SiteRoot] {
        guard let state = self.table[id] else { return [] }
        let waiting = state.siteKeys.flatMap { name, keys in
            Set(keys.values).map { EpochKey(id: name, key: $0) }
        }
        return (state.held.reversed().map(\.key) + waiting).map { SiteRoot($0, of: id) }
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

    /// Under which key an act goes; nil while there is none.
    ///
    /// It is the newest that its author can have had, which is for nobody whom they knew to be out; or else the first later
    /// one. So whoever is put out learns of that and of nothing later, whoever came later has the key of what they need, and
    /// all members publish an act under one subject.
    func siteRoot(of act: Act) -> SiteRoot? {
        guard let state = self.table[act.group],
            let past = state.view.graph.reach(of: act.statement.basis)
        else { return nil }
        let ends = state.ends.intersection(past)
        let covering = state.held.filter { ends.isSubset(of: $0.past) }
        return (covering.last { $0.past.isSubset(of: past) } ?? covering.first)
            .map { SiteRoot($0.key, of: act.group) }
    }

    /// Keys have come: acts that go under one of them are told of again.
    mutating func arrange(_ keys: [HeldEpoch], of id: ConversationID) {
        guard let state = self.table[id] else { return }
        let roots = keys.compactMap { self.siteRoot(of: id, under: $0.epoch.id) }
        guard !roots.isEmpty else { return }
        let due = state.view.graph.ids.filter { act in
            state.acts[act].flatMap { self.siteRoot(of: $0) }.map(roots.contains) ?? false
        }
        self.arrivals.add(due, of: id)
    }

    // MARK: For members without a link

    /// The keys that this device gives to members who have no link with it, the newest first.
    ///
    /// To all goes the one in use, whoever made it, and this device's own newest; to those whom it has brought in, and to
    /// the user's other devices, all that are read.
    ///
    /// By the rule of links: nobody who is out by the acts that are here gets one, and of a group with history 2 only
    /// the people of the key.
    ///
    /// - Parameter devices: those of a person that have no link here.
    func siteGifts(
        of id: ConversationID, to devices: (_ person: PersonID, _ isBroughtHere: Bool) -> [PeerID]
    ) -> [SiteGift] {
        guard let state = self.table[id], state.isActive, self.isInside(id) else { return [] }
        let brought = state.brought(by: self.device)
        let keys = state.held.reversed()
            .compactMap { held -> (key: EpochKey, epoch: Epoch, people: Set<PersonID>)? in
                guard let known = state.epochs[held.key.id], known.isPlaced,
                    case .people(let people) = state.view.finding(known.epoch)
                else { return nil }
                return (held.key, known.epoch, people)
            }
        let members = state.view.roster.members.keys.sorted().map { person in
            let isBroughtHere = brought[person] != nil
            return (
                person: person, getsAll: isBroughtHere || person == self.own,
                devices: devices(person, isBroughtHere).filter { $0 != self.device }
            )
        }
        var own = 0
        var gifts: [SiteGift] = []
        for (key, epoch, people) in keys {
            let isOwn = epoch.device == self.device
            if isOwn { own += 1 }
            let isForAll = key.id == state.idInUse || isOwn && own <= Limits.siteKeysGiven
            for member in members where isForAll || member.getsAll {
                for device in member.devices
                where state.view.mayGive(epoch, for: people, to: member.person, on: device) {
                    guard gifts.count < Limits.siteGifts else { return gifts }
                    gifts.append(
                        SiteGift(group: id, key: key, person: member.person, device: device))
                }
            }
        }
        return gifts
    }

    /// What tells those whom this device has brought in that they were, by whom it is for.
    ///
    /// - Parameter writers: who has written there, and so is in.
    func siteInvitations(
        of id: ConversationID, but writers: Set<PersonID>
    ) -> [PersonID: SiteInvitation] {
        guard let state = self.table[id], state.isActive, self.isInside(id) else { return [:] }
        let added = state.brought(by: self.device) { act in
            if case .add = act.statement.kind { true } else { false }
        }.filter { !writers.contains($0.key) && state.view.roster.members[$0.key] != nil }
        return added.compactMapValues { act in
            guard let past = state.view.graph.reach(of: [act.id])
            else { return nil }
            // What is lacking comes with the keys.
            let needed = Set([act.id] + state.reasons(for: act))
            let all = state.acts(in: past)
            let first = all.filter { needed.contains($0.id) || $0.statement.kind.isFounding }
            let rest = all.filter { !needed.contains($0.id) && !$0.statement.kind.isFounding }
            let chosen = Set((first + rest.reversed()).firstFrame.map(\.id))
            return SiteInvitation(all.filter { chosen.contains($0.id) })
        }
    }

    /// Keeps a key that a letter has brought until a log tells of it.
    mutating func importKey(
        _ key: EpochKey, of id: ConversationID, from giver: PersonID, on device: PeerID
    ) -> (verdict: SiteVerdict, actions: [GroupAction]) {
        guard let state = self.table[id], state.isActive else { return (.refused(.early), []) }
        guard state.epochs[key.id]?.key == nil else { return (.known, []) }
        guard state.pendingEpochs[key.id] == nil else { return (.taken, []) }
        guard state.isMember(giver, on: device, for: self.own) else {
            return (.refused(.early), [])
        }
        self.table[id]?.wait(for: key, from: giver)
        let actions = self.tryKeys([key.id], of: id)
        return (actions.isEmpty ? .refused(.early) : .taken, actions)
    }

    /// Somebody has brought the user into a group, by a letter that they have signed: whether that asks the user.
    func considerAtSite(
        _ acts: [Act], of id: ConversationID, at wall: UInt64
    ) -> (request: GroupRequest, founding: Group)? {
        guard self.table[id]?.isActive != true, self.join(id) == nil,
            let founding = acts.lazy.compactMap({ $0.statement.kind.founded }).first
        else { return nil }
        let earlier = self.requests.all[id]
        let (_, asks) = self.bringing(acts + (earlier?.acts ?? []), of: id, founding)
        guard let asks, asks.id == acts.last?.id, earlier?.add != asks.id,
            let device = asks.statement.device, device != self.device
        else { return nil }
        let request = GroupRequest(
            group: id, device: device, add: asks.id, acts: acts, time: wall,
            source: Source.sites.description)
        return (request, founding)
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

/// A key for a device of a member that has no link here.
package struct SiteGift: Hashable, Sendable {
    package let group: ConversationID
    package let key: EpochKey
    package let person: PersonID
    package let device: PeerID
}

extension GroupState {
    fileprivate var idInUse: Bytes32? {
        if case .use(let held) = self.writing { held.epoch.id } else { nil }
    }

    /// Keeps a key until a log tells of it, beside what others have given by the same name, since only one can be right; of
    /// too many one of those gives way of which most are here.
    fileprivate mutating func wait(for key: EpochKey, from giver: PersonID) {
        guard self.siteKeys[key.id]?[giver] != key.key else { return }
        self.siteKeys[key.id, default: [:]][giver] = key.key
        var counts: [PersonID: Int] = [:]
        for givers in self.siteKeys.values {
            for giver in givers.keys { counts[giver, default: 0] += 1 }
        }
        var most: PersonID? = (counts[giver] ?? 0) > Limits.siteKeysRead ? giver : nil
        if most == nil, counts.values.reduce(0, +) > Limits.siteKeysWaiting {
            most = counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
        }
        guard let most,
            let gone = self.siteKeys.filter({ $0.key != key.id && $0.value[most] != nil }).keys
                .min()
        else { return }
        self.siteKeys[gone]?[most] = nil
        if self.siteKeys[gone]?.isEmpty == true { self.siteKeys[gone] = nil }
    }

    /// Whom a device has brought in by acts that count, and the last of these of each.
    ///
    /// - Parameter isMeant: which acts are looked at.
    fileprivate func brought(
        by device: PeerID, isMeant: (Act) -> Bool = { _ in true }
    ) -> [PersonID: Act] {
        var found: [PersonID: Act] = [:]
        for id in self.view.graph.ids where self.view.roster.verdicts[id] == .counts {
            guard let act = self.acts[id], act.statement.device == device, isMeant(act) else {
                continue
            }
            var person = act.brings
            if case .accept(let join) = act.statement.kind { person = self.acts[join]?.brings }
            if let person { found[person] = act }
        }
        return found
    }
}
