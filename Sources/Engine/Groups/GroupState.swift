internal import Crypto
package import Formats

/// A key that a log tells of, and who made it.
package struct AnnouncedEpoch: Hashable, Sendable {
    package var announcement: EpochAnnouncement
    var maker: PersonID
    var device: PeerID
    /// Whether its people are not those of its basis, which never changes.
    var isVoid = false
    /// Whether the run that announces it is on the disk.
    var isPlaced = false

    package init(
        _ announcement: EpochAnnouncement, by maker: PersonID, on device: PeerID,
        isPlaced: Bool = false
    ) {
        self.announcement = announcement
        self.maker = maker
        self.device = device
        self.isPlaced = isPlaced
    }

    var epoch: Epoch {
        Epoch(
            id: self.announcement.id, maker: self.maker, device: self.device,
            basis: self.announcement.basis, people: self.announcement.people)
    }
}

/// A key that somebody has given, before it is taken.
struct GivenKey {
    var key: Bytes32
    /// Whether somebody else than its maker gives it.
    var isPassedOn: Bool
}

/// An act that came before those that it follows.
struct WaitingAct {
    var act: Act
    /// The links that brought it.
    var links: Set<LinkID> = []
    /// Whether the user has accepted it, with the request that it came with.
    var isAccepted = false

    /// Whether the peer of a link is asked for what it follows.
    func isFor(_ link: LinkID) -> Bool { self.isAccepted || self.links.contains(link) }
}

/// One group, as far as it is here: what is on the disk counts, and what is on its way there is known.
struct GroupState {
    let group: Group
    /// Whether the user is in it.
    var isActive: Bool
    /// Those who showed the user the group that the user has accepted: they are let in like members until the acts are
    /// here that say so.
    var hosts: Set<PersonID> = []
    private(set) var acts: [ActID: Act] = [:]
    private(set) var pending: [ActID: Act] = [:]
    /// The acts on the disk that make links, oldest first.
    private(set) var links: [ActID] = []
    var waiting: [ActID: WaitingAct] = [:]
    /// The earliest time of the acts that wait for their time.
    var earliestAhead: UInt64?
    /// When this node ties the heads, unless another one has; since the start.
    var tieAt: UInt64?
    /// Of what is on the disk.
    private(set) var view: GroupView
    /// Stands for what is on the disk.
    private(set) var digest: Bytes32
    /// Acts that no other follows, also of those that are on their way to the disk.
    private(set) var heads: Set<ActID> = []
    /// Of what is here, also on its way to the disk.
    private(set) var shares: ActShares
    private(set) var epochs: [Bytes32: HeldEpoch] = [:]
    /// The newest of the keys that open something here, by how much their makers knew, the least first.
    private(set) var held: [(key: EpochKey, past: ActSet)] = []
    /// Acts that put somebody or a device out, whether they count or not.
    private(set) var ends = ActSet(room: 0)
    /// Keys that letters from other sites have brought, by who gave them, until a log tells of them.
    var siteKeys: [Bytes32: [PersonID: Bytes32]] = [:]
    /// Keys on their way to the disk, and the devices that made them.
    private(set) var pendingEpochs: [Bytes32: PeerID] = [:]
    /// How many keys of each device are here or on their way to the disk, and of how many the log is here, too.
    private var made: [OwnedDevice: Int] = [:]
    private var placed: [OwnedDevice: Int] = [:]
    /// Keys of which logs tell and that are not here; each may be told of by several devices, of which at most one is
    /// right: only the key shows which.
    var announced: [Bytes32: [AnnouncedEpoch]] = [:]
    /// What the next own entry is sealed with.
    var writing = KeyToWrite.none(.waitsForActs)
    /// What each key's basis says, once it is here; it never changes.
    private var findings: [Epoch: EpochFinding] = [:]

    init(
        _ group: Group, isActive: Bool, acts: [Act] = [], epochs: [HeldEpoch] = [],
        announced: [AnnouncedEpoch] = []
    ) {
        self.group = group
        self.isActive = isActive
        self.shares = ActShares(owner: group.owner.id)
        self.view = GroupView([:], history: group.history)
        self.digest = ActID.digest(of: [], in: group.id)
        for act in acts { self.follow(act) }
        self.store(acts)
        for epoch in epochs { self.store(epoch) }
        for told in announced { _ = self.note(told) }
    }

