import Crypto
import Engine
import Formats

/// Who is in a group, gets its keys and is read there, worked out from what is on disks and what is sent alone.
///
/// Only the roster that acts give is the engine's own: an independent model judges that.
extension Checker {
    /// What the checker knows of groups.
    struct Groups {
        /// A key, as its maker made it.
        struct Made {
            var owner: OwnedDevice
            var machine: Int
            /// What its maker knew.
            var known: Set<ActID>
            var key: Bytes32
        }

        /// What a machine knew of a group before it knew more.
        struct Earlier {
            var group: ConversationID
            var known: Set<ActID>
            var until: UInt64
        }

        var table: [ConversationID: Group] = [:]
        /// Which machines have which of their keys on their disks.
        var holders: [Bytes32: Set<Int>] = [:]
        /// All that anybody has signed.
        var acts: [ActID: Act] = [:]
        /// What people put on their own disks, against the rules, while they were out: their nodes tell nobody.
        var untold: Set<ActID> = []
        var made: [Bytes32: Made] = [:]
        /// From when on devices are cut, in milliseconds.
        var cuts: [OwnedDevice: UInt64] = [:]
        /// What cut devices wrote and each machine shows nobody.
        var silenced: [Int: Set<EntryID>] = [:]
        /// The entries that announce each key.
        var told: [Bytes32: [EntryID]] = [:]
        /// What those knew who have sent somebody a key.
        var given: [Bytes32: [OwnedDevice: [Set<ActID>]]] = [:]
        var givenCount = 0
        var earlier: [Int: [Earlier]] = [:]
        /// What each machine has acknowledged to have done.
        var acknowledged: [Int: [ActID: ConversationID]] = [:]
        let rosters = Rosters()

        func roster(of known: Set<ActID>?) -> Roster {
            self.rosters.roster(of: known ?? [], in: self.acts)
        }

        /// From when on an act cuts a device, in milliseconds.
        func cutTime(by id: ActID, of device: OwnedDevice) -> UInt64? {
            guard let act = self.acts[id], act.statement.author == device.person,
                case .cut(let cut, let number, false) = act.statement.kind, cut == device.device
            else { return nil }
            return number
        }

        /// The rank that an act, or one that it accepts, gives somebody.
        func rank(givenBy id: ActID, to person: PersonID) -> Rank? {
            switch self.acts[id]?.statement.kind {
            case .admin(person, let rank)?: rank
            case .accept(let accepted)? where accepted != id:
                self.rank(givenBy: accepted, to: person)
            default: nil
            }
        }

        /// Whether a key of a group is for somebody, by what its maker knew.
        func isFor(_ person: PersonID, _ key: Bytes32, in group: ConversationID) -> Bool {
            guard self.table[group]?.history == .joined, let made = self.made[key] else {
                return true
            }
            return self.roster(of: made.known).members[person] != nil
        }
    }

    /// Rosters that were worked out before; many machines know the same.
    final class Rosters {
        private var known: [Set<ActID>: Roster] = [:]

        func roster(of ids: Set<ActID>, in acts: [ActID: Act]) -> Roster {
            if let roster = self.known[ids] { return roster }
            var statements: [ActID: ActStatement] = [:]
            for id in ids { statements[id] = acts[id]?.statement }
            let roster = Roster(statements)
            self.known[ids] = roster
            return roster
        }
    }

    /// How long what has come may wait for the disk, which may be full meanwhile.
    private static var waitMilliseconds: UInt64 { 60_000 }

    // MARK: Batches

    /// A node gives its store a batch: its keys are new where they must be, and it takes nothing late of those who
    /// are out.
    mutating func keyed(_ batch: Batch, by machine: Machine, at time: UInt64) throws {
        for held in batch.groups.epochs
        where held.epoch.device == machine.id && self.groups.made[held.epoch.id] == nil {
            guard let key = held.key else { continue }
            self.groups.made[held.epoch.id] = Groups.Made(
                owner: machine.owned, machine: machine.index,
                known: machine.store.groups.known[held.group] ?? [], key: key)
        }
        // Who takes a key for one of others never reads what it seals.
        for held in batch.groups.epochs
        where (held.key != nil) != self.groups.isFor(machine.person, held.epoch.id, in: held.group)
        {
            throw Violation(
                "node \(machine.index) \(held.key == nil ? "does without" : "keeps") a key that is "
                    + "\(held.key == nil ? "" : "not ")for its user")
        }
        for append in batch.appends where self.groups.table[append.run.run.key.conversation] != nil
        {
            guard append.run.run.key.name.author == machine.id else {
                try self.tookRightly(append, by: machine, at: time)
                try self.silenced(append, by: machine)
                continue
            }
            let isNew = append.run.ids.contains { self.written[$0] == nil }
            let epochs = Set(append.run.run.entries.map(\.epoch)).subtracting([.zero])
            for epoch in epochs where isNew {
                try self.sealed(epoch, in: append.run.run.key.conversation, by: machine)
            }
        }
    }

