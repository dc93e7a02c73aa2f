import Engine
import Formats
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

    @Test("many authors over few links take no name from a stranger who is linked")
    func washed() throws { try Simulation.washed() }

    @Test("what honest nodes follow by themselves protects no log of nobody")
    func ratcheted() throws { try Simulation.ratcheted() }

    @Test("where more is written than is kept, strangers lose theirs, and known people nothing")
    func flooded() throws { try Simulation.flooded() }
}
