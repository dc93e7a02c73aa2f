import Crypto
import Engine
import Formats

/// One attacker with many keys, which anyone can make, at a few addresses, which cost something.
///
/// Behind its keys no nodes run: each takes links as a peer of its own, says what keeps them open, and
/// does all that a node must bear.
struct Sybils: Sendable {
    /// A way of harming others.
    enum Act: CaseIterable, Sendable {
        /// Opens one more link.
        case link
        /// Signs logs by authors that nobody ever meets.
        case invent
        /// Begins one log after the other under its own key, each of which closes the one before.
        case incarnate
        /// Writes what takes room on a disk.
        case fill
        /// Tells a clock from wherever, unasked.
        case pretend
        /// Says to have more of known logs than there is, or other entries.
        case claim
        /// Takes the name of somebody, or one that looks like it.
        case impersonate
        /// Asks for what there is, again and again, and says that it has not what it is asked for.
        case pester
        /// Says goodbye for reasons that are not so.
        case part
        /// Has discovery tell of many hosts that are not there.
        case announce
        /// One of those of a single hostile peer.
        case other
        /// Signs logs by authors that nobody ever meets, each with a name.
        case wash

        /// Those of ordinary runs.
        static var usual: [Act] { Act.allCases.filter { $0 != .wash } }
    }

    /// The bounds that a run sets low, so that something must give way in it.
    enum Narrow: CaseIterable, Sendable {
        case nothing
        case logs
        case disk
        case links
        case logsAndLinks
    }

    /// How many keys it has.
    var keys: Int
    /// How many addresses of its own they share.
    var hosts: Int
    /// How many percent of its keys are on the machines of honest people.
    var shared: Int
    /// How often one of them does something.
    var assaults: Int
    /// What is narrow for honest nodes.
    var narrow: Narrow
    /// How many percent of honest people know one another.
    var acquainted: Int
    /// The only thing that it does; nil for all of them.
    var only: Act?
    /// Its machines.
    var members: [Int] = []
    /// What an honest node has said last of its logs, by the wire.
    var heard: [Int: (room: ConversationID, rows: [ClockRow])] = [:]
    /// Its own logs, by machine.
    var incarnations: [Int: [UInt64]] = [:]

    /// Draws one.
    init(using random: inout SeededRandom) {
        self.keys = random.chance(20) ? random.number(60...100) : random.number(24...48)
        self.hosts = random.chance(80) ? 16 : random.number(1...4)
        self.shared = random.chance(60) ? random.number(10...40) : 0
        self.assaults = random.number(100...500)
        self.narrow = Narrow.allCases.randomElement(using: &random) ?? .nothing
        // What a stranger wrote may give way where the disk is full, so all know each other there.
        self.acquainted = self.narrow == .disk ? 100 : random.number(40...100)
    }

    /// One that does one thing, from a few addresses of its own.
    init(doing act: Act) {
        (self.keys, self.hosts, self.shared, self.assaults) = (12, 3, 0, 150)
        (self.narrow, self.acquainted, self.only) = (.nothing, 0, act)
    }
}

extension Simulation {
    /// Runs a simulation of a few honest machines beside Sybils, with all the faults of other runs.
    @discardableResult
    package static func sybils(
        seed: UInt64, log: ((String) -> Void)? = nil
    ) throws -> Simulation {
        var random = SeededRandom(seed: seed)
        var faults = Faults(using: &random)
        let workload = Workload(of: &random)
        let sybils = Sybils(using: &random)
        // Who comes new is a stranger.
        if sybils.narrow == .disk { faults.newcomers = 0 }
        let simulation = Simulation(
            seed: random.next(), machines: random.number(3...6), faults: faults)
        simulation.record.log = log
        log?("\(faults)")
        log?("\(workload)")
        log?("\(sybils)")
        try simulation.play(workload, beside: sybils, from: random.number(UInt64(0)...20_000))
        return simulation
    }

    private func play(_ workload: Workload, beside sybils: Sybils, from begin: UInt64) throws {
        self.setBounds(sybils.narrow)
        self.begin(workload)
        self.acquaint(sybils.acquainted, within: workload.milliseconds / 4)
        try self.run(for: begin)
        self.add(sybils)
        try self.run(for: workload.milliseconds)
        try self.settle()
    }

    /// Sets bounds so low that Sybils come to them.
    private func setBounds(_ narrow: Sybils.Narrow) {
        if [.links, .logsAndLinks].contains(narrow) {
            // Honest people have room among those whom the user knows.
            self.bounds.links.links = self.random.number(20...32)
            (self.bounds.links.known, self.bounds.links.dialled) = (10, 4)
        }
        if [.logs, .logsAndLinks].contains(narrow) {
            self.bounds.logs.all = self.random.number(48...96)
            self.bounds.logs.ofStranger = self.random.number(4...8)
            self.checker.yielding.isNarrow = true
        }
        if narrow == .disk {
            self.bounds.disk = DiskBounds(all: self.random.number(UInt64(1_000_000)...4_000_000))
            self.checker.yielding.isNarrow = true
            self.checker.yielding.countsBytes = true
        }
    }

