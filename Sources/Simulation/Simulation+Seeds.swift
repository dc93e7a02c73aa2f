extension Simulation {
    /// Runs a whole simulation that follows from one number: machines, work, faults, then peace.
    ///
    /// - Parameter hasGroups: whether users found groups, too.
    package static func run(
        seed: UInt64, hasGroups: Bool = false, log: ((String) -> Void)? = nil
    ) throws -> Simulation {
        var random = SeededRandom(seed: seed)
        var faults = Faults(using: &random)
        var workload = Workload(using: &random)
        if hasGroups {
            workload.drawGroups(of: seed)
            // What somebody signs whose clock is years ahead others take in years.
            faults.clocks.error = min(faults.clocks.error, 400_000)
        }
        // Now and then a larger company.
        let count = random.chance(4) ? random.number(13...24) : random.number(5...12)
        let simulation = Simulation(seed: random.next(), machines: count, faults: faults)
        simulation.record.log = log
        log?("\(faults)")
        log?("\(workload)")
        try simulation.play(workload)
        return simulation
    }

    /// Runs a simulation in which some machines break the protocol in every way, to be switched off at
    /// last, while little else goes wrong.
    @discardableResult
    package static func assault(
        seed: UInt64, log: ((String) -> Void)? = nil
    ) throws -> Simulation {
        var random = SeededRandom(seed: seed)
        var faults = Faults()
        faults.jitter = random.number(UInt64(0)...30)
        faults.cuts = 4
        faults.hasSessions = random.chance(25)
        var workload = Workload()
        workload.rooms = random.number(1...2)
        workload.sealedRooms = random.chance(30) ? [0] : []
        workload.erasures = 20
        workload.drawFiles(in: 40, of: seed)
        workload.drawStreams(in: 30, of: seed)
        let simulation = Simulation(
            seed: random.next(), machines: random.number(5...7), faults: faults)
        simulation.record.log = log
        for machine in 0..<random.number(1...2) {
            simulation.makeHostile(machine, kinds: Adversary.Kind.allCases)
            simulation.noteAssaults(150, by: machine, within: workload.milliseconds)
        }
        try simulation.play(workload)
        return simulation
    }

    /// Runs a simulation of many machines, of which each can discover a few others only.
    ///
    /// More than ``Limits/links`` cannot all be linked to each other, so what one writes reaches most by
    /// way of others. Everything goes wrong.
    package static func crowd(
        seed: UInt64, _ count: Int, log: ((String) -> Void)? = nil
    ) throws -> Simulation {
        var random = SeededRandom(seed: seed)
        var faults = Faults(using: &random)
        faults.include(machines: count)
        // A ring keeps all together; chords make it small.
        var neighbours = [Set<Int>](repeating: [], count: count)
        for one in 0..<count {
            for other in [(one + 1) % count] + (0..<3).map({ _ in random.number(0...count - 1) })
            where other != one {
                neighbours[one].insert(other)
                neighbours[other].insert(one)
            }
        }
        var workload = Workload()
        workload.messages = 300
        workload.moves = count / 50
        workload.erasures = 40
        let simulation = Simulation(
            seed: random.next(), machines: count, faults: faults, neighbours: neighbours)
        simulation.record.log = log
        try simulation.play(workload)
        return simulation
    }

    /// Starts all machines, does the work while things go wrong, and settles.
    package func play(_ workload: Workload) throws {
        self.prepare(workload)
        try self.run(for: workload.milliseconds)
        try self.settle()
    }

    private func prepare(_ workload: Workload) {
        self.story.hasFiles = workload.files > 0
        self.checker.signals = workload.signals > 0
        // Where each machine meets only some, members might have no way to one another.
        if self.network.neighbours == nil, self.random.chance(30) {
            self.makeRealm(self.machines.indices.filter { _ in self.random.chance(60) })
            if self.random.chance(50) {
                // Before all is to be well.
                let quarter = workload.milliseconds / 4
                self.renewRealm(
                    from: self.random.number(0...3 * quarter), within: quarter,
                    lasting: self.random.number(0...60_000))
            }
        }
        self.begin(workload)
    }

    /// Notes when machines start, what their users do and what goes wrong.
    func begin(_ workload: Workload) {
        for machine in self.machines.indices {
            self.schedule(
                .fault(.start(machine: machine)),
                in: self.random.chance(70) ? 0 : self.random.number(0...workload.milliseconds))
        }
        for room in workload.sealedRooms { self.seal(Workload.room(room)) }
        self.schedule(workload)
        self.scheduleFaults(within: workload.milliseconds)
    }
}
