import Engine
import Formats
import Posix
import Simulation
import Testing

/// Which seeds to run, as the environment says.
enum Replay {
    private static func number(_ name: String) -> UInt64? {
        ProcessEnvironment.variable(name).flatMap { UInt64($0) }
    }

    /// The only seed to run.
    static let seed = Self.number("SEED")

    /// Whether one seed is run again, and nothing else.
    static var isOn: Bool { self.seed != nil }

    /// Whether each seed is printed as it begins: where a trap ends the process the last one shows which.
    static let isVerbose = ProcessEnvironment.variable("VERBOSE") != nil

    /// How many seeds there are where nothing is said.
    private static let usualCount: UInt64 = 60
    private static let count = Self.number("COUNT") ?? Self.usualCount

    /// The seeds to run: some dozens, or as many as `COUNT` says, from `FROM`.
    static var seeds: [UInt64] {
        if let seed = self.seed { return [seed] }
        let from = Self.number("FROM") ?? 1
        return Array(from..<from + Self.count)
    }

    /// The first of something that is tried so often beside the usual seeds: fewer beside fewer, but some.
    static func seeds(of most: UInt64) -> ClosedRange<UInt64> {
        1...max(2, most * min(Self.count, Self.usualCount) / Self.usualCount)
    }
}

extension Simulation {
    /// Starts machines and lets them join a room.
    static func joined(
        _ count: Int, in room: Room, seed: UInt64 = 1, faults: Faults = Faults()
    ) throws -> Simulation {
        let simulation = Simulation(seed: seed, machines: count, faults: faults)
        for machine in 0..<count {
            try simulation.start(machine)
            try simulation.request(machine, .join(room))
        }
        try simulation.run(for: 3_000)
        return simulation
    }
}
