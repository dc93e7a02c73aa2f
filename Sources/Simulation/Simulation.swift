package import Engine
import Noise

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
        case dialEnds(wire: Int, detail: String)
        case timer(machine: Int, start: Int, Timer, generation: UInt64)
        case stored(machine: Int, start: Int)
        case read(machine: Int, start: Int, ReadID, LogKey, from: UInt64, through: UInt64)
        case lookedUp(machine: Int, start: Int, RequestID, key: String)
        case found(machine: Int, start: Int, other: Int, otherStart: Int)
        case lost(machine: Int, start: Int, name: String)
        case request(machine: Int, Request)
        case trouble(Trouble)
        case assault(machine: Int)
    }

    /// Milliseconds since 1970 at which a simulation begins.
    static let epoch: UInt64 = 1_790_000_000_000

    let faults: Faults
    var random: SeededRandom
    var agenda = Agenda<Happening>()
    var machines: [Machine] = []
    var wires: [Int: Wire] = [:]
    var checker = Checker()
    /// Ways that are blocked: from one machine to another.
    var blocked: Set<Way> = []
    var backups: [Int: ModelStore] = [:]
    var lastNumber: UInt64 = 0
    /// How many ends of links have been opened.
    var linkCount = 0
    /// Frames that were sent, for a hostile peer to send again, and whether to keep them.
    var recorded: [UInt8: [Frame]] = [:]
    var isRecording = false
    /// How many bad frames were sent.
    package var assaultCount = 0
    /// Whether nothing may go wrong any more.
    var isSettling = false
    private var touched: [(wire: Int, side: Int)] = []
    /// Milliseconds since the beginning.
    package private(set) var time: UInt64 = 0
    /// How many events nodes were given.
    package private(set) var eventCount = 0
    /// A hash over all that nodes did: equal for equal seeds.
    package private(set) var trace: UInt64 = 0
    /// Where to write what happens; nil keeps it silent.
    package var log: ((String) -> Void)?
    /// What the nodes said in their logs.
    package private(set) var lines: [String] = []

    /// Sets machines up; none runs yet.
    package init(seed: UInt64, machines count: Int, faults: Faults) {
        self.random = SeededRandom(seed: seed)
        self.faults = faults
        for _ in 0..<count { self.addMachine(signer: Self.signer(&self.random)) }
        for index in self.machines.indices {
            if faults.slowReaders > 0, self.random.chance(faults.slowReaders) {
                self.machines[index].readRate = self.random.number(4...200)
            }
            if faults.clockError > 0, self.random.chance(50) {
                self.machines[index].clockError = self.random.number(
                    -faults.clockError...faults.clockError)
            }
        }
    }

    static func signer(_ random: inout SeededRandom) -> Signer {
        var seed: [UInt8] = []
        for _ in 0..<32 { seed.append(UInt8.random(in: 0...255, using: &random)) }
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
                index: index, signer: signer, address: "10.0.0.\(index + 1):7000",
                random: self.random.split(),
                store: ModelStore(owner: PeerID(signer.publicKey)),
                monotonicBase: self.random.number(1_000...100_000_000)))
        return index
    }

    // MARK: Time

    /// What the clocks of a machine show.
    package func instant(_ machine: Int) -> Instant {
        let machine = self.machines[machine]
        let wall = Int64(Self.epoch + self.time) + machine.clockError
        return Instant(
            monotonic: machine.monotonicBase + self.time, wall: UInt64(max(wall, 0)))
    }

    /// The true time, in wall-clock milliseconds.
    package var wall: UInt64 { Self.epoch + self.time }

    /// Runs for so many milliseconds.
    package func run(for milliseconds: UInt64) throws {
        let end = self.time + milliseconds
        while let next = self.agenda.next, next <= end { try self.step() }
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
        guard let (moment, happening) = self.agenda.take() else { return }
        self.time = max(self.time, moment)
        try self.happen(happening)
        try self.sendTouched()
    }

    func note(_ happening: Happening, in milliseconds: UInt64) {
        self.agenda.note(happening, at: self.time + milliseconds)
    }

    private func happen(_ happening: Happening) throws {
        switch happening {
        case .sent(let wire, let side):
            self.wires[wire]?.directions[side].isSending = false
            self.transmit(wire, side)
        case .arrives(let wire, let side): try self.arrive(wire, side)
        case .arrivesAgain(let wire, let side): try self.arriveAgain(wire, side)
        case .breaks(let wire, let side): try self.endOfStream(wire, side, nil)
        case .dialEnds(let wire, let detail): try self.dialEnds(wire, detail)
        case .timer(let index, let start, let timer, let generation):
            guard self.isRunning(index, start),
                self.machines[index].timers[timer]?.generation == generation
            else { return }
            self.machines[index].timers[timer] = nil
            try self.tell(index, .timer(timer))
        case .stored(let index, let start):
            guard self.isRunning(index, start) else { return }
            try self.finishBatch(index)
        case .read(let index, let start, let read, let key, let from, let through):
            guard self.isRunning(index, start) else { return }
            let run = self.machines[index].store.readRun(key, from: from, through: through)
            try self.tell(index, .runRead(read, run))
        case .lookedUp(let index, let start, let request, let key):
            guard self.isRunning(index, start) else { return }
            try self.tell(index, .lookedUp(request, self.machines[index].store.sent[key]))
        case .found(let index, let start, let other, let otherStart):
            try self.discover(index, start, other, otherStart)
        case .lost(let index, let start, let name):
            guard self.isRunning(index, start) else { return }
            try self.tell(index, .lost(name: name))
        case .assault(let index): if !self.isSettling { try self.assault(by: index) }
        case .request(let index, let request): try self.request(index, request)
        case .trouble(let trouble): if !self.isSettling { try self.cause(trouble) }
        }
    }

    func isRunning(_ machine: Int, _ start: Int) -> Bool {
        self.machines[machine].isUp && self.machines[machine].start == start
    }

    // MARK: Nodes

    /// Gives a node an event and does what it says.
    func tell(_ index: Int, _ event: Event) throws {
        guard var node = self.machines[index].node.take() else { return }
        self.eventCount += 1
        self.log?("\(self.time) \(index) < \(String(describing: event).prefix(300))")
        let actions = node.handle(event, at: self.instant(index))
        self.machines[index].node = node
        for action in actions {
            self.log?("\(self.time) \(index) > \(String(describing: action).prefix(300))")
            try self.perform(action, index)
        }
    }

    private func mix(_ value: UInt64) {
        self.trace = (self.trace ^ value) &* 0x100_0000_01b3
        self.trace ^= self.trace >> 29
    }

    private func perform(_ action: Action, _ index: Int) throws {
        let start = self.machines[index].start
        switch action {
        case .dial(let dial, let address, let expecting):
            self.mix(1)
            self.dial(index, dial, address, expecting)
        case .abandon(let dial):
            if let wire = self.machines[index].dials.removeValue(forKey: dial) {
                self.leave(wire, 0)
            }
        case .send(let link, let frame):
            self.mix(UInt64(frame.bytes.count) << 8 | UInt64(frame.channel.rawValue))
            try self.send(index, link, frame)
        case .close(let link, let reason, let text):
            self.mix(reason.rawValue)
            try self.close(index, link, reason, text)
        case .commit(let batch):
            guard self.machines[index].writing == nil else {
                throw Violation("node \(index) gives the store a second batch")
            }
            try self.checker.drafted(batch, by: self.machines[index], faults: self.faults)
            self.machines[index].writing = batch
            let delay = self.machines[index].random.number(0...self.faults.commitDelay)
            self.note(.stored(machine: index, start: start), in: delay)
        case .readRun(let read, let key, let from, let through):
            let delay = self.machines[index].random.number(UInt64(0)...3)
            self.note(
                .read(
                    machine: index, start: start, read, key, from: from, through: through),
                in: delay)
        case .lookUp(let request, let key):
            let delay = self.machines[index].random.number(UInt64(0)...3)
            self.note(.lookedUp(machine: index, start: start, request, key: key), in: delay)
        case .arm(let timer, let moment):
            self.mix(moment)
            self.lastNumber += 1
            self.machines[index].timers[timer] = (moment, self.lastNumber)
            let now = self.instant(index).monotonic
            self.note(
                .timer(machine: index, start: start, timer, generation: self.lastNumber),
                in: moment > now ? moment - now : 0)
        case .refresh: break
        case .disarm(let timer): self.machines[index].timers[timer] = nil
        case .answer(let request, let answer):
            guard let what = self.machines[index].requests.removeValue(forKey: request) else {
                throw Violation("node \(index) answers \(request) twice")
            }
            try self.checker.answered(what, answer, by: self.machines[index], of: self.machines)
        case .show(let messages):
            self.mix(UInt64(messages.count))
            try self.checker.shown(messages, by: &self.machines[index])
        case .log(let level, let text):
            if level <= .warning { self.lines.append("\(self.time) \(index): \(text)") }
        }
    }

    private func finishBatch(_ index: Int) throws {
        guard let batch = self.machines[index].writing else { return }
        self.machines[index].writing = nil
        if self.machines[index].isDiskFull {
            let failure = StoreFailure(
                reason: .full, detail: "the disk is full", remedy: "free some space")
            return try self.tell(index, .commitFailed(failure))
        }
        try self.tell(index, .committed(try self.write(batch, index)))
        try self.checker.audited(self.machines[index], batch)
    }

    func write(_ batch: Batch, _ index: Int) throws -> BatchOutcome {
        let outcome = try self.machines[index].store.commit(batch)
        try self.checker.written(batch, by: self.machines[index])
        return outcome
    }

    /// Asks a node for something, as the control socket does; nothing happens where it is stopped.
    package func request(_ index: Int, _ request: Request) throws {
        guard self.machines[index].isUp else { return }
        self.lastNumber += 1
        let id = RequestID(self.lastNumber)
        var request = request
        if case .send(var outgoing) = request, let wait = outgoing.deliverBy {
            outgoing.deliverBy = self.instant(index).monotonic + wait
            request = .send(outgoing)
        }
        self.machines[index].requests[id] = request
        try self.tell(index, .request(id, request))
    }

    /// Notes a request for later; the wait for delivery counts from then.
    package func request(_ index: Int, _ request: Request, in milliseconds: UInt64) {
        self.note(.request(machine: index, request), in: milliseconds)
    }

    // MARK: Starting and stopping

    /// Starts a machine's node from its disk.
    package func start(_ index: Int, isContinuous: Bool = true) throws {
        guard !self.machines[index].isUp else { return }
        self.machines[index].start += 1
        let boot = self.random.next()
        self.machines[index].boot = boot
        self.lastNumber += 1
        self.machines[index].serviceName = "s\(self.lastNumber)"
        var statics: [StaticPeer] = []
        if self.faults.hasStaticPeers {
            for other in self.machines where other.index != index && self.random.chance(50) {
                statics.append(
                    StaticPeer(
                        address: other.address, key: self.random.chance(50) ? other.id : nil))
            }
        }
        let machine = self.machines[index]
        self.machines[index].node = Node(
            signer: machine.signer, boot: boot,
            configuration: NodeConfiguration(
                name: "n\(index)", staticPeers: statics, buildTime: Self.epoch - 86_400_000),
            snapshot: machine.store.snapshot(isContinuous: isContinuous),
            random: self.machines[index].random.split())
        try self.tell(index, .started)
        for other in self.machines where other.isUp {
            self.noteDiscovery(of: other.index, by: index)
            if other.index != index { self.noteDiscovery(of: index, by: other.index) }
        }
        try self.sendTouched()
    }

    /// Notes that discovery will tell one machine of another.
    func noteDiscovery(of other: Int, by index: Int) {
        self.note(
            .found(
                machine: index, start: self.machines[index].start, other: other,
                otherStart: self.machines[other].start),
            in: self.random.number(UInt64(5)...900))
    }

    private func discover(_ index: Int, _ start: Int, _ other: Int, _ otherStart: Int) throws {
        guard self.isRunning(index, start), self.isRunning(other, otherStart) else { return }
        if self.isBlocked(other, index) || self.isBlocked(index, other) {
            self.note(
                .found(machine: index, start: start, other: other, otherStart: otherStart),
                in: 2_000)
            return
        }
        let service = Service(
            name: self.machines[other].serviceName, addresses: [self.machines[other].address])
        try self.tell(index, .found(service))
    }

    /// Stops a machine at once; what its disk had not finished may be there or not.
    ///
    /// - Parameter isSilent: power loss, so that nobody is told; otherwise the streams end.
    package func crash(_ index: Int, isSilent: Bool) throws {
        guard self.machines[index].isUp else { return }
        if let batch = self.machines[index].writing.take(), !self.machines[index].isDiskFull,
            self.random.chance(50)
        {
            _ = try self.write(batch, index)
        }
        let start = self.machines[index].start
        self.machines[index].node = nil
        self.machines[index].timers = [:]
        self.machines[index].requests = [:]
        self.machines[index].dials = [:]
        self.machines[index].wires = [:]
        for number in self.wires.keys.sorted() {
            for side in 0...1 {
                guard let end = self.wires[number]?.ends[side], end.machine == index,
                    end.start == start, !end.isGone
                else { continue }
                self.wires[number]?.directions[side].lanes = [:]
                if isSilent {
                    self.wires[number]?.ends[side].isGone = true
                    self.wires[number]?.ends[side].session = nil
                    self.forgetIfOver(number)
                } else {
                    self.leave(number, side)
                }
            }
        }
        for other in self.machines where other.isUp {
            self.note(
                .lost(
                    machine: other.index, start: other.start,
                    name: self.machines[index].serviceName),
                in: self.random.number(UInt64(100)...150_000))
        }
    }

    // MARK: Sending

    func touch(_ wire: Int, _ side: Int) { self.touched.append((wire, side)) }

    func sendTouched() throws {
        while !self.touched.isEmpty {
            let touched = self.touched
            self.touched = []
            for (wire, side) in touched { self.transmit(wire, side) }
        }
    }
}
