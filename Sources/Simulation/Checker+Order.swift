import Engine
import Formats
import Crypto

/// Order: total, causal and everywhere the same.
extension Checker {
    /// A message comes on a screen, in its place.
    mutating func placed(_ id: EntryID, _ entry: Written, on machine: Int) throws {
        guard self.screens[machine, default: Screen()].insert(id, entry) else {
            throw Violation("node \(machine) shows a message twice")
        }
        guard let screen = self.screens[machine] else { return }
        // What an honest author followed stands before it, what followed it behind, whichever came
        // first. A hostile one may date an entry before what it follows; that harms nobody else.
        for earlier in entry.deps + [entry.prev].compactMap({ $0 })
        where screen.ids.contains(earlier) && self.isHonest(entry.key.name.author) {
            guard let other = self.written[earlier], other.place < entry.place else {
                throw Violation("node \(machine) shows a message before one that it follows")
            }
        }
        for later in self.followers[id] ?? [] where screen.ids.contains(later) {
            guard let other = self.written[later],
                entry.place < other.place || !self.isHonest(other.key.name.author)
            else {
                throw Violation("node \(machine) shows a message behind one that follows it")
            }
        }
    }

    /// Whether an author keeps to the protocol.
    private func isHonest(_ author: PeerID) -> Bool { !self.suspects.forkers.contains(author) }

    /// A node gives its store a batch: what it writes stands behind all that its user sees.
    ///
    /// - Parameter clocksAgree: whether no clock is wrong, so that nothing shown is ahead of time.
    func drafted(_ batch: Batch, by machine: Machine, clocksAgree: Bool) throws {
        for append in batch.appends where append.run.run.key.name.author == machine.id {
            let run = append.run.run
            // Own entries that come back are nothing new.
            guard append.run.ids.allSatisfy({ self.written[$0] == nil }) else { continue }
            for entry in run.entries {
                guard entry.deps.count <= Limits.depCount else {
                    throw Violation("node \(machine.index) follows too many entries")
                }
                for dep in entry.deps {
                    guard let other = self.written[dep], other.time < entry.time,
                        other.key.conversation == run.key.conversation,
                        machine.store.row(dep)?.cursor != nil
                    else {
                        throw Violation("node \(machine.index) follows what it does not show")
                    }
                }
            }
            guard clocksAgree,
                let last = self.screens[machine.index]?.last(in: run.key.conversation)
            else { continue }
            guard last.place < Place(time: run.entries[0].time, name: run.key.name, seq: run.first)
            else {
                throw Violation("node \(machine.index) writes before what its user sees")
            }
        }
    }

    /// A node gives its store a batch: nobody has pushed what its user writes further ahead of its own
    /// clock than entries are followed, and its log never goes on where that clock was set back.
    func dated(_ batch: Batch, by machine: Machine, at wall: UInt64) throws {
        for append in batch.appends where append.run.run.key.name.author == machine.id {
            let run = append.run.run
            guard append.run.ids.allSatisfy({ self.written[$0] == nil }) else { continue }
            var earlier = run.prev.flatMap { self.written[$0]?.time }
            for entry in run.entries {
                // A message at the very end of a millisecond is followed in the next one.
                let limit = wall + Limits.followedMilliseconds + 1
                guard entry.time.milliseconds <= limit || entry.time == earlier?.next,
                    entry.time.milliseconds <= wall + Limits.ownAheadMilliseconds
                else { throw Violation("node \(machine.index) writes ahead of its clock") }
                earlier = entry.time
            }
        }
    }

    /// A node gives its store a batch: what its user writes follows the newest that it shows.
    func followed(_ batch: Batch, by machine: Machine, faults: Faults) throws {
        // What is too far ahead or disputed is not followed.
        guard max(faults.clocks.error.magnitude, self.clockError) < Limits.followedMilliseconds / 2,
            self.suspects.forkers.isEmpty
        else { return }
        // Own entries that come back from peers were written before.
        for append in batch.appends
        where append.run.run.key.name.author == machine.id
            && self.written[append.run.ids[0]] == nil
        {
            let run = append.run.run
            let heads = machine.store.logs.filter { $0.key.conversation == run.key.conversation }
                .compactMap { key, log in log.rows.last.map { (key: key, row: $0) } }
                .filter { $0.row.cursor != nil }
            let newest = heads.max {
                ($0.row.entry.time, $0.row.id) < ($1.row.entry.time, $1.row.id)
            }
            // The rest of one batch follows its first run.
            guard let newest, run.first == 1 || run.prev == machine.store.logs[run.key]?.head.id
            else { continue }
            guard run.entries[0].time > newest.row.entry.time,
                newest.key == run.key || run.entries[0].deps.contains(newest.row.id)
            else {
                throw Violation(
                    "node \(machine.index) writes as if it had not shown \(newest.row.id)")
            }
        }
    }

