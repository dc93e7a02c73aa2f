internal import Crypto
internal import Formats

/// Chooses which key is used, and who gets which keys.
extension Groups {
    /// Chooses what the next own entry is sealed with, by what is on the disk now.
    mutating func chooseKey(in id: ConversationID) {
        guard var state = self.table[id] else { return }
        state.writing = Self.keyToWrite(in: &state, for: self.own)
        state.orderKeys()
        self.table[id] = state
    }

    private static func keyToWrite(in state: inout GroupState, for own: PersonID) -> KeyToWrite {
        let view = state.view
        guard view.roster.members[own] != nil else {
            return .none(view.roster.brought.contains(own) ? .notMember : .waitsForActs)
        }
        let known = state.epochs.values.compactMap { held in
            view.graph.reach(of: held.epoch.basis).map { (held: held, known: $0) }
        }
        // Whose maker knew most comes first: nearly always it may be used.
        let ordered = known.filter { view.takings.isSubset(of: $0.known) }
            .sorted { ($1.known.count, $0.held.epoch.id) < ($0.known.count, $1.held.epoch.id) }
        for (held, _) in ordered
        where held.key != nil && held.isPlaced {
            guard case .people(let people) = state.finding(held.epoch),
                view.mayUse(held.epoch, for: people)
            else { continue }
            return .use(held)
        }
        // Of more heads the rest is tied first; until then another key is due.
        let basis = Array(view.headsByTakings.prefix(Limits.epochBasis)).sorted()
        guard let past = view.graph.reach(of: basis), view.takings.isSubset(of: past) else {
            return .none(.waitsForActs)
        }
        let people = view.members(knowing: past)
        // Others use none whose maker is not among its people.
        guard people.contains(own) else { return .none(.waitsForActs) }
        // One for others than the members would be of no use to anybody.
        guard view.history == .all || people == Set(view.roster.members.keys) else {
            return .none(.waitsForActs)
        }
        return .make(basis: basis, people: Epoch.digest(of: people))
    }

    /// Takes in that a log announces a key.
    mutating func announced(
        _ announcement: EpochAnnouncement, in log: LogName, of person: PersonID,
        in id: ConversationID
    ) -> [GroupAction] {
        let told = AnnouncedEpoch(announcement, by: person, on: log.author)
        let isTaken = self.isTakenAtOnce(told, in: id)
        guard self.table[id]?.note(told, needsRoom: !isTaken) == true else { return [] }
        return self.tryKeys([announcement.id], of: id)
    }

    /// Whether a key is taken once it is noted: then it needs no room among those that wait.
    private func isTakenAtOnce(_ told: AnnouncedEpoch, in id: ConversationID) -> Bool {
        guard let state = self.table[id], let given = self.given(told, in: id),
            state.takesKey(of: told.epoch.owner, given),
            case .people = state.view.finding(told.epoch)
        else { return false }
        return true
    }

    mutating func receiveKeys(
        _ keys: [EpochKey], of id: ConversationID, on link: LinkID
    ) -> [GroupAction] {
        guard let state = self.table[id], state.isActive,
            self.peers[link]?.groups[id]?.isShared == true, self.concerns(id, link)
        else { return [] }
        for key in keys {
            guard state.epochs[key.id]?.key == nil, state.pendingEpochs[key.id] == nil else {
                // Who gives one has it.
                self.peers[link]?.groups[id]?.given.insert(key.id)
                continue
            }
            guard (self.peers[link]?.groups[id]?.keys.count ?? 0) < Limits.waitingKeys
            else { continue }
            self.peers[link]?.groups[id]?.keys[key.id] = key.key
            self.peers[link]?.groups[id]?.given.insert(key.id)
        }
        return self.tryKeys(keys.map(\.id), of: id)
    }

