internal import Crypto
internal import Formats

/// A verified run of somebody's on its way to the disk, and whom to credit for it.
struct Accepted: Hashable, Sendable {
    /// What a full run counts for in a transaction.
    static let fullRun = 16

    var append: Append
    /// Nil for one that a site has brought.
    var link: LinkID?
    var channel: Channel
    var byteCount: Int
    /// Whether the user knows who has written or brought it.
    var isOfKnown = false
    /// Who waits for what a site has brought.
    var request: RequestID?

    var key: LogKey { self.append.run.run.key }

    /// What this counts for, by its entries or its bytes; each run costs its log's row in any case.
    var size: Int {
        let part = max(
            Self.fullRun * self.append.run.run.entries.count / Limits.runEntries,
            Self.fullRun * self.byteCount / Limits.runFrameBytes)
        return 1 + min(part, Self.fullRun - 1)
    }
}

/// The batch that the store is writing, and who waits for it.
struct InFlight: Sendable {
    var batch: Batch
    /// The drafts of own entries, in the order of the batch's first appends.
    var drafts: [Draft] = []
    /// The keys of groups that own entries of the batch announce.
    var madeKeys: [HeldEpoch] = []
    /// Keys of groups whose announcements come with runs of the batch.
    var placedKeys: [HeldEpoch] = []
    /// How many of the batch's appends are own.
    var ownAppends = 0
    /// Where the other appends came from, in their order.
    var accepted: [Accepted] = []
    /// What of the batch the user has asked for.
    var choices = Choices()
    /// What is answered once the batch is on disk.
    var answers: [(request: RequestID, answer: Answer)] = []
    /// Where the batch's payloads came from.
    var arrivals: [PayloadArrival] = []
    /// The credit of the frames that brought its proofs.
    var proofCredits: [HeldCredit] = []
}

/// Requests of strangers to keep, and people whose requests are over.
struct WaitingRequests: Sendable {
    var kept: [PersonID: DirectRequest] = [:]
    var ended: Set<PersonID> = []

    var isEmpty: Bool { self.kept.isEmpty && self.ended.isEmpty }
}

/// What decides how large the next batch may be.
struct BatchPace: Sendable {
    /// Until when batches are kept small for live messages.
    var smallUntil: UInt64 = 0
    /// Whether the last batch had runs of catch-up.
    var hadCatchUp = false
}

/// What waits for the disk, what is on its way there, and how the next batch is put together.
///
/// One batch at a time, each with all that had gathered while the one before was written: so a group
/// commit grows with load, one transaction and one fsync, and per log one attestation. While live
/// messages come or go batches are kept small. A batch begins with ``begin()``, gets drafts with
/// their places (``takeDrafts()``), then the rest (``fill(_:release:at:)``), and is given to the
/// store by ``send(_:)``; ``finish()`` ends it.
struct CommitQueue: Sendable {
    private(set) var drafts = Drafts()
    private(set) var live = LiveRuns()
    private(set) var sync: [Accepted] = []
    var records = WaitingRecords()
    private(set) var proofs: [ForkProof] = []
    /// The credit of the frames that brought these.
    private(set) var proofCredits: [HeldCredit] = []
    /// Logs that give way, until nothing is left of them on the disk.
    var drops = ListedSet<LogKey>()
    /// What is noted of logs from here on.
    var logMarks: [LogKey: LogMarks] = [:]
    /// Payloads that are not kept any longer.
    var expiries = Expiries()
    /// Payloads that have come after their entries.
    private(set) var arrivals: [PayloadArrival] = []
    var membership: [ConversationID: ConversationMembership] = [:]
    var peers: [PeerID: KnownPeer] = [:]
    /// Of whom nothing is remembered any longer.
    private var forgotten: Set<PeerID> = []
    private(set) var notices: [Notice] = []
    /// Whom the user knows from here on, or no longer.
    var people: [PeerID: Standing] = [:]
    /// What the user has asked for.
    var choices = Choices()
    /// How far members have own logs.
    private var positions: [LogKey: [PeerID: MemberPosition]] = [:]
    var requests = WaitingRequests()
    /// Acts and keys of groups.
    var groups = GroupWrites()
    /// Requests for small things, and what they are answered once these are on disk.
    var answers: [(request: RequestID, answer: Answer)] = []
    var release = false
    private(set) var inFlight: InFlight?
    private var lastNumber: UInt64 = 0
    /// Whether the store has failed and is not yet tried again by itself.
    private(set) var isResting = false
    private var pace = BatchPace()

    /// Whether there is nothing to be written.
    var isEmpty: Bool {
        self.drafts.isEmpty && self.live.isEmpty && self.sync.isEmpty && self.membership.isEmpty
            && !self.hasSmallThings
    }

