#if MUTANTS
    import Formats
    import Simulation
    import Testing

    @testable import IntegrationTests

    @Suite("Deliberate bugs")
    struct DeliberateBugTests {
        @Test(
            "each is caught by what is named for it; a test finds nothing without it",
            arguments: Mutant.allCases)
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
                    try await body()
                    // Fails where the test finds nothing.
                    try await withKnownIssue("\(mutant) must be caught by \(name)") {
                        try await Mutant.$active.withValue(mutant) { try await body() }
                    } matching: { issue in
                        print("CAUGHT \(mutant) by \(name): \("\(issue)".prefix(120))")
                        return true
                    }
                }
            }
        }

        /// A run that catches some bug; several bugs are caught by the same.
        struct Simulated: Hashable, Sendable, CustomTestStringConvertible {
            enum Kind: String {
                case seed = "SEED"
                case assault
                case sybils
            }

            var seed: UInt64
            let kind: Kind

            static let named = Set(
                Mutant.allCases.flatMap(\.catches).compactMap { catcher in
                    switch catcher {
                    case .seed(let seed, _): Simulated(seed: seed, kind: .seed)
                    case .assault(let seed, _): Simulated(seed: seed, kind: .assault)
                    case .sybils(let seed, _): Simulated(seed: seed, kind: .sybils)
                    case .test: nil
                    }
                })

            func run() throws {
                _ =
                    switch self.kind {
                    case .seed: try Simulation.run(seed: self.seed)
                    case .assault: try Simulation.assault(seed: self.seed)
                    case .sybils: try Simulation.sybils(seed: self.seed)
                    }
            }

            var testDescription: String { "\(self.kind.rawValue)=\(self.seed)" }
        }

        @Test("a seed that is named for a bug finds nothing without it", arguments: Simulated.named)
        func clean(simulated: Simulated) throws { try simulated.run() }

        /// Runs a seed with the bug.
        private func check(_ mutant: Mutant, _ simulated: Simulated, _ words: String) {
            let said = self.violation(of: mutant, simulated)
            if said?.contains(words) == true {
                print(
                    "CAUGHT \(mutant) by \(simulated.testDescription): \(said?.prefix(120) ?? "")")
                return
            }
            // What a seed does changes with the simulation: these would be as good.
            let others = (UInt64(1)...60).filter { other in
                var simulated = simulated
                simulated.seed = other
                return self.violation(of: mutant, simulated)?.contains(words) == true
            }.prefix(5)
            Issue.record(
                """
                \(simulated.testDescription) finds \(said ?? "nothing") of \(mutant); \
                these do: \(Array(others))
                """)
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
