package import Engine
import Formats
import Crypto

/// Some machines on a network, with everything that may go wrong, run from one seed.
///
/// Every decision is made by real ``Node``s; the simulation does what a daemon's shell, a disk and a
/// network do, in virtual time, and checks after each step what must always hold. Throws
/// ``Violation`` where it does not.
package final class Simulation {
    /// What happens next to whom.
    enum Happening {
        case sent(wire: Int, side: Int)
        case arrives(wire: Int, side: Int)
        case arrivesAgain(wire: Int, side: Int)
        case breaks(wire: Int, side: Int)
        case overflows(wire: Int, side: Int)
        case dialEnds(wire: Int, DialFailure)
        case knockEnds(wire: Int)
        case timer(machine: Int, start: Int, Timer, generation: UInt64)
        case stored(machine: Int, start: Int)
        case read(
            machine: Int, start: Int, ReadID, LogKey, from: UInt64, through: UInt64, byteLimit: Int)
        case readPayloads(
            machine: Int, start: Int, ReadID, LogKey, from: UInt64, through: UInt64)
        case readProof(machine: Int, start: Int, ReadID, LogKey)
        case erases(machine: Int, ConversationID)
        case expires(machine: Int, ConversationID)
        case refers(machine: Int, ConversationID)
        case lookedUp(machine: Int, start: Int, RequestID, ConversationID, key: String)
        case found(machine: Int, start: Int, other: Int, otherStart: Int)
        case lost(machine: Int, start: Int, name: String)
        case request(machine: Int, Request)
        case fault(FaultEvent)
        case assault(machine: Int)
        case file(machine: Int, FileHappening)
        case stream(machine: Int, StreamHappening)
        case group(machine: Int, GroupDeed, number: Int)
    }

    /// Milliseconds since 1970 at which a simulation begins.
    static let epoch: UInt64 = 1_790_000_000_000
    /// Of more machines than these a node is not looked through after each event.
    private static let company = 24
    /// When the software was built, in the same.
    static let built = Simulation.epoch - 86_400_000

    let faults: Faults
    var random: SeededRandom
    var dice: Dice
    var eventQueue = EventQueue<Happening>()
    /// Milliseconds since the beginning.
    package private(set) var time: UInt64 = 0
    /// Whether nothing may go wrong any more.
    var isSettling = false
    /// How many ping intervals went by between the end of all faults and the moment when all agreed.
    package internal(set) var rounds: UInt64 = 0

    var machines: [Machine] = []
    var bounds = NodeBounds()
    var network = Wiring()
    var backups: [Int: (store: ModelStore, blobs: ModelBlobs)] = [:]
    /// The number of the last request, timer or wire.
    var lastNumber: UInt64 = 0

    package internal(set) var assaults = Assaults()
    /// One attacker with many keys, if there is one.
    var sybils: Sybils?
    var story = Story()

    var checker = Checker()
    /// Runs whose attestation has been checked once.
    private var attested: Set<Bytes64> = []
    package var record = Chronicle()

    /// Sets machines up; none runs yet.
    ///
    /// - Parameter neighbours: whom each machine can discover; nil where all can discover all.
    package init(
        seed: UInt64, machines count: Int, faults: Faults, neighbours: [Set<Int>]? = nil
    ) {
        self.random = SeededRandom(seed: seed)
        self.dice = Dice(seed: seed)
        self.faults = faults
        self.network.neighbours = neighbours
        for _ in 0..<count { self.addMachine(signer: Self.signer(&self.random)) }
        for index in self.machines.indices {
            if faults.slowReaders > 0, self.random.chance(faults.slowReaders) {
                self.machines[index].readRate = self.random.number(4...200)
            }
            if faults.clocks.error > 0, self.random.chance(50) {
                self.setClock(index, error: self.wrongness())
            }
            if faults.clocks.drift > 0 {
                let drift = self.random.number(-faults.clocks.drift...faults.clocks.drift)
                self.machines[index].clock.set(error: 0, drift: drift, at: Self.epoch)
            }
        }
        let most = min(faults.hostile, (count - 1) / 3)
        for index in Array(self.machines.indices.shuffled(using: &self.random).prefix(most)) {
            self.makeHostile(index, kinds: self.adversaryKinds())
        }
    }

    /// How far off a clock is that is wrong.
    func wrongness() -> Int64 {
        self.random.number(-self.faults.clocks.error...self.faults.clocks.error)
    }

    static func bytes32(_ random: inout SeededRandom) -> [UInt8] {
        (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    static func signer(_ random: inout SeededRandom) -> Signer {
        let seed = Self.bytes32(&random)
        guard let key = try? SigningKey(seed: seed.span.bytes) else {
            preconditionFailure("a seed of 32 bytes makes a key")
        }
        return Signer(key)
    }

    @discardableResult
    func addMachine(signer: Signer) -> Int {
        let index = self.machines.count
        self.machines.append(
            Machine(
                index: index,
                identity: Machine.Identity(
                    signer: signer, certificate: Self.certificate(of: signer),
                    person: Self.person(of: signer)),
                addresses: [
                    "10.0.\(index / 250).\(index % 250 + 1):7000", "[fd00::\(index + 1)]:7000",
                ],
                random: self.random.split(),
                monotonic: MonotonicClock(base: self.random.number(1_000...100_000_000))))
        let drift = self.faults.clocks.monotonicDrift
        if drift > 0 { self.machines[index].monotonic.drift = self.random.number(-drift...drift) }
        self.checker.persons[PeerID(signer.publicKey)] =
            self.machines[index].identity.certificate.personID
        for address in self.machines[index].addresses { self.network.listeners[address] = index }
        self.giveKeys(to: index)
        self.network.introduce(index, using: &self.random)
        return index
    }

    // MARK: Time

    /// What the clocks of a machine show.
    package func instant(_ machine: Int) -> Instant {
        Instant(
            monotonic: self.machines[machine].monotonic.reading(at: self.time),
            wall: self.machines[machine].clock.reading(at: self.wall))
    }

    /// The true time, in wall-clock milliseconds.
    package var wall: UInt64 { Self.epoch + self.time }

    /// Runs for so many milliseconds.
    package func run(for milliseconds: UInt64) throws {
        let end = self.time + milliseconds
        while let next = self.eventQueue.next, next <= end { try self.step() }
        self.time = end
    }

    /// Runs until something holds, looking each time so many milliseconds have gone by.
    package func run(
        until what: String, every milliseconds: UInt64 = 250, within limit: UInt64,
        _ isReached: () throws -> Bool
    ) throws {
        let end = self.time + limit
        while try !isReached() {
            guard self.time < end else { throw Violation("after \(limit) ms still not: \(what)") }
            try self.run(for: milliseconds)
        }
    }

    private func step() throws {
        guard let (moment, happening) = self.eventQueue.take() else { return }
        self.time = max(self.time, moment)
        try self.happen(happening)
        try self.sendTouched()
    }

    func schedule(_ happening: Happening, in milliseconds: UInt64) {
        self.eventQueue.schedule(happening, at: self.time + milliseconds)
    }

    private func happen(_ happening: Happening) throws {
        switch happening {
        case .sent(let wire, let side):
            self.network.wires[wire]?.directions[side].isSending = false
            self.transmit(wire, side)
        case .arrives(let wire, let side): try self.arriveFrames(wire, side)
        case .arrivesAgain(let wire, let side): try self.arriveAgain(wire, side)
        case .breaks(let wire, let side): try self.endOfStream(wire, side, nil)
        case .overflows(let wire, let side): try self.endOfStream(wire, side, .notReading)
        case .dialEnds(let wire, let failure): try self.dialEnds(wire, failure)
        case .knockEnds(let wire): try self.knockEnds(wire)
        case .timer(let index, let start, let timer, let generation):
            guard self.isRunning(index, start),
                self.machines[index].timers[timer]?.generation == generation
            else { return }
            self.machines[index].timers[timer] = nil
            try self.tell(index, .timer(timer))
        case .stored(let index, let start):
            guard self.isRunning(index, start) else { return }
            try self.finishBatch(index)
        case .read(let index, let start, let read, let key, let from, let through, let bytes):
            guard self.isRunning(index, start) else { return }
            let runs = self.machines[index].store.readRuns(
                key, from: from, through: through, byteLimit: bytes)
            try self.tell(index, .runsRead(read, runs))
        case .readPayloads(let index, let start, let read, let key, let from, let through):
            guard self.isRunning(index, start) else { return }
            let stored = self.machines[index].store.payloads(key, from: from, through: through)
            try self.tell(index, .payloadsRead(read, stored))
        case .readProof(let index, let start, let read, let key):
            guard self.isRunning(index, start) else { return }
            try self.tell(index, .proofRead(read, self.machines[index].store.logs[key]?.proof))
        case .lookedUp(let index, let start, let request, let conversation, let key):
            guard self.isRunning(index, start) else { return }
            let machine = self.machines[index]
            let earlier = machine.store.earlierSend(
                key, in: conversation, by: machine.keyring)
            try self.tell(index, .lookedUp(request, earlier))
        case .erases(let index, let room): try self.erase(by: index, in: room)
        case .expires(let index, let room): try self.expire(by: index, in: room)
        case .refers(let index, let room):
            if !self.isSettling { try self.refer(by: index, in: room) }
        case .found(let index, let start, let other, let otherStart):
            try self.discover(index, start, other, otherStart)
        case .lost(let index, let start, let name):
            guard self.isRunning(index, start) else { return }
            try self.tell(index, .lost(name: name))
        case .assault(let index): if !self.isSettling { try self.assault(by: index) }
        case .file(let index, let happening): try self.happen(happening, on: index)
        case .stream(let index, let happening):
            if !self.isSettling { try self.happen(happening, on: index) }
        case .group(let index, let deed, let number):
            if !self.isSettling { try self.happen(deed, by: index, inGroup: number) }
        case .request(let index, let request): try self.request(index, request)
        case .fault(let fault): if !self.isSettling { try self.cause(fault) }
        }
    }

    func isRunning(_ machine: Int, _ start: Int) -> Bool {
        self.machines[machine].isUp && self.machines[machine].start == start
    }

    // MARK: Nodes

    /// Gives a node an event and does what it says.
    func tell(_ index: Int, _ event: Event) throws {
        let machine = self.machines[index]
        guard machine.isUp else { return }
        self.record.eventCount += 1
        self.record.log?("\(self.time) \(index) < \(String(describing: event).prefix(300))")
        // Where it lies: a node has too many fields to be moved for each event.
        let actions = machine.node?.handle(event, at: self.instant(index)) ?? []
        if self.looksAtAll {
            if let excess = machine.node?.excess {
                throw Violation("node \(index) holds \(excess)")
            }
            if let log = machine.node?.forgottenLog {
                throw Violation("node \(index) has forgotten \(log)")
            }
        }
        for action in actions {
            if let left = self.machines[index].fate.actionsUntilCrash {
                guard left > 0 else { return try self.fall(index) }
                self.machines[index].fate.actionsUntilCrash = left - 1
            }
            self.record.log?("\(self.time) \(index) > \(String(describing: action).prefix(300))")
            try self.perform(action, index)
        }
    }

    /// Whether what a node has is looked through, all its links and logs: of a large company now and then,
    /// or it would be most of the work.
    var looksAtAll: Bool {
        self.nodeCount <= Self.company || self.record.eventCount.isMultiple(of: self.nodeCount)
    }

    /// How many machines may have a node.
    private var nodeCount: Int { self.machines.count - (self.sybils?.members.count ?? 0) }

    private func perform(_ action: Action, _ index: Int) throws {
        let start = self.machines[index].start
        switch action {
        case .dial(let dial, let address, let expecting, _):
            self.record.mix(1)
            self.dial(index, dial, address, expecting)
        case .abandon(let dial):
            if let wire = self.machines[index].dials.removeValue(forKey: dial) {
                self.leave(wire, 0)
            }
        case .send(let link, let frame):
            self.record.mix(UInt64(frame.bytes.count) << 8 | UInt64(frame.channel.rawValue))
            try self.send(index, link, frame)
        case .hold(let secrets): self.machines[index].access.secrets = secrets
        case .close(let link, let reason, let text):
            self.record.mix(reason.rawValue)
            try self.close(index, link, reason, text)
        case .commit(let batch):
            guard self.machines[index].writing == nil else {
                throw Violation("node \(index) gives the store a second batch")
            }
            try self.beginBatch(batch, index)
        case .readRuns(let read, let key, let from, let through, let bytes):
            self.scheduleRead(
                .read(
                    machine: index, start: start, read, key, from: from, through: through,
                    byteLimit: bytes),
                index)
        case .readPayloads(let read, let key, let from, let through):
            self.scheduleRead(
                .readPayloads(
                    machine: index, start: start, read, key, from: from, through: through),
                index)
        case .readProof(let read, let key):
            self.scheduleRead(.readProof(machine: index, start: start, read, key), index)
        case .transfer(let task):
            guard self.story.hasFiles else {
                throw Violation("node \(index) handles a file, and nobody sends any")
            }
            try self.perform(task, index)
        case .lookUp(let request, let conversation, let key):
            self.scheduleRead(
                .lookedUp(machine: index, start: start, request, conversation, key: key), index)
        case .arm(let timer, let moment):
            self.record.mix(moment)
            self.lastNumber += 1
            self.machines[index].timers[timer] = (moment, self.lastNumber)
            let wait = self.machines[index].monotonic.wait(until: moment, from: self.time)
            self.schedule(
                .timer(machine: index, start: start, timer, generation: self.lastNumber),
                in: wait)
        // It is about a machine, of which there is none, or about devices, which nobody links here.
        case .refresh, .search, .examine, .countPackets, .seeFlights, .handOver, .join: break
        case .disarm(let timer): self.machines[index].timers[timer] = nil
        case .answer(let request, let answer):
            guard let what = self.machines[index].requests.removeValue(forKey: request) else {
                throw Violation("node \(index) answers \(request) twice")
            }
            try self.checker.answered(what, answer, by: self.machines[index], of: self.machines)
            try self.streamAnswered(what, answer, by: index)
            // A file that was to be sent and was not.
            if case .failed = answer, case .send(let outgoing) = what,
                case .file(let file) = outgoing.content
            {
                self.release(file.blob, index)
            }
        case .show(let changes):
            self.record.mix(UInt64(changes.count))
            try self.checker.shown(changes, by: self.machines[index])
        case .changed, .siteSignals: break
        case .signal(let signals):
            try self.checker.signalled(
                signals, by: self.machines[index], of: self.machines)
        case .log(let level, let text, _):
            if level <= .warning { self.record.lines.append("\(self.time) \(index): \(text)") }
            try self.checker.accused(text, by: self.machines[index], of: self.machines)
        }
    }

    /// The disk takes a while.
    private func scheduleRead(_ happening: Happening, _ index: Int) {
        let delay = self.machines[index].random.number(UInt64(0)...3)
        self.schedule(happening, in: delay)
    }

    private func beginBatch(_ batch: Batch, _ index: Int) throws {
        let machine = self.machines[index]
        machine.writing = batch
        try self.checker.wanted(batch, by: machine)
        try self.checker.gaveWay(batch, by: machine, at: self.time)
        try self.checker.followed(batch, by: machine, faults: self.faults)
        try self.checker.drafted(batch, by: machine, clocksAgree: self.clocksAgree)
        try self.checker.keyed(batch, by: machine, at: self.time)
        try self.checker.dated(
            batch, by: machine, at: max(self.instant(index).wall, Self.built))
        let delay = machine.random.number(0...self.faults.commitDelay)
        self.schedule(.stored(machine: index, start: machine.start), in: delay)
    }

    private func finishBatch(_ index: Int) throws {
        guard let batch = self.machines[index].writing else { return }
        self.machines[index].writing = nil
        if self.machines[index].isDiskFull {
            let failure = StoreFailure(
                reason: .full, detail: "the disk is full", remedy: "free some space")
            return try self.tell(index, .commitFailed(failure))
        }
        let start = self.machines[index].start
        let outcome = try self.write(batch, index)
        try self.tell(index, .committed(outcome))
        // It may have been killed before it showed what it had written.
        guard self.isRunning(index, start) else { return }
        try self.checker.told(outcome, by: self.machines[index])
        try self.checker.audited(self.machines[index], batch)
        let pause = UInt64(self.nodeCount <= Self.company ? 16 : self.nodeCount)
        if batch.number.isMultiple(of: pause) {
            try self.checker.looked(at: self.machines[index])
        }
    }

    func write(_ batch: Batch, _ index: Int) throws -> BatchOutcome {
        self.noteKeys(of: batch, on: index)
        try self.checker.noteActs(of: batch, on: self.machines[index], at: self.time)
        let outcome = try self.machines[index].store.commit(batch) { run in
            // Many machines store the same run; its signature is checked once.
            let signature = run.run.attestation
            if self.attested.contains(signature) { return true }
            guard
                Attestation.isValid(
                    signature, key: run.run.key, seq: run.run.last, id: run.head.id)
            else { return false }
            self.attested.insert(signature)
            return true
        }
        try self.checker.written(batch, outcome, by: self.machines[index])
        self.checker.stored(batch, outcome, by: self.machines[index], at: self.time)
        return outcome
    }

    /// Whether all clocks show about the same, so that what is shown to an author is not ahead of it.
    private var clocksAgree: Bool {
        self.faults.clocks.error == 0 && self.faults.clocks.drift == 0
            && self.faults.clocks.jumps == 0
            && self.checker.clockError == 0 && self.checker.suspects.hostile.isEmpty
            && self.checker.suspects.forkers.isEmpty
    }

    /// Asks a node for something, as the control socket does; nothing happens where it is stopped.
    package func request(_ index: Int, _ request: Request) throws {
        guard self.machines[index].isUp else { return }
        self.lastNumber += 1
        let id = RequestID(self.lastNumber)
        var request = request
        if case .send(var outgoing) = request, var wait = outgoing.wait {
            wait.deadline += self.instant(index).monotonic
            outgoing.wait = wait
            request = .send(outgoing)
        }
        self.machines[index].requests[id] = request
        self.checker.noteTyping(request, by: self.machines[index])
        try self.tell(index, .request(id, request))
    }

    /// Notes a request for later; the wait for delivery counts from then.
    package func requestLater(_ index: Int, _ request: Request, in milliseconds: UInt64) {
        self.schedule(.request(machine: index, request), in: milliseconds)
    }

    // MARK: Sending

    func touch(_ wire: Int, _ side: Int) { self.network.touch(wire, side) }

    func sendTouched() throws {
        while true {
            let touched = self.network.takeTouched()
            guard !touched.isEmpty else { return }
            for (wire, side) in touched { self.transmit(wire, side) }
        }
    }
}
