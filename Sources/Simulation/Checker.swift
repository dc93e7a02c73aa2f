import Engine
import Formats
import Crypto

/// What must hold after each step, whatever goes wrong.
struct Checker {
    /// What an author wrote, as its own store took it.
    struct Written {
        var key: LogKey
        var seq: UInt64
        var prev: EntryID?
        var time: HybridTime
        var deps: [EntryID]
        /// What people see of it who can open it; nil for nothing.
        var content: Content?
        var isSealed: Bool
        /// Names the key that seals it.
        var epoch: Bytes32
        /// In a group: the key that a member waits for before taking it, which seals it or is announced by it.
        var awaited: Bytes32
        /// Whether the entry that opens its log is sealed, so that not all know whose log it is; nil
        /// where the log does not begin as one must.
        var isOpeningSealed: Bool?
        var isControl: Bool

        var place: Place {
            Place(time: self.time, name: self.key.name, seq: self.seq)
        }
    }

    private struct Position: Hashable {
        var key: LogKey
        var seq: UInt64
    }

    /// What the receiving side of a stream has told the sending one.
    struct Heard {
        /// The conversations that it has announced.
        var announced: Set<ConversationID>
        /// The files of which it has wanted parts, by its numbers.
        var wanted: [UInt64: Set<BlobID>]
    }

    struct Acknowledged {
        var machine: Int
        var conversation: ConversationID
        /// Whether an older disk of its author was put back, which lacks it.
        var isAway = false
    }

    /// Who may do what honest nodes never do.
    struct Suspects {
        /// Authors that may sign two histories.
        var forkers: Set<PeerID> = []
        /// Machines that break the protocol.
        var hostile: Set<Int> = []
        /// Authors who are hostile, or whom somebody hostile has made up; and these alone.
        var strange: Set<PeerID> = []
        var invented: Set<PeerID> = []
    }

    /// Who has to give way on a disk, by machine.
    struct Yielding {
        /// Whether honest nodes have room for fewer logs than ``Sybils`` make, by their bytes or by their number.
        var isNarrow = false
        var countsBytes = false
        /// From where logs came that are not on a disk yet.
        var bringers: [Int: [LogKey: Set<Source>]] = [:]
        /// When those came there that are.
        var storedAt: [Int: [LogKey: UInt64]] = [:]
        /// Which are to go, and which ever went.
        var dropping: [Int: Set<LogKey>] = [:]
        var wereDropped: [Int: Set<LogKey>] = [:]
    }

    /// What was sent of streams that nobody keeps, and who has got what of them.
    struct Streams {
        var sent: [UInt64: SentStream] = [:]
        var read: [StreamReader: ReadStream] = [:]
        /// How many somebody has read to their end.
        var readCount = 0
    }

    struct Counts {
        /// How many frames other than of control honest nodes have sent to each other.
        var syncFrames = 0
        /// How many entries honest machines got from others.
        var entriesReceived = 0
        /// How many acts of groups each machine got from others.
        var actsReceived: [Int: Int] = [:]
        /// How many runs were sent.
        var runs = 0
        var filesFetched = 0
    }

    private(set) var written: [EntryID: Written] = [:]
    /// Entries that follow one, whether that one is known yet or not.
    private(set) var followers: [EntryID: [EntryID]] = [:]
    /// Whose device each author is.
    var persons: [PeerID: PersonID] = [:]
    /// The entries that want an entry erased, whether they may or not.
    var erasers: [EntryID: [EntryID]] = [:]
    /// Who has written into a conversation.
    private(set) var authors: [ConversationID: Set<PeerID>] = [:]
    private var positions: [Position: EntryID] = [:]
    private(set) var acknowledged: [EntryID: Acknowledged] = [:]
    /// What is on whose screen, and what the disks hold, by machine.
    var screens: [Int: Screen] = [:]
    var holdings: [Int: Holding] = [:]
    private var keyed: [String: EntryID] = [:]
    /// All keys of sealed rooms, and which machines have them.
    var keyring = Keyring()
    var keyHolders: [ConversationID: Set<Int>] = [:]
    var groups = Groups()
    var suspects = Suspects()
    var yielding = Yielding()
    /// Which realm each room of the workload is in, where there is more than the open one.
    var realms: [ConversationID: RealmID] = [:]
    /// Whether users let others know whether they are there and where they write.
    var signals = false
    /// Who has said to write, ever.
    var typed: [ConversationID: Set<PeerID>] = [:]
    /// How far a clock has been set off at most, in milliseconds.
    var clockError: UInt64 = 0
    var counts = Counts()
    /// The content of files, as their authors have sent it.
    var files: [BlobID: [UInt8]] = [:]
    var streams = Streams()
    /// The conversations in which somebody has written, in order.
    var conversations: [ConversationID] { self.authors.keys.sorted() }
    /// How many messages were acknowledged.
    var acknowledgedCount: Int { self.acknowledged.count }

