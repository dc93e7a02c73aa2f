internal import Formats

/// Where devices of the node's realms can be dialled, by their own word: whose records are here, and which each link
/// is owed.
///
/// They are kept in memory only; on each new link both sides say again which they have.
/// `Docs/Protocol/Sync.md` section 11, `Docs/Decisions/0055-who-says-where.md`.
struct Whereabouts: Sendable {
    /// A device's word.
    struct Claim: Sendable {
        let record: Record
        let reach: Reach
        /// The realms in which others have passed it on.
        var realms: Set<RealmID>
        /// From where it came.
        var source: Source
        let number: Int64
    }

    /// What the peer of a link has, and is to get.
    private struct Told: Sendable {
        /// The realms of which it has said what it has: an earlier version says nothing, and is sent nothing.
        var listens: Set<RealmID> = []
        var has: Set<UInt64> = []
        var owed: Set<PeerID> = []
    }

    /// Where this device listens; nil where that is told to nobody.
    var reach: Reach?
    /// All addresses of this machine.
    var addresses: Set<ReachableAddress> = []
    /// What says so to others.
    private(set) var own: Record?
    /// The monotonic moment at which that was written.
    private var signedAt: UInt64?
    private var claims: [PeerID: Claim] = [:]
    private var told: [LinkID: Told] = [:]
    private var paces: [Source: TokenBucket] = [:]
    private var lastNumber: Int64 = 0
    /// When news go, or the own record is written.
    private var armedAt: UInt64?

    // MARK: The own record

    /// When the own record may be written, in monotonic milliseconds.
    func mayBeSigned(at now: UInt64) -> UInt64 {
        self.signedAt.map { max(now, $0 + Limits.addressMilliseconds) } ?? now
    }

    /// Takes the own record; nil where there is to be none.
    mutating func sign(_ record: Record?, at now: UInt64) {
        self.own = record
        if record != nil { self.signedAt = now }
    }

    // MARK: Those of others

    var devices: Dictionary<PeerID, Claim>.Keys { self.claims.keys }

    func claim(of device: PeerID) -> Claim? { self.claims[device] }

    /// Whether a source may bring another new record now.
    mutating func isInTime(_ source: Source, at now: UInt64) -> Bool {
        if self.paces[source] == nil, self.paces.count >= Limits.toldHosts {
            self.paces = self.paces.filter { !$0.value.isFull(at: now) }
        }
        guard self.paces[source] != nil || self.paces.count < Limits.toldHosts else { return false }
        return self.paces[
            source,
            default: TokenBucket(
                capacity: Limits.addressBurst, fullMilliseconds: Limits.addressBurstMilliseconds,
                at: now)
        ].take(at: now)
    }

    /// Who gives way to a device that has no record here; nil where it has to stay out.
    ///
    /// - Parameter tiers: how far all of them are trusted.
    func room(for device: PeerID, from source: Source, _ tiers: [PeerID: Tier]) -> [PeerID]? {
        guard self.claims[device] == nil, self.claims.count >= Limits.addressRecords else {
            return []
        }
        func claim(_ device: PeerID, _ source: Source, _ number: Int64) -> FairShare<PeerID>.Claim {
            FairShare.Claim(
                key: device, tier: max(tiers[device] ?? .fellow, .fellow), source: source,
                author: device, number: number)
        }
        return FairShare.room(
            for: claim(device, source, .max),
            among: self.claims.map { claim($0, $1.source, $1.number) },
            within: Limits.addressRecords)?.map(\.key)
    }

    /// Takes a record in the place of an earlier one.
    mutating func take(_ record: Record, _ reach: Reach, of realm: RealmID, from source: Source) {
        let earlier = self.claims[record.author]
        if earlier == nil { self.lastNumber += 1 }
        self.claims[record.author] = Claim(
            record: record, reach: reach, realms: (earlier?.realms ?? []).union([realm]),
            source: source, number: earlier?.number ?? self.lastNumber)
    }

    /// Notes that a record that is here came once more; true where others of that realm do not know it from here.
    mutating func note(
        _ device: PeerID, of realm: RealmID, from source: Source, isItself: Bool
    ) -> Bool {
        // Who speaks for themselves is charged to their own host, not to whoever passed it on.
        if isItself { self.claims[device]?.source = source }
        return self.claims[device]?.realms.insert(realm).inserted ?? false
    }

