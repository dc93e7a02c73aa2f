package import Formats

/// What has become of somebody in a group, and who did it.
package struct RosterTurn: Hashable, Sendable {
    package enum Event: UInt8, Sendable {
        case added = 1
        /// By themselves; by nobody where what brought them does not count now.
        case left = 2
        case removed = 3
        case promoted = 4
        case demoted = 5
    }

    package var event: Event
    package var person: PersonID
    /// Nil where no act that counts says so.
    package var by: PersonID?

    package init(_ event: Event, _ person: PersonID, by: PersonID?) {
        (self.event, self.person, self.by) = (event, person, by)
    }
}

extension GroupState {
    /// What is different since an earlier roster, by person.
    func turns(since before: Roster) -> [RosterTurn] {
        let now = self.view.roster
        let people = Set(before.members.keys).union(now.members.keys).sorted()
        return people.flatMap { person -> [RosterTurn] in
            let (was, role) = (before.members[person], now.members[person])
            guard was != role else { return [] }
            guard let role else { return [self.departure(of: person)] }
            var turns: [RosterTurn] = []
            if was == nil {
                let by = self.bringing(person)?.statement.author
                turns.append(RosterTurn(.added, person, by: by))
            }
            if role.isAdmin, was?.isAdmin != true {
                turns.append(RosterTurn(.promoted, person, by: self.ownerID))
            } else if was?.isAdmin == true, !role.isAdmin {
                turns.append(RosterTurn(.demoted, person, by: self.demoter(of: person)))
            }
            return turns
        }
    }

    private func departure(of person: PersonID) -> RosterTurn {
        if let removal = self.view.roster.removals[person]?.last {
            return RosterTurn(.removed, person, by: self.acts[removal]?.statement.author)
        }
        return RosterTurn(.left, person, by: self.ends(of: person).isEmpty ? nil : person)
    }

    private func demoter(of person: PersonID) -> PersonID? {
        for id in self.view.graph.ids.reversed() where self.view.roster.verdicts[id] == .counts {
            guard let act = self.acts[id]?.statement else { continue }
            var kind = act.kind
            if case .accept(let meant) = kind, let other = self.acts[meant] {
                kind = other.statement.kind
            }
            if kind == .demote(person) { return act.author }
        }
        return nil
    }
}

extension Roster.Role {
    fileprivate var isAdmin: Bool { if case .admin = self { true } else { false } }
}