    private var hasSmallThings: Bool {
        self.release || !self.records.isEmpty
            || !self.drops.isEmpty || !self.logMarks.isEmpty
            || !self.arrivals.isEmpty || !self.expiries.isEmpty
            || !self.proofs.isEmpty || !self.peers.isEmpty || !self.forgotten.isEmpty
            || !self.notices.isEmpty || !self.people.isEmpty || !self.choices.isEmpty
            || !self.positions.isEmpty || !self.requests.isEmpty
            || !self.answers.isEmpty || !self.groups.isEmpty
    }

    /// All runs of others that are not yet on disk.
    var underWay: [Accepted] { self.live.all + self.sync + (self.inFlight?.accepted ?? []) }

    // MARK: What comes in

    mutating func add(_ draft: Draft) { self.drafts.append(draft) }

    /// Whether so much of others waits that strangers are to wait before they send more.
    ///
    /// Each link's credit bounds what it brings; of many links that is more than is to be kept in memory.
    var isCrowded: Bool {
        guard self.live.count + self.sync.count > Self.uncrowdedRuns else { return false }
        if self.live.count + self.sync.count > Limits.crowdedRuns { return true }
        let bytes = self.live.byteCount + self.sync.reduce(0) { $0 + $1.byteCount }
        return bytes > Limits.crowdedRunBytes
    }

    /// So few are never too many: each fits a frame.
    private static let uncrowdedRuns = Limits.crowdedRunBytes / Limits.runFrameBytes

    /// Takes a run; a live one goes before bulk, and one of somebody whom the user knows before those of others,
    /// but never before what its own log has there.
    mutating func add(_ accepted: Accepted, hasPending: Bool) {
        let isBehindBulk = hasPending && self.sync.contains { $0.key == accepted.key }
        guard accepted.channel == .live && !isBehindBulk else { return self.sync.append(accepted) }
        self.live.add(accepted)
    }

    /// Takes payloads whose hashes were checked.
    mutating func add(_ arrival: PayloadArrival) { self.arrivals.append(arrival) }

    /// Takes a proof, in the place of one of the same log that shows a later point.
    mutating func addProof(_ proof: ForkProof) {
        #if MUTANTS
            if Mutant.forgetForkProofs.isActive { return }
        #endif
        self.proofs.removeAll { $0.key == proof.key }
        self.proofs.append(proof)
    }

    /// Keeps the credit of a frame with a proof until that is on disk: else a peer could have any number of
    /// them wait for it.
    mutating func hold(_ credit: HeldCredit) { self.proofCredits.append(credit) }

    /// Takes out the credit of proofs that are not on their way to the disk.
    mutating func takeProofCredits() -> [HeldCredit] {
        defer { self.proofCredits = [] }
        return self.proofCredits
    }

    /// Forgets what was to be noted of a log that gives way.
    mutating func forgetLog(_ key: LogKey) {
        self.logMarks[key] = nil
        self.proofs.removeAll { $0.key == key }
    }

    /// Takes notices; where the store fails for long the oldest go.
    mutating func add(_ notices: [Notice]) {
        self.notices = (self.notices + notices).suffix(Limits.waitingNotices)
    }

    /// Forgets what somebody wrote who waited, also in what is to tell of it.
    mutating func endRequest(of person: PersonID, by device: PeerID) {
        self.requests.kept[person] = nil
        self.requests.ended.insert(person)
        self.blankRequest(by: device)
    }

    /// Takes the text out of what is to tell of a request.
    mutating func blankRequest(by device: PeerID) {
        self.notices = self.notices.map { notice in
            guard case .requested(device, _) = notice.event else { return notice }
            return Notice(.requested(device, ""), of: notice.tier, at: notice.time)
        }
    }

    /// Takes how far members have own logs.
    mutating func add(_ positions: [LogKey: [PeerID: MemberPosition]]) {
        self.positions.merge(positions) { $0.merging($1) { $1 } }
    }

    /// Takes out the runs of a log that has ended.
    mutating func drop(_ key: LogKey) -> [Accepted] {
        let dropped = self.live.drop(key) + self.sync.filter { $0.key == key }
        if !dropped.isEmpty { self.sync.removeAll { $0.key == key } }
        return dropped
    }

    /// Forgets people, also what of them is still on its way to the next batch; what comes of them
    /// later is remembered.
    mutating func forget(_ peers: [PeerID]) {
        self.forgotten.formUnion(peers)
        for peer in peers { self.peers[peer] = nil }
        self.records.forget(self.forgotten)
    }

