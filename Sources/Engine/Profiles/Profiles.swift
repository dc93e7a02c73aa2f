internal import Formats

/// The records that stand, and those that came before the first entry of their authors.
///
/// Those of kinds that this version does not know are kept and sent on like the others.
struct Profiles: Sendable {
    private var profiles: [PeerID: Record] = [:]
    private var others: [PeerID: [RecordKey: Record]] = [:]
    /// What profiles take, and what all others do.
    private(set) var profileShares: RecordShares
    private(set) var otherShares: RecordShares
    /// The links that keep records of authors who are not known yet, and what these take.
    private var earlyHolders: [LinkID: (bytes: Int, isKnown: Bool)] = [:]
    /// What of strangers' records is passed on at once.
    var pace = TokenBucket(
        capacity: Limits.passedRecordBytes, fullMilliseconds: Limits.passedRecordMilliseconds)
    /// Grows with each that is settled or goes.
    private(set) var changes: UInt64 = 0
    /// Those of before that were found right.
    var checked = CheckedRecords()

    init(_ records: [Record], in bounds: RecordBounds = RecordBounds()) {
        self.profileShares = RecordShares(limit: bounds.profiles)
        self.otherShares = RecordShares(limit: bounds.others)
        for record in records { _ = self.settle(record) }
    }

    var authors: Dictionary<PeerID, Record>.Keys { self.profiles.keys }

    /// The authors of any records.
    var allAuthors: Set<PeerID> { Set(self.profiles.keys).union(self.others.keys) }

    /// Whether there are records of somebody.
    func has(_ author: PeerID) -> Bool {
        self.profiles[author] != nil || self.others[author] != nil
    }

    /// How many records' authors there are at most.
    var authorCount: Int { self.profiles.count + self.others.count }

    /// The record that is on disk; nil where there is none.
    func record(_ key: RecordKey) -> Record? {
        Self.isProfile(key) ? self.profiles[key.author] : self.others[key.author]?[key]
    }

    /// The records of an author that a conversation's digest may count, ascending by scope and kind.
    func records(of author: PeerID, in conversation: ConversationID) -> [Record] {
        let profile = self.profiles[author].map { [$0] } ?? []
        guard let others = self.others[author] else { return profile }
        let counted = others.values.filter { ($0.conversation ?? conversation) == conversation }
        return (profile + counted).sorted { $0.key < $1.key }
    }

    /// What somebody has said of their devices, ascending.
    func revocations(by person: PersonID) -> [Record] {
        self.others.values.flatMap { $0.values.filter { $0.key.person == person } }
            .sorted { $0.key < $1.key }
    }

    /// What people have said of a device, ascending.
    func revocations(of device: PeerID) -> [Record] {
        (self.others[device] ?? [:]).values.filter { $0.key.person != nil }
            .sorted { $0.key < $1.key }
    }

    /// The profile of a person; nil where none is known.
    func profile(of peer: PeerID) -> Profile? { self.profiles[peer]?.profile }

    /// Whether a record may stand instead of the one that is here; one that is ahead of time does not
    /// stand.
    static func takesPlace(_ record: Record, of standing: Record?, _ time: NodeTime) -> Bool {
        guard let standing else { return true }
        return record.supersedes(standing) || time.isAhead(standing.time)
    }

    /// Whether there is room for a record of this kind beside those of its author and scope: the
    /// smallest kinds are kept.
    func hasRoom(for key: RecordKey) -> Bool {
        self.kinds(beside: key).count { $0 < key.kind } < Limits.recordKinds
    }

    /// Takes a record that is on disk; gives those that are over the bound then.
    mutating func settle(_ record: Record) -> [RecordKey] {
        self.changes += 1
        let key = record.key
        if Self.isProfile(key) {
            let earlier = self.profiles.updateValue(record, forKey: key.author)
            self.profileShares.note(
                record.keptBytes - (earlier?.keptBytes ?? 0), of: key.author)
        } else {
            let earlier = self.others[key.author, default: [:]].updateValue(record, forKey: key)
            // A revocation is charged to nobody, or the device it is about could have it give way.
            guard key.person == nil else { return [] }
            self.otherShares.note(record.keptBytes - (earlier?.keptBytes ?? 0), of: key.author)
        }
        let over = self.kinds(beside: key).sorted().dropFirst(Limits.recordKinds)
        let dropped = over.map {
            RecordKey(author: key.author, conversation: key.conversation, kind: $0)
        }
        for key in dropped { self.drop(key) }
        return dropped
    }

