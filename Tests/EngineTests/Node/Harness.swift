import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@testable import Engine

/// A node with a disk that writes when it is told to, and peers that are played by the test.
struct Harness {
    var node: Node
    var now = Instant(monotonic: 1_000, wall: 1_000_000)
    /// What the node has sent on each link, in order.
    var sent: [LinkID: [Frame]] = [:]
    /// The batch that is not yet written.
    var batch: Batch?
    /// Reads that are not yet answered.
    var reads: [(read: ReadID, key: LogKey, from: UInt64, through: UInt64, byteLimit: Int)] = []
    /// Reads of payloads that are not yet answered.
    private(set) var payloadReads: [(read: ReadID, key: LogKey, from: UInt64, through: UInt64)] = []
    /// Proofs of forks on disk.
    private(set) var proofs: [LogKey: ForkProof] = [:]
    /// Reads of these that are not yet answered.
    private var proofReads: [(read: ReadID, key: LogKey)] = []
    /// Look-ups of idempotency keys that are not yet answered.
    private var lookUps: [(RequestID, ConversationID, key: String)] = []
    /// The secrets that the node shakes hands by.
    private(set) var secrets: [RealmSecret]?
    /// The realms to join as on another device.
    private(set) var joined: [Realm] = []
    /// What the system says to be on its way on links.
    var flights: [LinkID: Flight] = [:]
    /// The dials that ask for small packets.
    private(set) var narrowDials: Set<DialID> = []
    /// What the system counts of the packets of links.
    var packets: [LinkID: PacketCounts] = [:]
    /// When pings of a trial go on, if they do.
    var packetsAt: UInt64?
    var transfersAt: UInt64?
    /// How often the machine was to be examined.
    private(set) var examinations = 0
    /// What users were answered, in order.
    private(set) var answers: [(request: RequestID, answer: Answer)] = []
    /// Dials that were begun, in order.
    private(set) var dials: [(dial: DialID, address: String, expecting: PeerID?)] = []
    /// What subscribers were given, in order.
    private(set) var shown: [Change] = []
    /// Why the node has closed links.
    private(set) var closed: [LinkID: GoawayReason] = [:]
    var deltaAt: UInt64?
    /// Whether the node ever asked to be woken for groups, or wrote anything of them.
    private(set) var hasGroups = false
    /// When each link is looked at next.
    private(set) var looksAt: [LinkID: UInt64] = [:]
    /// How far members have own logs, as it was written.
    private(set) var savedPositions: [LogKey: [PeerID: MemberPosition]] = [:]
    /// What is on disk: a model that keeps no order of its own.
    private(set) var disk: [LogKey: [Run]] = [:]
    /// What became of payloads that are absent; those of no entry here are wanted.
    private var states: [LogKey: [UInt64: PayloadState]] = [:]
    /// What entries on disk want erased, and who.
    private var persons: [LogKey: PersonID?] = [:]
    private var erasures: [(erasure: Erasure, eraser: Authorship)] = []
    /// What is on disk and not shown yet, in the order in which it came.
    private var held: [StoredEntry] = []
    /// Those of them whose authors the user knows.
    private var heldOfKnown: Set<EntryID> = []
    /// How many payloads one batch gives up at most.
    var expiredPerBatch = Limits.expiredPerBatch
    private var cursor: Int64 = 0
    private var request: UInt64 = 0

    static var ownKey: PeerID { PeerID(signer(1).publicKey) }

    /// What nothing keeps that subscribers were told, in order.
    var signals: [Signal] = []
    /// What the shell was told to do about files, since it was asked for last.
    private var tasks: [FileTask] = []
    /// What the log was told.
    private(set) var logged: [String] = []
    /// When the node wants to be woken for these.
    var signalsAt: UInt64?
    var streamsAt: UInt64?
    private(set) var alertsAt: UInt64?
    var holesAt: UInt64?
    private(set) var payloadsAt: UInt64?
    /// Logs that have given way, in order.
    private(set) var drops: [LogKey] = []
    /// How many a batch has taken off the disk at most.
    private(set) var largestDrop = 0