    mutating func forget(_ devices: some Sequence<PeerID>) {
        for device in devices { self.claims[device] = nil }
    }

    /// Forgets what came by realms that the node is in no longer, and what is too old; gives whose.
    mutating func keep(_ realms: Set<RealmID>, since oldest: HybridTime) -> [PeerID] {
        for device in self.claims.keys { self.claims[device]?.realms.formIntersection(realms) }
        let gone = self.claims.filter { $0.value.realms.isEmpty || $0.value.record.time < oldest }
        self.forget(gone.keys)
        return gone.keys.sorted()
    }

    // MARK: What links are told

    /// What is said on a link to be here of a realm.
    func held(of realm: RealmID) -> [UInt64] {
        let records = self.claims.values.filter { $0.realms.contains(realm) }.map(\.record)
        return Set((records + [self.own].compactMap { $0 }).map { AddressNews.tag(of: $0) })
            .sorted()
    }

    /// The peer of a link says what it has of a realm, and is owed the rest.
    mutating func hear(_ held: [UInt64], of realm: RealmID, on link: LinkID) {
        var told = self.told[link] ?? Told()
        if told.has.count + held.count > Limits.addressTags { told.has = [] }
        told.has.formUnion(held)
        told.listens.insert(realm)
        for (device, claim) in self.claims
        where claim.realms.contains(realm) && !told.has.contains(AddressNews.tag(of: claim.record))
        {
            told.owed.insert(device)
        }
        if let own = self.own, !told.has.contains(AddressNews.tag(of: own)) {
            told.owed.insert(own.author)
        }
        self.told[link] = told
    }

    /// The peer of a link has a record, for it was the one to bring it.
    mutating func note(_ record: Record, on link: LinkID) {
        if self.told[link, default: Told()].has.count >= Limits.addressTags {
            self.told[link]?.has = []
        }
        self.told[link]?.has.insert(AddressNews.tag(of: record))
    }

    /// Owes the record of a device to all who listen, but to whoever has it.
    mutating func owe(_ device: PeerID) {
        guard let record = self.record(of: device) else { return }
        let tag = AddressNews.tag(of: record)
        for link in self.told.keys where self.told[link]?.has.contains(tag) == false {
            self.told[link]?.owed.insert(device)
        }
    }

    private func record(of device: PeerID) -> Record? {
        if let own = self.own, own.author == device { return own }
        return self.claims[device]?.record
    }

    mutating func end(_ realm: RealmID, on link: LinkID) { self.told[link]?.listens.remove(realm) }

    mutating func end(_ link: LinkID) { self.told[link] = nil }

    /// The links that are owed something, in order.
    var owing: [LinkID] { self.told.filter { !$0.value.owed.isEmpty }.keys.sorted() }

    /// Which records go next on a link, of which realm; nil where nothing is left.
    ///
    /// - Parameter realms: those that are common there.
    mutating func next(on link: LinkID, _ realms: some Sequence<RealmID>) -> (RealmID, [Record])? {
        guard var told = self.told[link] else { return nil }
        let listens = realms.filter { told.listens.contains($0) }.sorted()
        for realm in listens {
            let records = told.owed.sorted().compactMap { device -> Record? in
                let isOwn = self.own?.author == device
                guard isOwn || self.claims[device]?.realms.contains(realm) == true else {
                    return nil
                }
                return self.record(of: device)
            }
            let lacking = records.filter { !told.has.contains(AddressNews.tag(of: $0)) }
            let some = Array(lacking.prefix(Limits.addressesSentPerFrame))
            if !some.isEmpty { return (realm, some) }
        }
        told.owed = []
        self.told[link] = told
        return nil
    }

    /// Records were sent on a link.
    mutating func sent(_ records: [Record], on link: LinkID) {
        for record in records {
            self.note(record, on: link)
            self.told[link]?.owed.remove(record.author)
        }
    }

    // MARK: When

    /// Has the node woken at a moment; nil where it is woken before that.
    mutating func arm(at moment: UInt64) -> Action? {
        if let armed = self.armedAt, armed <= moment { return nil }
        self.armedAt = moment
        return .arm(.addresses, at: moment)
    }

    mutating func woke() { self.armedAt = nil }
}