    /// Whether a key waits of which no log has told.
    ///
    /// - Parameter names: keys of entries that wait: one that is for others nobody gives to this node, and only its
    ///   announcement says so.
    func lacksAnnouncement(of names: some Sequence<Bytes32>, in id: ConversationID) -> Bool {
        guard let state = self.table[id] else { return false }
        func isUntold(_ name: Bytes32) -> Bool {
            state.epochs[name] == nil && state.announced[name] == nil
                && state.pendingEpochs[name] == nil
        }
        return state.group.history == .joined && names.contains(where: isUntold)
            || self.peers.values.contains {
                $0.groups[id]?.keys.keys.contains(where: isUntold) == true
            }
            || state.siteKeys.keys.contains(where: isUntold)
    }

    /// Those of the keys for want of which logs wait that somebody has given, and of which logs tell only what is wrong, or
    /// nothing for which there was room.
    func mistold(_ names: some Sequence<Bytes32>, in id: ConversationID) -> Set<Bytes32> {
        guard let state = self.table[id] else { return [] }
        let isFull = state.isFullOfKeys
        return Set(
            names.filter { name in
                let isGiven =
                    state.siteKeys[name] != nil
                    || self.peers.values.contains { $0.groups[id]?.keys[name] != nil }
                guard isGiven, state.pendingEpochs[name] == nil else { return false }
                guard let told = state.announced[name] else { return isFull }
                return !told.contains { self.given($0, in: id) != nil }
            })
    }

    /// Whether a key is known not to be for the user.
    func isForOthers(_ name: Bytes32, in id: ConversationID) -> Bool {
        self.table[id]?.epochs[name].map { $0.key == nil } ?? false
    }

    /// Whether a key that is here was made by a device other than the one that announces it.
    func isOfAnother(_ name: Bytes32, than device: PeerID, in id: ConversationID) -> Bool {
        guard let state = self.table[id] else { return false }
        let maker =
            state.pendingEpochs[name]
            ?? state.epochs[name].flatMap { $0.key == nil ? nil : $0.epoch.device }
        return maker.map { $0 != device } ?? false
    }

    /// For whom a key is; nil where it is not known here, or newcomers read everything.
    func readers(under name: Bytes32, in id: ConversationID) -> Set<PersonID>? {
        guard let state = self.table[id], state.group.history == .joined,
            let held = state.epochs[name], case .people(let people) = state.view.finding(held.epoch)
        else { return nil }
        return people
    }

    /// Takes those of the keys that wait of which a log tells, and whose acts are here; of one that is for others it
    /// takes note.
    ///
    /// What a device says of a key that never comes cannot be checked, so a key that does is taken in its place.
    ///
    /// - Parameter names: those to look at, where it is not all.
    mutating func tryKeys(_ names: [Bytes32]? = nil, of id: ConversationID) -> [GroupAction] {
        guard var state = self.table[id], !state.announced.isEmpty else { return [] }
        defer { self.table[id] = state }
        var writes = GroupWrites()
        for name in (names ?? Array(state.announced.keys)).sorted()
        where state.pendingEpochs[name] == nil {
            let all = (state.announced[name] ?? []).map {
                (told: $0, given: self.given($0, in: id))
            }
            let known = all.first { $0.given != nil }
            for (told, given) in known.map({ [$0] }) ?? all
            where !told.isVoid && state.takesKey(of: told.epoch.owner, given) {
                let key = given?.key
                guard key != nil || state.group.history == .joined else { continue }
                switch state.finding(told.epoch) {
                case .waits: continue
                // Nobody uses it: its log goes no further here. It keeps its place, so that its maker sends few.
                case .void:
                    guard key != nil else { continue }
                    let place = state.announced[name]?.firstIndex(of: told)
                    if let place { state.announced[name]?[place].isVoid = true }
                    for link in self.peers.keys { self.peers[link]?.groups[id]?.keys[name] = nil }
                    state.siteKeys[name] = nil
                    continue
                case .people(let people):
                    let isForOthers =
                        state.group.history == .joined && !people.contains(self.own)
                    guard isForOthers ? state.epochs[name] == nil : key != nil else { continue }
                    state.take(told.epoch)
                    writes.epochs.append(
                        HeldEpoch(
                            group: id, epoch: told.epoch, key: isForOthers ? nil : key,
                            isPlaced: told.isPlaced))
                }
                break
            }
        }
        for epoch in writes.epochs where epoch.key != nil {
            for link in self.peers.keys { self.peers[link]?.groups[id]?.keys[epoch.epoch.id] = nil }
            state.siteKeys[epoch.epoch.id] = nil
        }
        return writes.isEmpty ? [] : [.write(writes)]
    }

