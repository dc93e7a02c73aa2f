import Engine
import Formats
import Testing

@testable import Simulation

@Suite("Replication", .enabled(if: !Replay.isOn))
struct ReplicationTests {
    private let room = Workload.room(0)

    @Test("two nodes in a room exchange a message")
    func exchange() throws {
        let simulation = try Simulation.joined(2, in: self.room)
        try simulation.send("hello", from: 0, to: self.room)
        try simulation.run(for: 100)
        #expect(simulation.texts(on: 1, in: self.room) == ["hello"])
        try simulation.settle()
    }

    // Shows: shown.relay
    @Test("a message comes by a third node to one that was never up with its author")
    func storeAndForward() throws {
        let simulation = Simulation(seed: 7, machines: 3, faults: Faults())
        for machine in 0...1 {
            try simulation.start(machine)
            try simulation.request(machine, .join(self.room))
        }
        try simulation.run(for: 3_000)
        try simulation.send("for whom it may concern", from: 0, to: self.room)
        try simulation.run(for: 1_000)
        try simulation.crash(0, isSilent: false)
        try simulation.start(2)
        try simulation.request(2, .join(self.room))
        try simulation.run(for: 3_000)
        #expect(simulation.texts(on: 2, in: self.room) == ["for whom it may concern"])
        try simulation.settle()
    }

    @Test("what a member has who leaves at once is missing until somebody brings it")
    func missing() throws {
        let simulation = Simulation(seed: 9, machines: 3, faults: Faults())
        for machine in 0...2 {
            try simulation.start(machine)
            try simulation.request(machine, .join(self.room))
        }
        try simulation.request(1, .stand(simulation.peer(2), .known))
        try simulation.run(for: 3_000)
        try simulation.settle()
        simulation.block(0, 1)
        try simulation.run(for: 1_000)
        try simulation.send("unheard", from: 0, to: self.room)
        // The third says what it has, and is gone before it is asked.
        var steps = 0
        while !simulation.lacks(1, in: self.room), steps < 20_000 {
            try simulation.run(for: 1)
            steps += 1
        }
        try simulation.crash(2, isSilent: false)
        try simulation.run(for: 2 * Limits.holeMilliseconds + 1_000)
        #expect(simulation.holes(on: 1, in: self.room).map(\.count) == [1])
        #expect(simulation.holes(on: 1, in: self.room).map(\.author) == [0])
        simulation.heal()
        try simulation.run(for: 60_000)
        #expect(simulation.holes(on: 1, in: self.room).isEmpty)
        #expect(simulation.texts(on: 1, in: self.room) == ["unheard"])
    }

    @Test(
        "of who is linked through a third node alone its author hears at once, and until then that it is on its way"
    )
    func throughThird() throws {
        let simulation = Simulation(
            seed: 5, machines: 3, faults: Faults(), neighbours: [[1], [0, 2], [1]])
        for machine in 0...2 {
            try simulation.start(machine)
            try simulation.request(machine, .join(self.room))
        }
        try simulation.run(for: 10_000)
        #expect(simulation.linkCount(0, 2) == 0)
        let third = simulation.machines[2].id
        func outcome() -> DeliveryOutcome? {
            let machine = simulation.machines[0]
            let log = machine.store.logs.first {
                $0.key.conversation == self.room.conversation && $0.key.name.author == machine.id
            }
            guard let log else { return nil }
            let seq = UInt64(log.value.rows.count)
            return machine.node?.outcomes(of: seq, in: log.key).first { $0.peer == third }?.outcome
        }
        for number in 0..<8 {
            try simulation.send("message \(number)", from: 0, to: self.room)
            try simulation.run(until: "on its way", within: 1_000) {
                outcome() == .passing(through: [simulation.machines[1].id])
            }
            try simulation.run(until: "delivered", within: 3_000) { outcome() == .delivered }
        }
        // Who is off is behind the third as well, and gets it when they are back.
        try simulation.crash(2, isSilent: false)
        try simulation.send("while you are away", from: 0, to: self.room)
        try simulation.run(for: 5_000)
        #expect(outcome() == .passing(through: [simulation.machines[1].id]))
        try simulation.crash(1, isSilent: false)
        try simulation.run(until: "away", within: 60_000) { outcome() == .away }
        try simulation.start(1)
        try simulation.start(2)
        try simulation.settle()
    }