    /// A batch is on a machine's disk.
    mutating func written(_ batch: Batch, _ outcome: BatchOutcome, by machine: Machine) throws {
        let isForker = self.suspects.forkers.contains(machine.id)
        for append in batch.appends where append.run.run.key.name.author == machine.id {
            let run = append.run.run
            for (offset, id) in append.run.ids.enumerated() {
                let position = Position(key: run.key, seq: run.first + UInt64(offset))
                let known = self.positions[position]
                guard known == nil || known == id || isForker else {
                    throw Violation("node \(machine.index) forks its own log at \(position.seq)")
                }
                if known == nil { self.positions[position] = id }
            }
            // Own entries that come back from peers are known already.
            self.noteWritten(append.run)
        }
        for append in batch.appends {
            for id in append.run.ids where self.written[id] == nil {
                throw Violation("node \(machine.index) stores an entry that nobody wrote")
            }
            self.noteSilenced(append, on: machine)
        }
        try self.judged(batch, outcome, by: machine)
        self.holdings[machine.index, default: Holding()].took(batch)
    }

    /// Entries are signed by their author.
    mutating func noteWritten(_ run: VerifiedRun) {
        let key = run.run.key
        self.authors[key.conversation, default: []].insert(key.name.author)
        for (offset, id) in run.ids.enumerated() where self.written[id] == nil {
            let entry = run.run.entries[offset]
            let prev = offset == 0 ? run.run.prev : run.ids[offset - 1]
            let content = self.content(of: entry, run.envelope(at: offset))
            let isGroup = self.groups.table[key.conversation] != nil
            let isSealed = entry.epoch != .zero
            var isOpeningSealed = prev.flatMap { self.written[$0]?.isOpeningSealed }
            if prev == nil, case .open(let opening)? = content {
                isOpeningSealed = opening.person(of: key.name.author).map { _ in
                    isSealed || isGroup
                }
            }
            var awaited = entry.epoch
            if case .epoch(let announcement)? = content {
                awaited = announcement.id
                self.groups.told[awaited, default: []].append(id)
            }
            // Who reads what is sealed reads nothing else, and the other way round.
            let isSeen = isOpeningSealed == isSealed && content?.traits.isShown == true
            self.written[id] = Written(
                key: key, seq: run.run.first + UInt64(offset), prev: prev, time: entry.time,
                deps: entry.deps, content: isSeen ? content : nil, isSealed: isSealed,
                epoch: entry.epoch, awaited: awaited,
                isOpeningSealed: isOpeningSealed,
                isControl: entry.entryClass == EntryClass.control.rawValue)
            self.noteErasing(content, by: id)
            for dep in entry.deps { self.followers[dep, default: []].append(id) }
        }
    }

    /// Whether an author has written so many entries of a log.
    func hasWritten(_ author: PeerID, _ seq: UInt64, in conversation: ConversationID) -> Bool {
        self.positions.keys.contains {
            $0.key.name.author == author && $0.key.conversation == conversation && $0.seq >= seq
        }
    }

    /// What an entry says to one who reads rooms as their members do: what is sealed with the key, and
    /// what is not without.
    private func content(of entry: Entry, _ envelope: Envelope) -> Content? {
        // In a group what says whose log it is, is in clear.
        let isClear = entry.epoch == .zero && self.groups.table[envelope.conversation] == nil
        return (isClear ? Keyring() : self.keyring).read(envelope).content
    }

    /// An entry that a machine's user can see, wherever it stands; nil for others.
    func visible(_ id: EntryID, on machine: Int) -> Written? {
        guard let entry = self.written[id], entry.content != nil else { return nil }
        if self.groups.table[entry.key.conversation] != nil {
            guard self.groups.silenced[machine]?.contains(id) != true else { return nil }
            return self.groups.holders[entry.epoch]?.contains(machine) == true ? entry : nil
        }
        let hasKey = self.keyHolders[entry.key.conversation]?.contains(machine) ?? false
        return entry.isSealed == hasKey ? entry : nil
    }

