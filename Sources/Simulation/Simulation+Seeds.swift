extension Simulation {
    /// Runs a whole simulation that follows from one number: machines, work, faults, then peace.
    package static func run(seed: UInt64, log: ((String) -> Void)? = nil) throws -> Simulation {
        var random = SeededRandom(seed: seed)
        let faults = Faults(using: &random)
        let workload = Workload(using: &random)
        let simulation = Simulation(
            seed: random.next(), machines: random.number(2...5), faults: faults)
        simulation.log = log
        log?("\(faults)")
        log?("\(workload)")
        try simulation.play(workload)
        return simulation
    }

    /// Runs a simulation in which one of the machines breaks the protocol, to be switched off at last.
    @discardableResult
    package static func assault(seed: UInt64) throws -> Simulation {
        var random = SeededRandom(seed: seed)
        var faults = Faults()
        faults.jitter = random.number(UInt64(0)...30)
        faults.cuts = 4
        var workload = Workload()
        workload.rooms = random.number(1...2)
        let simulation = Simulation(
            seed: random.next(), machines: random.number(3...4), faults: faults)
        simulation.noteAssault(by: 0, frames: 300, within: workload.milliseconds)
        simulation.prepare(workload)
        try simulation.run(for: workload.milliseconds)
        try simulation.retire(0)
        try simulation.settle()
        return simulation
    }

    /// Starts all machines, does the work while things go wrong, and settles.
    package func play(_ workload: Workload) throws {
        self.prepare(workload)
        try self.run(for: workload.milliseconds)
        try self.settle()
    }

    private func prepare(_ workload: Workload) {
        for machine in self.machines.indices {
            self.note(
                .trouble(.start(machine: machine)),
                in: self.random.chance(70) ? 0 : self.random.number(0...workload.milliseconds))
        }
        self.note(workload)
        self.noteTroubles(within: workload.milliseconds)
    }
}
