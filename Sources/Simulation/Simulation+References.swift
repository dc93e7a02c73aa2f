import Crypto
import Engine
import Formats

/// What people say of messages: edits and reactions, and those that somebody hostile invents for messages that
/// others do not have yet.
extension Simulation {
    /// How many of each somebody hostile invents for one message, in a log each.
    private static let inventedPerLog = 6

    /// Runs a simulation in which much is said of messages, some of it by one who sees them early and invents
    /// authors.
    @discardableResult
    package static func references(
        seed: UInt64, log: ((String) -> Void)? = nil
    ) throws -> Simulation {
        var random = SeededRandom(seed: seed)
        var faults = Faults()
        faults.jitter = random.number(UInt64(0)...400)
        faults.cuts = 6
        faults.newcomers = 1
        var workload = Workload()
        workload.references = 120
        workload.erasures = random.chance(50) ? 12 : 0
        workload.hasTwoDevices = random.chance(50)
        workload.moves = 0
        let simulation = Simulation(
            seed: random.next(), machines: random.number(4...6), faults: faults)
        simulation.record.log = log
        simulation.makeHostile(1, kinds: [.withhold])
        try simulation.play(workload)
        return simulation
    }

    /// Notes when users say something of messages.
    func scheduleReferences(_ workload: Workload) {
        for _ in 0..<workload.references {
            let machine = self.dice.referring.number(0...self.machines.count - 1)
            let room = self.room(self.dice.referring.number(0...workload.rooms - 1)).conversation
            let moment = self.dice.referring.number(0...workload.milliseconds)
            self.schedule(.refers(machine: machine, room), in: moment)
        }
    }

    /// A user says something of a message; somebody hostile says much of the newest.
    func refer(by index: Int, in room: ConversationID) throws {
        let machine = self.machines[index]
        guard machine.isUp else { return }
        var found: [(time: HybridTime, target: EntryTarget)] = []
        for (key, log) in machine.store.logs where key.conversation == room {
            for (offset, row) in log.rows.enumerated()
            where row.isWhole && row.verdict.countsAsUnread && row.visibility == .shown {
                let target = EntryTarget(log: key.name, seq: UInt64(offset) + 1, id: row.id)
                found.append((row.entry.time, target))
            }
        }
        found.sort {
            ($0.time, $0.target.log, $0.target.seq) < ($1.time, $1.target.log, $1.target.seq)
        }
        guard machine.adversary == nil else {
            return self.invent(about: found.suffix(2).map(\.target), by: index, in: room)
        }
        guard
            let target = found.suffix(8).map(\.target).randomElement(using: &self.dice.referring)
        else { return }
        let isOwn =
            self.checker.persons[target.log.author] == self.checker.persons[machine.id]
        let number = self.dice.referring.number(0...9)
        if isOwn || number == 0 {
            let outgoing = Outgoing(
                conversation: room, content: .edit("edited \(self.time)", of: target))
            return try self.request(index, .send(outgoing))
        }
        let reaction = Reaction(
            ["ok", "no"].randomElement(using: &self.dice.referring) ?? "", to: target,
            isWithdrawn: number < 3)
        guard let reaction else { return }
        try self.request(
            index, .send(Outgoing(conversation: room, content: .reaction(reaction))))
    }

    /// Says much of messages by authors that there are not, to all who listen, whether they have them or not.
    private func invent(about targets: [EntryTarget], by index: Int, in room: ConversationID) {
        let streams = self.streams(of: index)
        guard !streams.isEmpty else { return }
        self.assaults.count += 1
        for target in targets {
            let reactions = (0..<Self.inventedPerLog).compactMap {
                Reaction("s\($0)", to: target).map { Content.reaction($0) }
            }
            let edits = (0..<Self.inventedPerLog).map { _ in Content.edit("fooled", of: target) }
            for run in self.inventedRuns(reactions + edits, in: room) {
                for stream in streams { self.inject(.liveRun(run.run), stream.wire, stream.side) }
            }
        }
    }

    /// A log of an author that there is not, in two runs.
    private func inventedRuns(_ contents: [Content], in room: ConversationID) -> [VerifiedRun] {
        let signer = Self.signer(&self.dice.referring)
        let author = PeerID(signer.publicKey)
        let certificate = Self.certificate(of: signer)
        self.checker.persons[author] = certificate.personID
        self.checker.suspects.forkers.insert(author)
        self.checker.suspects.strange.insert(author)
        self.checker.suspects.invented.insert(author)
        let key = LogKey(
            conversation: room,
            name: LogName(author: author, incarnation: self.dice.referring.next()))
        var time = HybridTime(wallMilliseconds: self.wall)
        var head = Head.start
        let opening = Content.open(LogOpening(certificate: certificate, closes: []))
        return [[opening], contents].map { part in
            var (entries, ids): ([Entry], [EntryID]) = ([], [])
            for content in part {
                let entry = Entry(
                    entryClass: content.entryClass, time: time, deps: [],
                    payload: .present(content.payload(using: &self.dice.referring)))
                let prev = ids.last ?? (head.seq == 0 ? nil : head.id)
                ids.append(
                    entry.id(key: key, seq: head.seq + UInt64(entries.count) + 1, prev: prev))
                entries.append(entry)
                time = time.next ?? time
            }
            let last = head.seq + UInt64(entries.count)
            let run = VerifiedRun(
                run: Run(
                    key: key, first: head.seq + 1, prev: head.seq == 0 ? nil : head.id,
                    attestation: Attestation.sign(
                        key: key, seq: last, id: ids[ids.count - 1], by: signer),
                    entries: entries), ids: ids)
            head = run.head
            self.checker.noteWritten(run)
            return run
        }
    }
}