    init(
        _ number: UInt8 = 1, of person: PersonKeys = personKeys(40, 41), realms: Realms = Realms(),
        tellsReads: Bool = true,
        tellsSignals: Bool = true, bounds: LogBounds = LogBounds(),
        disk: DiskBounds = DiskBounds(), links: LinkBudget = LinkBudget(),
        snapshot: Snapshot = Snapshot()
    ) {
        var configuration = NodeConfiguration(
            name: "ada", staticPeers: [], buildTime: 0, realms: realms,
            preferences: NodePreferences(
                tellsReads: tellsReads, tellsPresence: tellsSignals, tellsTyping: tellsSignals))
        configuration.logBounds = bounds
        configuration.diskBounds = disk
        configuration.linkBudget = links
        self.node = Node(
            signer: signer(number),
            certificate: person.certify(signer(number), at: 1_767_225_600_000),
            person: person, boot: 1,
            configuration: configuration, snapshot: snapshot, random: .seeded(1))
        self.give(.started)
        self.settle()
    }

    /// The tags of every link, as the node makes them.
    static let tags = LinkTags(exporter: .zero, role: .responder)

    /// A page for each bucket, with the rows all in the first.
    static func pages(_ rows: [ClockRow]) -> [ClockPage] {
        LogBucket.all.map { ClockPage(bucket: $0, rows: $0 == 0 ? rows : []) }
    }

    /// The row by which a peer says that it has so much of the own log.
    func ownRow(_ seq: UInt64? = nil, in room: Room) throws -> ClockRow {
        let own = self.node.ownLog
        let head = try #require(self.node.conversations.table[room.conversation]).log(own).head
        return ClockRow(
            tag: Self.tags.log(own, in: room.conversation), state: .open, seq: seq ?? head.seq,
            headTag: Self.tags.head(head.id, by: Self.tags.peer))
    }

    /// The digest that the node would send of a room.
    func ownDigest(of room: Room) -> ConversationDigest? {
        var conversation = self.node.conversations.table[room.conversation]
        return conversation?.digest(
            self.node.persons.profiles, through: self.node.clocks.own.latestDue,
            at: self.now.monotonic)
    }

    static func peer(_ number: UInt8) -> PeerID { PeerID(signer(number).publicKey) }

    /// Links a peer that is in these rooms.
    mutating func link(
        _ number: UInt8, of person: PersonKeys? = nil, in rooms: [Room],
        as role: LinkRole = .responder, features: Features = Features()
    ) {
        var info = LinkInfo(to: Self.peer(number), of: person, boot: UInt64(number), role: role)
        info.features = features
        let link = LinkID(UInt64(number))
        self.give(.linkOpened(link, info, address: "192.0.2.\(number):4100", dial: nil))
        self.give(.realms(Self.realmTags(info)), from: number)
        guard !rooms.isEmpty else { return }
        self.give(.rooms(Self.openTag(info), rooms.map(\.name).sorted()), from: number)
    }

    /// The tag of the open realm that the peer of a link sends.
    static func openTag(_ info: LinkInfo) -> Bytes16 {
        let tags = LinkTags(exporter: info.exporter, role: info.role)
        return tags.realm(.open, by: tags.peer)
    }

    /// The frame of a peer that is in the open realm only.
    static func realmTags(_ info: LinkInfo) -> [Bytes16] {
        var random = SeededRandom(seed: info.boot)
        return LinkTags.filled([Self.openTag(info)], to: Limits.realmTagCounts) {
            Bytes16(random.bytes(16)) ?? .zero
        }
    }

    mutating func join(_ room: Room) {
        self.request += 1
        self.give(.request(RequestID(self.request), .join(room)))
    }

    mutating func say(_ text: String, in room: Room) {
        self.request += 1
        let outgoing = Outgoing(
            conversation: room.conversation, text: text)
        self.give(.request(RequestID(self.request), .send(outgoing)))
    }

    /// How things stand with the rooms that the node is in.
    var conversations: [ConversationStatus] {
        self.node.joinedConversations.keys.sorted().compactMap(self.node.conversationStatus)
    }

    mutating func give(_ frame: Frame, from number: UInt8) {
        guard let received = try? ReceivedFrame(whole: frame.encoded.bytes) else {
            preconditionFailure("a frame that was encoded decodes")
        }
        self.give(.received(LinkID(UInt64(number)), received))
    }

