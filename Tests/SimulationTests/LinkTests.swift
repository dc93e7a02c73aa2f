import Engine
import Simulation
import Testing

@Suite("Links between nodes", .enabled(if: !Replay.isOn))
struct LinkTests {
    @Test("dials that cross end in exactly one link")
    func crossedDials() throws {
        for seed in UInt64(1)...1_000 {
            var faults = Faults()
            faults.delay = seed % 40
            faults.jitter = seed % 7 * 10
            faults.hasStaticPeers = seed % 3 == 0
            let simulation = Simulation(seed: seed, machines: 2, faults: faults)
            try simulation.start(0)
            try simulation.run(for: seed % 5 * 30)
            try simulation.start(1)
            try simulation.run(for: 6_000)
            #expect(simulation.linkCount(0, 1) == 1, "seed \(seed)")
            try simulation.run(for: 60_000)
            #expect(simulation.linkCount(0, 1) == 1, "seed \(seed), a minute later")
        }
    }

    @Test("a peer that was switched off silently and started again is linked within seconds")
    func restartedPeer() throws {
        let room = Workload.room(0)
        let simulation = try Simulation.joined(2, in: room)
        try simulation.crash(1, isSilent: true)
        try simulation.run(for: 100)
        try simulation.start(1)
        try simulation.run(until: "linked", within: 5_000) { simulation.linkCount(0, 1) == 1 }
        try simulation.send("after the restart", from: 0, to: room)
        try simulation.run(until: "shown", within: 2_000) {
            simulation.texts(on: 1, in: room) == ["after the restart"]
        }
        try simulation.settle()
    }

    @Test("two daemons with one key are noticed by themselves and refused by others")
    func twoDaemonsWithOneKey() throws {
        let room = Workload.room(0)
        let simulation = try Simulation.joined(2, in: room)
        let twin = simulation.clone(0)
        try simulation.start(twin)
        try simulation.run(for: 10_000)
        let codes = [0, twin].map { simulation.status(of: $0)?.alerts.map(\.code) ?? [] }
        #expect(codes.allSatisfy { $0.contains(.identityInUse) })
        #expect(simulation.linkCount(0, 1) == 1)
        #expect(simulation.linkCount(twin, 1) == 0)
    }
}