    /// Users say whom they know, each pair by its own chance, both of them.
    private func acquaint(_ percent: Int, within milliseconds: UInt64) {
        for one in self.machines.indices {
            for other in self.machines.indices where one < other && self.random.chance(percent) {
                for (user, peer) in [(one, other), (other, one)] {
                    self.requestLater(
                        user, .stand(self.machines[peer].id, .known),
                        in: self.random.number(0...milliseconds))
                }
            }
        }
    }

    /// Adds the machines of Sybils, and notes what they do.
    func add(_ sybils: Sybils) {
        self.sybils = sybils
        let honest = self.machines.indices
        for number in 0..<sybils.keys {
            let index = self.addMachine(signer: Self.signer(&self.random))
            self.makeHostile(index, kinds: Self.kindsOfSybils)
            self.machines[index].becomePuppet(boot: self.random.next())
            let isShared = self.random.chance(sybils.shared)
            let neighbour = honest.randomElement(using: &self.random) ?? 0
            let host =
                isShared
                ? String(self.machines[neighbour].addresses[0].dropLast(5))
                : "10.8.0.\(number % sybils.hosts + 1)"
            for address in self.machines[index].addresses { self.network.listeners[address] = nil }
            self.machines[index].addresses = ["\(host):\(7_100 + number)"]
            self.network.listeners["\(host):\(7_100 + number)"] = index
            for room in 0..<Workload.mostRooms where room == 0 || self.random.chance(30) {
                let room = Workload.room(room)
                self.machines[index].store.rooms[room.conversation] = ConversationMembership(
                    .room(room), isJoined: true)
            }
            self.sybils?.members.append(index)
            for other in honest { self.noteDiscovery(of: index, by: other) }
            // Most at once.
            for _ in 0..<3 {
                self.schedule(.assault(machine: index), in: self.random.number(UInt64(0)...4_000))
            }
        }
        for _ in 0..<sybils.assaults {
            guard let index = self.sybils?.members.randomElement(using: &self.random) else {
                return
            }
            self.noteAssaults(1, by: index, within: 60_000)
        }
    }

    /// What a single hostile peer does that its node has no part in.
    private static var kindsOfSybils: [Adversary.Kind] {
        [
            .equivocate, .replay, .forge, .flood, .lieAboutTime, .lieAboutClocks, .mirror, .garble,
            .knock,
        ]
    }

    // MARK: Links without a node

    /// One of the Sybils has a link: it says what a node would.
    func greet(_ number: Int, _ side: Int) {
        guard let wire = self.network.wires[number] else { return }
        let machine = self.machines[wire.ends[side].machine]
        let role: LinkRole = side == 0 ? .initiator : .responder
        let tag = LinkTags.realm(.open, by: role, exporter: wire.exporter)
        let others = (0..<7).map { _ in self.randomTag() }
        self.inject(.realms(([tag] + others).sorted()), number, side)
        let rooms = machine.store.rooms.values.compactMap { $0.room?.name }.sorted()
        self.inject(.rooms(tag, rooms), number, side)
        self.inject(.ping(nonce: self.random.next(), clock: self.falseClock(machine)), number, side)
    }

    /// One of the Sybils gets a frame: it keeps the link open, and remembers what it can use.
    func answerAsPuppet(_ received: ReceivedFrame, _ number: Int, _ side: Int) {
        guard let index = self.network.wires[number]?.ends[side].machine else { return }
        let machine = self.machines[index]
        // Some take what they are sent, and let others wait for credit.
        if received.channel.hasCredit, machine.adversary?.deprived.isEmpty == true {
            self.inject(
                .credit(received.channel, bytes: UInt64(received.byteCount)), number, side)
        }
        switch received.frame {
        case .ping(let nonce, _):
            self.inject(.pong(nonce: nonce, clock: self.falseClock(machine)), number, side)
        case .delta(let room, let rows) where !rows.isEmpty:
            self.sybils?.heard[number] = (room, rows)
        case .clock(let room, let pages):
            let rows = pages.flatMap(\.rows)
            if !rows.isEmpty { self.sybils?.heard[number] = (room, rows) }
        case .want(let want) where self.random.chance(30):
            self.inject(
                .unavailable(want.conversation, tag: want.tag, from: want.from), number, side)
        default: break
        }
    }