    mutating func give(_ event: Event) {
        var counted: [LinkID: PacketCounts]?
        var seen: [LinkID: Flight]?
        defer {
            if let counted { self.give(.packetsCounted(counted)) }
            if let seen { self.give(.flightsSeen(seen)) }
        }
        for action in self.node.handle(event, at: self.now) {
            switch action {
            case .send(let link, let frame):
                guard let sent = try? ReceivedFrame(whole: frame.bytes).frame else {
                    preconditionFailure("the node sends what it can read")
                }
                self.sent[link, default: []].append(sent)
            case .commit(let batch): self.batch = batch
            case .readRuns(let read, let key, let from, let through, let byteLimit):
                self.reads.append((read, key, from, through, byteLimit))
            case .readPayloads(let read, let key, let from, let through):
                self.payloadReads.append((read, key, from, through))
            case .readProof(let read, let key): self.proofReads.append((read, key))
            case .arm(.delta, let at): self.deltaAt = at
            case .arm(.groups, _): self.hasGroups = true
            case .arm(.ping(let link), let at): self.looksAt[link] = at
            case .arm(.signals, let at): self.signalsAt = at
            case .arm(.alerts, let at): self.alertsAt = at
            case .arm(.holes, let at): self.holesAt = at
            case .arm(.streams, let at): self.streamsAt = at
            case .arm(.packets, let at): self.packetsAt = at
            case .arm(.transfers, let at): self.transfersAt = at
            case .arm(.payloads, let at): self.payloadsAt = at
            case .countPackets(let links):
                counted = self.packets.filter { links.contains($0.key) }
            case .seeFlights(let links): seen = self.flights.filter { links.contains($0.key) }
            case .signal(let signals): self.signals += signals
            case .transfer(let task): self.tasks.append(task)
            case .log(_, let text, _): self.logged.append(text)
            case .hold(let secrets): self.secrets = secrets
            case .join(let realm): self.joined.append(realm)
            case .lookUp(let request, let conversation, let key):
                self.lookUps.append((request, conversation, key))
            case .dial(let dial, let address, let key, let isNarrow):
                self.dials.append((dial, address, key))
                if isNarrow { self.narrowDials.insert(dial) }
            case .show(let changes): self.shown += changes
            case .close(let link, let reason, _): self.closed[link] = reason
            case .answer(let request, let answer): self.answers.append((request, answer))
            case .examine: self.examinations += 1
            default: break
            }
        }
        // Nothing hangs on when the store has read one.
        while let asked = self.proofReads.popLast() {
            self.give(.proofRead(asked.read, self.proofs[asked.key]))
        }
    }

    /// The look-ups that wait for an answer, once.
    mutating func takeLookUps() -> [(RequestID, ConversationID, key: String)] {
        defer { self.lookUps = [] }
        return self.lookUps
    }

    /// What a request was answered.
    func answers(of request: RequestID) -> [Answer] {
        self.answers.filter { $0.request == request }.map(\.answer)
    }

    /// Writes what is to be written.
    mutating func write() {
        guard let batch = self.batch.take() else { return }
        if !batch.groups.isEmpty { self.hasGroups = true }
        for key in batch.drops { self.disk[key] = nil }
        for proof in batch.proofs { self.proofs[proof.key] = proof }
        self.drops += batch.drops
        self.largestDrop = max(self.largestDrop, batch.drops.count)
        let cursors = batch.appends.map { append in
            append.run.ids.indices.map { index -> Cursor? in
                guard index < append.heldFrom else {
                    self.hold(append, at: index)
                    return nil
                }
                self.cursor += 1
                return Cursor(self.cursor)
            }
        }
        for append in batch.appends {
            for (index, verdict) in append.verdicts.enumerated() where verdict.payload != .present {
                self.states[append.run.run.key, default: [:]][
                    append.run.run.first + UInt64(index)] =
                    verdict.payload
            }
            self.disk[append.run.run.key, default: []].append(append.run.run)
        }
        let sizes = batch.appends.map { append in
            let key = append.run.run.key
            return LogSize(
                key: key, bytes: Int64((self.disk[key] ?? []).reduce(0) { $0 + $1.frameBytes }))
        }
        var outcome = BatchOutcome(
            number: batch.number, cursors: cursors,
            released: self.release(batch.release), notices: [],
            held: HeldEntries(
                count: self.held.count, first: self.held.map(\.time).min(),
                firstOfKnown: self.held.filter { self.heldOfKnown.contains($0.id) }.map(\.time)
                    .min()))
        outcome.drops = batch.drops.map {
            LogDrop(key: $0, isWhole: true, shown: [], attendance: nil)
        }
        outcome.sizes = sizes
        for fill in batch.fills {
            self.fill(fill)
            if let entry = self.filled(fill) { outcome.filled.append(entry) }
        }
        outcome.notices = batch.notices.map { _ in
            self.cursor += 1
            return Cursor(self.cursor)
        }
        for append in batch.appends {
            let key = append.run.run.key
            let author = Authorship(device: key.name.author, person: append.person)
            self.persons[key] = append.person
            for target in append.verdicts.flatMap(\.erases) {
                let erasure = Erasure(conversation: key.conversation, target: target)
                self.erasures.append((erasure, author))
            }
        }
        for (erasure, eraser) in self.erasures where self.erase(erasure, by: eraser) {
            outcome.erased.append(erasure)
        }
        outcome.expired = batch.expiry.map { self.expired($0) }
        self.savedPositions.merge(batch.positions) { $0.merging($1) { $1 } }
        // All that is there was read, whatever the cursor.
        for conversation in batch.reads.keys {
            for (key, runs) in self.disk where key.conversation == conversation {
                guard key.name.author != self.node.id, let last = runs.last else { continue }
                outcome.reads[conversation, default: [:]][key.name] = last.last
            }
        }
        self.give(.committed(outcome))
    }