    /// Who reads the history of a node sees what who followed it has seen, in the same order; and what
    /// was acknowledged is there.
    func looked(at machine: Machine) throws {
        var read: [ConversationID: [Screen.Line]] = [:]
        for (key, log) in machine.store.logs {
            for (index, row) in log.rows.enumerated()
            where row.cursor != nil && row.verdict.payload == .present
                && !log.isBehindFork(index)
            {
                guard let entry = self.visible(row.id, on: machine.index) else { continue }
                read[key.conversation, default: []].append(
                    Screen.Line(place: entry.place, id: row.id))
            }
        }
        for (room, lines) in self.screens[machine.index]?.rooms ?? [:] {
            // Disputed messages stay on a screen and are marked there.
            let followed = lines.filter { line in
                let key = LogKey(conversation: room, name: line.place.name)
                return line.place.seq < machine.store.logs[key]?.proof?.point ?? .max
                    && machine.store.row(line.id)?.verdict.payload == .present
            }
            let history = (read.removeValue(forKey: room) ?? []).sorted { $0.place < $1.place }
            guard followed == history else {
                throw Violation(
                    "node \(machine.index) has shown \(followed.count) messages, its history "
                        + "holds \(history.count)")
            }
        }
        guard read.isEmpty else {
            throw Violation("the history of node \(machine.index) holds what it never showed")
        }
        try self.marked(on: machine)
        try self.erasedRightly(on: machine)
        try self.noted(on: machine)
        try self.checkAcknowledged(on: machine)
        try self.keptActs(on: machine)
    }

    /// What a machine acknowledged is on its disk, unless that is an older one.
    private func checkAcknowledged(on machine: Machine) throws {
        for (id, message) in self.acknowledged
        where message.machine == machine.index && !message.isAway {
            // Of an author that signed two histories nobody promises what lies behind the fork.
            let isBeyondFork = self.written[id].map { entry in
                self.suspects.forkers.contains(machine.id)
                    && entry.seq >= machine.store.logs[entry.key]?.proof?.point ?? .max
            }
            guard machine.store.row(id) != nil || isBeyondFork == true else {
                throw Violation("node \(machine.index) has lost what it acknowledged")
            }
        }
    }

    /// A node starts: what it shows from here on follows what is on its disk.
    mutating func started(_ machine: Machine) throws {
        let index = machine.index
        self.screens[index] = Screen(of: machine.store) { self.visible($0, on: index) }
        machine.shownCursor = Cursor(machine.store.newestCursor)
        try self.checkAcknowledged(on: machine)
    }

    /// A machine gets a copy of another's disk.
    mutating func copied(from machine: Int, to copy: Int) {
        self.screens[copy] = self.screens[machine]
        self.holdings[copy] = self.holdings[machine]
    }

    /// After all has settled every replica is what a model says that knows nothing of clocks, digests,
    /// wants and links: all that any member holds, up to the first proven fork, in one order.
    func matched(_ machines: [Machine], through deadline: HybridTime) throws {
        let rooms = Set(machines.flatMap { $0.store.rooms.keys }).sorted()
        for room in rooms {
            let members = machines.filter { self.takesPart($0, in: room) }
            let limit = self.ends(in: room, among: members)
            var ends: [LogKey: UInt64] = [:]
            for member in members {
                for (key, end) in self.holdings[member.index]?.ends ?? [:]
                where key.conversation == room && self.counts(key.name.author) {
                    ends[key] = max(ends[key] ?? 0, min(end, limit(key.name)))
                }
            }
            for member in members {
                for (key, point) in self.holdings[member.index]?.points ?? [:] {
                    if let end = ends[key] { ends[key] = min(end, point - 1) }
                }
            }
            var expected: Set<EntryID> = []
            for (key, end) in ends where end > 0 {
                var id = members.first?.store.id(of: end, in: key)
                for seq in (1...end).reversed() {
                    guard let last = id, let entry = self.written[last], entry.seq == seq else {
                        throw Violation("a log should have \(end) entries and has not")
                    }
                    expected.insert(last)
                    id = entry.prev
                }
            }
            try self.erased(expected, in: room, on: members)
            try self.said(of: expected, in: room, through: deadline, on: members, limit)
            let lines = self.lines(of: expected, in: room, through: deadline)
            for member in members {
                for (key, end) in ends
                where min(member.store.logs[key]?.count ?? 0, limit(key.name)) != end {
                    throw Violation("node \(member.index) lacks entries that others hold")
                }
                let replica = member.store.replica(
                    of: room, through: deadline, counts: self.counts, to: limit)
                guard replica.shown == lines else {
                    throw Violation("node \(member.index) does not show what the model says")
                }
            }
        }
    }

    /// The entries that are due, in display order.
    private func lines(
        of entries: Set<EntryID>, in room: ConversationID, through deadline: HybridTime
    ) -> [EntryID] {
        var lines: [Screen.Line] = []
        for id in entries {
            guard let entry = self.written[id], entry.time <= deadline else { continue }
            lines.append(Screen.Line(place: entry.place, id: id))
        }
        return lines.sorted { $0.place < $1.place }.map(\.id)
    }
}
