import Engine
import Formats

/// A group of everybody in an office: many more members than anybody has links.
extension Simulation {
    /// What a run has found.
    package struct AssemblyFigures: Sendable {
        /// How long it took from the first invitation until all were in, in milliseconds.
        package var enteredWithin: UInt64 = 0
        /// How many acts each member got when one of them was removed.
        ///
        /// Whoever does not know yet that they are out tells others of their own past.
        package var actsOfRemoval = 0.0
        /// How often each member got what was written then.
        package var copiesOfEntry = 0.0
        /// How long after it was asked for the first message under a new key was read by all, in milliseconds.
        package var readWithin: UInt64 = 0

        /// In words and numbers in turn.
        package var summary: String {
            func short(_ number: Double) -> Double { Double(Int(number * 1_000)) / 1_000 }
            return "entered \(self.enteredWithin) acts \(short(self.actsOfRemoval)) "
                + "copies \(short(self.copiesOfEntry)) read \(self.readWithin)"
        }
    }

    /// Runs an office in which one founds a group, brings all others in, and removes one of them.
    ///
    /// - Throws: ``Violation`` where not all come in, agree, or read what is written, or members get entries more often
    ///   than they need.
    package static func assembly(
        seed: UInt64, _ count: Int, links: Int? = nil,
        log: ((String) -> Void)? = nil, progress: (String) -> Void = { _ in }
    ) throws -> (simulation: Simulation, figures: AssemblyFigures) {
        var random = SeededRandom(seed: seed)
        var faults = Faults()
        faults.jitter = 10
        let simulation = Simulation(seed: random.next(), machines: count, faults: faults)
        simulation.record.log = log
        if let links { simulation.bounds.links = Self.budget(of: links) }
        return (simulation, try simulation.playAssembly(reached: progress))
    }

    private func playAssembly(reached: (String) -> Void) throws -> AssemblyFigures {
        var figures = AssemblyFigures()
        for index in self.machines.indices {
            try self.start(index)
            try self.run(for: self.random.number(UInt64(50)...350))
            try self.request(index, .join(self.room(0)))
        }
        try self.run(for: 30_000)
        reached("all have started")
        guard let name = RoomName("assembly") else { preconditionFailure("that is a name") }
        try self.request(0, .groupCreate(name, .open, .all))
        try self.run(for: 1_000)
        guard let group = self.checker.groups.table.keys.first else {
            throw Violation("no group was founded")
        }
        let begin = self.time
        for machine in self.machines.dropFirst() {
            try self.request(0, .groupAct(group, .add(machine.person)))
            try self.run(for: 50)
        }
        try self.run(until: "all are in", every: 1_000, within: 600_000) {
            try self.acceptGroups()
            return self.disagreementInAssembly(group, of: self.machines.count) == nil
        }
        figures.enteredWithin = self.time - begin
        try self.write("all are in", in: group, by: 1, among: Array(self.machines.indices))
        reached("all are in")
        try self.remove(self.machines.count - 1, from: group, &figures)
        reached("one is out")
        return figures
    }

    /// One is removed, and the next who writes makes a key without them.
    private func remove(
        _ index: Int, from group: ConversationID, _ figures: inout AssemblyFigures
    ) throws {
        let rest = Array(self.machines.indices.filter { $0 != index })
        var before = self.checker.counts
        try self.request(
            0, .groupAct(group, .remove(self.machines[index].person, seen: [])))
        try self.run(until: "all know it", every: 100, within: 60_000) {
            self.disagreementInAssembly(group, of: rest.count) == nil
        }
        // Also what comes twice.
        try self.run(for: 20_000)
        let received = self.checker.counts.actsReceived
        let acts = rest.reduce(0) {
            $0 + received[$1, default: 0] - before.actsReceived[$1, default: 0]
        }
        figures.actsOfRemoval = Double(acts) / Double(rest.count - 1)
        before = self.checker.counts
        let begin = self.time
        // Who has written before, so that no log begins with it.
        try self.write("one is out", in: group, by: 1, among: rest)
        figures.readWithin = self.time - begin
        try self.run(for: 20_000)
        // The key is told in an entry of its own.
        let entries = self.checker.counts.entriesReceived - before.entriesReceived
        figures.copiesOfEntry = Double(entries) / Double(2 * (rest.count - 1))
        guard figures.copiesOfEntry <= 1.1 else {
            throw Violation("members get more than they need: \(figures.summary)")
        }
    }

    private func write(
        _ text: String, in group: ConversationID, by index: Int, among members: [Int]
    ) throws {
        try self.request(index, .send(Outgoing(conversation: group, text: text)))
        try self.run(until: "all have read: \(text)", every: 10, within: 60_000) {
            members.allSatisfy { self.messages(on: $0, in: group).last?.text == text }
        }
    }

    /// Why not all members agree that there are so many; nil where they do.
    private func disagreementInAssembly(_ group: ConversationID, of count: Int) -> String? {
        let here = self.machines.filter { self.checker.takesPart($0, in: group) }
        guard here.count == count else { return "\(here.count) take part" }
        return self.checker.disagreementOfGroups(self.machines)
    }
}
