internal import Formats

/// A device that the user has revoked.
struct RevokedDevice: Hashable {
    let id: PeerID
    /// When they did.
    let time: HybridTime
}

/// Cuts: a person's statements to groups that a device has stopped being theirs.
///
/// `Docs/Protocol/Rosters.md` section 2, rule 3, says what becomes of the device's acts.
extension Groups {
    /// Nothing more is told or given to a device whose person has revoked it: its link ends once that is on the disk.
    mutating func noteRevoked(_ device: PeerID, of person: PersonID) {
        for (link, peer) in self.peers where peer.device == device && peer.person == person {
            self.peers[link]?.isRevoked = true
        }
    }

    /// Cuts a device that the user revokes at this moment, in all groups into which they were ever brought.
    ///
    /// Not where nothing but the founding is here: what the device did in good faith would be undone. There it is cut when
    /// more is known.
    ///
    /// - Parameters:
    ///   - since: milliseconds from when on also what is known here is undone.
    ///   - isAnew: whether that is so also where the device was cut before.
    mutating func cut(
        _ device: RevokedDevice, since: UInt64?, isAnew: Bool, at time: HybridTime,
        by person: PersonKeys, on signer: ActSigner
    ) -> GroupWrites {
        var writes = GroupWrites()
        for id in self.table.keys.sorted() {
            guard let state = self.table[id], state.hasBegun(on: self.device) else { continue }
            let known = state.words(about: device.id, of: self.own)
            // One that was cut stays so as of then: meanwhile it may have done what is known here by now.
            guard isAnew || known.last?.stands != false else { continue }
            let number = max(device.time.milliseconds, known.last?.next ?? 0)
            let own = self.own
            let basis = state.basis(before: since) { $0.author == own && $0.device == device.id }
            guard let basis else { continue }
            self.cut(
                device.id, number, basis, in: id, at: time, by: person, on: signer, into: &writes)
        }
        return writes
    }

    /// Cuts in a group what was revoked before the user came into it here, or before that was done in groups.
    ///
    /// The device's acts count as far as they are older than that. So members must have told what is known, or what it did
    /// in good faith would be undone.
    mutating func cutLate(
        _ devices: [RevokedDevice], in id: ConversationID, at time: HybridTime,
        by person: PersonKeys, on signer: ActSigner
    ) -> GroupWrites {
        var writes = GroupWrites()
        guard self.isInside(id), let state = self.table[id], state.isActive else { return writes }
        let due = devices.filter { device in
            guard let last = state.words(about: device.id, of: self.own).last else { return true }
            return last.stands && last.number < device.time.milliseconds
        }
        guard !due.isEmpty, self.isUpToDate(id) else { return writes }
        let signed = Set(state.acts.values.compactMap(\.statement.device))
        let ordered = due.sorted {
            let (one, other) = (signed.contains($0.id), signed.contains($1.id))
            return one == other ? ($1.time, $0.id) < ($0.time, $1.id) : one
        }
        for device in ordered {
            // Those that have done nothing here leave room for the next one that is stolen.
            let left = self.table[id]?.shares.left(to: self.own, cuts: true) ?? 0
            guard signed.contains(device.id) || left > Limits.cutsOfPerson / 2,
                let basis = state.basis(before: device.time.milliseconds)
            else { continue }
            let last = state.words(about: device.id, of: self.own).last?.next ?? 0
            // Beside one that was signed with the revocation it does not count.
            let number = max(device.time.milliseconds - min(device.time.milliseconds, 1), last)
            self.cut(
                device.id, number, basis, in: id, at: time, by: person, on: signer, into: &writes)
        }
        return writes
    }

    private mutating func cut(
        _ device: PeerID, _ number: UInt64, _ basis: [ActID], in id: ConversationID,
        at time: HybridTime, by person: PersonKeys, on signer: ActSigner,
        into writes: inout GroupWrites
    ) {
        guard let state = self.table[id] else { return }
        let latest = basis.compactMap { state.known($0)?.time }.max()
        let act = Act(
            cutting: device, number: number, in: id, basis: basis, time: max(time, latest ?? time),
            by: person)
        let hasRoom = state.shares.left(to: self.own, cuts: true) > 0
        self.table[id]?.take(act)
        if hasRoom {
            writes.acts.append(act)
        } else if let tie = try? self.sign(.tie, in: id, at: act.time, by: signer) {
            // Others take one more only for the sake of an act that follows it.
            writes.acts.append(act)
            writes.add(tie)
        } else {
            self.table[id] = state
        }
    }

