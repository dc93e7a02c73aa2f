import Engine
import Formats

/// A network of more machines than a node has links, on which each can find all others.
extension Simulation {
    /// What a run of an office has found.
    package struct OfficeFigures: Sendable {
        /// Of how many pieces the honest members were at the last look; at each one, or the run fails.
        package var pieces = 0
        /// How often an honest member got each message of a calm minute, on average.
        package var copies = 0.0
        /// How long after all were back all agreed, in milliseconds.
        package var healedWithin: UInt64 = 0
        /// How long it took until a room of few was one piece, and two people had each other.
        package var foundWithin: UInt64 = 0
        /// The fewest links of an honest node, the median, and the most.
        package var links: (least: Int, median: Int, most: Int) = (0, 0, 0)

        /// In words and numbers in turn.
        package var summary: String {
            "pieces \(self.pieces) copies \(Double(Int(self.copies * 1_000)) / 1_000) "
                + "found \(self.foundWithin) healed \(self.healedWithin) "
                + "links \(self.links.least)/\(self.links.median)/\(self.links.most)"
        }
    }

    /// Of how many machines one is hostile: it takes links, and keeps all that it has to itself.
    private static var sybilOf: Int { 5 }
    /// How many hosts the hostile machines share.
    private static var sybilHosts: Int { 16 }
    /// After how many starts it is told how far a run is.
    private static var tellEvery: Int { 50 }
    /// All must agree so long after the last machine is back.
    package static var healMilliseconds: UInt64 { 30_000 }
    /// So many are in a room of their own.
    private static var fewMembers: Int { 10 }
    /// They, and two people who write to one another, have found each other so long after.
    package static var findMilliseconds: UInt64 { 600_000 }

    /// Runs a network on which all find all: its machines start one by one and enter one room, some come
    /// and go, then a fifth of them fail at once and come back.
    ///
    /// Beside that some are in a small room, and two write to one another, who are hardly linked by chance.
    ///
    /// - Parameters:
    ///   - links: how many links each has at most; nil for as many as daemons.
    ///   - progress: told now and then how far it is, since a large one takes an hour.
    /// - Throws: ``Violation`` where the honest members are not one piece, get messages more often than
    ///   they need, or do not agree in time.
    package static func office(
        seed: UInt64, _ count: Int, links: Int? = nil,
        log: ((String) -> Void)? = nil, progress: (String) -> Void = { _ in }
    ) throws -> (simulation: Simulation, figures: OfficeFigures) {
        var random = SeededRandom(seed: seed)
        var faults = Faults()
        faults.jitter = 10
        let simulation = Simulation(seed: random.next(), machines: count, faults: faults)
        simulation.record.log = log
        if let links { simulation.bounds.links = Self.budget(of: links) }
        return (
            simulation,
            try simulation.playOffice { moment in
                progress(
                    "\(moment), \(simulation.time / 1_000) s, \(simulation.record.eventCount) events"
                )
            }
        )
    }

    /// Each part of it is as large a share as that of daemons.
    static func budget(of links: Int) -> LinkBudget {
        var budget = LinkBudget()
        budget.known = budget.known * links / budget.links
        budget.dialled = budget.dialled * links / budget.links
        budget.wanted = budget.wanted * links / budget.links
        budget.sources = budget.sources * links / budget.links
        budget.links = links
        return budget
    }

    private func playOffice(reached: (String) -> Void) throws -> OfficeFigures {
        var figures = OfficeFigures()
        let room = self.room(0)
        self.placeSybils()
        for index in self.machines.indices {
            try self.start(index)
            try self.run(for: self.random.number(UInt64(50)...350))
            try self.request(index, .join(room))
            if (index + 1).isMultiple(of: Self.tellEvery) { reached("\(index + 1) have started") }
        }
        try self.churn(in: room, rounds: self.machines.count / 4)
        reached("some have come and gone")
        try self.run(for: 30_000)
        figures.pieces = try self.checkPiece(of: room, "after the start")
        let few = Array(self.honest.shuffled(using: &self.random).prefix(Self.fewMembers))
        figures.foundWithin = try self.findFew(few)
        reached("few have found each other")
        figures.copies = try self.copies(of: 30, in: room)
        figures.links = self.linkFigures()
        reached("calm messages have come to all")
        let failed = self.honest.shuffled(using: &self.random).prefix(self.machines.count / 5)
        for index in failed { try self.crash(index, isSilent: true) }
        try self.run(for: 5_000)
        try self.say("while a fifth is away", in: room)
        try self.run(for: 60_000)
        figures.pieces = try self.checkPiece(of: room, "while a fifth is away")
        reached("the rest is one piece")
        for index in failed { try self.start(index) }
        let begin = self.time
        var reason = ""
        do {
            try self.run(until: "all agree", every: 1_000, within: Self.healMilliseconds) {
                reason = self.disagreement(in: room.conversation, among: self.honest) ?? ""
                return reason.isEmpty
            }
        } catch let violation as Violation {
            throw reason.isEmpty ? violation : Violation("\(violation): \(reason)")
        }
        figures.healedWithin = self.time - begin
        figures.pieces = try self.checkPiece(of: room, "at the end")
        try self.findAgain(few)
        return figures
    }

