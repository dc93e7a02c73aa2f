import Engine
import Noise

/// What must hold after each step, whatever goes wrong.
struct Checker {
    /// What an author wrote, as its own store took it.
    private struct Written {
        var key: LogKey
        var seq: UInt64
        var content: Content?
    }

    private struct Position: Hashable {
        var key: LogKey
        var seq: UInt64
    }

    private struct Acknowledged {
        var machine: Int
        var conversation: ConversationID
    }

    private var written: [EntryID: Written] = [:]
    private var positions: [Position: EntryID] = [:]
    private var acknowledged: [EntryID: Acknowledged] = [:]
    private var keyed: [String: EntryID] = [:]
    /// Authors that may sign two histories.
    var forkers: Set<PeerID> = []
    /// Machines that break the protocol.
    var hostile: Set<Int> = []
    /// How far a clock has been set off at most, in milliseconds.
    var clockError: UInt64 = 0
    /// How many frames of the sync channel were sent.
    var syncFrames = 0
    /// How many runs were sent.
    var runCount = 0
    /// How many messages were acknowledged.
    var acknowledgedCount: Int { self.acknowledged.count }

    /// A node gives its store a batch: what its user writes follows the newest that it has shown.
    func drafted(_ batch: Batch, by machine: Machine, faults: Faults) throws {
        // What is ahead of time or disputed is not followed.
        guard max(faults.clockError.magnitude, self.clockError) < Limits.aheadMilliseconds / 2,
            self.forkers.isEmpty
        else { return }
        // Own entries that come back from peers were written before.
        for append in batch.appends
        where append.run.run.key.name.author == machine.id
            && self.written[append.run.ids[0]] == nil
        {
            let run = append.run.run
            let heads = machine.store.logs.filter { $0.key.conversation == run.key.conversation }
                .compactMap { key, log in log.rows.last.map { (key: key, row: $0) } }
                .filter { $0.row.cursor != nil }
            let newest = heads.max {
                ($0.row.entry.time, $0.row.id) < ($1.row.entry.time, $1.row.id)
            }
            // The rest of one batch follows its first run.
            guard let newest, run.first == 1 || run.prev == machine.store.logs[run.key]?.head.id
            else { continue }
            guard run.entries[0].time > newest.row.entry.time,
                newest.key == run.key || run.entries[0].deps.contains(newest.row.id)
            else {
                throw Violation(
                    "node \(machine.index) writes as if it had not shown \(newest.row.id)")
            }
        }
    }

    /// A batch is on a machine's disk.
    mutating func written(_ batch: Batch, by machine: Machine) throws {
        for append in batch.appends where append.run.run.key.name.author == machine.id {
            let run = append.run.run
            for (offset, id) in append.run.ids.enumerated() {
                let position = Position(key: run.key, seq: run.first + UInt64(offset))
                if let known = self.positions[position] {
                    guard known == id || self.forkers.contains(machine.id) else {
                        throw Violation(
                            "node \(machine.index) forks its own log at \(position.seq)")
                    }
                    continue
                }
                // Own entries that come back from peers are in the table already.
                self.positions[position] = id
                self.written[id] = Written(
                    key: run.key, seq: position.seq,
                    content: Content(of: run.entries[offset], in: run.key.conversation))
            }
        }
        if self.forkers.contains(machine.id) {
            for append in batch.appends {
                let run = append.run.run
                for (offset, id) in append.run.ids.enumerated()
                where self.written[id] == nil && run.key.name.author == machine.id {
                    self.written[id] = Written(
                        key: run.key, seq: run.first + UInt64(offset),
                        content: Content(of: run.entries[offset], in: run.key.conversation))
                }
            }
        }
        for append in batch.appends {
            for id in append.run.ids where self.written[id] == nil {
                throw Violation("node \(machine.index) stores an entry that nobody wrote")
            }
        }
    }