    /// Nobody reads an entry whom its author knew to be out: whoever has been given its key got it from somebody who
    /// knew more than the author.
    private func sealed(
        _ epoch: Bytes32, in group: ConversationID, by machine: Machine
    ) throws {
        let known = machine.store.groups.known[group] ?? []
        let roster = self.groups.roster(of: known)
        guard roster.members[machine.person] != nil else {
            throw Violation("node \(machine.index) writes in a group that it knows to be out of")
        }
        // What a device writes that knows to be cut nobody reads.
        guard !roster.cutDevices.contains(machine.owned) else { return }
        func isOut(_ owned: OwnedDevice) -> Bool {
            roster.cutDevices.contains(owned)
                || roster.brought.contains(owned.person) && roster.members[owned.person] == nil
        }
        let readers = (self.groups.given[epoch] ?? [:]).filter { _, givers in
            givers.allSatisfy { $0.isSubset(of: known) }
        }.map(\.key)
        let maker = self.groups.made[epoch]?.owner
        guard !readers.contains(where: isOut), maker.map(isOut) != true else {
            throw Violation(
                "node \(machine.index) seals with a key that somebody has whom it knows to be out")
        }
        // All who read are in already, and who is in reads.
        if self.groups.table[group]?.history == .joined, let made = self.groups.made[epoch],
            self.groups.roster(of: made.known).members.keys != roster.members.keys
        {
            throw Violation("node \(machine.index) seals with a key for others than members")
        }
    }

    /// Of a log only those entries are taken that are shown by what its taker knows, or knew when they came.
    private func tookRightly(_ append: Append, by machine: Machine, at time: UInt64) throws {
        let key = append.run.run.key
        guard let person = self.persons[key.name.author] else { return }
        var views = [machine.store.groups.known[key.conversation] ?? []]
        for earlier in self.groups.earlier[machine.index] ?? []
        where earlier.group == key.conversation && earlier.until + Self.waitMilliseconds > time {
            views.append(earlier.known)
        }
        let last = append.run.run.last
        guard
            views.contains(where: {
                let roster = self.groups.roster(of: $0)
                let counting = self.mostSenior(of: roster.removals[person] ?? [], roster)
                return last <= self.end(of: key.name, by: person, roster, counting)
            })
        else {
            throw Violation(
                "node \(machine.index) takes entry \(last) of \(key.name) of somebody who is out")
        }
    }

    /// Up to which entry a log is shown.
    ///
    /// - Parameter counting: the removals that count, where it is not all: up to the least of all, every member has the
    ///   log in any case.
    private func end(
        of log: LogName, by person: PersonID, _ roster: Roster, _ counting: [ActID]? = nil
    ) -> UInt64 {
        if roster.members[person] != nil { return .max }
        guard roster.brought.contains(person) else { return 0 }
        guard let removals = roster.removals[person] else { return .max }
        return (counting ?? removals).map { id in
            self.positions(in: id).first { $0.log == log }?.seq ?? 0
        }.min() ?? 0
    }

    /// Those of some removals whose author is the most senior: the owner, or who has the smallest rank.
    private func mostSenior(of removals: [ActID], _ roster: Roster) -> [ActID] {
        let judged = removals.compactMap { id in
            self.groups.acts[id].map { (id: id, author: $0.statement.author) }
        }.map { id, author in
            let ranks = roster.verdicts.filter { $0.value == .counts }.compactMap { act, _ in
                self.groups.rank(givenBy: act, to: author)
            }
            let rank = author == roster.owner ? 0 : ranks.min().map { 1 + Int($0) } ?? .max
            return (id: id, by: (rank, author))
        }
        guard let first = judged.map(\.by).min(by: { $0 < $1 }) else { return [] }
        return judged.filter { $0.by == first }.map(\.id)
    }

