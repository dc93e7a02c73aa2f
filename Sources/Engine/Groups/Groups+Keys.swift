internal import Crypto
internal import Formats

/// Keys: which one is used, and who is given which.
extension Groups {
    /// Chooses what the next own entry is sealed with, by what is on the disk now.
    mutating func chooseKey(in id: ConversationID) {
        guard var state = self.table[id] else { return }
        state.writing = Self.keyToWrite(in: &state, for: self.own)
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
        for (held, _) in ordered where !state.unplaced.contains(held.epoch.id) {
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
        return .make(basis: basis, people: Epoch.digest(of: view.members(knowing: past)))
    }

    /// A log tells of a key.
    mutating func announced(
        _ announcement: EpochAnnouncement, in log: LogName, of person: PersonID,
        in id: ConversationID
    ) -> [GroupAction] {
        guard let state = self.table[id], state.epochs[announcement.id] == nil,
            state.announced[announcement.id] == nil, state.hasRoom(forKeyOf: person)
        else { return [] }
        self.table[id]?.announced[announcement.id] = AnnouncedEpoch(
            announcement: announcement, maker: person, device: log.author)
        return self.tryKeys([announcement.id], of: id)
    }

    /// Announcements were read in a run of which it is not known yet whether it is taken.
    mutating func readApart(_ keys: some Sequence<Bytes32>, in id: ConversationID) {
        guard let state = self.table[id] else { return }
        let new = keys.filter { state.announced[$0] != nil && state.epochs[$0] == nil }
        self.table[id]?.unplaced.formUnion(new)
    }

    /// The run that announces keys is taken; whether that was lacking.
    mutating func place(_ keys: Set<Bytes32>, in id: ConversationID) -> Bool {
        guard self.table[id]?.unplaced.isDisjoint(with: keys) == false else { return false }
        self.table[id]?.unplaced.subtract(keys)
        self.chooseKey(in: id)
        return true
    }

    mutating func receiveKeys(
        _ keys: [EpochKey], of id: ConversationID, on link: LinkID
    ) -> [GroupAction] {
        guard let state = self.table[id], state.isActive,
            self.peers[link]?.groups[id]?.isShared == true, self.concerns(id, link)
        else { return [] }
        for key in keys {
            guard state.epochs[key.id] == nil, !state.pendingEpochs.contains(key.id) else {
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
    func lacksAnnouncement(in id: ConversationID) -> Bool {
        guard let state = self.table[id] else { return false }
        return self.peers.values.contains {
            $0.groups[id]?.keys.keys.contains {
                state.epochs[$0] == nil && state.announced[$0] == nil
                    && !state.pendingEpochs.contains($0)
            } == true
        }
    }

    /// Takes those of the keys that wait of which a log tells, and whose acts are here.
    ///
    /// - Parameter names: those to look at, where it is not all.
    mutating func tryKeys(_ names: [Bytes32]? = nil, of id: ConversationID) -> [GroupAction] {
        guard var state = self.table[id], !state.announced.isEmpty else { return [] }
        defer { self.table[id] = state }
        var writes = GroupWrites()
        let links = self.peers.keys.sorted()
        for name in (names ?? Array(state.announced.keys)).sorted() {
            guard let told = state.announced[name], !told.isVoid,
                !state.pendingEpochs.contains(name), state.takesKey(of: told.maker)
            else { continue }
            for link in links {
                guard let key = self.peers[link]?.groups[id]?.keys[name] else { continue }
                guard told.announcement.isOf(key, in: id, by: told.device) else { continue }
                switch state.finding(told.epoch) {
                case .waits: break
                // Nobody uses it: its log goes no further here. It keeps its place, so that its maker sends few.
                case .void: state.announced[name]?.isVoid = true
                case .people:
                    state.take(told.epoch)
                    writes.epochs.append(HeldEpoch(group: id, epoch: told.epoch, key: key))
                }
                break
            }
        }
        for epoch in writes.epochs {
            for link in self.peers.keys { self.peers[link]?.groups[id]?.keys[epoch.epoch.id] = nil }
        }
        return writes.isEmpty ? [] : [.write(writes)]
    }

    /// Gives the device at the other end of a link what it may have and was not given.
    mutating func giveKeys(of id: ConversationID, on link: LinkID) -> [GroupAction] {
        guard var state = self.table[id], state.isActive, let peer = self.peers[link],
            let exchange = peer.groups[id], exchange.isShared
        else { return [] }
        defer { self.table[id] = state }
        var keys: [EpochKey] = []
        let left = state.epochs.filter { !exchange.given.contains($0.key) }
        for (name, held) in left.sorted(by: { $0.key < $1.key }) {
            guard case .people(let people) = state.finding(held.epoch),
                state.view.mayGive(held.epoch, for: people, to: peer.person, on: peer.device)
            else { continue }
            keys.append(EpochKey(id: name, key: held.key))
        }
        self.peers[link]?.groups[id]?.given.formUnion(keys.map(\.id))
        return stride(from: 0, to: keys.count, by: Limits.groupFrameItems).map {
            .send(.epochKeys(id, Array(keys[$0...].prefix(Limits.groupFrameItems))), on: link)
        }
    }
}
