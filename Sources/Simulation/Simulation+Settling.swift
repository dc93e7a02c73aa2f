import Engine
import Noise

/// The end of every simulation: faults stop, and all replicas must agree.
extension Simulation {
    /// Ends all faults and waits until all agree; then checks that the network is quiet.
    package func settle(within limit: UInt64 = 300_000) throws {
        self.isSettling = true
        self.heal()
        for index in self.machines.indices {
            self.setDiskFull(index, false)
            self.setClock(index, error: 0)
            self.machines[index].readRate = 1_000_000
            if !self.machines[index].isRetired { try self.start(index) }
        }
        for one in self.machines.indices {
            for other in self.machines.indices { self.noteDiscovery(of: other, by: one) }
        }
        var reason = ""
        do {
            try self.run(until: "all agree", within: limit) {
                reason = try self.disagreement() ?? ""
                return reason.isEmpty
            }
        } catch let violation as Violation {
            throw reason.isEmpty ? violation : Violation("\(violation): \(reason)")
        }
        try self.run(for: 65_000)
        if let reason = try self.disagreement() { throw Violation("no longer agree: \(reason)") }
        // A configured address may turn out late to be that of a linked peer; then the links are two
        // for a moment, and one is new.
        var isQuiet = false
        for _ in 0..<4 where !isQuiet {
            let before = (self.checker.syncFrames, self.linkCount)
            try self.run(for: 60_000)
            isQuiet = self.checker.syncFrames == before.0
            guard isQuiet || self.linkCount > before.1 else {
                throw Violation(
                    "\(self.checker.syncFrames - before.0) sync frames on a quiet network")
            }
        }
        guard isQuiet else { throw Violation("links come and go on a quiet network") }
        if let reason = try self.disagreement() { throw Violation("no longer agree: \(reason)") }
        try self.checkRest()
        try self.checker.settled(self.machines, through: self.deadline)
    }

    /// Where nothing happens nothing is under way and nothing is owed.
    private func checkRest() throws {
        for machine in self.machines {
            guard let audit = machine.node?.audit else { continue }
            guard audit.open.isEmpty else {
                throw Violation("at rest node \(machine.index) still has \(audit.open)")
            }
            for (key, log) in machine.store.logs where audit.logs[key]?.head.id != log.head.id {
                throw Violation("at rest node \(machine.index) does not know its own disk")
            }
        }
        for wire in self.wires.values {
            for (side, direction) in wire.directions.enumerated() where !wire.ends[side].isGone {
                for (channel, bytes) in direction.outstanding where bytes > 16_384 {
                    throw Violation(
                        "\(bytes) bytes on \(channel) are never credited back to "
                            + "\(wire.ends[side].machine)")
                }
            }
        }
    }

    /// Entries up to here are due.
    private var deadline: HybridTime {
        HybridTime(wallMilliseconds: self.wall + Limits.aheadMilliseconds - 1_000)
    }

    /// What does not agree yet; nil where all does.
    package func disagreement() throws -> String? {
        let machines = self.machines.filter { !$0.isRetired }
        for one in machines {
            for other in machines where one.index < other.index && one.id != other.id {
                let links = self.linkCount(one.index, other.index)
                if links != 1 {
                    return "\(links) links between \(one.index) and \(other.index)"
                }
            }
            for link in one.wires.keys where one.timers[.ping(link)] == nil {
                return "a link of \(one.index) is not pinged"
            }
            if !one.requests.isEmpty { return "requests of \(one.index) are not answered" }
        }
        let rooms = Set(machines.flatMap { $0.store.rooms.keys }).sorted()
        for room in rooms {
            let members = machines.filter { $0.store.rooms[room]?.isJoined == true }
            guard let first = members.first else { continue }
            let expected = first.store.replica(of: room, through: self.deadline)
            for member in members.dropFirst() {
                let replica = member.store.replica(of: room, through: self.deadline)
                if replica != expected {
                    return self.difference(expected, first.index, replica, member.index)
                }
            }
        }
        return nil
    }

    private func difference(_ one: Replica, _ first: Int, _ other: Replica, _ second: Int) -> String
    {
        for name in Set(one.logs.keys).union(other.logs.keys).sorted()
        where one.logs[name] != other.logs[name] {
            let author = self.machines.first { $0.id == name.author }?.index ?? -1
            func text(_ log: Replica.Log?) -> String {
                log.map {
                    "\($0.seq) \($0.head.description.prefix(4))"
                        + ($0.point.map { " forked at \($0)" } ?? "")
                } ?? "nothing"
            }
            return "of a log of \(author) node \(first) has \(text(one.logs[name])), node "
                + "\(second) \(text(other.logs[name]))"
        }
        if one.profiles != other.profiles { return "profiles on \(first) and \(second) differ" }
        return "\(first) shows \(one.shown.count), \(second) shows \(other.shown.count)"
    }
}
