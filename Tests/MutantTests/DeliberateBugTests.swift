#if MUTANTS
    import Engine
    import Simulation
    import Testing

    @testable import IntegrationTests

    @Suite("Deliberate bugs")
    struct DeliberateBugTests {
        @Test(
            "each is caught by what is named for it, which finds nothing without it",
            arguments: Mutant.allCases)
        func caught(mutant: Mutant) async throws {
            #expect(!mutant.catches.isEmpty)
            for catcher in mutant.catches {
                switch catcher {
                case .seed(let seed, let words):
                    self.check(mutant, seed, "SEED", words) { try Simulation.run(seed: $0) }
                case .assault(let seed, let words):
                    self.check(mutant, seed, "assault", words) { try Simulation.assault(seed: $0) }
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

        /// Runs a seed without the bug and with it.
        private func check(
            _ mutant: Mutant, _ seed: UInt64, _ kind: String, _ words: String,
            _ run: (UInt64) throws -> Simulation
        ) {
            #expect(throws: Never.self, "\(kind)=\(seed) without a bug") { try run(seed) }
            let said = self.violation(of: mutant, seed, run)
            if said?.contains(words) == true {
                print("CAUGHT \(mutant) by \(kind)=\(seed): \(said?.prefix(120) ?? "")")
                return
            }
            // What a seed does changes with the simulation: these would be as good.
            let others = (1...60).lazy.filter { other in
                self.violation(of: mutant, other, run)?.contains(words) == true
            }.prefix(5)
            Issue.record(
                "\(kind)=\(seed) finds \(said ?? "nothing") of \(mutant); these do: \(Array(others))"
            )
        }

        private func violation(
            of mutant: Mutant, _ seed: UInt64, _ run: (UInt64) throws -> Simulation
        ) -> String? {
            do {
                _ = try Mutant.$active.withValue(mutant) { try run(seed) }
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