    /// What one of the Sybils says that its clock shows.
    private func falseClock(_ machine: Machine) -> UInt64 {
        let ends: [UInt64] = [0, 1 << 62, 1 << 63, .max, .max - 1]
        if self.random.chance(25) { return ends.randomElement(using: &self.random) ?? 0 }
        return UInt64(max(Int64(self.wall) + (machine.adversary?.lie ?? 0), 0))
    }

    // MARK: Assaults

    /// One of the Sybils does something bad.
    func assaultAsPuppet(by index: Int) throws {
        let streams = self.streams(of: index)
        let act = self.sybils?.only ?? Sybils.Act.usual.randomElement(using: &self.random) ?? .link
        guard act != .link, let (number, side) = streams.randomElement(using: &self.random) else {
            return self.linkAsPuppet(index, beside: streams)
        }
        self.assaults.count += 1
        let room = self.machines[index].store.rooms.keys.sorted()
            .randomElement(using: &self.random)
        switch act {
        case .link: break
        case .invent: self.invent(in: room, number, side)
        case .incarnate: self.incarnate(index, in: room, number, side)
        case .fill:
            let text = String(repeating: "fill ", count: self.random.number(2_000...12_000))
            self.give(self.inventedLog(in: room, text: text), number, side)
        case .pretend:
            for _ in 0..<self.random.number(1...20) {
                let clock = self.falseClock(self.machines[index])
                self.inject(.ping(nonce: self.random.next(), clock: clock), number, side)
            }
        case .claim: self.claim(number, side)
        case .impersonate: self.impersonate(index, number, side)
        case .pester: self.pester(room, number, side)
        case .part:
            let reasons: [GoawayReason] = [.identityInUse, .busy, .blocked, .dead, .shutdown]
            self.inject(.goaway(reasons.randomElement(using: &self.random), "false"), number, side)
            self.leave(number, side)
        case .announce: try self.announce()
        case .other: try self.assaultAlone(by: index)
        case .wash: self.invent(in: room, number, side, isNamed: true)
        }
    }

    /// Opens a link to somebody to whom the machine has none.
    private func linkAsPuppet(_ index: Int, beside streams: [(wire: Int, side: Int)]) {
        let linked = Set(
            streams.compactMap { self.network.wires[$0.wire]?.ends[1 - $0.side].machine } + [index])
        let others = self.machines.indices.filter {
            self.machines[$0].adversary == nil && !linked.contains($0)
        }
        guard let other = others.randomElement(using: &self.random),
            let address = self.machines[other].addresses.first
        else { return }
        self.assaults.count += 1
        self.lastNumber += 1
        self.dial(index, DialID(self.lastNumber), address, nil)
    }

    /// Signs some logs of authors that there are not.
    private func invent(
        in room: ConversationID?, _ number: Int, _ side: Int, isNamed: Bool = false
    ) {
        for _ in 0..<self.random.number(1...8) {
            let signer = Self.signer(&self.random)
            let runs = self.inventedLog(in: room, text: "nobody says this", by: signer)
            self.give(runs, number, side)
            guard isNamed else { continue }
            let name = Record(
                kind: Record.Kind.profile, author: PeerID(signer.publicKey), conversation: nil,
                time: HybridTime(wallMilliseconds: self.wall),
                value: Profile(name: "x", status: "").encoded, signer: signer)
            self.inject(.records([name]), number, side)
        }
    }

    /// Begins own logs, each of which closes those before it.
    private func incarnate(_ index: Int, in room: ConversationID?, _ number: Int, _ side: Int) {
        guard let room else { return }
        let machine = self.machines[index]
        for _ in 0..<self.random.number(1...6) {
            let earlier = (self.sybils?.incarnations[index] ?? []).suffix(Limits.closedLogs)
            let incarnation = self.random.next()
            self.sybils?.incarnations[index, default: []].append(incarnation)
            let key = LogKey(
                conversation: room, name: LogName(author: machine.id, incarnation: incarnation))
            let opening = LogOpening(
                certificate: machine.identity.certificate, closes: earlier.sorted())
            self.give(
                self.runs(
                    of: key, opening, "again", by: machine.identity.signer, at: self.falseTime()),
                number, side)
        }
    }

    /// A log of an author that there is not: its first entry, and one that says something.
    private func inventedLog(
        in room: ConversationID?, text: String, by signer: Signer? = nil
    ) -> [VerifiedRun] {
        guard let room else { return [] }
        let signer = signer ?? Self.signer(&self.random)
        let author = PeerID(signer.publicKey)
        let certificate = Self.certificate(of: signer)
        self.checker.persons[author] = certificate.personID
        self.checker.suspects.forkers.insert(author)
        self.checker.suspects.strange.insert(author)
        self.checker.suspects.invented.insert(author)
        let key = LogKey(
            conversation: room, name: LogName(author: author, incarnation: self.random.next()))
        return self.runs(
            of: key, LogOpening(certificate: certificate, closes: []), text, by: signer,
            at: self.falseTime())
    }

