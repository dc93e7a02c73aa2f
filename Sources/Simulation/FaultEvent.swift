import Engine
import Formats

/// One thing that goes wrong, or right again.
enum FaultEvent: Sendable {
    /// A stream breaks: both ends notice, at different moments, or only by silence.
    case cut(isSilent: Bool)
    /// Two groups of machines cannot reach each other, in both directions or in one.
    case part(isOneWay: Bool)
    case heal
    /// A machine is killed at once, or after so many more actions of its node.
    case crash(machine: Int, afterActions: Int?)
    case start(machine: Int)
    case fillDisk
    case freeDisk(machine: Int)
    case backUp(machine: Int)
    /// The copy is put back; where the whole machine is, nothing beside the disk tells.
    case restore(machine: Int, isWhole: Bool)
    case setClock(machine: Int, error: Int64)
    /// A node dials another address of a peer.
    case dialAgain
    /// A machine gets other addresses.
    case move
    /// A machine goes for good.
    case depart
    /// A machine comes that nobody knew.
    case arrive(until: UInt64)
    /// A machine is in other realms from here on.
    case realms(machine: Int, Realms)
}

extension Simulation {
    /// Notes all faults for moments within a time.
    package func scheduleFaults(within milliseconds: UInt64) {
        let faults = self.faults
        func add(_ count: Int, _ fault: () -> FaultEvent) {
            for _ in 0..<count {
                let fault = fault()
                self.schedule(.fault(fault), in: self.random.number(0...milliseconds))
            }
        }
        add(faults.cuts) { .cut(isSilent: self.random.chance(30)) }
        for _ in 0..<faults.partitions {
            let isOneWay = self.random.chance(30)
            let begin = self.random.number(0...milliseconds)
            self.schedule(.fault(.part(isOneWay: isOneWay)), in: begin)
            self.schedule(.fault(.heal), in: begin + self.random.number(UInt64(500)...90_000))
        }
        add(faults.crashes) {
            let isAtAction = self.random.chance(faults.crashesAtAction)
            return .crash(
                machine: self.anyMachine(),
                afterActions: isAtAction ? self.random.number(0...15) : nil)
        }
        if faults.restless > 0 {
            let machine = self.anyMachine()
            add(self.random.number(4...12)) { .crash(machine: machine, afterActions: nil) }
        }
        add(faults.fullDisks) { .fillDisk }
        self.noteRestores(within: milliseconds)
        add(faults.clocks.jumps) {
            let error = self.random.chance(50) ? 0 : self.wrongness()
            return .setClock(machine: self.anyMachine(), error: error)
        }
        add(faults.duplicateDials) { .dialAgain }
        add(faults.addressChanges) { .move }
        add(faults.departures) { .depart }
        add(faults.newcomers) { .arrive(until: self.time + milliseconds) }
        for machine in self.machines.indices where self.machines[machine].adversary != nil {
            self.noteAssaults(faults.assaults, by: machine, within: milliseconds)
        }
    }

    private func noteRestores(within milliseconds: UInt64) {
        for index in 0..<self.faults.restores + self.faults.lostWrites {
            let machine = self.anyMachine()
            let begin = self.random.number(0...milliseconds)
            // A disk that did not sync goes back a little, and nothing beside it tells.
            let hasLied = index >= self.faults.restores
            let isWhole = hasLied || self.random.chance(self.faults.wholeRestores)
            self.schedule(.fault(.backUp(machine: machine)), in: begin)
            self.schedule(
                .fault(.restore(machine: machine, isWhole: isWhole)),
                in: begin
                    + (hasLied
                        ? self.random.number(UInt64(1)...1_000)
                        : self.random.number(UInt64(1_000)...60_000)))
        }
    }

    private func anyMachine() -> Int { self.random.number(0...self.machines.count - 1) }

    func cause(_ fault: FaultEvent) throws {
        switch fault {
        case .cut(let isSilent):
            guard let number = self.network.wires.keys.sorted().randomElement(using: &self.random)
            else {
                return
            }
            if isSilent { self.network.wires[number]?.isDead = true } else { self.cut(number) }
        case .part(let isOneWay): self.part(isOneWay: isOneWay)
        case .heal: self.heal()
        case .crash(let machine, let actions):
            if let actions {
                self.machines[machine].fate.actionsUntilCrash = actions
            } else {
                try self.fall(machine)
            }
        case .start(let machine): try self.start(machine)
        case .fillDisk:
            let machine = self.anyMachine()
            self.setDiskFull(machine, true)
            self.schedule(
                .fault(.freeDisk(machine: machine)),
                in: self.random.number(UInt64(100)...40_000))
        case .freeDisk(let machine): self.setDiskFull(machine, false)
        case .backUp(let machine): self.backUp(machine)
        case .restore(let machine, let isWhole):
            try self.crash(machine, isSilent: false)
            self.restore(machine, isWhole: isWhole)
            let wait = self.random.number(UInt64(10)...20_000)
            self.schedule(.fault(.start(machine: machine)), in: wait)
            // Its user writes before anybody can say what the older disk lacks.
            let outgoing = Outgoing(
                conversation: Workload.room(0).conversation, text: "written on an older disk")
            self.requestLater(
                machine, .send(outgoing), in: wait + self.random.number(UInt64(1)...50))
        case .setClock(let machine, let error): self.setClock(machine, error: error)
        case .dialAgain: try self.dialAgain()
        case .move: try self.move(self.anyMachine())
        case .depart: try self.depart()
        case .arrive(let end): try self.arriveMachine(until: end)
        case .realms(let machine, let realms): try self.setRealms(machine, realms)
        }
    }