    /// What a node believes of the logs that it just wrote is what its disk holds.
    func audited(_ machine: Machine, _ batch: Batch) throws {
        guard let audit = machine.node?.audit else { return }
        let keys = batch.appends.map(\.run.run.key) + batch.proofs.map(\.key)
        for key in keys {
            let (log, believed) = (machine.store.logs[key], audit.logs[key])
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

    /// A node shows messages.
    mutating func shown(_ messages: [Message], by machine: inout Machine) throws {
        for message in messages {
            guard let written = self.written[message.id],
                written.key.name.author == message.author,
                written.key.conversation == message.conversation,
                written.content == message.content
            else {
                throw Violation(
                    "node \(machine.index) shows what its author did not write: \(message)")
            }
            guard machine.shown.insert(message.id).inserted else {
                throw Violation("node \(machine.index) shows a message twice: \(message)")
            }
            guard message.cursor > machine.shownCursor else {
                throw Violation("node \(machine.index) shows cursors out of order")
            }
            machine.shownCursor = message.cursor
            guard machine.store.row(message.id)?.cursor == message.cursor else {
                throw Violation("node \(machine.index) shows what is not on its disk: \(message)")
            }
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
        case .failed(.deliveryTimeout(let sent, let delivered)):
            (message, holders) = (sent, delivered)
        default: return
        }
        // An author that does not know its own later history takes that for what it has just written.
        // A hostile peer may say that it has what it has not.
        for holder in holders
        where !machines.contains(where: { $0.id == holder && self.hostile.contains($0.index) })
            && !self.forkers.contains(machine.id)
            && !machines.contains(where: { $0.id == holder && $0.store.row(message.id) != nil })
            && !machines.contains(where: { $0.id == holder && $0.wasRestored })
        {
            throw Violation("node \(machine.index) says delivered where it is not")
        }
        guard case .send(let outgoing) = request else {
            throw Violation("node \(machine.index) answers \(request) by \(answer)")
        }
        guard machine.store.row(message.id) != nil else {
            throw Violation("node \(machine.index) acknowledges what is not on its disk")
        }
        if let key = outgoing.idempotencyKey {
            let name = "\(machine.index) \(key)"
            if let known = self.keyed[name], known != message.id {
                throw Violation("node \(machine.index) sent twice under one key")
            }
            self.keyed[name] = message.id
        }
        self.acknowledged[message.id] = Acknowledged(
            machine: machine.index, conversation: message.conversation)
    }

    /// A node sends a frame.
    mutating func sent(_ frame: Frame, by machine: Int, _ direction: Wire.Direction) throws {
        var conversations: [ConversationID] = []
        switch frame {
        case .ping, .pong, .credit, .goaway, .rooms, .roomsLeft: return
        case .liveRun(let run), .syncRun(let run):
            self.runCount += 1
            conversations = [run.key.conversation]
        case .digest(let conversation, _), .clock(let conversation, _, _),
            .recordClock(let conversation, _):
            conversations = [conversation]
        case .want(let want): conversations = [want.conversation]
        // The answer to somebody who asks for a conversation tells nothing of it.
        case .unavailable: break
        case .records: break
        case .forkProof(let proof): conversations = [proof.key.conversation]
        }
        self.syncFrames += 1
        for conversation in conversations where !direction.announced.contains(conversation) {
            throw Violation(
                "node \(machine) sends a frame about a conversation that is not shared: \(frame)")
        }
    }

    /// A node says what it has: clocks count and credit returns for what is on disk, nothing else.
    func claimed(_ frame: Frame, by machine: Machine) throws {
        if case .credit = frame, machine.node?.hasCreditedEarly == true {
            throw Violation("node \(machine.index) gives credit for what is not on its disk")
        }
        guard case .clock(let room, _, _) = frame else { return }
        for (name, seq) in machine.node?.claims(in: room) ?? [:] {
            let key = LogKey(conversation: room, name: name)
            guard seq <= machine.store.logs[key]?.count ?? 0 else {
                throw Violation("node \(machine.index) claims to have what is not on its disk")
            }
        }
    }

    /// A node closes a link.
    func closed(
        _ reason: GoawayReason, _ text: String, by machine: Int, with peer: Int
    ) throws {
        if reason == .protocolViolation && self.hostile.isDisjoint(with: [machine, peer]) {
            throw Violation("node \(machine) accuses an honest peer: \(text)")
        }
    }

    /// An earlier disk is put back: what was nowhere else is gone.
    mutating func restored(_ machine: Int, to store: ModelStore, others: [ModelStore]) {
        // With the disk it has forgotten what it sent under which key.
        self.keyed = self.keyed.filter { !$0.key.hasPrefix("\(machine) ") }
        for id in self.acknowledged.keys
        where store.row(id) == nil && !others.contains(where: { $0.row(id) != nil }) {
            self.acknowledged[id] = nil
        }
    }

    /// After all has settled every acknowledged message is on its author's disk, and on all others of its
    /// conversation unless the author has left.
    func settled(_ machines: [Machine], through deadline: HybridTime) throws {
        for (id, message) in self.acknowledged.sorted(by: { $0.key < $1.key }) {
            let author = machines[message.machine]
            let isJoined = author.store.rooms[message.conversation]?.isJoined == true
            guard isJoined || !author.wasRestored, !author.isRetired else { continue }
            // Who alone held what an earlier disk of the author had may have left the room.
            let isHeld = machines.contains {
                $0.store.rooms[message.conversation]?.isJoined == true
                    && $0.store.row(id) != nil
            }
            guard isHeld || !author.wasRestored else { continue }
            // Of an author that signed two histories what lies behind the fork is nobody's promise.
            if let place = self.written[id], let proof = author.store.logs[place.key]?.proof,
                place.seq >= proof.point, self.forkers.contains(author.id)
            {
                continue
            }
            for machine in machines
            where machine.index == message.machine
                || (isJoined && !machine.isRetired
                    && machine.store.rooms[message.conversation]?.isJoined == true)
            {
                guard let row = machine.store.row(id) else {
                    throw Violation(
                        "an acknowledged message of \(message.machine) is lost on \(machine.index)")
                }
                if row.isHidden || (row.isHeld && row.entry.time <= deadline) {
                    throw Violation(
                        "an acknowledged message of \(message.machine) is not shown on "
                            + "\(machine.index)")
                }
            }
        }
    }
}