    @Test("many messages through a partition: none is lost, none comes twice, one order")
    func partition() throws {
        let simulation = try Simulation.joined(3, in: self.room, seed: 3)
        for number in 0..<600 {
            let machine = number % 3
            let outgoing = Outgoing(
                conversation: self.room.conversation, text: "message \(number)")
            simulation.requestLater(machine, .send(outgoing), in: UInt64(number) * 50)
        }
        try simulation.run(for: 5_000)
        simulation.block(0, 1)
        simulation.block(0, 2)
        try simulation.run(for: 15_000)
        #expect(simulation.texts(on: 0, in: self.room) != simulation.texts(on: 1, in: self.room))
        simulation.heal()
        try simulation.run(for: 10_000)
        try simulation.settle()
        let texts = simulation.texts(on: 0, in: self.room)
        #expect(Set(texts) == Set((0..<600).map { "message \($0)" }))
        #expect(texts.count == 600)
        #expect(simulation.acknowledgedCount == 600)
        for machine in 1...2 { #expect(simulation.texts(on: machine, in: self.room) == texts) }
    }

    @Test("a restored backup goes on in a new incarnation and gets its old messages back")
    func restoredBackup() throws {
        let simulation = try Simulation.joined(3, in: self.room, seed: 4)
        try simulation.send("before the backup", from: 0, to: self.room)
        try simulation.run(for: 500)
        simulation.backUp(0)
        let incarnation = simulation.status(of: 0)?.incarnation
        try simulation.send("after the backup", from: 0, to: self.room)
        try simulation.run(for: 500)
        for machine in 0...2 { try simulation.crash(machine, isSilent: false) }
        simulation.restore(0)
        try simulation.start(0)
        try simulation.send("after the restore", from: 0, to: self.room)
        try simulation.run(for: 500)
        #expect(simulation.status(of: 0)?.incarnation != incarnation)
        #expect(
            simulation.texts(on: 0, in: self.room) == ["before the backup", "after the restore"])
        try simulation.settle()
        for machine in 0...2 {
            #expect(
                simulation.texts(on: machine, in: self.room)
                    == ["before the backup", "after the backup", "after the restore"])
            #expect(simulation.forkPoints(on: machine, of: 0, in: self.room).isEmpty)
        }
    }

    // Shows: shown.restore
    @Test("100 starts without the state directory silence nobody")
    func lostStates() throws {
        let simulation = try Simulation.joined(2, in: self.room, seed: 16)
        var texts: [String] = []
        for round in 0..<100 {
            try simulation.crash(0, isSilent: false)
            try simulation.start(0, isContinuous: false)
            texts.append("start \(round)")
            try simulation.send(texts[round], from: 0, to: self.room)
            try simulation.run(for: 3_000)
            guard simulation.texts(on: 1, in: self.room) == texts else {
                Issue.record("start \(round) is not heard")
                return
            }
        }
        #expect(simulation.status(of: 0)?.alerts.map(\.code) == [.newIncarnation])
        try simulation.settle()
    }

    // Shows: shown.restore
    @Test("100 restores of the same old backup silence nobody, and bring all back")
    func restores() throws {
        let simulation = try Simulation.joined(2, in: self.room, seed: 17)
        simulation.backUp(0)
        var texts: [String] = []
        for round in 0..<100 {
            try simulation.crash(0, isSilent: false)
            simulation.restore(0)
            try simulation.start(0)
            texts.append("restore \(round)")
            try simulation.send(texts[round], from: 0, to: self.room)
            try simulation.run(for: 3_000)
            guard simulation.texts(on: 1, in: self.room) == texts else {
                Issue.record("restore \(round) is not heard")
                return
            }
        }
        try simulation.settle()
        #expect(simulation.texts(on: 0, in: self.room) == texts)
    }

    @Test("a newcomer gets a long history")
    func longHistory() throws {
        let simulation = try Simulation.joined(2, in: self.room, seed: 6)
        for number in 0..<5_000 {
            try simulation.send("message \(number)", from: 0, to: self.room)
            if number % 50 == 0 { try simulation.run(for: 20) }
        }
        try simulation.run(for: 2_000)
        let texts = simulation.texts(on: 0, in: self.room)
        #expect(texts.count == 5_000)
        #expect(simulation.texts(on: 1, in: self.room) == texts)
        let newcomer = simulation.addMachine()
        try simulation.start(newcomer)
        try simulation.request(newcomer, .join(self.room))
        try simulation.run(for: 5_000)
        #expect(simulation.texts(on: newcomer, in: self.room) == texts)
    }

    @Test("on a calm network each entry crosses each link once")
    func noDuplicates() throws {
        let simulation = try Simulation.joined(4, in: self.room, seed: 8)
        try simulation.run(for: 30_000)
        let before = simulation.runCount
        for number in 0..<100 {
            try simulation.send("message \(number)", from: number % 4, to: self.room)
            try simulation.run(for: 200)
        }
        try simulation.run(for: 1_000)
        #expect(simulation.runCount - before == 300)
        for machine in 0...3 {
            #expect(simulation.texts(on: machine, in: self.room).count == 100)
        }
    }

    @Test("a dozen nodes that all start at once agree")
    func dozen() throws {
        let simulation = try Simulation.joined(12, in: self.room, seed: 9)
        for machine in 0..<12 {
            try simulation.send("hello from \(machine)", from: machine, to: self.room)
        }
        try simulation.settle()
        #expect(simulation.texts(on: 5, in: self.room).count == 12)
    }

    @Test("what is sent behind a join that failed is refused with it")
    func failedJoin() throws {
        let simulation = Simulation(seed: 10, machines: 2, faults: Faults())
        try simulation.start(0)
        try simulation.run(for: 1_000)
        simulation.setDiskFull(0, true)
        try simulation.request(0, .join(self.room))
        try simulation.send("into the unknown", from: 0, to: self.room)
        try simulation.run(until: "refused", within: 1_000) {
            simulation.status(of: 0)?.alerts.map(\.code).contains(.storage) == true
        }
        simulation.setDiskFull(0, false)
        try simulation.run(for: 10_000)
        #expect(simulation.texts(on: 0, in: self.room).isEmpty)
        try simulation.settle()
    }

    @Test("a full disk refuses what is sent, and takes what peers hold once there is room")
    func fullDisk() throws {
        let simulation = try Simulation.joined(2, in: self.room, seed: 5)
        simulation.setDiskFull(0, true)
        try simulation.send("refused", from: 0, to: self.room)
        try simulation.send("waits for room", from: 1, to: self.room)
        try simulation.run(for: 20_000)
        #expect(simulation.texts(on: 0, in: self.room).isEmpty)
        #expect(simulation.status(of: 0)?.alerts.map(\.code).contains(.storage) == true)
        simulation.setDiskFull(0, false)
        try simulation.settle()
        #expect(simulation.texts(on: 0, in: self.room) == ["waits for room"])
        #expect(simulation.texts(on: 1, in: self.room) == ["waits for room"])
        #expect(simulation.status(of: 0)?.alerts.map(\.code).contains(.storage) == false)
    }
}
