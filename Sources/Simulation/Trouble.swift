import Engine

/// One thing that goes wrong, or right again.
enum Trouble: Sendable {
    /// A stream breaks: both ends notice, at different moments.
    case cut
    /// Two groups of machines cannot reach each other, in both directions or in one.
    case part(isOneWay: Bool)
    case heal
    case crash
    case start(machine: Int)
    case fillDisk
    case freeDisk(machine: Int)
    case backUp(machine: Int)
    /// The copy is put back; where the whole machine is, nothing beside the disk tells.
    case restore(machine: Int, isWhole: Bool)
    case setClock(machine: Int, error: Int64)
}

extension Simulation {
    /// Notes all faults for moments within a time.
    package func noteTroubles(within milliseconds: UInt64) {
        let faults = self.faults
        func moment() -> UInt64 { self.random.number(0...milliseconds) }
        for _ in 0..<faults.cuts { self.note(.trouble(.cut), in: moment()) }
        for _ in 0..<faults.partitions {
            let isOneWay = self.random.chance(30)
            let begin = moment()
            self.note(.trouble(.part(isOneWay: isOneWay)), in: begin)
            self.note(.trouble(.heal), in: begin + self.random.number(UInt64(500)...90_000))
        }
        for _ in 0..<faults.crashes { self.note(.trouble(.crash), in: moment()) }
        for _ in 0..<faults.fullDisks { self.note(.trouble(.fillDisk), in: moment()) }
        for _ in 0..<faults.restores {
            let machine = self.random.number(0...self.machines.count - 1)
            let begin = moment()
            self.note(.trouble(.backUp(machine: machine)), in: begin)
            self.note(
                .trouble(
                    .restore(machine: machine, isWhole: self.random.chance(faults.wholeRestores))),
                in: begin + self.random.number(UInt64(1_000)...60_000))
        }
        if faults.clockError > 0 {
            for machine in self.machines.indices where self.random.chance(40) {
                let error =
                    self.random.chance(50)
                    ? 0
                    : self.random.number(
                        -faults.clockError...faults.clockError)
                self.note(.trouble(.setClock(machine: machine, error: error)), in: moment())
            }
        }
    }

    func cause(_ trouble: Trouble) throws {
        switch trouble {
        case .cut:
            let numbers = self.wires.keys.sorted()
            guard let number = numbers.randomElement(using: &self.random) else { return }
            self.cut(number)
        case .part(let isOneWay): self.part(isOneWay: isOneWay)
        case .heal: self.heal()
        case .crash:
            let machine = self.random.number(0...self.machines.count - 1)
            try self.crash(machine, isSilent: self.random.chance(40))
            self.note(
                .trouble(.start(machine: machine)), in: self.random.number(UInt64(10)...60_000))
        case .start(let machine): try self.start(machine)
        case .fillDisk:
            let machine = self.random.number(0...self.machines.count - 1)
            self.setDiskFull(machine, true)
            self.note(
                .trouble(.freeDisk(machine: machine)),
                in: self.random.number(UInt64(100)...40_000))
        case .freeDisk(let machine): self.setDiskFull(machine, false)
        case .backUp(let machine): self.backUp(machine)
        case .restore(let machine, let isWhole):
            try self.crash(machine, isSilent: false)
            self.restore(machine, isWhole: isWhole)
            self.note(
                .trouble(.start(machine: machine)), in: self.random.number(UInt64(10)...20_000))
        case .setClock(let machine, let error): self.setClock(machine, error: error)
        }
    }

    /// Breaks a stream; what was on its way is gone.
    func cut(_ number: Int) {
        for side in 0...1 {
            self.wires[number]?.directions[side].inFlight = []
            self.wires[number]?.directions[side].bytesInFlight = 0
            self.note(
                .breaks(wire: number, side: side), in: self.random.number(UInt64(0)...2_000))
        }
    }

    /// Splits the machines into two groups.
    package func part(isOneWay: Bool) {
        let side = self.machines.indices.map { _ in self.random.chance(50) }
        for from in self.machines.indices {
            for to in self.machines.indices where side[from] != side[to] {
                if side[from] || !isOneWay { self.blocked.insert(Way(from: from, to: to)) }
            }
        }
    }

    /// Blocks all ways between two machines.
    package func block(_ one: Int, _ other: Int) {
        self.blocked.insert(Way(from: one, to: other))
        self.blocked.insert(Way(from: other, to: one))
    }

    /// Opens all ways between two machines.
    package func unblock(_ one: Int, _ other: Int) {
        self.blocked.remove(Way(from: one, to: other))
        self.blocked.remove(Way(from: other, to: one))
    }

    /// Opens all ways.
    package func heal() { self.blocked = [] }

    /// Fills a machine's disk, or makes room on it.
    package func setDiskFull(_ machine: Int, _ isFull: Bool) {
        self.machines[machine].isDiskFull = isFull
    }

    /// Sets a machine's wall clock off by some milliseconds.
    package func setClock(_ machine: Int, error: Int64) {
        self.machines[machine].clockError = error
        self.checker.clockError = max(self.checker.clockError, error.magnitude)
    }

    /// Keeps a copy of a machine's disk.
    package func backUp(_ machine: Int) { self.backups[machine] = self.machines[machine].store }

    /// Adds a machine with a key of its own.
    package func addMachine() -> Int {
        self.addMachine(signer: Self.signer(&self.random))
    }

    /// Makes a second machine with the key and the disk of another, as nobody should.
    package func clone(_ machine: Int) -> Int {
        let index = self.addMachine(signer: self.machines[machine].signer)
        self.machines[index].store = self.machines[machine].store
        self.machines[index].shownCursor = Cursor(self.machines[machine].store.newestCursor)
        self.checker.forkers.insert(self.machines[machine].id)
        return index
    }

    /// Stops a machine for good: it has no part in what is settled.
    package func retire(_ machine: Int) throws {
        try self.crash(machine, isSilent: false)
        self.machines[machine].isRetired = true
    }

    /// Puts the copy back; the machine must be stopped.
    ///
    /// - Parameter isWhole: the witness beside the disk is put back, too, so that nothing shows it.
    package func restore(_ machine: Int, isWhole: Bool = false) {
        guard var backup = self.backups[machine], !self.machines[machine].isUp else { return }
        if isWhole {
            self.checker.forkers.insert(self.machines[machine].id)
        } else {
            // The witness beside the disk tells another story now, so the incarnation ends.
            backup.incarnation = nil
        }
        self.checker.restored(
            machine, to: backup, others: self.machines.filter { $0.index != machine }.map(\.store))
        self.machines[machine].store = backup
        self.machines[machine].wasRestored = true
        self.machines[machine].shown = []
        self.machines[machine].shownCursor = Cursor(backup.newestCursor)
    }
}
