import Engine
import Formats
import Testing

@testable import Simulation

@Suite("Conversations of two people") struct DirectTests {
    /// Some nodes that are in a room together.
    private static func simulation(seed: UInt64, _ count: Int) throws -> Simulation {
        let simulation = Simulation(seed: seed, machines: count, faults: Faults())
        for machine in 0..<count { try simulation.start(machine) }
        for machine in 0..<count { try simulation.request(machine, .join(simulation.room(0))) }
        try simulation.run(for: 5_000)
        return simulation
    }

    // Shows: told.direct
    @Test("what is begun on both sides while they are apart is one conversation, and in one order")
    func bothSides() throws {
        let simulation = try Self.simulation(seed: 1, 3)
        let id = simulation.directID(0, 1)
        for other in 1...2 { simulation.block(0, other) }
        for other in 1...2 { simulation.block(other, 0) }
        try simulation.run(for: 70_000)
        try simulation.send("from ada", from: 0, toPersonOf: 1)
        try simulation.send("from bea", from: 1, toPersonOf: 0)
        try simulation.run(for: 1_000)
        try simulation.send("from ada again", from: 0, toPersonOf: 1)
        #expect(simulation.texts(on: 0, in: id) == ["from ada"])
        #expect(simulation.texts(on: 1, in: id) == ["from bea"])
        simulation.heal()
        try simulation.settle()
        #expect(simulation.texts(on: 0, in: id).count == 3)
        #expect(simulation.messages(on: 0, in: id) == simulation.messages(on: 1, in: id))
        #expect(simulation.pendingRequests(on: 0).isEmpty)
        #expect(simulation.machines[2].store.logs.keys.allSatisfy { $0.conversation != id })
    }

    @Test(
        "of whom the user does not know the first text waits, and all comes once they are accepted")
    func accepted() throws {
        let simulation = try Self.simulation(seed: 2, 2)
        let id = simulation.directID(0, 1)
        for number in 1...5 { try simulation.send("text \(number)", from: 0, toPersonOf: 1) }
        try simulation.run(for: 5_000)
        #expect(simulation.pendingRequests(on: 1).map(\.text) == ["text 1"])
        #expect(simulation.machines[1].store.logs.keys.allSatisfy { $0.conversation != id })
        #expect(simulation.machines[0].node?.sendWait(in: id) == .unaccepted)
        try simulation.request(1, .accept(simulation.machines[0].id))
        try simulation.run(for: 5_000)
        #expect(simulation.texts(on: 1, in: id) == (1...5).map { "text \($0)" })
        #expect(simulation.pendingRequests(on: 1).isEmpty)
        #expect(simulation.machines[1].store.requests.isEmpty)
        #expect(simulation.machines[0].node?.sendWait(in: id) == nil)
        // Nor are they said not to have accepted when they are linked again.
        try simulation.crash(1, isSilent: false)
        try simulation.start(1)
        for _ in 0..<3_000 {
            try simulation.run(for: 10)
            try #require(simulation.machines[0].node?.sendWait(in: id) != .unaccepted)
        }
        #expect(simulation.machines[0].node?.sendWait(in: id) == nil)
        try simulation.send("answer", from: 1, toPersonOf: 0)
        try simulation.run(for: 5_000)
        #expect(simulation.texts(on: 0, in: id).last == "answer")
    }

    @Test(
        "the first text is answered once the other one has said whether they let its author in",
        arguments: [true, false])
    func firstAnswer(isMutual: Bool) throws {
        let simulation = try Self.simulation(seed: 13, 2)
        if isMutual {
            try simulation.request(1, .stand(simulation.machines[0].id, .known))
            try simulation.run(for: 1_000)
        }
        try simulation.send("hello", from: 0, toPersonOf: 1)
        while !simulation.machines[0].requests.isEmpty { try simulation.run(for: 1) }
        let wait = simulation.machines[0].node?.sendWait(in: simulation.directID(0, 1))
        #expect(wait == (isMutual ? nil : .unaccepted))
    }

