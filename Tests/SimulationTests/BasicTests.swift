import Engine
import Simulation
import Testing

@Suite("Two nodes")
struct BasicTests {
    @Test("two nodes in a room exchange a message")
    func exchange() throws {
        let simulation = Simulation(seed: 1, machines: 2, faults: Faults())
        let room = Workload.room(0)
        for machine in 0...1 { try simulation.start(machine) }
        for machine in 0...1 { try simulation.request(machine, .join(room)) }
        try simulation.run(for: 2_000)
        let outgoing = Outgoing(
            conversation: room.conversation, text: "hello", idempotencyKey: nil, deliverBy: 1_000)
        try simulation.request(0, .send(outgoing))
        try simulation.settle()
    }
}
