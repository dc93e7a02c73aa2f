import Crypto
import Engine
import Formats

/// A person's second device is stolen, and revoked while the network is in two parts.
extension Simulation {
    /// Who is who in such a run.
    private struct Theft {
        /// Has the person's other device, and revokes the stolen one.
        let victim: Int
        let stolen: Int
        /// Those whom the thief meets before they know of it.
        let deceived: Set<Int>
        var group: ConversationID

        func isApart(_ index: Int) -> Bool { index == self.stolen || self.deceived.contains(index) }
    }

    /// Runs a group of which one member has two devices: one is stolen, and revoked in a partition in which the thief goes
    /// on writing and acting.
    ///
    /// - Throws: ``Violation`` also where the honest ones do not agree in the end, cannot all write, or show what the thief
    ///   wrote after they knew.
    @discardableResult
    package static func theft(seed: UInt64, log: ((String) -> Void)? = nil) throws -> Simulation {
        var random = SeededRandom(seed: seed)
        var faults = Faults()
        faults.jitter = random.number(UInt64(0)...200)
        faults.spread = random.chance(40) ? random.number(UInt64(1)...1_000) : 0
        faults.commitDelay = random.chance(30) ? random.number(UInt64(1)...400) : 12
        faults.crashesAtAction = 50
        let simulation = Simulation(
            seed: random.next(), machines: random.number(4...7), faults: faults)
        simulation.record.log = log
        try simulation.playTheft()
        return simulation
    }

    private func playTheft() throws {
        let stolen = self.machines.count - 1
        let victim = self.random.number(0...stolen - 1)
        self.shareAPerson(stolen, with: victim)
        let others = (0..<stolen).filter { $0 != victim }
        let group = try self.foundWithAll()
        let theft = Theft(
            victim: victim, stolen: stolen,
            deceived: Set(others.filter { _ in self.random.chance(50) }), group: group)
        let isAdmin = victim == 0 || self.random.chance(60)
        if victim != 0, isAdmin {
            try self.request(
                0, .groupAct(theft.group, .admin(self.machines[victim].person, 256)))
        }
        for index in self.machines.indices { try self.say("before", by: index, theft) }
        try self.run(for: 3_000)
        let revoked = try self.rob(theft, isAdmin: isAdmin)
        self.heal()
        var reason = ""
        do {
            try self.run(until: "all know of the theft", within: 300_000) {
                try self.acceptGroups()
                reason = self.disagreement(after: theft) ?? ""
                return reason.isEmpty
            }
        } catch let violation as Violation { throw Violation("\(violation): \(reason)") }
        try self.checkThief(theft, since: revoked)
    }

    /// One founds a group, and all come in.
    private func foundWithAll() throws -> ConversationID {
        for index in self.machines.indices { try self.start(index) }
        try self.run(for: 5_000)
        guard let name = RoomName("theft") else { preconditionFailure("that is a name") }
        let history: Group.History = self.random.chance(40) ? .joined : .all
        try self.request(0, .groupCreate(name, .open, history))
        try self.run(for: 2_000)
        guard let group = self.checker.groups.table.keys.first else {
            throw Violation("no group was founded")
        }
        for person in Set(self.machines.map(\.person)).sorted()
        where person != self.machines[0].person {
            try self.request(0, .groupAct(group, .add(person)))
        }
        try self.run(until: "all are in", within: 60_000) {
            try self.acceptGroups()
            return self.machines.allSatisfy { self.checker.takesPart($0, in: group) }
        }
        return group
    }

    /// The two parts go their ways, and in one of them the device is revoked; gives when.
    private func rob(_ theft: Theft, isAdmin: Bool) throws -> UInt64 {
        for one in self.machines.indices where theft.isApart(one) {
            for other in self.machines.indices where !theft.isApart(other) {
                self.block(one, other)
            }
        }
        try self.run(for: self.random.number(UInt64(0)...40_000))
        try self.request(theft.victim, .revokeDevice(self.machines[theft.stolen].id))
        let revoked = self.wall
        let (noa, mia) = (self.stranger(1), self.stranger(2))
        for number in 0..<self.random.number(4...24) {
            try self.run(for: self.random.number(UInt64(100)...4_000))
            switch self.random.number(0...9) {
            case 0...3: try self.say("stolen \(number)", by: theft.stolen, theft)
            case 4 where isAdmin:
                try self.request(theft.stolen, .groupAct(theft.group, .add(noa)))
            case 5 where isAdmin:
                let subject = self.random.number(0...theft.stolen - 1)
                try self.request(
                    theft.stolen,
                    .groupAct(theft.group, .remove(self.machines[subject].person, seen: [])))
            case 6: try self.request(0, .groupAct(theft.group, .add(mia)))
            case 7 where self.random.chance(50):
                try self.fall(self.random.number(0...theft.stolen))
            default:
                let index = self.random.number(0...theft.stolen - 1)
                try self.say("honest \(number)", by: index, theft)
            }
        }
        for index in self.machines.indices { try self.start(index) }
        return revoked
    }

    /// A person who never comes.
    private func stranger(_ number: UInt8) -> PersonID {
        PersonID(BLAKE2b.hash256([number]))
    }

    private func say(_ text: String, by index: Int, _ theft: Theft) throws {
        try self.request(index, .send(Outgoing(conversation: theft.group, text: text)))
    }

    private func honest(_ theft: Theft) -> [Machine] {
        self.machines.filter { $0.index != theft.stolen }
    }

    private func disagreement(after theft: Theft) -> String? {
        let honest = self.honest(theft)
        for machine in honest {
            let roster = self.checker.groups.roster(
                of: machine.store.groups.known[theft.group] ?? [])
            guard roster.cutDevices.contains(self.machines[theft.stolen].owned) else {
                return "node \(machine.index) does not know the cut"
            }
            guard self.checker.takesPart(machine, in: theft.group) else {
                return "node \(machine.index) is out of a group from which nobody honest removed it"
            }
        }
        return self.checker.disagreementOfGroups(honest)
    }

    /// What the thief writes from here on reaches nobody, all others read one another, and what it wrote before is seen
    /// by those alone who did not know.
    private func checkThief(_ theft: Theft, since revoked: UInt64) throws {
        let honest = self.honest(theft)
        try self.say("after", by: theft.stolen, theft)
        for machine in honest { try self.say("I am \(machine.index)", by: machine.index, theft) }
        try self.run(until: "all read all", within: 120_000) {
            honest.allSatisfy { machine in
                let read = Set(self.texts(on: machine.index, in: theft.group))
                return honest.allSatisfy { read.contains("I am \($0.index)") }
            }
        }
        try self.run(for: 30_000)
        for machine in honest {
            let seen = self.messages(on: machine.index, in: theft.group).filter {
                $0.author == theft.stolen && $0.text != "before"
            }
            guard seen.allSatisfy({ theft.isApart(machine.index) && $0.text != "after" }) else {
                throw Violation("node \(machine.index) shows what a stolen device wrote")
            }
            try self.checker.looked(at: machine)
        }
    }
}
