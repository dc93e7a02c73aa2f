import Crypto
import Engine
import Formats

/// One attacker with many keys who does one thing again and again, beside three honest machines that are linked: of
/// these the first two know each other, and the third is a stranger to both.
///
/// Each lives by the absence of one rule: who gives way, what protects, and what goes first.
extension Simulation {
    ///
    /// - Parameter look: looks at it once a second.
    private static func siege(
        by act: Sybils.Act, seed: UInt64, look: (Simulation) throws -> Void = { _ in }
    ) throws -> Simulation {
        let simulation = Simulation(seed: seed, machines: 3, faults: Faults())
        simulation.bounds.logs.all = 96
        simulation.bounds.records.profiles = 16_384
        simulation.checker.yielding.isNarrow = true
        for index in 0..<3 { try simulation.start(index) }
        let room = Workload.room(0)
        for index in 0..<3 { try simulation.request(index, .join(room)) }
        for (user, peer) in [(0, 1), (1, 0)] {
            try simulation.request(user, .stand(simulation.machines[peer].id, .known))
        }
        try simulation.run(for: 5_000)
        for index in 0..<2 { try simulation.say("before", from: index) }
        try simulation.run(for: 2_000)
        simulation.add(Sybils(doing: act))
        for moment in 0..<60 {
            try simulation.run(for: 1_000)
            try look(simulation)
            if moment % 5 == 0 { try simulation.say("\(moment)", from: moment % 2) }
        }
        return simulation
    }

    private func say(_ text: String, from index: Int) throws {
        try self.request(
            index, .send(Outgoing(conversation: Workload.room(0).conversation, text: text)))
    }

    /// Many authors over few links take the place of names.
    package static func washed(seed: UInt64 = 1) throws {
        _ = try Self.siege(by: .wash, seed: seed) { simulation in
            let known = simulation.machines[0].node?.profile(of: simulation.machines[2].id)
            guard known?.name == "n2" else {
                throw Violation("node 0 has lost the name of a stranger who is linked")
            }
        }
    }

    /// Logs of nobody are followed by what honest nodes write, and are protected by nothing.
    package static func ratcheted(seed: UInt64 = 1) throws {
        _ = try Self.siege(by: .invent, seed: seed)
    }

    /// More is written than is kept.
    package static func flooded(seed: UInt64 = 1) throws {
        let simulation = try Self.siege(by: .fill, seed: seed)
        let room = Workload.room(0).conversation
        try simulation.request(0, .expire(room, .above(bytes: 20_000)))
        try simulation.run(for: 5_000)
        let store = simulation.machines[0].store
        for index in 0..<2 {
            let author = simulation.machines[index].id
            let lost = store.logs.contains { key, log in
                key.conversation == room && key.name.author == author
                    && log.rows.contains { $0.verdict.payload == .expired }
            }
            guard !lost else {
                throw Violation("node 0 has lost what known people wrote to what strangers wrote")
            }
        }
        guard
            store.logs.values.contains(where: {
                $0.rows.contains { $0.verdict.payload == .expired }
            })
        else { throw Violation("node 0 keeps more than it may") }
    }
}
