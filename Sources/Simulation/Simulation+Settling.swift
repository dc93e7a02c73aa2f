import Engine
import Formats
import Crypto

/// The end of every simulation: faults stop, and all replicas must agree.
extension Simulation {
    /// The most ping intervals in which all honest nodes must agree once nothing goes wrong any more.
    ///
    /// A stream that died silently is noticed after four, a peer that could not be reached is dialled
    /// again after five at the latest, and a digest that did not help is sent again after two, then
    /// four more.
    package static let mostRounds: UInt64 = 20

    /// The most minutes until one of them is quiet.
    ///
    /// Payloads that nobody has are asked of each link once, one stretch after the other, and a
    /// late answer may bring a digest or two: that ends, which is what counts.
    private static let mostMinutes = 10

    /// Ends all faults, hostile peers with them.
    private func endFaults() throws {
        self.isSettling = true
        self.heal()
        for index in self.machines.indices {
            if self.machines[index].adversary != nil { try self.retire(index) }
            self.setDiskFull(index, false)
            self.machines[index].clock.set(error: 0, drift: 0, at: self.wall)
            self.machines[index].fate.actionsUntilCrash = nil
            self.machines[index].readRate = 1_000_000
            if !self.machines[index].fate.isRetired { try self.start(index) }
        }
        if self.story.hasFiles { self.chooseWanters() }
        for one in self.machines.indices {
            for other in self.machines.indices where self.meets(one, other) {
                self.noteDiscovery(of: other, by: one)
            }
        }
    }

    /// Ends all faults and waits until all agree; then checks that the network is quiet.
    package func settle(within rounds: UInt64 = mostRounds) throws {
        try self.endFaults()
        try self.run(for: self.untilActsAreDue)
        let begin = self.time
        var reason = ""
        do {
            try self.run(
                until: "all agree", every: self.machines.count > 100 ? 5_000 : 250,
                within: rounds * Limits.pingMilliseconds
            ) {
                if self.story.hasFiles { try self.fetchLacking() }
                try self.acceptGroups()
                reason = try self.disagreement() ?? ""
                return reason.isEmpty
            }
        } catch let violation as Violation {
            throw reason.isEmpty ? violation : Violation("\(violation): \(reason)")
        }
        let milliseconds = self.time - begin
        self.rounds = (milliseconds + Limits.pingMilliseconds - 1) / Limits.pingMilliseconds
        let writers = try self.sayLastWords()
        try self.run(for: 65_000)
        try self.checkAgreement()
        try self.checkLastWords(of: writers)
        var frames = 0
        for minute in 0..<Self.mostMinutes where minute == 0 || frames > 0 {
            let before = self.checker.counts.syncFrames
            try self.run(for: 60_000)
            frames = self.checker.counts.syncFrames - before
        }
        // Two that keep other logs of strangers look at that now and then, for good.
        guard frames == 0 || self.checker.yielding.isNarrow else {
            throw Violation("\(frames) sync frames on a quiet network")
        }
        try self.checkAgreement()
        try self.checkRest()
        try self.checker.settled(self.machines, through: self.deadline)
        for machine in self.machines where machine.isUp { try self.checker.looked(at: machine) }
        try self.checker.matched(self.machines, through: self.deadline)
    }

    /// How long acts with a time ahead of the clock still wait: once they count, nodes may differ again.
    private var untilActsAreDue: UInt64 {
        let latest = self.checker.groups.acts.values.map(\.statement.time).max() ?? 0
        let due = latest - min(latest, Limits.joinMilliseconds)
        return due > self.wall ? due - self.wall + 4 * Limits.pingMilliseconds : 0
    }

    /// All agree still, but for a moment in which one link takes the place of another.
    private func checkAgreement() throws {
        // A message that was held until now may tell of a file.
        if self.story.hasFiles { try self.fetchLacking() }
        var reason = ""
        do {
            try self.run(until: "all agree again", within: Limits.pingMilliseconds) {
                reason = try self.disagreement() ?? ""
                return reason.isEmpty
            }
        } catch { throw Violation("no longer agree: \(reason)") }
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
            try self.checkServing(machine)
            try self.checker.keptFiles(on: machine)
        }
        for wire in self.network.wires.values {
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
        HybridTime(wallMilliseconds: self.wall + Limits.followedMilliseconds - 1_000)
    }