    private func positions(in id: ActID) -> [LogPosition] {
        switch self.groups.acts[id]?.statement.kind {
        case .remove(_, let seen)?: seen
        case .accept(let accepted)?: self.positions(in: accepted)
        default: []
        }
    }

    /// A node gives its store entries: of a device that it knows to be cut nothing is shown that was written later.
    private func silenced(_ append: Append, by machine: Machine) throws {
        let key = append.run.run.key
        for (index, entry) in append.run.run.entries.enumerated()
        where append.verdicts[index].isSeen
            && self.isCut(key.name.author, at: entry.time, in: key.conversation, for: machine)
        {
            throw Violation(
                "node \(machine.index) shows what a device wrote after it was cut, and knows the cut"
            )
        }
    }

    /// A batch is on a machine's disk: of a device that its person has cut, what was written later is kept and sent on, and
    /// nobody sees it where that was known.
    mutating func noteSilenced(_ append: Append, on machine: Machine) {
        let author = append.run.run.key.name.author
        guard let person = self.persons[author],
            let cut = self.groups.cuts[OwnedDevice(person: person, device: author)]
        else { return }
        for (index, id) in append.run.ids.enumerated()
        where !append.verdicts[index].isSeen
            && append.run.run.entries[index].time.milliseconds >= cut
        {
            self.groups.silenced[machine.index, default: []].insert(id)
        }
    }

    /// Whether a device wrote something after its person had cut it, by the acts that a machine has.
    func isCut(
        _ author: PeerID, at time: HybridTime, in conversation: ConversationID,
        for machine: Machine
    ) -> Bool {
        guard let known = machine.store.groups.known[conversation],
            let person = self.persons[author]
        else { return false }
        let device = OwnedDevice(person: person, device: author)
        guard self.groups.roster(of: known).cutDevices.contains(device),
            let cut = known.compactMap({ self.groups.cutTime(by: $0, of: device) }).max()
        else { return false }
        return time.milliseconds > cut
    }

    /// A batch is about to be on a machine's disk: what it stores of groups somebody has signed.
    mutating func noteActs(of batch: Batch, on machine: Machine, at time: UInt64) throws {
        for act in batch.groups.acts where self.groups.acts[act.id] == nil {
            // The person's own key signs what is said of devices.
            guard act.statement.device ?? machine.id == machine.id,
                act.statement.author == machine.person
            else {
                throw Violation("node \(machine.index) stores an act that nobody signed")
            }
            self.groups.acts[act.id] = act
            if case .cut(let device, let number, false) = act.statement.kind {
                let cut = OwnedDevice(person: act.statement.author, device: device)
                self.groups.cuts[cut] = min(number, self.groups.cuts[cut] ?? number)
            }
        }
        for group in Set(batch.groups.acts.map(\.group)) {
            try self.ended(group, by: batch, on: machine)
            self.groups.earlier[machine.index, default: []].removeAll {
                $0.until + Self.waitMilliseconds < time
            }
            self.groups.earlier[machine.index, default: []].append(
                Groups.Earlier(
                    group: group, known: machine.store.groups.known[group] ?? [], until: time))
        }
    }

    /// A batch that puts its user out of a group ends it on the disk, or a stop behind it would hide that for good.
    private func ended(_ group: ConversationID, by batch: Batch, on machine: Machine) throws {
        guard machine.store.rooms[group]?.isJoined == true, batch.membership[group] == nil else {
            return
        }
        let known = machine.store.groups.known[group] ?? []
        let later = known.union(batch.groups.acts.filter { $0.group == group }.map(\.id))
        guard
            self.groups.roster(of: known).members[machine.person] == nil
                || self.groups.roster(of: later).members[machine.person] != nil
        else {
            throw Violation("node \(machine.index) is put out of a group and keeps it")
        }
    }

    /// A node says that something is done in a group: it is on its disk, and stays there.
    mutating func acted(_ act: ActID, in group: ConversationID, by machine: Machine) throws {
        self.groups.acknowledged[machine.index, default: [:]][act] = group
        try self.keptActs(on: machine)
    }

    func keptActs(on machine: Machine) throws {
        for (act, group) in self.groups.acknowledged[machine.index] ?? [:]
        where machine.store.groups.known[group]?.contains(act) != true {
            throw Violation("node \(machine.index) has lost an act that it acknowledged")
        }
    }

    // MARK: Frames

