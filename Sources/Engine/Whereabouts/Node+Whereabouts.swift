internal import Formats

/// Where devices of common realms can be dialled: what this one says, and what others pass on.
///
/// `Docs/Protocol/Sync.md` section 11.
extension Node {
    // MARK: The own record

    /// Others are to dial this device here from now on; nil where nobody is told.
    ///
    /// - Parameter own: all addresses of this machine, told or not: none of them is dialled for a record.
    mutating func setReach(_ reach: Reach?, own: Set<ReachableAddress>) {
        self.whereabouts.reach = reach
        if own != self.whereabouts.addresses {
            self.whereabouts.addresses = own
            for device in self.whereabouts.devices.sorted() {
                guard let claim = self.whereabouts.claim(of: device) else { continue }
                self.dial(device, where: claim.reach)
            }
        }
        self.signReach()
    }

    /// Has a device be dialled where its record says.
    private mutating func dial(_ device: PeerID, where reach: Reach) {
        self.performDialling(
            self.dialling.told(
                device, at: reach.dialled(besides: self.whereabouts.addresses), at: self.now,
                using: &self.random))
    }

    /// Writes the own record where it does not say what it should, but not often.
    private mutating func signReach() {
        guard let reach = self.whereabouts.reach, !self.own.realms.secret.isEmpty else {
            return self.whereabouts.sign(nil, at: self.now.monotonic)
        }
        if let own = self.whereabouts.own, own.value == reach.encoded, !self.isOld(own) { return }
        let moment = self.whereabouts.mayBeSigned(at: self.now.monotonic)
        guard moment <= self.now.monotonic else { return self.wakeForAddresses(at: moment) }
        self.signReach(reach, after: self.whereabouts.own?.time)
    }

    private mutating func signReach(_ reach: Reach, after earlier: HybridTime?) {
        var time = HybridTime(wallMilliseconds: self.clocks.own.now)
        if let next = earlier?.next, !self.clocks.own.isAhead(next) { time = max(time, next) }
        let record = Record(
            kind: Record.Kind.address, author: self.id, conversation: nil, time: time,
            value: reach.encoded, signer: self.own.signer)
        self.whereabouts.sign(record, at: self.now.monotonic)
        self.passOnAddress(of: self.id)
    }

    /// Whether the own record is to be written anew, since others drop old ones.
    private func isOld(_ record: Record) -> Bool {
        let age = Limits.addressAgeMilliseconds
        return record.time
            < HybridTime(
                wallMilliseconds: self.clocks.own.now - min(age, self.clocks.own.now))
    }

    /// The oldest record that is taken.
    private var oldestAddress: HybridTime {
        let (age, now) = (Limits.addressOldMilliseconds, self.clocks.own.now)
        return HybridTime(wallMilliseconds: now - min(age, now))
    }

    // MARK: Realms and links

    /// The node is in other realms than before.
    mutating func followRealmsWithAddresses() {
        let realms = Set(self.own.realms.secret.map(\.id))
        self.forgetAddresses(self.whereabouts.keep(realms, since: self.oldestAddress))
        self.signReach()
    }

    /// Realms have become common on a link, or are so by another secret: says what is here.
    mutating func beginAddresses(of realms: [RealmID], on id: LinkID) {
        let realms = realms.filter { $0 != .open }
        guard !realms.isEmpty else { return }
        let known = Set(self.own.realms.secret.map(\.id))
        self.forgetAddresses(self.whereabouts.keep(known, since: self.oldestAddress))
        self.signReach()
        for realm in realms {
            guard let tag = self.links[id].realms.common[realm] else { continue }
            self.send(.addresses(AddressNews(tag, held: self.whereabouts.held(of: realm))), on: id)
        }
    }

    mutating func receiveAddresses(_ news: AddressNews, on id: LinkID) {
        // It may have been left just now.
        guard let realm = self.links[id].realms.realm(of: news.realm), realm != .open else {
            return
        }
        self.whereabouts.hear(news.held, of: realm, on: id)
        for record in news.records where !self.links.isDoomed(id) {
            self.receiveAddress(record, of: realm, on: id)
        }
        self.wakeForAddresses()
    }

