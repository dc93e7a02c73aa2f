import Engine
import Formats
import Simulation
import Testing

@Suite("Authors who sign two histories", .enabled(if: !Replay.isOn))
struct ForkTests {
    private let room = Workload.room(0)

    // Shows: shown.fork
    @Test("two histories end at the fork everywhere, and newcomers get what stands before it")
    func fork() throws {
        let simulation = try Simulation.joined(4, in: self.room, seed: 21)
        try simulation.crash(3, isSilent: false)
        for number in 0..<5 { try simulation.send("common \(number)", from: 0, to: self.room) }
        try simulation.run(for: 2_000)
        let twin = simulation.clone(0)
        // The twin meets only 2, the original only 1.
        for (one, other) in [(0, 2), (0, twin), (1, twin), (1, 2)] { simulation.block(one, other) }
        try simulation.start(twin)
        try simulation.run(for: 70_000)
        for number in 0..<3 {
            try simulation.send("original \(number)", from: 0, to: self.room)
            try simulation.send("twin \(number)", from: twin, to: self.room)
            try simulation.run(for: 1_000)
        }
        #expect(simulation.texts(on: 1, in: self.room).last == "original 2")
        #expect(simulation.texts(on: 2, in: self.room).last == "twin 2")
        try simulation.retire(0)
        try simulation.retire(twin)
        try simulation.settle()
        let common = (0..<5).map { "common \($0)" }
        for machine in 1...3 {
            #expect(simulation.texts(on: machine, in: self.room) == common)
            // The join and five messages stand before it.
            #expect(simulation.forkPoints(on: machine, of: 0, in: self.room) == [8])
        }
        let disputed = simulation.messages(on: 1, in: self.room).filter(\.isDisputed).map(\.text)
        #expect(disputed == (0..<3).map { "original \($0)" })
    }

    // Shows: shown.fork
    @Test("of several forks of one log the smallest point wins, whoever learns of which first")
    func smallestPoint() throws {
        for seed in UInt64(1)...20 {
            let simulation = try Simulation.joined(5, in: self.room, seed: seed)
            try simulation.send("common", from: 0, to: self.room)
            try simulation.run(for: 2_000)
            let first = simulation.clone(0)
            for (one, other) in [(0, 2), (0, 3), (0, first), (1, 2), (1, 3), (2, 3), (1, first)] {
                simulation.block(one, other)
            }
            simulation.block(first, 3)
            for machine in 0...first { simulation.block(machine, 4) }
            try simulation.start(first)
            try simulation.run(for: 70_000)
            // Of some histories the later fork is known where the own one is longer already.
            for number in 0...seed % 4 {
                try simulation.send("original \(number)", from: 0, to: self.room)
                try simulation.run(for: 100)
            }
            try simulation.send("first twin", from: first, to: self.room)
            try simulation.run(for: 2_000)
            // The twin's history forks again, further on.
            let second = simulation.clone(first)
            for machine in 0..<second where machine != 3 { simulation.block(second, machine) }
            try simulation.start(second)
            try simulation.run(for: 70_000)
            try simulation.send("first twin again", from: first, to: self.room)
            try simulation.send("second twin", from: second, to: self.room)
            try simulation.run(for: 2_000)
            for machine in [0, first, second] { try simulation.retire(machine) }
            // Those who hold the twins' histories meet first.
            simulation.unblock(2, 3)
            try simulation.run(for: 70_000)
            try simulation.settle()
            for machine in 1...4 {
                #expect(simulation.texts(on: machine, in: self.room) == ["common"], "seed \(seed)")
                #expect(
                    simulation.forkPoints(on: machine, of: 0, in: self.room) == [4], "seed \(seed)")
            }
        }
    }

    @Test("a machine that was put back as a whole goes on in a new incarnation")
    func wholeRestore() throws {
        for seed in UInt64(1)...20 {
            let simulation = try Simulation.joined(3, in: self.room, seed: seed)
            try simulation.send("common", from: 0, to: self.room)
            try simulation.run(for: 500)
            simulation.backUp(0)
            try simulation.send("forgotten by its author", from: 0, to: self.room)
            try simulation.run(for: 500)
            try simulation.crash(0, isSilent: false)
            simulation.restore(0, isWhole: true)
            try simulation.start(0)
            // Some write before they hear of what they had written, some after.
            if seed % 2 == 0 { try simulation.send("at once", from: 0, to: self.room) }
            try simulation.run(for: 20_000)
            try simulation.send("later", from: 0, to: self.room)
            try simulation.settle()
            for machine in 0...2 {
                let texts = simulation.texts(on: machine, in: self.room)
                #expect(texts.contains("later"), "seed \(seed)")
                #expect(texts.contains("common"), "seed \(seed)")
                if seed % 2 == 1 { #expect(texts.contains("forgotten by its author")) }
            }
        }
    }
}
