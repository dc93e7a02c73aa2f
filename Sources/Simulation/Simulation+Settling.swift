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
            try self.start(index)
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
        let before = self.checker.syncFrames
        try self.run(for: 60_000)
        guard self.checker.syncFrames == before else {
            throw Violation(
                "\(self.checker.syncFrames - before) sync frames a minute on a quiet network")
        }
        if let reason = try self.disagreement() { throw Violation("no longer agree: \(reason)") }
        try self.checker.settled(self.machines, through: self.deadline)
    }

    /// Entries up to here are due.
    private var deadline: HybridTime {
        HybridTime(wallMilliseconds: self.wall + Limits.aheadMilliseconds - 1_000)
    }

    /// What does not agree yet; nil where all does.
    package func disagreement() throws -> String? {
        for one in self.machines {
            for other in self.machines where one.index < other.index && one.id != other.id {
                let links = self.wires.values.count { wire in
                    wire.ends.allSatisfy { !$0.isGone && $0.link != nil }
                        && Set(wire.ends.map(\.machine)) == [one.index, other.index]
                }
                if links != 1 {
                    return "\(links) links between \(one.index) and \(other.index)"
                }
            }
            for link in one.wires.keys where one.timers[.ping(link)] == nil {
                return "a link of \(one.index) is not pinged"
            }
            if !one.requests.isEmpty { return "requests of \(one.index) are not answered" }
        }
        let rooms = Set(self.machines.flatMap { $0.store.rooms.keys }).sorted()
        for room in rooms {
            let members = self.machines.filter { $0.store.rooms[room]?.isJoined == true }
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
