import Engine
import Formats

/// Groups: who founds them, is brought in, removed and promoted, comes and goes, and what members write.
extension Simulation {
    /// What somebody does in a group.
    enum GroupDeed: Sendable {
        case found, invite, answer, remove, promote, demote, approve, leave, write, refer, erase
        /// Signs behind an old act as if all later ones were not known.
        case backdate

        /// In a hundred deeds.
        static let weights: [(deed: GroupDeed, count: Int)] = [
            (.invite, 13), (.answer, 9), (.remove, 10), (.promote, 6), (.demote, 4), (.approve, 4),
            (.leave, 4), (.write, 34), (.refer, 6), (.erase, 4), (.backdate, 6),
        ]
    }

    /// Notes what is done in groups.
    func scheduleGroups(_ workload: Workload) {
        // Nobody but members passes on what is theirs: each must meet each.
        guard self.network.neighbours == nil else { return }
        self.story.joinedGroups = workload.joinedGroups
        let deeds = GroupDeed.weights.flatMap { Array(repeating: $0.deed, count: $0.count) }
        let end = workload.milliseconds
        for number in 0..<workload.groups {
            self.note(.found, number, in: 0...end / 8)
            for machine in self.machines.indices {
                self.note(.invite, number, in: end / 8...end / 3)
                self.note(.answer, number, by: machine, in: end / 8...end / 2)
            }
            for _ in 0..<workload.groupDeeds {
                let deed = deeds.randomElement(using: &self.dice.grouping) ?? .write
                self.note(deed, number, in: end / 8...end)
            }
        }
    }

    private func note(
        _ deed: GroupDeed, _ number: Int, by machine: Int? = nil, in moments: ClosedRange<UInt64>
    ) {
        let machine = machine ?? self.dice.grouping.number(0...self.machines.count - 1)
        self.schedule(
            .group(machine: machine, deed, number: number), in: self.dice.grouping.number(moments))
    }

    private func name(ofGroup number: Int) -> RoomName {
        guard let name = RoomName("group\(number)") else {
            preconditionFailure("a small word and a number make a room name")
        }
        return name
    }

    /// A group that was founded; by a crash of its founder there may be two of a name.
    private func group(_ number: Int) -> ConversationID? {
        self.checker.groups.table.values.filter { $0.name == self.name(ofGroup: number) }.map(\.id)
            .min()
    }

    func happen(_ deed: GroupDeed, by index: Int, inGroup number: Int) throws {
        guard let id = self.group(number) else {
            let history: Group.History =
                self.story.joinedGroups.contains(number) ? .joined : .all
            let founding = Request.groupCreate(self.name(ofGroup: number), .open, history)
            return try self.request(index, founding)
        }
        let member = self.one(of: id) { $0 != nil } ?? index
        switch deed {
        case .found: break
        case .answer: try self.answer(index, in: id)
        case .invite: try self.act(.add(self.anybody), in: id, byAdminOr: index)
        case .remove:
            try self.act(.remove(self.subject(in: id), seen: []), in: id, byAdminOr: index)
        case .promote:
            let step: Int = self.dice.grouping.number(1...8)
            let owner = self.one(of: id) { $0 == .owner } ?? index
            try self.request(owner, .groupAct(id, .admin(self.subject(in: id), Rank(256 * step))))
        case .demote: try self.act(.demote(self.subject(in: id)), in: id, byAdminOr: index)
        case .approve:
            let admin = self.one(of: id) { $0.map { $0 != .member } ?? false } ?? index
            let undecided = self.machines[admin].node?.groupReport(id)?.undecided ?? []
            guard let act = undecided.randomElement(using: &self.dice.grouping) else { return }
            try self.request(admin, .groupAct(id, .accept(act.id)))
        case .leave:
            // Seldom the owner: without one there are no more admins.
            let isOwner = self.role(of: index, in: id) == .owner
            if !isOwner || self.dice.grouping.chance(10) { try self.request(index, .leave(id)) }
        case .write:
            let wait = DeliveryWait(.members(1), by: 5_000)
            let outgoing = Outgoing(
                conversation: id, text: "in a group at \(self.time)",
                wait: self.dice.grouping.chance(10) ? wait : nil)
            try self.request(member, .send(outgoing))
        case .refer:
            if self.machines[member].adversary == nil { try self.refer(by: member, in: id) }
        case .erase: try self.erase(by: member, in: id)
        case .backdate: try self.backdate(by: index, in: id)
        }
    }

    // MARK: Who

    /// What somebody is to a group, by the acts that their machine has.
    private func role(of index: Int, in group: ConversationID) -> Roster.Role? {
        let known = self.machines[index].store.groups.known[group]
        return self.checker.groups.roster(of: known).members[self.machines[index].person]
    }