    /// Whether as much is known of a group as a linked member has told, or nobody but this device has done anything in it.
    private func isUpToDate(_ id: ConversationID) -> Bool {
        guard let state = self.table[id] else { return false }
        let isAlone = (Array(state.acts.values) + state.pending.values).allSatisfy {
            $0.statement.author == self.own && ($0.statement.device ?? self.device) == self.device
        }
        return isAlone
            || self.peers.contains { link, peer in
                peer.groups[id]?.theirHeads.isEmpty == false && self.hasTold(of: id, on: link)
            }
    }
}

/// What somebody has said of a device.
private struct DeviceWord {
    let number: UInt64
    let stands: Bool

    /// The number of a word that counts instead of it; the same where there is no greater one.
    var next: UInt64 { self.number == .max ? .max : self.number + 1 }
}

extension GroupState {
    /// Whether more is here than a founding that another device has handed on.
    fileprivate func hasBegun(on device: PeerID) -> Bool {
        !self.heads.isEmpty && (self.count > 1 || self.founding?.statement.device == device)
    }

    /// The words of a person about a device that are here, the one that counts last.
    fileprivate func words(about device: PeerID, of person: PersonID) -> [DeviceWord] {
        let all =
            Array(self.acts.values) + self.pending.values + self.waiting.values.map(\.act)
        return all.compactMap { act -> DeviceWord? in
            guard act.statement.author == person,
                case .cut(device, let number, let stands) = act.statement.kind
            else { return nil }
            return DeviceWord(number: number, stands: stands)
        }.sorted { ($0.number, $1.stands ? 1 : 0) < ($1.number, $0.stands ? 1 : 0) }
    }

    /// The heads of all that is here, or of what is older than a moment and follows nothing younger.
    ///
    /// - Parameter doubted: acts whose dates are not trusted. Such an act counts as old only if somebody else, who is a
    ///   member without it, had built on it by then.
    func basis(
        before moment: UInt64?, doubting doubted: (ActStatement) -> Bool = { _ in false }
    ) -> [ActID]? {
        var view = self.view(with: [])
        if let moment {
            let older = view.acts(before: moment, doubting: doubted)
            view = GroupView(view.graph.statements(older), history: view.history)
        }
        let heads = view.headsByTakings.prefix(Limits.actBasis).sorted()
        return heads.isEmpty ? nil : heads
    }
}

extension GroupView {
    /// The acts that are older than a moment, and follow none that is only dated so.
    fileprivate func acts(before moment: UInt64, doubting doubted: (ActStatement) -> Bool) -> ActSet
    {
        let graph = self.graph
        let old = graph.ids.indices.filter { graph.times[$0] < moment || $0 == graph.root }
        let doubts = old.filter { place in
            switch graph.acts[place].kind {
            // They bring or take nobody but their author.
            case .create, .join, .leave, .tie, .cut: false
            default: doubted(graph.acts[place])
            }
        }
        var sure = ActSet(room: graph.count)
        for place in old
        where !doubts.contains(where: { $0 == place || graph.isSeen($0, by: place) }) {
            sure.insert(place)
        }
        guard !doubts.isEmpty else { return sure }
        let people = GroupView(graph.statements(sure), history: self.history).roster.brought
        let vouching = old.filter { place in
            sure.contains(place)
                || !doubted(graph.acts[place]) && people.contains(graph.acts[place].author)
        }
        return graph.reach(of: vouching.map { graph.ids[$0] }) ?? sure
    }
}

extension GroupView {
    /// From when on a person's device is cut, in milliseconds, as that person's word says; nil where it is not.
    func cutTime(of device: OwnedDevice) -> UInt64? { self.cutTimes[device] }

    /// The same for all devices that are cut.
    static func cutTimes(_ graph: ActGraph, _ roster: Roster) -> [OwnedDevice: UInt64] {
        guard !roster.cutDevices.isEmpty else { return [:] }
        var times: [OwnedDevice: UInt64] = [:]
        for act in graph.acts {
            guard case .cut(let device, let number, false) = act.kind else { continue }
            let owned = OwnedDevice(person: act.author, device: device)
            guard roster.cutDevices.contains(owned) else { continue }
            times[owned] = max(times[owned] ?? 0, number)
        }
        return times
    }
}
