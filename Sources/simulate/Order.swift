import Glibc
import Simulation

/// What to simulate.
struct Order {
    static let usage = """
        usage: simulate [--from SEED] [--count N] [--assault] [--log]
               simulate --nodes N [--from SEED] [--log]

        Runs N simulations (1) from SEED (1) on and prints a line for each; with --nodes one
        simulation of so many nodes, with --assault simulations in which peers do all that is
        forbidden and little else goes wrong, with --log all that nodes were told and did.

        """

    private var from: UInt64 = 1
    private var count: UInt64 = 1
    private var nodes: Int?
    private var isAssault = false
    private var hasLog = false

    /// Reads the arguments; nil where they make no sense.
    init?(_ arguments: some Sequence<String>) {
        var rest = arguments.makeIterator()
        while let argument = rest.next() {
            switch argument {
            case "--from":
                guard let value = rest.next().flatMap({ UInt64($0) }) else { return nil }
                self.from = value
            case "--count":
                guard let value = rest.next().flatMap({ UInt64($0) }) else { return nil }
                self.count = value
            case "--nodes":
                guard let value = rest.next().flatMap({ Int($0) }), value > 1 else { return nil }
                self.nodes = value
            case "--assault": self.isAssault = true
            case "--log": self.hasLog = true
            default: return nil
            }
        }
    }

    /// Runs all; whether no one failed.
    func run() -> Bool {
        var isFine = true
        for seed in self.from..<self.from + self.count {
            print("seed \(seed)", terminator: " ")
            fflush(nil)
            do {
                let simulation = try self.simulation(seed)
                print(simulation.summary, "ok")
            } catch {
                let kind = self.isAssault ? " ASSAULT=1" : self.nodes.map { " NODES=\($0)" } ?? ""
                print("FAILED SEED=\(seed)\(kind) make sim: \(error)")
                isFine = false
            }
        }
        return isFine
    }

    private func simulation(_ seed: UInt64) throws -> Simulation {
        let log: ((String) -> Void)? = self.hasLog ? { print($0) } : nil
        if let nodes = self.nodes { return try Simulation.crowd(seed: seed, nodes, log: log) }
        if self.isAssault { return try Simulation.assault(seed: seed) }
        return try Simulation.run(seed: seed, log: log)
    }
}
