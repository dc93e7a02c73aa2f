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

    /// Starts all machines, does the work while things go wrong, and settles.
    package func play(_ workload: Workload) throws {
        for machine in self.machines.indices {
            self.note(
                .trouble(.start(machine: machine)),
                in: self.random.chance(70) ? 0 : self.random.number(0...workload.milliseconds))
        }
        self.note(workload)
        self.noteTroubles(within: workload.milliseconds)
        try self.run(for: workload.milliseconds)
        try self.settle()
    }
}