    /// What does not agree yet; nil where all does.
    package func disagreement() throws -> String? {
        let machines = self.machines.filter { !$0.fate.isRetired }
        var links: [Way: Int] = [:]
        // A stream that died silently is no link, though neither end knows yet.
        for wire in self.network.wires.values
        where !wire.isDead && wire.ends.allSatisfy({ !$0.isGone && $0.link != nil }) {
            let ends = wire.ends.map(\.machine).sorted()
            links[Way(from: ends[0], to: ends[1]), default: 0] += 1
        }
        for one in machines {
            for other in machines where one.index < other.index && one.id != other.id {
                let count = links[Way(from: one.index, to: other.index)] ?? 0
                guard self.meets(one.index, other.index) || count > 1 else { continue }
                if count != 1 {
                    return "\(count) links between \(one.index) and \(other.index)"
                }
            }
            for link in one.wires.keys where one.timers[.ping(link)] == nil {
                return "a link of \(one.index) is not pinged"
            }
            if !one.requests.isEmpty { return "requests of \(one.index) are not answered" }
        }
        if let reason = self.checker.disagreementOfGroups(self.machines) { return reason }
        let rooms = Set(machines.flatMap { $0.store.rooms.keys }).sorted()
        for room in rooms {
            let reason = self.disagreement(in: room, among: machines.map(\.index))
            if let reason { return reason }
        }
        return self.story.hasFiles ? self.lackOfFiles() : nil
    }

    /// What does not agree yet of a conversation among those of some machines that are in it.
    func disagreement(in room: ConversationID, among machines: [Int]) -> String? {
        let members = machines.map { self.machines[$0] }.filter {
            self.checker.takesPart($0, in: room)
        }
        guard let first = members.first else { return nil }
        let limit = self.checker.ends(in: room, among: members)
        let expected = first.store.replica(
            of: room, through: self.deadline, counts: self.checker.counts, to: limit)
        for member in members.dropFirst() {
            let replica = member.store.replica(
                of: room, through: self.deadline, counts: self.checker.counts, to: limit)
            if replica != expected {
                return self.difference(expected, first.index, replica, member.index, in: room)
            }
        }
        return self.lack(of: room, among: members)
    }

    private func lack(
        _ one: UInt64, _ first: Int, _ other: UInt64, _ second: Int, of key: LogKey
    ) -> String {
        let (less, more) = one < other ? (first, second) : (second, first)
        return self.checker.lack(
            of: key, min(one, other) + 1, on: self.machines[less], beside: self.machines[more])
    }

    private func difference(
        _ one: Replica, _ first: Int, _ other: Replica, _ second: Int, in room: ConversationID
    ) -> String {
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
                + self.lack(
                    one.logs[name]?.seq ?? 0, first, other.logs[name]?.seq ?? 0, second,
                    of: LogKey(conversation: room, name: name))
        }
        let records = Set(one.records.keys).union(other.records.keys)
        if let key = records.first(where: { one.records[$0] != other.records[$0] }) {
            func text(_ record: Bytes32?) -> String { record == nil ? "none" : "one" }
            let author = self.machines.first { $0.id == key.author }?.index ?? -1
            return "of the records \(key.kind) of \(author) node \(first) has "
                + "\(text(one.records[key])), node \(second) \(text(other.records[key]))"
        }
        let counts = "\(first) shows \(one.shown.count), \(second) shows \(other.shown.count)"
        for (shown, lacking, machine) in [
            (one.shown, Set(other.shown), second), (other.shown, Set(one.shown), first),
        ] {
            guard let id = shown.first(where: { !lacking.contains($0) }),
                let entry = self.checker.written[id]
            else { continue }
            let row = self.machines[machine].store.row(id)
            let state = row.map { "\($0.visibility)" } ?? "lacking"
            let author = self.machines.first { $0.id == entry.key.name.author }?.index ?? -1
            return counts + "; on \(machine) entry \(entry.seq) of \(author) is \(state)"
        }
        return counts
    }
}