    /// Lets a node dial an address of a peer that it may be linked to already.
    private func dialAgain() throws {
        let (one, other) = (self.anyMachine(), self.anyMachine())
        guard one != other,
            let address = self.machines[other].addresses.randomElement(using: &self.random)
        else { return }
        let key = self.random.chance(30) ? self.machines[other].id : nil
        try self.request(one, .connect(address: address, expecting: key, by: nil))
        if self.random.chance(50), let address = self.machines[one].addresses.last {
            try self.request(other, .connect(address: address, expecting: nil, by: nil))
        }
    }

    /// An honest machine goes for good, as long as enough stay.
    private func depart() throws {
        let machine = self.anyMachine()
        let staying = self.machines.filter { !$0.fate.isRetired && $0.adversary == nil }
        guard staying.count > 3, self.machines[machine].adversary == nil,
            !self.machines[machine].fate.isRetired
        else { return }
        try self.retire(machine)
    }

    /// Somebody new comes, joins the first room and says something.
    private func arriveMachine(until end: UInt64) throws {
        let machine = self.addMachine()
        try self.start(machine)
        let room = Workload.room(0)
        try self.request(machine, .join(room))
        for number in 0..<self.random.number(0...5) {
            let outgoing = Outgoing(
                conversation: room.conversation, text: "newcomer \(machine) says \(number)")
            let left = end > self.time ? end - self.time : 0
            self.requestLater(machine, .send(outgoing), in: self.random.number(0...left))
        }
    }

    /// Breaks a stream: what was on its way is gone, and what its ends still send goes nowhere, too, since
    /// of a stream nothing arrives behind a gap.
    func cut(_ number: Int) {
        self.network.wires[number]?.isDead = true
        for side in 0...1 {
            self.network.wires[number]?.directions[side].inFlight = []
            self.network.wires[number]?.directions[side].bytesInFlight = 0
            self.schedule(
                .breaks(wire: number, side: side), in: self.random.number(UInt64(0)...2_000))
        }
    }

    /// Splits the machines into two groups.
    package func part(isOneWay: Bool) {
        let side = self.machines.indices.map { _ in self.random.chance(50) }
        for from in self.machines.indices {
            for to in self.machines.indices where side[from] != side[to] {
                if side[from] || !isOneWay { self.network.blocked.insert(Way(from: from, to: to)) }
            }
        }
    }

    /// Blocks all ways between two machines.
    package func block(_ one: Int, _ other: Int) {
        self.network.blocked.insert(Way(from: one, to: other))
        self.network.blocked.insert(Way(from: other, to: one))
    }

    /// Opens all ways between two machines.
    package func unblock(_ one: Int, _ other: Int) {
        self.network.blocked.remove(Way(from: one, to: other))
        self.network.blocked.remove(Way(from: other, to: one))
    }

    /// Opens all ways.
    package func heal() { self.network.blocked = [] }

    /// Fills a machine's disk, or makes room on it.
    package func setDiskFull(_ machine: Int, _ isFull: Bool) {
        self.machines[machine].isDiskFull = isFull
    }

    /// Sets a machine's wall clock off by some milliseconds.
    package func setClock(_ machine: Int, error: Int64) {
        self.machines[machine].clock.set(error: error, at: self.wall)
        self.checker.clockError = max(self.checker.clockError, error.magnitude)
    }

    /// Keeps a copy of a machine's disk.
    package func backUp(_ machine: Int) {
        self.backups[machine] = (self.machines[machine].store, self.machines[machine].files.blobs)
    }

    /// Adds a machine with a key of its own.
    package func addMachine() -> Int {
        self.addMachine(signer: Self.signer(&self.random))
    }

    /// Makes a second machine with the key and the disk of another, as nobody should.
    package func clone(_ machine: Int) -> Int {
        let index = self.addMachine(signer: self.machines[machine].identity.signer)
        self.machines[index].store = self.machines[machine].store
        self.machines[index].files.blobs = self.machines[machine].files.blobs
        self.machines[index].expiry.before = self.machines[machine].expiry.before
        self.machines[index].identity.certificate = self.machines[machine].identity.certificate
        self.checker.persons[self.machines[index].id] =
            self.machines[index].identity.certificate.personID
        self.machines[index].shownCursor = Cursor(self.machines[machine].store.newestCursor)
        self.checker.copied(from: machine, to: index)
        self.checker.suspects.forkers.insert(self.machines[machine].id)
        return index
    }

    /// Stops a machine for good: it has no part in what is settled.
    package func retire(_ machine: Int) throws {
        try self.crash(machine, isSilent: false)
        self.machines[machine].fate.isRetired = true
    }

    /// Puts the copy back; the machine must be stopped.
    ///
    /// - Parameter isWhole: the continuity file beside the disk is put back, too, so that nothing
    /// shows it.
    package func restore(_ machine: Int, isWhole: Bool = false) {
        guard let (store, blobs) = self.backups[machine], !self.machines[machine].isUp,
            !self.machines[machine].fate.isRetired
        else { return }
        var backup = store
        if isWhole {
            self.machines[machine].files.blobs = blobs
            self.checker.suspects.forkers.insert(self.machines[machine].id)
        } else {
            // The continuity file beside the disk tells another story now, so the incarnation ends.
            backup.incarnation = nil
        }
        self.checker.restored(
            machine, to: backup, others: self.machines.filter { $0.index != machine }.map(\.store))
        self.machines[machine].store = backup
        self.machines[machine].fate.wasRestored = true
        self.machines[machine].shownCursor = Cursor(backup.newestCursor)
    }
}