    /// Notes what a log announces of a missing key; false if that is known already or there is no room.
    mutating func note(_ told: AnnouncedEpoch, needsRoom: Bool = true) -> Bool {
        let name = told.announcement.id
        guard self.view.roster.brought.contains(told.maker), self.epochs[name]?.key == nil,
            self.epochs[name]?.epoch != told.epoch,
            self.announced[name]?.contains(where: { $0.epoch == told.epoch }) != true,
            !needsRoom || self.hasRoom(forKeyOf: told.epoch.owner)
        else { return false }
        self.announced[name, default: []].append(told)
        return true
    }

    var count: Int { self.acts.count + self.pending.count }

    /// The act that founded it, which may be on its way to the disk.
    var founding: Act? {
        (Array(self.acts.values) + self.pending.values).first {
            $0.statement.kind.founded != nil
        }
    }

    func has(_ id: ActID) -> Bool { self.acts[id] != nil || self.pending[id] != nil }

    /// An act that is here, taken or not.
    func known(_ id: ActID) -> Act? {
        self.acts[id] ?? self.pending[id] ?? self.waiting[id]?.act
    }

    /// Takes an act whose basis is here, on its way to the disk.
    mutating func take(_ act: Act) {
        self.pending[act.id] = act
        self.waiting[act.id] = nil
        self.follow(act)
    }

    private mutating func follow(_ act: Act) {
        self.heads.subtract(act.statement.basis)
        self.heads.insert(act.id)
        self.shares.add(act.statement)
    }

    /// Acts are on the disk, and count.
    mutating func store(_ stored: [Act]) {
        for act in stored {
            self.pending[act.id] = nil
            self.acts[act.id] = act
            if act.link != nil { self.links.append(act.id) }
        }
        self.view = Self.view(of: self.acts.values, self.group)
        self.shares.follow(brought: self.view.roster.brought)
        self.digest = ActID.digest(of: self.acts.keys, in: self.group.id)
    }

    /// A key is on the disk.
    mutating func store(_ epoch: HeldEpoch) {
        let isNew = self.pendingEpochs.removeValue(forKey: epoch.epoch.id) == nil
        if isNew, self.epochs[epoch.epoch.id] == nil {
            self.made[epoch.epoch.owner, default: 0] += 1
        }
        if epoch.isPlaced, self.epochs[epoch.epoch.id]?.isPlaced != true {
            self.placed[epoch.epoch.owner, default: 0] += 1
        }
        self.epochs[epoch.epoch.id] = epoch
        let isLeft = epoch.key == nil
        let left = self.announced[epoch.epoch.id]?.filter { isLeft && $0.epoch != epoch.epoch }
        self.announced[epoch.epoch.id] = left?.isEmpty == true ? nil : left
    }

    /// Orders the keys anew, by the acts that are on the disk.
    mutating func orderKeys() {
        self.ends = ActSet(room: self.view.graph.count)
        for (place, act) in self.view.graph.acts.enumerated() {
            switch act.kind {
            case .remove, .leave, .cut: self.ends.insert(place)
            default: break
            }
        }
        let all = self.epochs.values.compactMap { held in
            held.key.flatMap { key in
                self.view.graph.reach(of: held.epoch.basis).map { past in
                    (key: EpochKey(id: held.epoch.id, key: key), past: past, held: held)
                }
            }
        }
        // The best to write with first. Each maker has a turn, so that many keys of one leave out nobody's newest.
        .sorted { ($1.past.count, $0.key.id) < ($0.past.count, $1.key.id) }
        var inUse: Bytes32?
        if case .use(let held) = self.writing { inUse = held.epoch.id }
        var turns: [PersonID: Int] = [:]
        let chosen = all.indices.map { index in
            let maker = all[index].held.epoch.maker
            turns[maker, default: 0] += 1
            return (turn: all[index].key.id == inUse ? 0 : turns[maker] ?? 0, index: index)
        }
        .sorted { ($0.turn, $0.index) < ($1.turn, $1.index) }.prefix(Limits.siteKeysRead)
        self.held = chosen.map(\.index).sorted(by: >).map { (all[$0].key, all[$0].past) }
    }

    /// Takes a key, on its way to the disk.
    mutating func take(_ epoch: Epoch) {
        guard self.pendingEpochs.updateValue(epoch.device, forKey: epoch.id) == nil else { return }
        self.made[epoch.owner, default: 0] += 1
    }