    private mutating func hold(_ append: Append, at index: Int) {
        let run = append.run.run
        if append.isOfKnown { self.heldOfKnown.insert(append.run.ids[index]) }
        self.held.append(
            StoredEntry(
                cursor: Cursor(0), key: run.key, seq: run.first + UInt64(index),
                id: append.run.ids[index], time: run.entries[index].time,
                envelope: append.run.envelope(at: index), isSeen: append.verdicts[index].isSeen,
                isLate: false, isDisputed: false))
    }

    private mutating func release(_ until: Due?) -> [StoredEntry] {
        guard let until else { return [] }
        let due = self.held.filter { entry in
            entry.time <= (self.heldOfKnown.contains(entry.id) ? until.known : until.others)
        }.sorted { $0.time < $1.time }
        self.held.removeAll { due.contains($0) }
        return due.map { entry in
            var entry = entry
            self.cursor += 1
            entry.cursor = Cursor(self.cursor)
            return entry
        }
    }

    /// Gives up payloads as the store does.
    private mutating func expired(_ expiry: Expiry) -> ExpiryOutcome {
        var outcome = ExpiryOutcome(entries: [], next: nil)
        func isDue(_ stored: StoredPayload, of key: LogKey) -> Bool {
            switch expiry.bound {
            case .before(let moment): stored.entry.time < moment
            case .above: false
            case .streams(let bound):
                stored.entry.entryClass == EntryClass.stream.rawValue
                    && bound.covers(stored.seq, of: key.name, at: stored.entry.time)
            }
        }
        for key in self.disk.keys.sorted() where key.conversation == expiry.conversation {
            for stored in self.stored(key)
            where stored.entry.mayLackPayload && isDue(stored, of: key)
                && [.present, .wanted].contains(stored.state)
            {
                guard outcome.entries.count < self.expiredPerBatch else {
                    outcome.next = ExpiryPosition(time: stored.entry.time, number: 0)
                    return outcome
                }
                self.set(stored.entry.payload.omitted, at: stored.seq, in: key)
                self.states[key, default: [:]][stored.seq] = .expired
                outcome.entries.append(EntryPlace(key: key, seq: stored.seq))
            }
        }
        outcome.isStreamLeft = self.disk.keys.contains { key in
            key.conversation == expiry.conversation
                && self.stored(key).contains {
                    $0.entry.entryClass == EntryClass.stream.rawValue
                        && [.present, .wanted].contains($0.state)
                }
        }
        return outcome
    }

    private mutating func fill(_ fill: PayloadFill) {
        self.set(.present(fill.payload), at: fill.seq, in: fill.key)
    }

    private mutating func set(_ payload: Payload, at seq: UInt64, in key: LogKey) {
        guard let runs = self.disk[key], let index = runs.firstIndex(where: { $0.last >= seq })
        else { return }
        var entries = runs[index].entries
        entries[Int(seq - runs[index].first)].payload = payload
        self.disk[key]?[index] = Run(
            key: key, first: runs[index].first, prev: runs[index].prev,
            attestation: runs[index].attestation, entries: entries)
    }