    /// A node sends acts: to those alone whom somebody has brought in, or who entered when it looked so.
    func told(_ group: ConversationID, to receiver: Machine, by machine: Machine) throws {
        let roster = self.groups.roster(of: machine.store.groups.known[group])
        guard
            roster.brought.contains(receiver.person) || receiver.store.groups.known[group] != nil
        else {
            throw Violation(
                "node \(machine.index) tells node \(receiver.index) of a group that it was never in"
            )
        }
    }

    /// A node gives keys: each as it was made, to a member whom its maker did not know to be out.
    mutating func gave(
        _ keys: [EpochKey], of group: ConversationID, to receiver: Machine, by machine: Machine
    ) throws {
        let known = machine.store.groups.known[group] ?? []
        let roster = self.groups.roster(of: known)
        let isMember =
            roster.members[receiver.person] != nil
            && !roster.cutDevices.contains(receiver.owned)
        guard isMember else {
            throw Violation(
                "node \(machine.index) gives node \(receiver.index) a key, whom it knows to be out")
        }
        for key in keys {
            guard let made = self.groups.made[key.id], made.key == key.key else {
                throw Violation("node \(machine.index) gives a key that nobody made")
            }
            guard made.known.isSubset(of: known) else {
                throw Violation(
                    "node \(machine.index) gives node \(receiver.index) a key without knowing what its "
                        + "maker knew")
            }
            guard self.groups.isFor(receiver.person, key.id, in: group) else {
                throw Violation(
                    "node \(machine.index) gives node \(receiver.index) a key of before it came")
            }
            self.groups.given[key.id, default: [:]][receiver.owned, default: []].append(known)
            self.groups.givenCount += 1
        }
    }

    // MARK: The end

    /// Whether a machine's user is in a conversation; in a group also by the acts that it has.
    func takesPart(_ machine: Machine, in conversation: ConversationID) -> Bool {
        guard !machine.fate.isRetired, machine.store.rooms[conversation]?.isJoined == true else {
            return false
        }
        guard self.groups.table[conversation] != nil else { return true }
        let roster = self.groups.roster(of: machine.store.groups.known[conversation])
        return roster.members[machine.person] != nil
    }

    /// Up to which entry of each log all who take part must have the same: of those who are out what the removal shows.
    func ends(
        in conversation: ConversationID, among members: [Machine]
    ) -> (LogName) -> UInt64 {
        guard self.groups.table[conversation] != nil, let first = members.first else {
            return { _ in .max }
        }
        let roster = self.groups.roster(of: first.store.groups.known[conversation])
        return { log in
            guard let person = self.persons[log.author] else { return 0 }
            // Who has removed somebody may be gone with what they had.
            if roster.members[person] == nil, roster.removals[person] != nil,
                !self.isRemoverHere(of: person, roster, among: members)
            {
                return 0
            }
            return min(
                self.end(of: log, by: person, roster),
                self.reachable(of: LogKey(conversation: conversation, name: log), among: members))
        }
    }

    /// Up to which entry of a log all can get.
    ///
    /// Where newcomers read nothing older, a key may be for one member alone, who never met the machine that made it; that
    /// one is gone, or has an older disk. And what its maker says of a key may be where not all get it.
    ///
    /// - Parameter asking: logs for which this is asked already.
    private func reachable(
        of log: LogKey, among members: [Machine], asking: Set<LogKey> = []
    ) -> UInt64 {
        let stops = Set(members.map { $0.store.logs[log]?.head.seq ?? 0 }).sorted()
        return stops.first { stop in
            guard let next = members.lazy.compactMap({ $0.store.id(of: stop + 1, in: log) }).first,
                let key = self.written[next]?.awaited, key != .zero
            else { return false }
            if self.isLost(key, to: members, asking: asking.union([log])) { return true }
            guard self.groups.table[log.conversation]?.history == .joined else { return false }
            return !members.contains { member in
                member.store.groups.epochs[log.conversation]?.contains {
                    $0.epoch.id == key && $0.key != nil
                } ?? false
            }
        } ?? .max
    }