    /// What an entry of Sybils says of its time: of long ago, of this moment, or as far ahead as is shown.
    private func falseTime() -> HybridTime {
        switch self.random.number(0...3) {
        case 0: HybridTime(wallMilliseconds: self.random.number(UInt64(1)...1_000_000))
        case 1: HybridTime(wallMilliseconds: self.wall)
        default:
            HybridTime(wallMilliseconds: self.wall + self.random.number(UInt64(0)...320_000))
        }
    }

    private func runs(
        of key: LogKey, _ opening: LogOpening, _ text: String, by signer: Signer,
        at time: HybridTime
    ) -> [VerifiedRun] {
        var runs: [VerifiedRun] = []
        var (time, prev) = (time, nil as EntryID?)
        for (offset, content) in [Content.open(opening), .text(text)].enumerated() {
            let seq = UInt64(offset) + 1
            let entry = Entry(
                entryClass: content.entryClass, time: time, deps: [],
                payload: .present(content.payload(using: &self.random)))
            let id = entry.id(key: key, seq: seq, prev: prev)
            let run = VerifiedRun(
                run: Run(
                    key: key, first: seq, prev: prev,
                    attestation: Attestation.sign(key: key, seq: seq, id: id, by: signer),
                    entries: [entry]), ids: [id])
            self.checker.noteWritten(run)
            runs.append(run)
            prev = id
            time = time.next ?? time
        }
        return runs
    }

    private func give(_ runs: [VerifiedRun], _ number: Int, _ side: Int) {
        let isLive = self.random.chance(70)
        for run in runs {
            self.inject(isLive ? .liveRun(run.run) : .syncRun(run.run), number, side)
        }
    }

    /// Says to have of the logs of a peer what there is not, by the tags that the peer itself has told.
    private func claim(_ number: Int, _ side: Int) {
        guard let (room, rows) = self.sybils?.heard[number] else { return }
        let seqs: [UInt64] = [1 << 40, .max, .max >> 1, 4_096]
        let falseRows = rows.map { row in
            var row = row
            switch self.random.number(0...3) {
            case 0: row.seq = seqs.randomElement(using: &self.random) ?? 1
            case 1: row.seq += self.random.number(UInt64(1)...5)
            default: break
            }
            row.headTag = self.random.next()
            return row
        }
        self.inject(.delta(room, falseRows), number, side)
    }

    /// Tells a name that somebody honest has, or that looks like one.
    private func impersonate(_ index: Int, _ number: Int, _ side: Int) {
        let names = ["n", "n\u{200b}", "\u{0578}", "N"]
        let name =
            (names.randomElement(using: &self.random) ?? "n") + "\(self.random.number(0...5))"
        let machine = self.machines[index]
        self.inject(
            .records([
                Record(
                    kind: Record.Kind.profile, author: machine.id, conversation: nil,
                    time: HybridTime(wallMilliseconds: self.wall),
                    value: Profile(name: name, status: "").encoded, signer: machine.identity.signer)
            ]), number, side)
    }

    private func pester(_ room: ConversationID?, _ number: Int, _ side: Int) {
        guard let room else { return }
        let tags = self.sybils?.heard[number]?.rows.map(\.tag) ?? []
        for _ in 0..<self.random.number(5...60) {
            let tag = tags.randomElement(using: &self.random) ?? self.random.next()
            self.inject(
                self.random.chance(50)
                    ? .want(Want(conversation: room, tag: tag, from: 1, through: 4_000))
                    : .unavailable(room, tag: tag, from: 1), number, side)
        }
    }

    /// Has discovery tell somebody of many hosts that are not there.
    private func announce() throws {
        let honest = self.machines.indices.filter { self.machines[$0].adversary == nil }
        guard let index = honest.randomElement(using: &self.random) else { return }
        for _ in 0..<self.random.number(5...60) {
            self.lastNumber += 1
            let host = "10.7.\(self.random.number(0...255)).\(self.random.number(1...250)):7000"
            try self.tell(
                index, .found(Service(name: "f\(self.lastNumber)", addresses: [host])))
        }
    }
}

extension Workload {
    /// Draws how much is done beside Sybils: what people write, since that is what they attack.
    init(of random: inout SeededRandom) {
        self.init()
        self.rooms = random.number(1...2)
        self.sealedRooms = random.chance(20) ? [0] : []
        self.messages = random.number(20...80)
        self.milliseconds = 60_000
        self.moves = random.chance(30) ? random.number(1...3) : 0
        self.erasures = random.chance(30) ? random.number(1...20) : 0
        self.directs = random.chance(30) ? random.number(1...10) : 0
    }
}