    /// The record that will stand once all is on disk; nil where none is on its way.
    func record(_ key: RecordKey) -> Record? {
        if let profile = self.choices.profile, profile.key == key { return profile }
        return self.records[key] ?? self.inFlight?.batch.records.last { $0.key == key }
    }

    /// Whether the user will be in a room once all is on disk; nil where nothing changes.
    func isJoined(_ id: ConversationID) -> Bool? {
        (self.membership[id] ?? self.inFlight?.batch.membership[id])?.isJoined
    }

    /// What the user will have said of somebody once all is on disk; nil where nothing changes.
    func standing(of peer: PeerID) -> Standing? {
        self.people[peer] ?? self.inFlight?.batch.people[peer]
    }

    // MARK: The next batch

    /// Begins the next batch; nil while the store writes one.
    func begin() -> InFlight? {
        guard self.inFlight == nil else { return nil }
        return InFlight(batch: Batch(number: self.lastNumber + 1))
    }

    /// Takes the drafts of the next batch, by conversation.
    mutating func takeDrafts() -> [(conversation: ConversationID, drafts: [Draft])] {
        guard !self.drafts.isEmpty else { return [] }
        return self.drafts.removeFirst(atMost: Limits.draftsPerBatch)
            .sorted { $0.conversation < $1.conversation }
    }

    /// Adds runs of others and small things to a batch that has its own entries; while the store
    /// rests only own messages try it.
    mutating func fill(_ flight: inout InFlight, release: Due, at now: Instant) {
        flight.ownAppends = flight.batch.appends.count
        guard !self.isResting else { return }
        self.takeAccepted(&flight, at: now)
        guard self.hasSmallThings else { return }
        // With the logs that come in their places, so that there are never more on the disk.
        flight.batch.drops = Array(self.drops.elements.prefix(Limits.droppedPerBatch))
        (flight.batch.logMarks, self.logMarks) = (self.logMarks, [:])
        flight.arrivals = Array(self.arrivals.prefix(Limits.payloadFillsPerBatch))
        self.arrivals.removeFirst(flight.arrivals.count)
        flight.batch.fills = flight.arrivals.flatMap(\.fills)
        flight.batch.expiry = self.expiries.next()
        flight.batch.records = self.records.takeNext()
        // One that has come again since stays.
        flight.batch.droppedRecords =
            self.records.dropped.subtracting(flight.batch.records.map(\.key)).sorted()
        flight.batch.proofs = self.proofs
        (flight.proofCredits, self.proofCredits) = (self.proofCredits, [])
        flight.batch.peers = self.peers.sorted { $0.key < $1.key }.map(\.value)
        flight.batch.forgotten = self.forgotten.sorted()
        flight.batch.notices += self.notices
        flight.batch.people = self.people
        (flight.choices, self.choices) = (self.choices, Choices())
        (flight.batch.positions, self.positions) = (self.positions, [:])
        flight.batch.requests.kept = self.requests.kept.sorted { $0.key < $1.key }.map(\.value)
        flight.batch.requests.ended = self.requests.ended.sorted()
        self.requests = WaitingRequests()
        // Behind the keys that own entries have.
        flight.batch.groups.add(self.groups)
        self.groups = GroupWrites()
        flight.answers = self.answers
        if self.release { flight.batch.release = release }
        (self.proofs, self.peers, self.people) = ([], [:], [:])
        (self.answers, self.release, self.records.dropped) = ([], false, [])
        (self.notices, self.forgotten) = ([], [])
    }

    /// The announcement of a key that waits here is on the disk.
    mutating func placeKey(
        _ announcement: EpochAnnouncement, of group: ConversationID, by device: PeerID
    ) {
        for index in self.groups.epochs.indices {
            let held = self.groups.epochs[index]
            guard held.group == group, held.epoch.isTold(by: announcement, of: device) else {
                continue
            }
            self.groups.epochs[index].isPlaced = true
        }
    }

    /// Puts into a batch that the user joins or leaves a conversation, if that waits.
    mutating func takeMembership(
        of id: ConversationID, into flight: inout InFlight, at now: Instant
    ) {
        guard let membership = self.membership.removeValue(forKey: id) else { return }
        flight.batch.membership[id] = membership
        flight.batch.notices.append(
            Notice(membership.isJoined ? .joined(id) : .left(id), at: now.wall))
    }