    /// Few enter a room of their own, and the last two write to one another; gives how long it took until
    /// the room is one piece, and the two have what was written.
    private func findFew(_ few: [Int]) throws -> UInt64 {
        let begin = self.time
        for index in few { try self.request(index, .join(self.room(1))) }
        let (one, other) = (few[few.count - 2], few[few.count - 1])
        try self.send("for you alone", from: one, toPersonOf: other)
        try self.run(
            until: "few have found each other", every: 1_000, within: Self.findMilliseconds
        ) {
            self.pieces(of: self.room(1), among: few) == 1
                && !self.pendingRequests(on: other).isEmpty
        }
        return self.time - begin
    }

    /// The few are one piece again after some have been away.
    private func findAgain(_ few: [Int]) throws {
        try self.request(
            few[0], .send(Outgoing(conversation: self.room(1).conversation, text: "again")))
        try self.run(
            until: "few have found each other again", every: 1_000, within: Self.findMilliseconds
        ) {
            self.pieces(of: self.room(1), among: few) == 1
                && self.disagreement(in: self.room(1).conversation, among: few) == nil
        }
    }

    /// The honest machines that run.
    private var honest: [Int] {
        self.machines.indices.filter {
            self.machines[$0].isUp && self.machines[$0].adversary == nil
        }
    }

    /// Puts the hostile machines on a few hosts, and makes them keep everything from everybody.
    private func placeSybils() {
        let all = Array(self.machines.indices.shuffled(using: &self.random))
        for (number, index) in all.prefix(self.machines.count / Self.sybilOf).enumerated() {
            self.makeHostile(index, kinds: [.withhold])
            self.machines[index].adversary?.deprived = Set(all)
            for address in self.machines[index].addresses { self.network.listeners[address] = nil }
            let host = "10.8.0.\(number % Self.sybilHosts + 1)"
            let address = "\(host):\(7_000 + number / Self.sybilHosts)"
            self.machines[index].addresses = [address]
            self.network.listeners[address] = index
        }
    }

    /// Machines come and go, one after the other, and somebody says something meanwhile.
    private func churn(in room: Room, rounds: Int) throws {
        for round in 0..<rounds {
            guard let index = self.honest.randomElement(using: &self.random) else { return }
            try self.crash(index, isSilent: self.random.chance(30))
            if round.isMultiple(of: 4) { try self.say("round \(round)", in: room) }
            try self.run(for: self.random.number(UInt64(200)...2_000))
            try self.start(index)
        }
    }

    private func say(_ text: String, in room: Room) throws {
        guard let index = self.honest.randomElement(using: &self.random) else { return }
        try self.request(index, .send(Outgoing(conversation: room.conversation, text: text)))
    }

    /// How often each honest member gets each of some messages, on average.
    private func copies(of messages: Int, in room: Room) throws -> Double {
        let before = self.checker.counts.entriesReceived
        for number in 0..<messages {
            try self.say("calm \(number)", in: room)
            try self.run(for: 1_000)
        }
        try self.run(for: 20_000)
        let received = self.checker.counts.entriesReceived - before
        let copies = Double(received) / Double(messages * (self.honest.count - 1))
        guard copies <= 1.1 else { throw Violation("\(copies) copies of each message come") }
        if let reason = self.disagreement(in: room.conversation, among: self.honest) {
            throw Violation("not all have what was said: \(reason)")
        }
        return copies
    }

    /// With whom each of some machines shares a room, of these.
    private func neighbourhood(in room: Room, among members: [Int]) -> [Int: Set<Int>] {
        var found = Dictionary(uniqueKeysWithValues: members.map { ($0, Set<Int>()) })
        for wire in self.network.wires.values
        where !wire.isDead && wire.ends.allSatisfy({ !$0.isGone && $0.link != nil })
            && wire.directions.allSatisfy({ $0.announced.contains(room.conversation) })
        {
            let (one, other) = (wire.ends[0].machine, wire.ends[1].machine)
            guard found[one] != nil, found[other] != nil else { continue }
            found[one]?.insert(other)
            found[other]?.insert(one)
        }
        return found
    }

    /// Of how many pieces some machines are.
    private func pieces(of room: Room, among members: [Int]) -> Int {
        var links = self.neighbourhood(in: room, among: members)
        var pieces = 0
        while let first = links.keys.min() {
            pieces += 1
            var next = [first]
            while let one = next.popLast() { next += links.removeValue(forKey: one) ?? [] }
        }
        return pieces
    }

    /// Throws where the honest machines are not one piece.
    private func checkPiece(of room: Room, _ moment: String) throws -> Int {
        let pieces = self.pieces(of: room, among: self.honest)
        guard pieces == 1 else {
            throw Violation("\(moment) honest nodes are \(pieces) pieces")
        }
        return pieces
    }

    private func linkFigures() -> (least: Int, median: Int, most: Int) {
        let counts = self.honest.map { self.machines[$0].wires.count }.sorted()
        return (counts.first ?? 0, counts.isEmpty ? 0 : counts[counts.count / 2], counts.last ?? 0)
    }
}