    /// What a node believes of the logs that it just wrote is what its disk holds.
    func audited(_ machine: Machine, _ batch: Batch) throws {
        guard machine.isUp else { return }
        let keys = batch.appends.map(\.run.run.key) + batch.proofs.map(\.key)
        for key in keys {
            let (log, believed) = (machine.store.logs[key], machine.node?.believed(of: key))
            // A proof that waits for the disk ends the log already.
            if believed?.point != log?.proof?.point { continue }
            guard believed?.head.seq == log?.head.seq, believed?.head.id == log?.head.id else {
                throw Violation(
                    "node \(machine.index) believes in \(String(describing: believed)), its disk "
                        + "holds \(String(describing: log?.head))")
            }
        }
        for append in batch.appends where append.run.run.key.name.author == machine.id {
            let room = append.run.run.key.conversation
            guard machine.store.rooms[room] != nil else {
                throw Violation("node \(machine.index) writes into a room that it never joined")
            }
        }
    }

    /// A node shows changes: each once, in the order of cursors, and only what is on its disk.
    mutating func shown(_ changes: [Change], by machine: Machine) throws {
        for change in changes {
            switch change {
            case .message(let message): try self.shown(message, by: machine)
            case .notice(let cursor, let notice):
                guard
                    machine.store.notices.contains(where: {
                        $0.cursor == cursor && $0.notice == notice
                    })
                else {
                    throw Violation("node \(machine.index) tells what it has not noted: \(notice)")
                }
            }
            guard change.cursor > machine.shownCursor else {
                throw Violation("node \(machine.index) shows cursors out of order")
            }
            machine.shownCursor = change.cursor
            if case .message(let message) = change, let written = self.written[message.id] {
                try self.placed(message.id, written, on: machine.index)
            }
        }
    }

    private func shown(_ message: Message, by machine: Machine) throws {
        guard let written = self.visible(message.id, on: machine.index),
            written.key.name.author == message.author,
            written.key.conversation == message.conversation, written.time == message.time,
            written.content == message.content
        else {
            throw Violation(
                "node \(machine.index) shows what its author did not write: \(message)")
        }
        guard let row = machine.store.row(message.id), row.cursor == message.cursor, row.isWhole
        else {
            throw Violation("node \(machine.index) shows what is not on its disk: \(message)")
        }
    }

    /// Whether the user of a machine can read an entry, or could: all of it is here, or was, and it is
    /// not held.
    private static func hasDelivered(_ id: EntryID, to machine: Machine) -> Bool {
        machine.store.row(id).map { $0.isSettled && $0.visibility != .held } ?? false
    }

    /// Whether a machine once had to let the log of an entry go.
    private func hasDropped(_ id: EntryID, on machine: Machine) -> Bool {
        self.written[id].map { self.yielding.wereDropped[machine.index]?.contains($0.key) == true }
            ?? false
    }

    /// Whether the user of a machine has read an entry, if it is one that people see.
    private static func hasRead(
        _ id: EntryID, in room: ConversationID, on machine: Machine
    ) -> Bool {
        guard let row = machine.store.row(id), let cursor = row.cursor else { return false }
        return cursor <= machine.store.reads[room] ?? Cursor(0)
    }

    /// A wait for delivery ends well only where those have the message who were to have it.
    private func reached(_ wait: DeliveryWait?, _ holders: [PeerID], on machine: Machine) throws {
        let isReached =
            switch wait?.aim.goal {
            case .members(let count)?: holders.count >= count
            case .named(let peers)?: peers.isSubset(of: holders)
            case .all?, nil: true
            }
        guard isReached else {
            throw Violation("node \(machine.index) says delivered to too few")
        }
    }

    /// A node answers a request.
    mutating func answered(
        _ request: Request, _ answer: Answer, by machine: Machine, of machines: [Machine]
    ) throws {
        let message: SentMessage
        let holders: [PeerID]
        switch answer {
        case .sent(let sent, _, let delivered): (message, holders) = (sent, delivered)
        case .failed(.deliveryTimeout(let sent, _, let delivered, _)):
            (message, holders) = (sent, delivered)
        case .failed(.held(let held)): (message, holders) = (held.message, held.deliveredTo)
        case .acted(let group, let act): return try self.acted(act, in: group, by: machine)
        default: return
        }
        // An author that does not know its own later history takes that for what it has just written.
        // A hostile peer may say that it has what it has not.
        for holder in holders
        where !machines.contains(where: {
            $0.id == holder && self.suspects.hostile.contains($0.index)
        })
            && !self.suspects.forkers.contains(machine.id)
            && !machines.contains(where: {
                $0.id == holder
                    && ($0.fate.wasRestored || Self.hasDelivered(message.id, to: $0)
                        || self.hasDropped(message.id, on: $0))
            })
        {
            throw Violation("node \(machine.index) says delivered where it is not")
        }
        guard case .send(let outgoing) = request else {
            throw Violation("node \(machine.index) answers \(request) by \(answer)")
        }
        if outgoing.wait?.aim.isRead == true, case .sent = answer {
            for reader in machines
            where holders.contains(reader.id) && !self.suspects.hostile.contains(reader.index)
                && !reader.fate.wasRestored && !self.suspects.forkers.contains(machine.id)
                && !Self.hasRead(message.id, in: message.conversation, on: reader)
            {
                throw Violation("node \(machine.index) says read where it is not")
            }
        }
        if case .sent = answer { try self.reached(outgoing.wait, holders, on: machine) }
        guard machine.store.row(message.id) != nil else {
            throw Violation("node \(machine.index) acknowledges what is not on its disk")
        }
        if let key = outgoing.idempotencyKey {
            let name = "\(machine.index) \(message.conversation) \(key)"
            if let known = self.keyed[name], known != message.id {
                throw Violation("node \(machine.index) sent twice under one key")
            }
            self.keyed[name] = message.id
        }
        self.acknowledged[message.id] = Acknowledged(
            machine: machine.index, conversation: message.conversation)
    }

