import Glibc
import Simulation

/// What to simulate.
struct Options {
    static let usage = """
        usage: simulate [--from SEED] [--count N]
                        [--assault | --sybils | --groups | --thefts] [--log]
               simulate --nodes N [--office [--groups] [--links N]] [--from SEED] [--log]

        Runs N simulations (1) from SEED (1) on and prints a line for each; with --nodes one
        simulation of so many nodes, of which each finds a few others, or with --office all of
        them, of which each has at most 128 links, or as many as --links says; with --assault
        simulations in which peers do all that is forbidden and little else goes wrong, with
        --sybils simulations in which one attacker has many keys, with --groups simulations in
        which people have groups, or an office that is one group, with --thefts simulations in
        which a device of a member is stolen and revoked, with --log all that nodes were told
        and did.

        """

    /// Seeds, and how many of them, that one run may be told; sums of them do not overflow.
    private static let seeds: ClosedRange<UInt64> = 1...(1 << 62)

    /// More nodes than that take longer than anyone waits.
    private static let crowd: ClosedRange<UInt64> = 2...10_000

    /// Links of a node: too few for all its conversations are never one piece.
    private static let linkCounts: ClosedRange<UInt64> = 16...128

    /// What makes no sense among the arguments, and what would.
    struct Refusal: Error {
        let text: String
    }

    private var from: UInt64 = 1
    private var count: UInt64 = 1
    private var nodes: Int?
    private var links: Int?
    private var isAssault = false
    private var isSybils = false
    private var isGroups = false
    private var isThefts = false
    private var isOffice = false
    private var hasLog = false

    init(_ arguments: some Sequence<String>) throws(Refusal) {
        var rest = arguments.makeIterator()
        while let argument = rest.next() {
            switch argument {
            case "--from":
                self.from = try Self.number(argument, rest.next(), in: Self.seeds)
            case "--count":
                self.count = try Self.number(argument, rest.next(), in: Self.seeds)
            case "--nodes":
                self.nodes = Int(try Self.number(argument, rest.next(), in: Self.crowd))
            case "--links":
                self.links = Int(try Self.number(argument, rest.next(), in: Self.linkCounts))
            case "--assault": self.isAssault = true
            case "--sybils": self.isSybils = true
            case "--groups": self.isGroups = true
            case "--thefts": self.isThefts = true
            case "--office": self.isOffice = true
            case "--log": self.hasLog = true
            default: throw Refusal(text: "there is no option \(argument)")
            }
        }
        if self.isOffice, self.nodes == nil {
            throw Refusal(text: "--office needs --nodes N")
        }
        if self.links != nil, !self.isOffice {
            throw Refusal(text: "--links needs --office")
        }
        let kinds = [
            (self.isAssault, "--assault"), (self.isSybils, "--sybils"),
            (self.isGroups && !self.isOffice, "--groups"), (self.isThefts, "--thefts"),
            (self.nodes != nil, "--nodes"),
        ]
        .filter(\.0).map(\.1)
        if kinds.count > 1 {
            throw Refusal(
                text: "\(kinds[0]) and \(kinds[1]) exclude each other: leave one out")
        }
    }

    private static func number(
        _ option: String, _ text: String?, in range: ClosedRange<UInt64>
    ) throws(Refusal) -> UInt64 {
        guard let number = text.flatMap({ UInt64($0) }), range.contains(number) else {
            throw Refusal(
                text: "\(option) takes a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Runs all; whether no one failed.
    func run() -> Bool {
        var isFine = true
        for seed in self.from..<self.from + self.count {
            print("seed \(seed)", terminator: " ")
            fflush(nil)
            do {
                print(try self.summary(seed), "ok")
            } catch {
                let kind =
                    (self.isAssault ? " ASSAULT=1" : "") + (self.isSybils ? " SYBILS=1" : "")
                    + (self.isGroups ? " GROUPS=1" : "") + (self.isThefts ? " THEFTS=1" : "")
                    + (self.nodes.map { " NODES=\($0)" } ?? "")
                    + (self.isOffice ? " OFFICE=1" : "")
                    + (self.links.map { " LINKS=\($0)" } ?? "")
                print("FAILED SEED=\(seed)\(kind) make sim: \(error)")
                isFine = false
            }
        }
        return isFine
    }

    private func summary(_ seed: UInt64) throws -> String {
        let log: ((String) -> Void)? = self.hasLog ? { print($0) } : nil
        if let nodes = self.nodes, self.isOffice {
            func tell(_ moment: String) {
                let text = "office of \(nodes), seed \(seed): \(moment)\n"
                _ = write(STDERR_FILENO, text, text.utf8.count)
            }
            if self.isGroups {
                let (simulation, figures) = try Simulation.assembly(
                    seed: seed, nodes, links: self.links, log: log, progress: tell)
                return "\(simulation.summary) \(figures.summary)"
            }
            let (simulation, figures) = try Simulation.office(
                seed: seed, nodes, links: self.links, log: log, progress: tell)
            return "\(simulation.summary) \(figures.summary)"
        }
        return try self.simulation(seed, log).summary
    }

    private func simulation(_ seed: UInt64, _ log: ((String) -> Void)?) throws -> Simulation {
        if let nodes = self.nodes { return try Simulation.crowd(seed: seed, nodes, log: log) }
        if self.isSybils { return try Simulation.sybils(seed: seed, log: log) }
        if self.isThefts { return try Simulation.theft(seed: seed, log: log) }
        if self.isAssault { return try Simulation.assault(seed: seed, log: log) }
        return try Simulation.run(seed: seed, hasGroups: self.isGroups, log: log)
    }
}
