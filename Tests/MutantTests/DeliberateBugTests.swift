#if MUTANTS
    import Formats
    import Simulation
    import Testing

    @testable import IntegrationTests

    @Suite("Deliberate bugs")
    struct DeliberateBugTests {
        @Test("each is caught by what is named for it", arguments: Mutant.allCases)
        func caught(mutant: Mutant) async throws {
            #expect(!mutant.catches.isEmpty)
            for catcher in mutant.catches {
                switch catcher {
                case .seed(let seed, let words):
                    self.check(mutant, Simulated(seed: seed, kind: .seed), words)
                case .assault(let seed, let words):
                    self.check(mutant, Simulated(seed: seed, kind: .assault), words)
                case .sybils(let seed, let words):
                    self.check(mutant, Simulated(seed: seed, kind: .sybils), words)
                case .test(let name, let body):
                    // Fails where the test finds nothing. Without the bug the ordinary suite runs it.
                    try await withKnownIssue("\(mutant) must be caught by \(name)") {
                        try await Mutant.$active.withValue(mutant) { try await body() }
                    } matching: { issue in
                        print("CAUGHT \(mutant) by \(name): \("\(issue)".prefix(120))")
                        return true
                    }
                }
            }
        }

        /// A run that catches some bug.
        private struct Simulated: Hashable {
            enum Kind: String {
                case seed = "SEED"
                case assault
                case sybils
            }

            var seed: UInt64
            let kind: Kind

            func run() throws {
                _ =
                    switch self.kind {
                    case .seed: try Simulation.run(seed: self.seed)
                    case .assault: try Simulation.assault(seed: self.seed)
                    case .sybils: try Simulation.sybils(seed: self.seed)
                    }
            }

            var description: String { "\(self.kind.rawValue)=\(self.seed)" }
        }

        /// Those that `check.sh` runs of each kind.
        private static let seeds: ClosedRange<UInt64> = 1...60

        /// Runs a seed with the bug; where it finds nothing of it, others.
        ///
        /// What a seed does changes with each change of the simulation. The check runs them all without the bug.
        private func check(_ mutant: Mutant, _ named: Simulated, _ words: String) {
            #expect(Self.seeds.contains(named.seed))
            var simulated = named
            for seed in [named.seed] + Self.seeds {
                simulated.seed = seed
                guard let said = self.violation(of: mutant, simulated), said.contains(words) else {
                    continue
                }
                let instead = simulated == named ? "" : ", where \(named.seed) finds nothing"
                let by = "\(simulated.description)\(instead)"
                print("CAUGHT \(mutant) by \(by): \(said.prefix(120))")
                return
            }
            Issue.record("no \(named.kind.rawValue) in \(Self.seeds) finds \(mutant)")
        }

        private func violation(of mutant: Mutant, _ simulated: Simulated) -> String? {
            do {
                try Mutant.$active.withValue(mutant) { try simulated.run() }
                return nil
            } catch {
                return "\(error)"
            }
        }

        @Test("the daemon of this build holds them all, so that one that holds none can be told")
        func built() throws {
            let names = try DeliberateBugs.names()
            #expect(names.sorted() == Mutant.allCases.map(\.rawValue).sorted())
            let folder = try Surroundings.programs(named: nil)
            #expect(try DeliberateBugs.found(in: "\(folder)/stoad") == names)
            #expect(try DeliberateBugs.found(["6MutantO"], in: "\(folder)/stoad") != [])
        }
    }
#endif