    /// A node sends a frame.
    mutating func sent(
        _ frame: Frame, by machine: Machine, to receiver: Machine, _ direction: Heard
    ) throws {
        var conversations: [ConversationID] = []
        switch frame {
        case .ping, .pong, .credit, .goaway, .realms, .rooms, .shares, .dialBack, .dialledBack,
            .device, .handOver, .addresses:
            return
        case .roomsLeft(let left): return try self.kept(left, from: receiver, by: machine, frame)
        case .liveRun(let run), .syncRun(let run):
            self.counts.runs += 1
            conversations = [run.key.conversation]
        case .digest(let conversation, _), .buckets(let conversation, _),
            .clock(let conversation, _), .delta(let conversation, _),
            .recordClock(let conversation, _):
            conversations = [conversation]
        case .want(let want), .payloadWant(let want): conversations = [want.conversation]
        case .payloads(let payloads) where !payloads.items.isEmpty:
            conversations = [payloads.conversation]
        case .ephemeral(let piece): conversations = [piece.conversation]
        case .actHeads(let heads): conversations = [heads.group]
        case .epochKeys(let group, let keys):
            try self.gave(keys, of: group, to: receiver, by: machine)
            conversations = [group]
        case .sealedKeys(let group, _): conversations = [group]
        // Who does not share a group may have to know that they were brought in, or are out.
        case .acts(let group, _): return try self.told(group, to: receiver, by: machine)
        case .actWant: return
        case .presence:
            guard self.signals, !direction.announced.isEmpty else {
                throw Violation(
                    "node \(machine.index) says that it is there to a node that must not know")
            }
            return
        case .blobAsk(let conversation, _):
            try self.sentOfFiles(frame, by: machine, to: receiver, direction)
            conversations = conversation.map { [$0] } ?? []
        case .blobHoldings, .blobWant, .blobUnavailable, .blobPiece:
            return try self.sentOfFiles(frame, by: machine, to: receiver, direction)
        // The answer to somebody who asks for a conversation tells nothing of it.
        case .unavailable, .payloads: break
        case .records(let records):
            // The own profile goes to whoever shares a realm other than the open one, too.
            let areFellows = machine.access.realms.secret.contains {
                receiver.access.realms.contains($0.id)
            }
            for record in records
            where !(record.author == machine.id && areFellows)
                && !direction.announced.contains(where: { room in
                    record.author == machine.id
                        || self.authors[room]?.contains(record.author) == true
                            && (record.conversation ?? room) == room
                })
            {
                throw Violation(
                    "node \(machine.index) tells of \(record.author) where no room is shared")
            }
        case .forkProof(let proof): conversations = [proof.key.conversation]
        }
        try self.kept(conversations, from: receiver, by: machine, frame)
        for conversation in conversations where !direction.announced.contains(conversation) {
            throw Violation(
                "node \(machine.index) sends a frame about a conversation that is not shared: "
                    + "\(frame)")
        }
    }

    /// Nothing about a conversation goes to a node that is not in its realm.
    private func kept(
        _ conversations: [ConversationID], from receiver: Machine, by machine: Machine,
        _ frame: Frame
    ) throws {
        for conversation in conversations {
            guard let realm = self.realms[conversation], !receiver.access.realms.contains(realm)
            else {
                continue
            }
            throw Violation(
                "node \(machine.index) sends a frame about a conversation to node "
                    + "\(receiver.index), which is not in its realm: \(frame)")
        }
    }