    private mutating func drop(_ key: RecordKey) {
        guard let record = self.others[key.author]?.removeValue(forKey: key) else { return }
        if self.others[key.author]?.isEmpty == true { self.others[key.author] = nil }
        guard key.person == nil else { return }
        self.otherShares.note(-record.keptBytes, of: key.author)
    }

    private mutating func dropProfile(of author: PeerID) {
        guard let record = self.profiles.removeValue(forKey: author) else { return }
        self.profileShares.note(-record.keptBytes, of: author)
    }

    /// Whether a record would be the next to give way, if its author is of a tier that is bounded.
    ///
    /// - Parameters:
    ///   - waiting: what of the author is not on disk yet, in bytes.
    ///   - claim: how its author ranks, asked for only where that decides.
    func refuses(
        _ record: Record, waiting: Int, at now: UInt64, claim: () -> FairShare<PeerID>.Claim
    ) -> Bool {
        let isProfile = Self.isProfile(record.key)
        let shares = isProfile ? self.profileShares : self.otherShares
        guard shares.mayRefuse(at: now) else { return false }
        let more = record.keptBytes + waiting - (self.record(record.key)?.keptBytes ?? 0)
        return shares.refuses(more, of: claim(), at: now)
    }

    /// Whether there may be too much of those together whom the user does not know.
    mutating func isThinningDue() -> Bool {
        let isDue = self.profileShares.isLookDue()
        return self.otherShares.isLookDue() || isDue
    }

    /// Drops records of those who give way of some authors; gives what went.
    ///
    /// Of who gives way, all go, but that profiles and others are counted apart: names are what people miss most. What
    /// people say of their devices stays as long as anything does.
    mutating func giveWay(_ claims: [FairShare<PeerID>.Claim], at now: UInt64) -> [RecordKey] {
        var gone: [RecordKey] = []
        for (tier, claims) in RecordShares.groups(claims) {
            for author in self.otherShares.giveWay(claims, of: tier, at: now) {
                gone += (self.others[author] ?? [:]).keys.filter { $0.person == nil }
            }
            for author in self.profileShares.giveWay(claims, of: tier, at: now) {
                gone += self.profiles[author].map { [$0.key] } ?? []
            }
        }
        self.changes += UInt64(gone.count)
        for key in gone {
            if Self.isProfile(key) { self.dropProfile(of: key.author) } else { self.drop(key) }
        }
        return gone.sorted()
    }

    /// Forgets all records of somebody.
    mutating func forget(_ author: PeerID) {
        self.changes += 1
        self.dropProfile(of: author)
        for key in (self.others[author] ?? [:]).keys { self.drop(key) }
    }

    private static func isProfile(_ key: RecordKey) -> Bool {
        key.conversation == nil && key.kind == Record.Kind.profile
    }

    /// The kinds of records of the same author and scope.
    private func kinds(beside key: RecordKey) -> [UInt8] {
        let others = self.others[key.author]?.keys.filter {
            $0.conversation == key.conversation && $0.person == nil
        }
        let hasProfile = key.conversation == nil && self.profiles[key.author] != nil
        return (others ?? []).map(\.kind) + (hasProfile ? [Record.Kind.profile] : [])
    }

    /// Notes what a link keeps of authors who are not known yet.
    ///
    /// - Parameter isKnown: whether the user knows the peer.
    mutating func noteEarly(_ bytes: Int, on link: LinkID, isKnown: Bool) {
        self.earlyHolders[link] = (bytes, isKnown)
    }

    /// The link with most of them, of strangers' where these keep any; nil where all together keep no more than
    /// they may.
    ///
    /// What it gives up comes again with a later digest.
    var excessiveHolder: LinkID? {
        let bytes = self.earlyHolders.values.reduce(0) { $0 + $1.bytes }
        guard bytes > Limits.earlyRecordBytes else { return nil }
        return self.earlyHolders.max { left, right in
            let (one, other) = (left.value, right.value)
            return one.isKnown == other.isKnown
                ? (one.bytes, left.key) < (other.bytes, right.key) : one.isKnown
        }?.key
    }

    mutating func dropEarly(of link: LinkID) {
        self.earlyHolders[link] = nil
        if self.earlyHolders.isEmpty { self.checked = CheckedRecords() }
    }

    /// The links that keep early records, in order.
    var holders: [LinkID] { self.earlyHolders.keys.sorted() }
}
