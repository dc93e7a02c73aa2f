internal import Crypto
package import Formats

/// The user's devices: linking a new one, and revoking one that is gone.
extension Node {
    mutating func perform(_ wanted: [DeviceAction]) {
        for action in wanted {
            switch action {
            case .perform(let action): self.actions.append(action)
            case .send(let step, let link):
                if self.links.has(link) { self.send(.device(step), on: link) }
            }
        }
    }

    private func devicePeer(_ id: LinkID) -> DevicePeer {
        let link = self.links[id]
        return DevicePeer(
            link: id, info: link.info, source: Source(link.address),
            isTrusted: self.tier(of: link.info.peer) >= .fellow)
    }

    private mutating func fail(_ request: RequestID, _ failure: DeviceFailure) {
        self.answer(request, .failed(.device(failure)))
    }

    private mutating func nonce() -> Bytes32 {
        let bytes = (0..<4).flatMap { _ -> [UInt8] in
            let number = self.random.next()
            return (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        guard let nonce = Bytes32(bytes) else { preconditionFailure("four numbers are 32 bytes") }
        return nonce
    }

    // MARK: Linking

    mutating func linkDevice(_ peer: PeerID, _ request: RequestID) {
        guard let link = self.links.id(of: peer) else { return self.fail(request, .unlinked) }
        let nonce = self.nonce()
        self.perform(
            self.devices.begin(with: self.devicePeer(link), nonce: nonce, request, at: self.now))
    }

    mutating func confirmDevice(_ check: String, _ request: RequestID) {
        self.perform(self.devices.confirm(check, request, at: self.now))
    }

    mutating func approveDevice(_ code: String, _ request: RequestID) {
        guard self.own.person.canCertify else { return self.fail(request, .noPersonKey) }
        let peers = self.links.ids.map { self.devicePeer($0) }
        self.perform(self.devices.approve(code, peers, request, at: self.now))
    }

    mutating func receiveDevice(_ step: DeviceStep, on id: LinkID) {
        let nonce = if case .commit = step { self.nonce() } else { Bytes32.zero }
        self.perform(
            self.devices.receive(step, from: self.devicePeer(id), nonce: nonce, at: self.now))
    }

    /// A piece of what makes this device one of another person, where the user has asked for it.
    mutating func receiveHandOver(isLast: Bool, _ piece: [UInt8], on id: LinkID) {
        guard let whole = self.devices.receive(piece, isLast: isLast, on: id) else { return }
        self.actions.append(.disarm(.devices))
        guard let handOver = try? HandOver(decoding: whole.bytes),
            handOver.isMeant(for: self.own.signer, by: whole.giver.certificate)
        else { return self.fail(whole.request, .forged) }
        self.answer(whole.request, .handedOver(whole.bytes))
    }

    /// The shell has put together what a device is handed that the user has approved.
    mutating func handOver(_ bytes: [UInt8], on id: LinkID) {
        guard self.links.has(id) else { return }
        self.devices.handOver(bytes, on: id)
        self.pumpHandOver(id)
    }

    /// Sends as much of it as the link has credit for.
    mutating func pumpHandOver(_ id: LinkID) {
        while let piece = self.devices.nextPiece(on: id) {
            let frame = piece.encoded
            guard self.links[id].flow.credit(on: .blob) >= frame.bytes.count else { return }
            self.sendEncoded(frame, on: id)
            guard self.devices.sentPiece() else { continue }
            let peer = self.links[id].info.peer
            self.performDialling(self.dialling.note(peer, as: self.own.certificate.keys))
            self.changed(.devices)
            return
        }
    }

    // MARK: Listing and revoking

    /// The devices of the user that are known here: this one first, then those that were linked last.
    package var ownDevices: [OwnDevice] {
        let own = self.own.certificate.personID
        var found = Set(self.links.peers)
        found.formUnion(self.dialling.known.keys)
        found.formUnion(self.persons.people.authors(of: own))
        found.formUnion(self.persons.people.revocations.keys)
        found.insert(self.id)
        let devices = found.filter { peer in
            self.isOwnDevice(peer) || self.persons.people.revocations[peer]?[own] != nil
        }.map { peer in
            let isLinked = self.links.id(of: peer) != nil
            return OwnDevice(
                id: peer, name: self.name(ofDevice: peer), isHere: peer == self.id,
                isLinked: isLinked,
                lastSeen: isLinked ? self.now.wall : self.dialling.known[peer]?.lastSeen ?? 0,
                revoked: self.persons.people.revocations[peer]?[own]?.milliseconds)
        }
        return devices.sorted { left, right in
            left.isHere != right.isHere
                ? left.isHere : (right.lastSeen, left.id) < (left.lastSeen, right.id)
        }
    }

    /// The peers that are linked, by key.
    package var linkedPeers: [PeerID] { self.links.peers.sorted() }

    /// The own device that the beginning of a key means; nil where none does, or several do.
    package func ownDevice(named text: String) -> PeerID? {
        let key = text.hasPrefix("@") ? String(text.dropFirst()) : text
        let found = self.ownDevices.filter { $0.id.description.hasPrefix(key) }
        return found.count == 1 && key.count >= 8 ? found.first?.id : nil
    }

    /// Whether the devices of others can be certified and revoked here.
    package var canCertify: Bool { self.own.person.canCertify }

    /// Whether the user can revoke a device here.
    package func canRevoke(_ peer: PeerID) -> Bool {
        self.own.person.canCertify && peer != self.id && self.isOwnDevice(peer)
    }

    /// The groups that the user is in.
    package var activeGroups: [ConversationID] {
        self.groups.table.filter(\.value.isActive).keys.sorted()
    }

    /// The user has brought P here, or taken it away.
    mutating func hold(_ keys: PersonKeys) {
        precondition(keys.publicKeys == self.own.person.publicKeys, "a device stays its person's")
        self.own.person = keys
        if !keys.canCertify { self.perform(self.devices.endApproval()) }
        self.cutRevoked()
        self.changed(.devices)
    }

    /// Revokes a device, and cuts it in the user's groups with the same batch.
    mutating func revokeDevice(_ peer: PeerID, since: UInt64?, _ request: RequestID) {
        guard self.own.person.canCertify else { return self.fail(request, .noPersonKey) }
        guard peer != self.id, self.isOwnDevice(peer) else {
            return self.fail(request, .notOwn(peer))
        }
        let key = RecordKey(revoking: peer, by: self.own.certificate.personID)
        var time = HybridTime(wallMilliseconds: self.clocks.own.now)
        // One from a clock that ran ahead is ignored by everybody: it is not to be outdone.
        if let next = self.record(key)?.time.next, !self.clocks.own.isAhead(next) {
            time = max(time, next)
        }
        // Its E is known only where it is linked, and nothing is sealed for it any more: X stands for it.
        let certificate = self.own.person.certify(
            peer, deviceAddress: self.own.certificate.address, at: self.now.wall)
        let record = Record(
            revoking: peer, Revocation(of: certificate, stands: false), at: time,
            by: self.own.person)
        self.disk.commits.records.add(record, isFirst: true)
        self.groups.noteRevoked(peer, of: self.own.certificate.personID)
        let earlier = self.persons.people.revocations[peer]?[self.own.certificate.personID]
        self.disk.commits.groups.add(
            self.groups.cut(
                RevokedDevice(id: peer, time: time), since: since ?? earlier?.milliseconds,
                isAnew: since != nil, at: self.actTime, by: self.own.person,
                on: self.actSigner))
        self.disk.commits.answers.append((request, .revoked(peer)))
    }

    /// Calls a device by another name on all of them, or by none; answered once that is on disk.
    mutating func renameDevice(_ peer: PeerID, _ name: String, _ request: RequestID) {
        guard self.isOwnDevice(peer), !self.persons.people.isRevoked(peer) else {
            return self.fail(request, .notOwn(peer))
        }
        guard self.mine.isShared, let notes = self.notes else {
            return self.fail(request, .onlyOne)
        }
        guard name.isEmpty || Self.canName(name) else {
            return self.answer(request, .failed(.misleadingName))
        }
        let state = OwnData.State(isIn: true, value: Array(name.utf8))
        if let entry = self.mine.entry(OwnItem(.devices, peer), state) {
            if !self.isJoinedOrWillBe(notes.id) { self.begin(.direct(notes)) }
            self.disk.commits.add(
                Draft(conversation: notes.id, content: .own(entry), request: nil, outgoing: nil))
        }
        self.disk.commits.answers.append((request, .renamed(peer)))
    }

    /// What the user calls a device; another one of theirs may have said anything.
    private func name(ofDevice peer: PeerID) -> String {
        let value = self.mine.state(of: OwnItem(.devices, peer))?.value ?? []
        guard let name = String(validating: value, as: UTF8.self), Self.canName(name) else {
            return ""
        }
        return name
    }

    /// Whether a device may have this name: the rule of people's names.
    private static func canName(_ name: String) -> Bool {
        Profile.isShort(name) && OwnName.refusedCharacter(in: name) == nil
            && !NameLook(name).isMisleading
    }

    /// A revocation is on disk: links on which its device shows that person end.
    mutating func settleRevocation(_ record: Record) {
        guard let person = record.key.person else { return }
        let peer = record.author
        let isOwn = person == self.own.certificate.personID
        if isOwn {
            self.changed(.devices)
            self.mine.revoke(peer, from: self.persons.people.revocations[peer]?[person])
            self.followOwn()
            self.cutRevoked()
            // What the device said was read may never have been.
            self.mine.reads = OwnReads()
            self.restoreOwnReads()
        }
        // Own devices are told whether or not the device has written where they are.
        for id in self.links.ids where isOwn && self.isOwnDevice(self.links[id].info.peer) {
            self.send(.records([record]), on: id)
        }
        if let link = self.links.id(of: peer), self.isRevoked(peer, as: person),
            self.links[link].info.certificate.personID == person
        {
            self.close(link, .blocked, "the person whose device it was has revoked it")
        }
        self.settleDirectKeys(after: record, of: person)
        self.performDialling(
            self.persons.people.isRevoked(peer)
                ? self.dialling.block([peer]) : self.dialling.unblock(peer, at: self.now))
    }

    /// Cuts devices that were revoked before in groups, or in one, where that was not done yet.
    ///
    /// That is so where the user has come into the group since, where another device has revoked them that is not in it,
    /// or where the person's key was not here.
    mutating func cutRevoked(in group: ConversationID? = nil) {
        guard self.own.person.canCertify, !self.groups.table.isEmpty else { return }
        let own = self.own.certificate.personID
        let revoked = self.persons.people.revocations.compactMap { device, words in
            words[own].map { RevokedDevice(id: device, time: $0) }
        }
        guard !revoked.isEmpty, !self.isRevoked(self.id, as: own) else { return }
        for id in group.map({ [$0] }) ?? self.groups.table.keys.sorted() {
            let writes = self.groups.cutLate(
                revoked, in: id, at: self.actTime, by: self.own.person, on: self.actSigner)
            if !writes.isEmpty { self.disk.commits.groups.add(writes) }
        }
    }

    /// Tells another device of the user which devices are not theirs any more: it may have been away, or be new.
    mutating func tellRevocations(on id: LinkID) {
        let records = self.persons.profiles.revocations(by: self.own.certificate.personID)
        for start in stride(from: 0, to: records.count, by: Limits.recordsPerFrame) {
            let end = min(start + Limits.recordsPerFrame, records.count)
            self.send(.records(Array(records[start..<end])), on: id)
        }
    }

    /// From when on a person has revoked a device, even if that is not on disk yet; nil if they have not.
    private func revoked(_ device: PeerID, by person: PersonID?) -> HybridTime? {
        guard let person, let record = self.record(RecordKey(revoking: device, by: person)) else {
            return nil
        }
        return record.revocation?.stands == false ? record.time : nil
    }

    /// Whether somebody says that this device is theirs no longer.
    func isRevoked(_ peer: PeerID, as person: PersonID) -> Bool {
        self.revoked(peer, by: person) != nil
    }

    /// Whether a device wrote something after its person had revoked it; in a group a cut says so, too.
    func isRevoked(
        _ author: PeerID, in person: PersonID?, at time: HybridTime,
        of conversation: ConversationID? = nil
    ) -> Bool {
        if let revoked = self.revoked(author, by: person), time > revoked { return true }
        guard let conversation, let person, !self.groups.table.isEmpty else { return false }
        let device = OwnedDevice(person: person, device: author)
        return self.groups.table[conversation]?.view.cutTime(of: device).map {
            time.milliseconds > $0
        } ?? false
    }
}
