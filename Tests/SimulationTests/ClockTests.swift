import Engine
import Formats
import Simulation
import Testing

@Suite("Clocks that are wrong", .enabled(if: !Replay.isOn))
struct ClockTests {
    private let room = Workload.room(0)
    private static let year: Int64 = 365 * 86_400_000

    // Shows: shown.clock
    @Test("what a clock one year ahead has written is held by others and shown when due")
    func ahead() throws {
        let simulation = Simulation(seed: 11, machines: 3, faults: Faults())
        simulation.setClock(2, error: Self.year)
        for machine in 0...2 {
            try simulation.start(machine)
            try simulation.request(machine, .join(self.room))
        }
        try simulation.run(for: 20_000)
        #expect(simulation.status(of: 2)?.alerts.map(\.code).contains(.clock) == true)
        try simulation.send("from next year", from: 2, to: self.room)
        try simulation.send("from this year", from: 0, to: self.room)
        try simulation.run(for: 5_000)
        for machine in 0...1 {
            #expect(simulation.texts(on: machine, in: self.room) == ["from this year"])
            #expect((simulation.status(of: machine)?.held ?? 0) > 0)
        }
        // A year later, by all clocks.
        for machine in 0...1 { simulation.setClock(machine, error: Self.year) }
        try simulation.run(for: 60_000)
        for machine in 0...1 {
            #expect(
                simulation.texts(on: machine, in: self.room)
                    == ["from this year", "from next year"])
            #expect(simulation.status(of: machine)?.held == 0)
        }
    }

    // Shows: shown.clock
    @Test("entries an hour ahead are shown when the hour has gone by")
    func hour() throws {
        let simulation = Simulation(seed: 12, machines: 3, faults: Faults())
        simulation.setClock(2, error: 3_600_000)
        for machine in 0...2 {
            try simulation.start(machine)
            try simulation.request(machine, .join(self.room))
        }
        try simulation.run(for: 5_000)
        try simulation.send("early", from: 2, to: self.room)
        // People who do not know its author see it when it is a minute ahead.
        try simulation.run(for: 3_450_000)
        #expect(simulation.texts(on: 0, in: self.room).isEmpty)
        try simulation.run(for: 100_000)
        #expect(simulation.texts(on: 0, in: self.room) == ["early"])
        #expect(simulation.texts(on: 1, in: self.room) == ["early"])
    }

    @Test("a join from next year makes a member at once, and its line comes when it is due")
    func member() throws {
        let simulation = Simulation(seed: 14, machines: 2, faults: Faults())
        simulation.setClock(1, error: Self.year)
        for machine in 0...1 {
            try simulation.start(machine)
            try simulation.request(machine, .join(self.room))
        }
        try simulation.run(for: 20_000)
        #expect((simulation.status(of: 0)?.held ?? 0) > 0)
        #expect(simulation.members(on: 0, in: self.room) == 2)
    }

    // Shows: shown.clock
    @Test(
        "however far ahead strangers date entries, own ones stay within a minute of the own clock")
    func creep() throws {
        let simulation = Simulation(seed: 15, machines: 3, faults: Faults())
        simulation.setClock(2, error: 295_000)
        for machine in 0...2 {
            try simulation.start(machine)
            try simulation.request(machine, .join(self.room))
        }
        try simulation.run(for: 5_000)
        let incarnation = simulation.status(of: 0)?.incarnation
        for round in 0..<4 {
            try simulation.send("ahead \(round)", from: 2, to: self.room)
            try simulation.run(for: 2_000)
            try simulation.send("of now \(round)", from: 0, to: self.room)
            try simulation.run(for: 2_000)
            #expect(simulation.texts(on: 1, in: self.room).contains("of now \(round)"))
        }
        #expect(simulation.status(of: 0)?.incarnation == incarnation)
        let newest = try #require(simulation.newestTime(by: 0, in: self.room))
        #expect(newest <= simulation.wall + Limits.followedMilliseconds)
        try simulation.settle()
    }

    @Test("an own clock that ran ahead and is set right goes on at once, in a new incarnation")
    func setRight() throws {
        let simulation = Simulation(seed: 13, machines: 3, faults: Faults())
        simulation.setClock(0, error: Self.year)
        for machine in 0...2 {
            try simulation.start(machine)
            try simulation.request(machine, .join(self.room))
        }
        try simulation.run(for: 5_000)
        try simulation.send("while ahead", from: 0, to: self.room)
        try simulation.run(for: 2_000)
        let incarnation = simulation.status(of: 0)?.incarnation
        simulation.setClock(0, error: 0)
        try simulation.send("set right", from: 0, to: self.room)
        try simulation.run(for: 2_000)
        #expect(simulation.status(of: 0)?.incarnation != incarnation)
        for machine in 0...2 {
            #expect(simulation.texts(on: machine, in: self.room).contains("set right"))
        }
        #expect(simulation.texts(on: 1, in: self.room) == ["set right"])
        try simulation.settle()
    }
}