    @Test("who is declined is not told and asks no more, over restarts of both")
    func declined() throws {
        let simulation = try Self.simulation(seed: 3, 2)
        try simulation.send("let me in", from: 0, toPersonOf: 1)
        try simulation.run(for: 5_000)
        try simulation.request(1, .decline(simulation.machines[0].id))
        try simulation.send("please", from: 0, toPersonOf: 1)
        try simulation.run(for: 5_000)
        for machine in 0...1 { try simulation.crash(machine, isSilent: false) }
        for machine in 0...1 { try simulation.start(machine) }
        try simulation.run(for: 70_000)
        #expect(simulation.pendingRequests(on: 1).isEmpty)
        #expect(
            simulation.machines[0].node?.sendWait(in: simulation.directID(0, 1)) == .unaccepted)
        // Whoever writes to them lets them in.
        try simulation.send("well then", from: 1, toPersonOf: 0)
        try simulation.run(for: 5_000)
        let texts = simulation.texts(on: 1, in: simulation.directID(0, 1))
        #expect(texts == ["let me in", "please", "well then"])
    }

    @Test("a request waits over restarts, and is accepted while who asked is away")
    func acceptedWhileAway() throws {
        let simulation = try Self.simulation(seed: 4, 2)
        try simulation.send("hello", from: 0, toPersonOf: 1)
        try simulation.run(for: 5_000)
        try simulation.crash(0, isSilent: false)
        try simulation.crash(1, isSilent: false)
        try simulation.start(1)
        #expect(simulation.pendingRequests(on: 1).map(\.text) == ["hello"])
        try simulation.request(1, .accept(simulation.machines[0].id))
        try simulation.run(for: 1_000)
        try simulation.start(0)
        try simulation.run(for: 70_000)
        #expect(simulation.texts(on: 1, in: simulation.directID(0, 1)) == ["hello"])
    }

    @Test("somebody is written to who is away and was never linked: their logs say their keys")
    func away() throws {
        let simulation = try Self.simulation(seed: 5, 3)
        try simulation.crash(2, isSilent: false)
        let late = simulation.addMachine()
        try simulation.start(late)
        try simulation.request(late, .join(simulation.room(0)))
        try simulation.run(for: 5_000)
        try simulation.send("for when you are back", from: late, toPersonOf: 2)
        try simulation.run(for: 1_000)
        let id = simulation.directID(late, 2)
        // Its entries came from the other one, and are not old.
        #expect(simulation.machines[late].node?.sendWait(in: id) == .indirect)
        try simulation.run(for: 300_000)
        #expect(simulation.machines[late].node?.sendWait(in: id) == .away)
        try simulation.start(2)
        try simulation.run(for: 70_000)
        #expect(simulation.pendingRequests(on: 2).map(\.text) == ["for when you are back"])
    }

    @Test("whoever the user says to know is let in with what waits, and waits in no list")
    func madeKnown() throws {
        let simulation = try Self.simulation(seed: 7, 2)
        let (id, asker) = (simulation.directID(0, 1), simulation.machines[0].id)
        for number in 1...3 { try simulation.send("text \(number)", from: 0, toPersonOf: 1) }
        try simulation.run(for: 5_000)
        #expect(simulation.pendingRequests(on: 1).map(\.text) == ["text 1"])
        try simulation.request(1, .stand(asker, .known))
        try simulation.run(for: 5_000)
        #expect(simulation.pendingRequests(on: 1).isEmpty)
        #expect(simulation.machines[1].store.requests.isEmpty)
        #expect(simulation.texts(on: 1, in: id) == (1...3).map { "text \($0)" })
        #expect(simulation.machines[0].node?.sendWait(in: id) == nil)
    }

    @Test(
        "what is written to who was declined, on a disk that is full, is refused; later it goes through"
    )
    func onAFullDisk() throws {
        let simulation = try Self.simulation(seed: 9, 2)
        let (id, asker) = (simulation.directID(0, 1), simulation.machines[0].id)
        try simulation.send("one", from: 0, toPersonOf: 1)
        try simulation.run(for: 5_000)
        try simulation.request(1, .decline(asker))
        try simulation.run(for: 1_000)
        simulation.setDiskFull(1, true)
        func say(_ text: String, _ machine: Int, in conversation: ConversationID) throws {
            try simulation.request(
                machine, .send(Outgoing(conversation: conversation, text: text)))
        }
        let room = simulation.room(0).conversation
        // Then what comes waits for a moment; when it is given up, so is the link that brought it, and
        // with that the conversation.
        try say("not stored", 1, in: room)
        try simulation.run(for: 100)
        try say("waits", 0, in: room)
        try simulation.run(for: 100)
        try simulation.request(1, .beginDirect(asker))
        // The node has given the store its batch: this waits behind it.
        try say("lost", 1, in: id)
        try simulation.run(for: 60_000)
        #expect(simulation.machines[1].requests.isEmpty && simulation.machines[1].isUp)
        simulation.setDiskFull(1, false)
        try simulation.run(for: 70_000)
        try simulation.request(1, .stand(asker, .known))
        try simulation.run(for: 20_000)
        #expect(simulation.texts(on: 1, in: id) == ["one"])
    }

    @Test("whoever was declined is let in once the user says to know them, on the same link")
    func declinedThenKnown() throws {
        let simulation = try Self.simulation(seed: 8, 2)
        let (id, asker) = (simulation.directID(0, 1), simulation.machines[0].id)
        try simulation.send("one", from: 0, toPersonOf: 1)
        try simulation.run(for: 5_000)
        try simulation.request(1, .decline(asker))
        try simulation.send("two", from: 0, toPersonOf: 1)
        try simulation.run(for: 5_000)
        #expect(simulation.texts(on: 1, in: id).isEmpty)
        try simulation.request(1, .stand(asker, .known))
        try simulation.send("three", from: 0, toPersonOf: 1)
        try simulation.run(for: 5_000)
        #expect(simulation.texts(on: 1, in: id) == ["one", "two", "three"])
        #expect(simulation.machines[1].store.requests.isEmpty)
        #expect(simulation.machines[0].node?.sendWait(in: id) == nil)
    }

    @Test("whoever has asked is let in by being known while they are away, over restarts")
    func knownWhileAway() throws {
        let simulation = try Self.simulation(seed: 9, 2)
        let (id, asker) = (simulation.directID(0, 1), simulation.machines[0].id)
        try simulation.send("hello", from: 0, toPersonOf: 1)
        try simulation.run(for: 5_000)
        for machine in 0...1 { try simulation.crash(machine, isSilent: false) }
        try simulation.start(1)
        try simulation.request(1, .stand(asker, .verified))
        try simulation.run(for: 1_000)
        #expect(simulation.pendingRequests(on: 1).isEmpty)
        #expect(simulation.machines[1].store.requests.isEmpty)
        try simulation.start(0)
        try simulation.run(for: 70_000)
        #expect(simulation.texts(on: 1, in: id) == ["hello"])
    }

    @Test(
        "to be known is not enough where only who is verified may: the request stays, or asks anew")
    func onlyVerified() throws {
        let simulation = Simulation(seed: 10, machines: 2, faults: Faults())
        for machine in 0...1 { try simulation.start(machine) }
        let preferences = NodePreferences(
            directFrom: .verified, tellsPresence: false, tellsTyping: false)
        try simulation.tell(1, .preferences(preferences))
        for machine in 0...1 { try simulation.request(machine, .join(simulation.room(0))) }
        try simulation.run(for: 5_000)
        let (id, asker) = (simulation.directID(0, 1), simulation.machines[0].id)
        try simulation.send("let me in", from: 0, toPersonOf: 1)
        try simulation.run(for: 5_000)
        try simulation.request(1, .stand(asker, .known))
        try simulation.run(for: 5_000)
        #expect(simulation.pendingRequests(on: 1).map(\.text) == ["let me in"])
        try simulation.request(1, .decline(asker))
        try simulation.run(for: 5_000)
        #expect(simulation.pendingRequests(on: 1).isEmpty)
        try simulation.request(1, .stand(asker, .known))
        try simulation.run(for: 5_000)
        #expect(simulation.pendingRequests(on: 1).map(\.text) == ["let me in"])
        try simulation.request(1, .stand(asker, .verified))
        try simulation.run(for: 5_000)
        #expect(simulation.pendingRequests(on: 1).isEmpty)
        #expect(simulation.texts(on: 1, in: id) == ["let me in"])
    }

    @Test("whose request waits is not told that others have no room for what they write")
    func noFalseAlarm() throws {
        let simulation = try Self.simulation(seed: 11, 2)
        try simulation.send("hello", from: 0, toPersonOf: 1)
        try simulation.run(for: 5_000)
        #expect(simulation.pendingRequests(on: 1).map(\.text) == ["hello"])
        let status = simulation.machines[0].node?.status(at: simulation.instant(0))
        #expect(status?.alerts.map(\.code) == [])
    }

    @Test("notes to oneself stay on the own machine")
    func notes() throws {
        let simulation = try Self.simulation(seed: 6, 2)
        try simulation.send("remember", from: 0, toPersonOf: 0)
        try simulation.run(for: 5_000)
        let id = simulation.directID(0, 0)
        #expect(simulation.texts(on: 0, in: id) == ["remember"])
        #expect(simulation.machines[1].store.logs.keys.allSatisfy { $0.conversation != id })
    }

    @Test(
        "who was forgotten asks again with what they write next, and both go on where they were",
        arguments: UInt64(20)...25)
    func forgotten(seed: UInt64) throws {
        let simulation = try Self.simulation(seed: seed, 2)
        let (id, ada) = (simulation.directID(0, 1), simulation.machines[0].id)
        for number in 1...3 { try simulation.send("old \(number)", from: 0, toPersonOf: 1) }
        try simulation.run(for: 2_000)
        try simulation.request(1, .accept(ada))
        try simulation.send("old answer", from: 1, toPersonOf: 0)
        try simulation.run(for: 5_000)
        try simulation.request(1, .stand(ada, .unsaid))
        try simulation.request(1, .forget(ada))
        try simulation.run(for: 5_000)
        #expect(simulation.machines[1].node?.conversationStatus(of: id) == nil)
        #expect(simulation.pendingRequests(on: 1).isEmpty, "what was said before asks for nothing")
        if seed.isMultiple(of: 2) {
            try simulation.crash(1, isSilent: false)
            try simulation.start(1)
            try simulation.run(for: 70_000)
            #expect(simulation.pendingRequests(on: 1).isEmpty)
        }
        for number in 1...2 { try simulation.send("new \(number)", from: 0, toPersonOf: 1) }
        try simulation.run(for: 5_000)
        #expect(simulation.pendingRequests(on: 1).map(\.text) == ["new 1"])
        #expect(simulation.machines[0].node?.sendWait(in: id) == .unaccepted)
        if seed.isMultiple(of: 3) {
            for machine in 0...1 { try simulation.crash(machine, isSilent: false) }
            for machine in 0...1 { try simulation.start(machine) }
            try simulation.run(for: 70_000)
            #expect(simulation.pendingRequests(on: 1).map(\.text) == ["new 1"])
        }
        try simulation.request(1, .accept(ada))
        try simulation.send("new answer", from: 1, toPersonOf: 0)
        try simulation.run(for: 5_000)
        try simulation.settle()
        #expect(simulation.pendingRequests(on: 1).isEmpty)
        let texts = [
            "old 1", "old 2", "old 3", "old answer", "new 1", "new 2", "new answer",
        ]
        for machine in 0...1 { #expect(simulation.texts(on: machine, in: id) == texts) }
        for machine in 0...1 {
            let logs = simulation.machines[machine].store.logs.filter { $0.key.conversation == id }
            #expect(logs.count == 2 && logs.values.allSatisfy { $0.proof == nil })
        }
    }

    @Test("where anybody may write, somebody who was forgotten begins again by writing, not before")
    func forgottenWhereAnybodyMay() throws {
        let simulation = Simulation(seed: 31, machines: 2, faults: Faults())
        for machine in 0...1 { try simulation.start(machine) }
        let preferences = NodePreferences(
            directFrom: .anyone, tellsPresence: false, tellsTyping: false)
        try simulation.tell(1, .preferences(preferences))
        for machine in 0...1 { try simulation.request(machine, .join(simulation.room(0))) }
        try simulation.run(for: 5_000)
        let id = simulation.directID(0, 1)
        try simulation.send("old", from: 0, toPersonOf: 1)
        try simulation.run(for: 5_000)
        #expect(simulation.texts(on: 1, in: id) == ["old"])
        try simulation.request(1, .forget(simulation.machines[0].id))
        try simulation.run(for: 5_000)
        #expect(simulation.machines[1].node?.conversationStatus(of: id) == nil)
        try simulation.send("new", from: 0, toPersonOf: 1)
        try simulation.settle()
        #expect(simulation.pendingRequests(on: 1).isEmpty)
        #expect(simulation.texts(on: 1, in: id) == ["old", "new"])
    }

    @Test("whoever writes to somebody whom they have forgotten goes on where they were")
    func writtenToAgain() throws {
        let simulation = try Self.simulation(seed: 30, 2)
        let id = simulation.directID(0, 1)
        try simulation.send("old", from: 0, toPersonOf: 1)
        try simulation.run(for: 2_000)
        try simulation.request(1, .accept(simulation.machines[0].id))
        try simulation.send("old answer", from: 1, toPersonOf: 0)
        try simulation.run(for: 2_000)
        for machine in 0...1 {
            try simulation.request(machine, .forget(simulation.machines[1 - machine].id))
        }
        try simulation.run(for: 2_000)
        try simulation.send("new", from: 1, toPersonOf: 0)
        try simulation.run(for: 5_000)
        #expect(simulation.pendingRequests(on: 0).map(\.text) == ["new"])
        try simulation.request(0, .decline(simulation.machines[1].id))
        try simulation.run(for: 2_000)
        try simulation.send("well then", from: 0, toPersonOf: 1)
        try simulation.settle()
        for machine in 0...1 {
            #expect(simulation.texts(on: machine, in: id).suffix(2) == ["new", "well then"])
            let logs = simulation.machines[machine].store.logs.filter { $0.key.conversation == id }
            #expect(logs.count == 2 && logs.values.allSatisfy { $0.proof == nil })
        }
    }
}

