import Engine
import Formats
import Testing

@testable import Simulation

@Suite("Realms of many nodes") struct RealmSimulationTests {
    // Shows: told.realm
    @Test(
        "what is said in a realm reaches all of its nodes and no other, over two offices and a café"
    )
    func offices() throws {
        let simulation = Simulation(seed: 1, machines: 6, faults: Faults())
        simulation.makeRealm([0, 1, 2])
        for machine in 0..<6 { try simulation.start(machine) }
        let (secret, open) = (simulation.room(1), simulation.room(0))
        for machine in 0..<6 {
            try simulation.request(machine, .join(open))
            if machine < 3 { try simulation.request(machine, .join(secret)) }
        }
        try simulation.run(for: 2_000)
        try simulation.send("for the office", from: 0, to: secret)
        try simulation.send("for all", from: 0, to: open)
        try simulation.run(for: 5_000)
        for machine in 0..<6 {
            #expect(simulation.texts(on: machine, in: open) == ["for all"])
            let due = machine < 3 ? ["for the office"] : []
            #expect(simulation.texts(on: machine, in: secret) == due)
        }
    }

    @Test("a new secret leaves rooms and history, and whoever does not get it is out")
    func renewal() throws {
        let simulation = Simulation(seed: 2, machines: 3, faults: Faults())
        simulation.makeRealm([0, 1, 2])
        for machine in 0..<3 { try simulation.start(machine) }
        let room = simulation.room(1)
        for machine in 0..<3 { try simulation.request(machine, .join(room)) }
        try simulation.run(for: 2_000)
        try simulation.send("before", from: 0, to: room)
        try simulation.run(for: 2_000)
        let old = try #require(simulation.story.realm)
        var random = SeededRandom(seed: 3)
        let renewed = old.renewed(until: simulation.wall + 5_000, using: &random)
        for machine in 0..<2 { try simulation.setRealms(machine, Realms([renewed])) }
        try simulation.send("during", from: 1, to: room)
        try simulation.run(for: 2_000)
        #expect(simulation.texts(on: 2, in: room) == ["before", "during"])
        try simulation.run(for: 5_000)
        try simulation.send("after", from: 1, to: room)
        try simulation.run(for: 5_000)
        #expect(simulation.texts(on: 0, in: room) == ["before", "during", "after"])
        #expect(simulation.texts(on: 2, in: room) == ["before", "during"])
    }
}