    /// A running machine whose user is in a group with such a role.
    private func one(
        of group: ConversationID, _ isWanted: (Roster.Role?) -> Bool
    ) -> Int? {
        self.machines.indices.filter { index in
            self.machines[index].isUp && self.machines[index].store.rooms[group]?.isJoined == true
                && isWanted(self.role(of: index, in: group))
        }.randomElement(using: &self.dice.grouping)
    }

    private var anybody: PersonID {
        self.machines[self.dice.grouping.number(0...self.machines.count - 1)].person
    }

    /// Mostly a member.
    private func subject(in group: ConversationID) -> PersonID {
        let member = self.dice.grouping.chance(80) ? self.one(of: group) { $0 != nil } : nil
        return member.map { self.machines[$0].person } ?? self.anybody
    }

    /// Mostly by an admin: by nobody else anything is signed.
    private func act(_ kind: ActKind, in group: ConversationID, byAdminOr index: Int) throws {
        let admin = self.one(of: group) { $0.map { $0 != .member } ?? false }
        let isMeddling = self.dice.grouping.chance(5)
        try self.request(isMeddling ? index : admin ?? index, .groupAct(group, kind))
    }

    private func answer(_ index: Int, in group: ConversationID) throws {
        guard let node = self.machines[index].node,
            node.pendingGroupRequests.contains(where: { $0.group == group })
        else { return }
        let isWelcome = self.dice.grouping.chance(85)
        try self.request(index, isWelcome ? .acceptGroup(group) : .declineGroup(group))
    }

    // MARK: Against the rules

    /// Somebody signs an act behind an old one: it is put on their disk while the node is stopped, or sent by who is
    /// hostile, also once they are out.
    private func backdate(by index: Int, in group: ConversationID) throws {
        let machine = self.machines[index]
        guard machine.isUp,
            let old = machine.store.groups.acts[group]?.randomElement(using: &self.dice.grouping)
        else { return }
        let (subject, other) = (self.subject(in: group), self.anybody)
        let kinds: [ActKind] = [
            .add(other), .add(other), .remove(subject, seen: []), .admin(other, 300),
            .demote(subject),
        ]
        let kind = kinds.randomElement(using: &self.dice.grouping) ?? .tie
        let act = Act(
            kind, in: group, basis: [old.id], time: old.time.next ?? old.time,
            certificate: machine.identity.certificate, by: machine.identity.signer)
        self.checker.groups.acts[act.id] = act
        guard machine.adversary == nil else {
            self.assaults.count += 1
            for stream in self.streams(of: index) where self.dice.grouping.chance(60) {
                self.inject(.acts(group, [act]), stream.wire, stream.side)
            }
            return
        }
        try self.crash(index, isSilent: false)
        if machine.store.rooms[group]?.isJoined != true {
            self.checker.groups.untold.insert(act.id)
        }
        try self.machines[index].store.groups.keep(act)
        let wait = self.dice.grouping.number(UInt64(10)...20_000)
        self.schedule(.fault(.start(machine: index)), in: wait)
    }

    // MARK: The end

    /// All who were brought in and have not said no come in.
    func acceptGroups() throws {
        guard !self.checker.groups.table.isEmpty else { return }
        for machine in self.machines where !machine.fate.isRetired {
            for waiting in machine.node?.pendingGroupRequests ?? [] {
                try self.request(machine.index, .acceptGroup(waiting.group))
            }
        }
    }

    private func lastWord(of index: Int) -> String { "the last word of \(index)" }

    /// Once all agree each member writes in each group; gives who has.
    func sayLastWords() throws -> [ConversationID: [Int]] {
        var writers: [ConversationID: [Int]] = [:]
        for id in self.checker.groups.table.keys.sorted() {
            for machine in self.machines where self.checker.takesPart(machine, in: id) {
                let outgoing = Outgoing(conversation: id, text: self.lastWord(of: machine.index))
                try self.request(machine.index, .send(outgoing))
                writers[id, default: []].append(machine.index)
            }
        }
        return writers
    }

    /// All who have written, and are members still, could; that the others have it is checked as of all messages.
    func checkLastWords(of writers: [ConversationID: [Int]]) throws {
        for (id, writers) in writers.sorted(by: { $0.key < $1.key }) {
            for index in writers where self.checker.takesPart(self.machines[index], in: id) {
                let word = self.lastWord(of: index)
                guard self.messages(on: index, in: id).contains(where: { $0.text == word }) else {
                    throw Violation("node \(index) is in a group and cannot write there")
                }
            }
        }
    }
}