    /// Whether a member lacks what the maker of a key says of it, and cannot get it: it lies behind a proven fork of the
    /// maker's log, from where on nobody gives anything, or behind what not all can get.
    private func isLost(_ key: Bytes32, to members: [Machine], asking: Set<LogKey>) -> Bool {
        let told = self.groups.told[key] ?? []
        guard
            !told.isEmpty,
            members.contains(where: { member in told.allSatisfy { member.store.row($0) == nil } })
        else { return false }
        return told.allSatisfy { id in
            guard let entry = self.written[id] else { return false }
            let isForked = members.contains {
                $0.store.logs[entry.key]?.proof.map { $0.point <= entry.seq } ?? false
            }
            return isForked
                || !asking.contains(entry.key)
                    && self.reachable(of: entry.key, among: members, asking: asking) < entry.seq
        }
    }

    private func isRemoverHere(
        of person: PersonID, _ roster: Roster, among members: [Machine]
    ) -> Bool {
        (roster.removals[person] ?? []).allSatisfy { id in
            members.contains { member in
                member.id == self.groups.acts[id]?.statement.device && !member.fate.wasRestored
            }
        }
    }

    /// How things stand with the next entry of a log that a machine lacks and another one has.
    func lack(of key: LogKey, _ seq: UInt64, on machine: Machine, beside other: Machine) -> String {
        guard self.groups.table[key.conversation] != nil,
            let epoch = other.store.id(of: seq, in: key).flatMap({
                self.written[$0]?.awaited
            })
        else { return "" }
        let known = machine.store.groups.known[key.conversation] ?? []
        let roster = self.groups.roster(of: known)
        let person = self.persons[key.name.author]
        let standing =
            person.map {
                roster.members[$0] != nil
                    ? "inside"
                    : !roster.brought.contains($0)
                        ? "outside" : roster.removals[$0] == nil ? "gone" : "removed"
            } ?? "unknown"
        let holders = self.groups.holders[epoch] ?? []
        let isGiven = self.groups.given[epoch]?[machine.owned] != nil
        let told = self.groups.told[epoch]?.first.flatMap { self.written[$0] }
        let log = told.flatMap { machine.store.logs[$0.key] }
        let announcement =
            told.map { told in
                "node \(self.groups.made[epoch]?.machine ?? -1) announces it in entry \(told.seq) of a log of "
                    + "which node \(machine.index) has \(log?.count ?? 0)"
                    + (log?.proof.map { ", forked at \($0.point)" } ?? "")
            } ?? "nobody announces it"
        return "; its author is \(standing), entry \(seq) waits for a key that "
            + "\(holders.sorted()) have; it was \(isGiven ? "" : "not ")given to node \(machine.index); "
            + announcement
    }

    private func told(_ acts: Set<ActID>) -> [String] {
        acts.sorted().compactMap { self.groups.acts[$0] }.map {
            "\($0.id.hash.description.prefix(8)) by \($0.statement.device?.shortText ?? "-"): "
                + "\($0.statement.kind)"
        }
    }

    /// What is not settled yet of groups; nil where all is.
    func disagreementOfGroups(_ machines: [Machine]) -> String? {
        for group in self.groups.table.keys.sorted() {
            let here = machines.filter { !$0.fate.isRetired }
            let members = here.filter { self.takesPart($0, in: group) }
            guard let first = members.first else { continue }
            let known = first.store.groups.known[group] ?? []
            for member in members.dropFirst() {
                let other = member.store.groups.known[group] ?? []
                guard other != known else { continue }
                return
                    "of a group node \(first.index) has \(known.count) acts, node \(member.index) "
                    + "\(other.count), \(known.intersection(other).count) of them the same: one lacks "
                    + "\(self.told(other.subtracting(known))), the other "
                    + "\(self.told(known.subtracting(other)))"
            }
            let roster = self.groups.roster(of: known)
            // What one device of a person is in, another one has no part in of itself.
            let people = Set(members.map(\.person))
            for machine in here where !people.contains(machine.person) {
                let isMember = roster.members[machine.person] != nil
                if isMember, machine.store.groups.requests[group]?.isDeclined != true {
                    return "node \(machine.index) is a member of a group and does not know"
                }
            }
            let others = here.reduce(into: Set<ActID>()) {
                $0.formUnion($1.store.groups.known[group] ?? [])
            }.subtracting(known).subtracting(self.groups.untold)
            guard self.groups.roster(of: known.union(others)).members == roster.members else {
                let holders = here.filter {
                    $0.store.groups.known[group]?.isDisjoint(with: others) == false
                }
                return "acts that members of a group lack change who is in it: "
                    + "nodes \(holders.map(\.index)) have \(self.told(others))"
            }
        }
        return nil
    }
}