    private mutating func receiveAddress(_ record: Record, of realm: RealmID, on id: LinkID) {
        self.whereabouts.note(record, on: id)
        let author = record.author
        guard record.kind == Record.Kind.address, record.conversation == nil,
            record.value.count <= Limits.addressValueBytes,
            let reach = Reach(decoding: record.value), !self.clocks.own.isAhead(record.time),
            record.time >= self.oldestAddress, self.standing(of: author) != .blocked,
            !self.isRevoked(author, in: self.person(of: author), at: record.time)
        else { return }
        let source = Source(self.links[id].address)
        if let known = self.whereabouts.claim(of: author) {
            if known.record == record {
                let isItself = self.links[id].info.peer == author
                let isNews = self.whereabouts.note(
                    author, of: realm, from: source, isItself: isItself)
                return isNews ? self.passOnAddress(of: author) : ()
            }
            guard record.supersedes(known.record) else { return self.whereabouts.owe(author) }
        }
        guard self.whereabouts.isInTime(source, at: self.now.monotonic) else { return }
        guard record.isValid else {
            return self.violation(id, "forged record of \(author.shortText)")
        }
        guard author != self.id else { return self.outdo(record) }
        guard self.makeRoom(forAddressOf: author, from: source) else { return }
        self.whereabouts.take(record, reach, of: realm, from: source)
        self.dial(author, where: reach)
        self.passOnAddress(of: author)
    }

    /// Others have a record of this device that is later than its own, from before its clock was set.
    private mutating func outdo(_ record: Record) {
        guard let own = self.whereabouts.own, let reach = self.whereabouts.reach,
            record.supersedes(own)
        else { return }
        self.signReach(reach, after: record.time)
    }

    private mutating func makeRoom(forAddressOf author: PeerID, from source: Source) -> Bool {
        var tiers: [PeerID: Tier] = [:]
        if self.whereabouts.devices.count >= Limits.addressRecords {
            tiers = self.tiers(of: Set(self.whereabouts.devices).union([author]))
        }
        guard let gone = self.whereabouts.room(for: author, from: source, tiers) else {
            return false
        }
        self.forgetAddresses(gone)
        return true
    }

    /// Forgets records, and dials nobody for them.
    mutating func forgetAddresses(_ devices: [PeerID]) {
        guard !devices.isEmpty else { return }
        self.whereabouts.forget(devices)
        self.performDialling(self.dialling.forgetTold(devices))
    }

    // MARK: Passing on

    private mutating func passOnAddress(of device: PeerID) {
        self.whereabouts.owe(device)
        self.wakeForAddresses()
    }

    /// Has what links are owed go soon, each time by some chance, so that not all pass on the same.
    private mutating func wakeForAddresses() {
        guard !self.whereabouts.owing.isEmpty else { return }
        let wait = Limits.addressNewsMilliseconds
        self.wakeForAddresses(
            at: self.now.monotonic + wait + UInt64.random(in: 0...wait / 2, using: &self.random))
    }

    private mutating func wakeForAddresses(at moment: UInt64) {
        if let action = self.whereabouts.arm(at: moment) { self.actions.append(action) }
    }

    /// What links are owed is to go, or the own record may be written.
    mutating func addressesDue() {
        self.whereabouts.woke()
        self.signReach()
        for id in self.whereabouts.owing {
            guard self.links.has(id) else {
                self.whereabouts.end(id)
                continue
            }
            let common = self.links[id].realms.common
            for _ in 0..<Limits.addressFrames {
                guard let (realm, records) = self.whereabouts.next(on: id, common.keys),
                    let tag = common[realm]
                else { break }
                self.send(.addresses(AddressNews(tag, records: records)), on: id)
                self.whereabouts.sent(records, on: id)
            }
        }
        self.wakeForAddresses()
    }
}