    private mutating func takeAccepted(_ flight: inout InFlight, at now: Instant) {
        // Live runs go before bulk, but a log's own order must hold: once a log has a run in the
        // bulk queue, its live runs have been queued there behind it.
        // Who has only joined waits for what it catches up with.
        let hasLive =
            flight.drafts.contains { $0.content.traits.isLive }
            || self.live.all.contains { $0.append.run.run.isLive }
        if hasLive { self.pace.smallUntil = now.monotonic + Limits.liveMilliseconds }
        let isLive = now.monotonic < self.pace.smallUntil
        let limit = isLive ? Limits.runsPerLiveBatch : Limits.runsPerBatch
        let bulk = isLive ? Limits.bulkRunsPerLiveBatch : Limits.runsPerBatch
        let live = self.live.removeFirst(Self.fitting(self.live.all, runs: limit))
        for accepted in live { flight.take(accepted, self.expiries) }
        // A live message that had to wait for bulk does not wait for more of it.
        let isAlone = hasLive && self.pace.hadCatchUp
        self.pace.hadCatchUp = false
        guard !isAlone, !self.sync.isEmpty else { return }
        // Bulk gets on however many live runs come, but not with what follows one that still waits.
        let left = Set(self.live.all.map(\.key))
        let size = live.reduce(0) { $0 + $1.size }
        let rest = limit - (size + Accepted.fullRun - 1) / Accepted.fullRun
        let sync = self.sync.prefix(Self.fitting(self.sync, runs: max(1, min(bulk, rest))))
            .prefix { !left.contains($0.key) }
        self.sync.removeFirst(sync.count)
        self.pace.hadCatchUp = !sync.isEmpty
        flight.batch.isBesideLive = isLive && !sync.isEmpty
        for accepted in sync { flight.take(accepted, self.expiries) }
    }

    /// How many of the first runs have room where so many full ones have.
    private static func fitting(_ waiting: [Accepted], runs: Int) -> Int {
        var left = runs * Accepted.fullRun
        var count = 0
        while count < waiting.count {
            left -= waiting[count].size
            guard left >= 0 else { break }
            count += 1
        }
        return count
    }

    /// Notes that a batch is given to the store.
    mutating func send(_ flight: consuming InFlight) {
        precondition(self.inFlight == nil, "the store writes one batch at a time")
        self.lastNumber = flight.batch.number
        self.inFlight = flight
    }

    // MARK: What became of it

    /// The store has answered the batch that it was given.
    mutating func finish() -> InFlight {
        guard let flight = self.inFlight.take() else {
            preconditionFailure("the store answers the batch that it was given")
        }
        return flight
    }

    /// None of a batch is on disk: what is still true is written again, and runs of others are
    /// dropped; gives their logs, and the links that had brought them.
    mutating func fail(_ flight: InFlight) -> (keys: [LogKey], links: [LinkID]) {
        let dropped = flight.accepted + self.live.all + self.sync
        (self.live, self.sync) = (LiveRuns(), [])
        self.proofs =
            flight.batch.proofs.filter { old in
                !self.proofs.contains { $0.key == old.key }
            } + self.proofs
        self.proofCredits = flight.proofCredits + self.proofCredits
        for peer in flight.batch.peers
        where self.peers[peer.id] == nil && !self.forgotten.contains(peer.id) {
            self.peers[peer.id] = peer
        }
        for record in flight.batch.records
        where record != flight.choices.profile && self.records[record.key] == nil
            && !self.forgotten.contains(record.key.author)
        {
            self.records.add(record)
        }
        self.forgotten.formUnion(
            flight.batch.forgotten.filter { !flight.choices.forgotten.contains($0) })
        self.logMarks.merge(flight.batch.logMarks) { $0.union($1) }
        self.records.dropped.formUnion(flight.batch.droppedRecords)
        for request in flight.batch.requests.kept
        where !request.isDeclined && self.requests.kept[request.person.id] == nil
            && !self.requests.ended.contains(request.person.id)
        {
            self.requests.kept[request.person.id] = request
        }
        self.requests.ended.formUnion(flight.batch.requests.ended)
        if flight.batch.release != nil { self.release = true }
        self.positions = flight.batch.positions.merging(self.positions) { $0.merging($1) { $1 } }
        // A join or leave that is not on disk has not happened.
        let waiting = self.notices
        self.notices = []
        self.add(
            flight.batch.notices.filter { $0.conversation == nil || $0.kind == .roster } + waiting)
        self.isResting = true
        return (Set(dropped.map(\.key)).sorted(), Set(dropped.compactMap(\.link)).sorted())
    }

    /// The store is tried again.
    mutating func retry() { self.isResting = false }
}

/// Bytes of a channel that a peer gets back later.
struct HeldCredit: Hashable, Sendable {
    var link: LinkID
    var channel: Channel
    var byteCount: Int
}

extension InFlight {
    fileprivate mutating func take(_ accepted: Accepted, _ expiries: Expiries) {
        self.batch.appends.append(expiries.judged(accepted.append))
        self.accepted.append(accepted)
    }
}