@Suite("Secret rooms") struct SecretRoomTests {
    // Shows: told.secret-room
    @Test("are the same and in one order for those who have the key, and nothing for others")
    func holders() throws {
        let simulation = Simulation(seed: 4, machines: 4, faults: Faults())
        for machine in 0..<4 { try simulation.start(machine) }
        for machine in 0..<4 { try simulation.request(machine, .join(simulation.room(0))) }
        try simulation.run(for: 5_000)
        let (room, other) = (simulation.secretRoom(0), simulation.secretRoom(1))
        for machine in 0..<3 {
            try simulation.request(machine, .joinSecret(room))
            try simulation.request(
                machine, .send(Outgoing(conversation: room.id, text: "from \(machine)")))
        }
        try simulation.request(3, .joinSecret(other))
        try simulation.run(for: 5_000)
        try simulation.settle()
        for machine in 1..<3 {
            #expect(
                simulation.messages(on: machine, in: room.id)
                    == simulation.messages(on: 0, in: room.id))
        }
        #expect(simulation.texts(on: 0, in: room.id).count == 3)
        let strangers = simulation.machines[3].store
        #expect(strangers.logs.keys.allSatisfy { $0.conversation != room.id })
        #expect(simulation.machines[0].store.logs.keys.allSatisfy { $0.conversation != other.id })
    }

    @Test("that somebody has left are written on by others, and come back whole")
    func leave() throws {
        let simulation = Simulation(seed: 5, machines: 2, faults: Faults())
        for machine in 0..<2 { try simulation.start(machine) }
        let room = simulation.secretRoom(0)
        for machine in 0..<2 { try simulation.request(machine, .joinSecret(room)) }
        try simulation.run(for: 5_000)
        try simulation.request(1, .leave(room.id))
        try simulation.run(for: 5_000)
        try simulation.request(0, .send(Outgoing(conversation: room.id, text: "meanwhile")))
        try simulation.run(for: 5_000)
        #expect(simulation.texts(on: 1, in: room.id).isEmpty)
        try simulation.crash(1, isSilent: false)
        try simulation.start(1)
        try simulation.request(1, .joinSecret(room))
        try simulation.settle()
        #expect(simulation.texts(on: 1, in: room.id) == ["meanwhile"])
    }
}