    /// The key that somebody has given, if it is the one of which a log tells.
    private func given(_ told: AnnouncedEpoch, in id: ConversationID) -> GivenKey? {
        let name = told.announcement.id
        var givers = self.table[id]?.siteKeys[name]?.map { ($0.key, $0.value) } ?? []
        for peer in self.peers.values {
            if let key = peer.groups[id]?.keys[name] { givers.append((peer.person, key)) }
        }
        let right = givers.filter { told.announcement.isOf($0.1, in: id, by: told.device) }
        return right.first.map { first in
            GivenKey(key: first.1, isPassedOn: right.contains { $0.0 != told.maker })
        }
    }

    /// Gives the device at the other end of a link what it may have and was not given, and whose announcement it can
    /// have, too; as many as are due.
    mutating func giveKeys(of id: ConversationID, on link: LinkID) -> [GroupAction] {
        guard var state = self.table[id], state.isActive, let peer = self.peers[link],
            !peer.isRevoked, let exchange = peer.groups[id], exchange.isShared, peer.keysDue > 0
        else { return [] }
        defer { self.table[id] = state }
        var due: [HeldEpoch] = []
        for (name, held) in state.epochs
        where held.key != nil && held.isPlaced && !exchange.given.contains(name) {
            guard case .people(let people) = state.finding(held.epoch),
                state.view.mayGive(held.epoch, for: people, to: peer.person, on: peer.device)
            else { continue }
            due.append(held)
        }
        let keys = state.inTurn(due).prefix(peer.keysDue).sorted { $0.epoch.id < $1.epoch.id }
            .compactMap { held in held.key.map { EpochKey(id: held.epoch.id, key: $0) } }
        self.peers[link]?.keysDue -= keys.count
        self.peers[link]?.groups[id]?.given.formUnion(keys.map(\.id))
        return stride(from: 0, to: keys.count, by: Limits.groupFrameItems).map {
            .send(.epochKeys(id, Array(keys[$0...].prefix(Limits.groupFrameItems))), on: link)
        }
    }
    /// Goes on with giving keys to a peer, after a while.
    mutating func giveMoreKeys(on link: LinkID) -> [GroupAction] {
        guard let peer = self.peers[link], peer.keysDue < Limits.keysAtOnce else { return [] }
        self.peers[link]?.keysDue = Limits.keysAtOnce
        return peer.groups.keys.sorted().flatMap { self.giveKeys(of: $0, on: link) }
    }
}

extension GroupState {
    /// Keys in the order in which they are given: those of members first, of each maker the newest first, and of all
    /// makers in turn, so that nobody's many keys keep those of others waiting.
    fileprivate func inTurn(_ keys: [HeldEpoch]) -> [HeldEpoch] {
        guard keys.count > 1 else { return keys }
        let known = keys.map { held in
            (held: held, count: self.view.graph.reach(of: held.epoch.basis)?.count ?? 0)
        }.sorted { ($1.count, $0.held.epoch.id) < ($0.count, $1.held.epoch.id) }
        var turns: [PersonID: Int] = [:]
        return known.map { held, _ in
            let maker = held.epoch.maker
            turns[maker, default: 0] += 1
            let isOut = self.view.roster.members[maker] == nil
            return (held: held, isOut: isOut ? 1 : 0, turn: turns[maker] ?? 0)
        }.sorted {
            ($0.isOut, $0.turn, $0.held.epoch.id) < ($1.isOut, $1.turn, $1.held.epoch.id)
        }.map(\.held)
    }
}
