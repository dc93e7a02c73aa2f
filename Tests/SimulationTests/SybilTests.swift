import Engine
import Simulation
import Testing

@Suite("One attacker with many keys", .enabled(if: !Replay.isOn))
struct SybilTests {
    @Test("no clock that many keys tell ends a node")
    func clocks() async {
        #if MUTANTS
            // What traps ends a process.
            await #expect(processExitsWith: .success) {
                [bug = Mutant.active?.rawValue as String?] in
                try Mutant.$active.withValue(bug.flatMap(Mutant.init)) {
                    for seed in UInt64(1)...2 { try Simulation.sybils(seed: seed) }
                }
            }
        #endif
    }
}