    /// Erases as the store does; says whether that was to be done.
    private mutating func erase(_ erasure: Erasure, by eraser: Authorship) -> Bool {
        let key = erasure.key
        let found = self.stored(key).first { $0.seq == erasure.target.seq }
        guard let found, found.state != .erased, found.entry.mayLackPayload,
            found.entry.id(key: key, seq: found.seq, prev: found.prev) == erasure.target.id,
            eraser.mayChange(
                Authorship(device: key.name.author, person: self.persons[key] ?? nil))
        else { return false }
        self.set(found.entry.payload.omitted, at: found.seq, in: key)
        self.states[key, default: [:]][found.seq] = .erased
        return true
    }

    /// The entry of a payload that has come, as people see it from then on.
    private mutating func filled(_ fill: PayloadFill) -> StoredEntry? {
        guard let stored = self.stored(fill.key).first(where: { $0.seq == fill.seq }),
            fill.verdict.isSeen
        else { return nil }
        self.cursor += 1
        return StoredEntry(
            cursor: Cursor(self.cursor), key: fill.key, seq: fill.seq,
            id: stored.entry.id(key: fill.key, seq: fill.seq, prev: stored.prev),
            time: stored.entry.time,
            envelope: Envelope(stored.entry, key: fill.key, seq: fill.seq, prev: stored.prev),
            isSeen: true, isLate: false, isDisputed: false)
    }

    /// What subscribers were given of an author, in order.
    func messages(of author: PeerID) -> [Message] {
        self.shown.compactMap { change in
            if case .message(let message) = change, message.author == author {
                message
            } else {
                nil
            }
        }
    }

    /// Answers the reads of payloads, and writes nothing.
    mutating func read() {
        while !self.payloadReads.isEmpty { self.answerPayloads() }
    }

    mutating func readOnce() { self.answerPayloads() }

    /// The entries of a log on disk, with what became of their payloads.
    func stored(_ key: LogKey) -> [StoredPayload] {
        (self.disk[key] ?? []).flatMap { run in
            run.entries.enumerated().map { index, entry in
                let seq = run.first + UInt64(index)
                var state = PayloadState.present
                if case .absent = entry.payload { state = self.states[key]?[seq] ?? .wanted }
                return StoredPayload(
                    seq: seq, entry: entry, prev: index == 0 ? run.prev : run.ids[index - 1],
                    state: state)
            }
        }
    }

    /// Answers a read of payloads as the store does, but for the limits.
    private mutating func answerPayloads() {
        let asked = self.payloadReads.removeFirst()
        let found = self.stored(asked.key).filter { (asked.from...asked.through).contains($0.seq) }
        self.give(.payloadsRead(asked.read, found))
    }

    /// Answers a read as the store does, one run for each that was written.
    mutating func answer(_ index: Int) {
        let asked = self.reads.remove(at: index)
        var runs: [Run] = []
        var left = asked.byteLimit
        for run in self.disk[asked.key] ?? []
        where run.first >= asked.from && run.first <= asked.through {
            guard runs.isEmpty || left >= Limits.runFrameBytes else { break }
            runs.append(run)
            left -= run.frameBytes
        }
        self.give(.runsRead(asked.read, runs))
    }

    /// Writes and reads until nothing is left to be.
    mutating func settle() {
        while self.batch != nil || !self.reads.isEmpty || !self.payloadReads.isEmpty {
            self.write()
            if !self.payloadReads.isEmpty { self.answerPayloads() }
            if !self.reads.isEmpty { self.answer(0) }
        }
    }

    /// What the shell was told to do about files since this was called last.
    mutating func takeTasks() -> [FileTask] {
        defer { self.tasks = [] }
        return self.tasks
    }

    /// What was sent on a link since this was called last.
    mutating func take(from number: UInt8) -> [Frame] {
        self.sent.removeValue(forKey: LinkID(UInt64(number))) ?? []
    }

    /// The runs that were pushed on a link.
    func pushed(to number: UInt8) -> [Run] {
        (self.sent[LinkID(UInt64(number))] ?? []).compactMap {
            if case .liveRun(let run) = $0 { run } else { nil }
        }
    }

    /// How often a link was told of the own clock by deltas.
    func deltas(to number: UInt8) -> Int {
        (self.sent[LinkID(UInt64(number))] ?? []).count {
            if case .delta = $0 { true } else { false }
        }
    }
}