    /// Whether one more key of somebody is taken: of those whose log is not here only a few, so that the room for the
    /// logs bounds the others.
    ///
    /// Who passes one on has its log. What devices made that are cut now takes no room from their person's others.
    func takesKey(of maker: OwnedDevice, _ given: GivenKey?) -> Bool {
        func count(_ counts: [OwnedDevice: Int]) -> Int {
            counts.reduce(0) { self.shares($1.key, room: maker) ? $0 + $1.value : $0 }
        }
        let made = count(self.made)
        return made < Limits.keysOfPerson
            && (given?.isPassedOn == true
                || made - count(self.placed) < Limits.unplacedKeysOfPerson)
    }

    private func shares(_ device: OwnedDevice, room other: OwnedDevice) -> Bool {
        let cut = self.view.roster.cutDevices
        return device.person == other.person && cut.contains(device) == cut.contains(other)
    }

    /// The run is on the disk in which a device announces a key.
    mutating func notePlaced(_ announcement: EpochAnnouncement, by device: PeerID) {
        let name = announcement.id
        guard
            let index = self.announced[name]?.firstIndex(where: {
                $0.epoch.isTold(by: announcement, of: device)
            })
        else { return }
        self.announced[name]?[index].isPlaced = true
    }

    /// Whether there is somebody of whose keys no more are kept of which logs tell.
    var isFullOfKeys: Bool {
        let all = self.announced.values.joined().map(\.epoch.owner)
        guard all.count >= Limits.announcedKeysOfPerson else { return false }
        // What devices made that are cut has a room of its own.
        let (cut, members) = (self.view.roster.cutDevices, self.view.roster.members)
        let (out, counted) = (all.filter(cut.contains), all.filter { !cut.contains($0) })
        return [out, counted].contains { owners in
            let counts = owners.reduce(into: [PersonID: Int]()) { $0[$1.person, default: 0] += 1 }
            return counts.contains { person, count in
                count >= Limits.announcedKeysOfPerson
                    || members[person] == nil && all.count >= Limits.announcedKeys
            }
        }
    }

    /// Whether one more key is kept of which a log of somebody tells: each has a share, members in any case.
    func hasRoom(forKeyOf maker: OwnedDevice) -> Bool {
        let all = self.announced.values.joined()
        let count = all.count { self.shares($0.epoch.owner, room: maker) }
        guard count < Limits.announcedKeysOfPerson else { return false }
        return self.view.roster.members[maker.person] != nil || all.count < Limits.announcedKeys
    }

    /// What is known with what is on its way to the disk, and with these.
    func view(with more: some Sequence<Act>) -> GroupView {
        Self.view(of: Array(self.acts.values) + Array(self.pending.values) + more, self.group)
    }

    private static func view(of acts: some Sequence<Act>, _ group: Group) -> GroupView {
        var statements: [ActID: ActStatement] = [:]
        for act in acts { statements[act.id] = act.statement }
        return GroupView(statements, history: group.history)
    }

    /// What the basis of a key says.
    mutating func finding(_ epoch: Epoch) -> EpochFinding {
        if let finding = self.findings[epoch] { return finding }
        let finding = self.view.finding(epoch)
        if finding != .waits { self.findings[epoch] = finding }
        return finding
    }

    /// Whether this act is among those that somebody had seen who had seen these.
    func isSeen(_ act: ActID, from basis: [ActID]) -> Bool {
        var seen: Set<ActID> = []
        var left = basis
        while let id = left.popLast() {
            if id == act { return true }
            guard seen.insert(id).inserted else { continue }
            // Of what is on the disk that is known already.
            if let later = self.view.graph.index[id] {
                let earlier = self.view.graph.index[act]
                if earlier.map({ self.view.graph.isSeen($0, by: later) }) == true { return true }
            } else {
                left += self.known(id)?.statement.basis ?? []
            }
        }
        return false
    }

    /// The acts of a set that are on the disk, each behind its basis.
    func acts(in set: ActSet) -> [Act] {
        self.view.graph.ids.indices.filter(set.contains)
            .compactMap { self.acts[self.view.graph.ids[$0]] }
    }

    // MARK: Who is in it

    var ownerID: PersonID { self.group.owner.id }

    /// Whether a device takes part: a member's, or that of somebody who showed the group before the acts are here, as do
    /// the user's other devices.
    func isMember(_ person: PersonID, on device: PeerID, for own: PersonID) -> Bool {
        if self.view.isMember(person, on: device) { return true }
        return self.view.roster.members[own] == nil
            && (person == own || self.hosts.contains(person))
    }

