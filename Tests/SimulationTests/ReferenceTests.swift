import Engine
import Formats
import Simulation
import Testing

@Suite("What is said of messages", .enabled(if: !Replay.isOn))
struct ReferenceTests {
    @Test(
        "whoever hears it before the message shows what all others show, whoever says how much",
        arguments: 1...6 as ClosedRange<UInt64>)
    func settled(_ seed: UInt64) throws {
        let simulation = try Simulation.references(seed: seed)
        #expect(simulation.assaults.count > 0)
    }

    @Test("of what invented authors say before a message comes nothing keeps others' words out")
    func early() throws {
        for seed in UInt64(1)...3 { try Simulation.references(seed: seed) }
    }
}