    /// A node says what it has: clocks count and credit returns for what is on disk, nothing else.
    func claimed(_ frame: Frame, by machine: Machine) throws {
        if case .credit = frame, machine.node?.hasCreditedEarly == true {
            throw Violation("node \(machine.index) gives credit for what is not on its disk")
        }
        let room: ConversationID
        switch frame {
        case .clock(let conversation, _), .delta(let conversation, _): room = conversation
        default: return
        }
        let claims = machine.node?.claims(in: room) ?? [:]
        for (name, seq) in claims {
            let key = LogKey(conversation: room, name: name)
            guard seq <= machine.store.logs[key]?.count ?? 0 else {
                throw Violation("node \(machine.index) claims to have what is not on its disk")
            }
        }
        let wholes = machine.node?.wholes(in: room) ?? [:]
        for (key, log) in machine.store.logs where key.conversation == room {
            // A fork proof that is not yet on the disk ends the log for the node.
            let count = min(log.count, claims[key.name] ?? 0)
            let wanted = log.rows.prefix(Int(count))
                .firstIndex { $0.verdict.payload == .wanted }
            // What is believed may be behind what the disk has got in the meantime.
            guard let wanted, machine.writing == nil else { continue }
            guard let whole = wholes[key.name], whole <= UInt64(wanted) else {
                throw Violation(
                    "node \(machine.index) claims payloads that are not on its disk: of "
                        + "\(key.name), \(wanted + 1) is wanted, whole through "
                        + "\(wholes[key.name].map { "\($0)" } ?? "its end"), ends at \(log.count)")
            }
        }
    }

    /// A node closes a link.
    func closed(
        _ reason: GoawayReason, _ text: String, by machine: Int, with peer: Int
    ) throws {
        if reason == .protocolViolation && self.suspects.hostile.isDisjoint(with: [machine, peer]) {
            throw Violation("node \(machine) accuses an honest peer: \(text)")
        }
    }

    /// An earlier disk is put back: what was nowhere else is gone.
    mutating func restored(_ machine: Int, to store: ModelStore, others: [ModelStore]) {
        self.screens[machine] = Screen(of: store) { self.visible($0, on: machine) }
        self.holdings[machine] = Holding(of: store)
        // With the disk it has forgotten what it sent under which key.
        self.keyed = self.keyed.filter { !$0.key.hasPrefix("\(machine) ") }
        for (id, message) in self.acknowledged where store.row(id) == nil {
            if message.machine == machine { self.acknowledged[id]?.isAway = true }
            if !others.contains(where: { $0.row(id) != nil }) { self.acknowledged[id] = nil }
        }
        self.groups.acknowledged[machine] = self.groups.acknowledged[machine]?.filter {
            store.groups.known[$0.value]?.contains($0.key) == true
        }
    }

    /// After all has settled every acknowledged message is on its author's disk, and on all others of its
    /// conversation unless the author has left.
    func settled(_ machines: [Machine], through deadline: HybridTime) throws {
        for (id, message) in self.acknowledged.sorted(by: { $0.key < $1.key }) {
            let author = machines[message.machine]
            let isJoined = self.takesPart(author, in: message.conversation)
            guard isJoined || !author.fate.wasRestored, !author.fate.isRetired else { continue }
            // Who alone held what an earlier disk of the author had may have left the room, may be
            // gone, or may be hostile and keep it back.
            let isHeld = machines.contains {
                self.takesPart($0, in: message.conversation) && $0.store.row(id) != nil
            }
            guard isHeld || !author.fate.wasRestored else { continue }
            // Of an author that signed two histories what lies behind the fork is nobody's promise.
            if let place = self.written[id], let proof = author.store.logs[place.key]?.proof,
                place.seq >= proof.point, self.suspects.forkers.contains(author.id)
            {
                continue
            }
            let members = machines.filter { self.takesPart($0, in: message.conversation) }
            let end = self.ends(in: message.conversation, among: members)
            let isWithin = self.written[id].map { $0.seq <= end($0.key.name) } ?? true
            for machine in machines
            where machine.index == message.machine
                ? isWithin || !author.fate.wasRestored
                : isJoined && isWithin && self.takesPart(machine, in: message.conversation)
            {
                guard let row = machine.store.row(id) else {
                    throw Violation(
                        "an acknowledged message of \(message.machine) is lost on \(machine.index)")
                }
                if !row.visibility.isShown, row.visibility != .held || row.entry.time <= deadline {
                    throw Violation(
                        "an acknowledged message of \(message.machine) is not shown on "
                            + "\(machine.index)")
                }
            }
        }
    }
}