    /// The act that brought somebody last.
    func bringing(_ person: PersonID) -> Act? {
        self.view.bringing(person, of: self.acts)
    }

    /// The acts that put somebody out.
    func ends(of person: PersonID) -> [ActID] {
        let left = self.acts.values.filter {
            $0.statement.author == person && $0.statement.kind == .leave
        }
        return ((self.view.roster.removals[person] ?? []) + left.map(\.id)).sorted()
    }

    /// Whether somebody is out who may take themselves for a member: an act has brought them, whether it counts or not.
    func isOut(_ person: PersonID) -> Bool {
        self.view.roster.members[person] == nil && self.view.known.contains(person)
    }

    /// The acts by which somebody is out: those that put them out, and where nothing has brought them that counts, those
    /// that undo what meant to: whoever did it was put out, demoted or had a device cut, or the link was ended.
    func endsToTell(_ person: PersonID) -> [ActID] {
        var ends = Set(self.ends(of: person))
        var looked: Set<PersonID> = [person]
        var left: [PersonID] = []
        func look(_ person: PersonID) {
            guard !self.view.roster.brought.contains(person) else { return }
            for act in self.acts.values where act.brings == person {
                if case .join(let link, _) = act.statement.kind {
                    ends.formUnion(self.ends(ofLink: link, for: act.id))
                    left += self.acts[link].map { [$0.statement.author] } ?? []
                } else {
                    left.append(act.statement.author)
                }
            }
        }
        look(person)
        while let person = left.popLast() {
            guard looked.insert(person).inserted else { continue }
            ends.formUnion(self.ends(of: person) + self.demotions(of: person))
            look(person)
        }
        return ends.sorted()
    }

    /// The acts that count and take somebody's rank, or cut a device of theirs.
    private func demotions(of person: PersonID) -> [ActID] {
        self.counting { act, kind in
            switch kind {
            case .demote(person): true
            case .cut(_, _, let stands): !stands && act.author == person
            default: false
            }
        }
    }

    /// The acts that count and have ended a link of which a join did not know that.
    private func ends(ofLink link: ActID, for join: ActID) -> [ActID] {
        self.counting { _, kind in
            switch kind {
            case .endLink(link), .remove: true
            default: false
            }
        }.filter { !self.isSeen($0, from: [join]) }
    }

    private func counting(_ isWanted: (ActStatement, ActKind) -> Bool) -> [ActID] {
        let graph = self.view.graph
        return graph.ids.indices.filter { place in
            self.view.roster.verdicts[graph.ids[place]] == .counts
                && isWanted(graph.acts[place], graph.acts[graph.meant(by: place)].kind)
        }.map { graph.ids[$0] }
    }
}

extension GroupView {
    /// The act that counts and brought somebody last.
    func bringing(_ person: PersonID, of acts: [ActID: Act]) -> Act? {
        self.graph.ids.reversed().lazy.compactMap { acts[$0] }.first { act in
            guard self.roster.verdicts[act.id] == .counts else { return false }
            if case .accept(let id) = act.statement.kind { return acts[id]?.brings == person }
            return act.brings == person
        }
    }
}

extension Act {
    var brings: PersonID? { self.statement.brings }
}

extension ActStatement {
    /// Whom it brings into the group, if it counts.
    var brings: PersonID? {
        switch self.kind {
        case .create, .join: self.author
        case .add(let person), .admin(let person, _): person
        default: nil
        }
    }

    /// Whom the owner makes an admin with it.
    func admin(by owner: PersonID) -> PersonID? {
        guard self.author == owner, case .admin(let person, _) = self.kind else { return nil }
        return person
    }
}

extension Array where Element == Act {
    /// As many as fit one frame, some of them before all others, in the order that they have here.
    func frame(with first: [Act]) -> [Act] {
        let needed = Set(first.map(\.id))
        let chosen = Set(
            (first + self.filter { !needed.contains($0.id) }).firstFrame.map(\.id))
        return self.filter { chosen.contains($0.id) }
    }

    /// As many of the first as fit one frame.
    var firstFrame: [Act] {
        var bytes = 0
        return Array(
            self.prefix(Limits.groupFrameItems).prefix {
                bytes += $0.encoded.count
                return bytes <= Limits.actsFrameBytes
            })
    }
}
