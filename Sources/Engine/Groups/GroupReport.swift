package import Formats

/// How things stand with a group.
package struct GroupReport: Hashable, Sendable {
    /// Somebody who is in it.
    package struct Member: Hashable, Sendable {
        package var person: PersonID
        package var role: Roster.Role
        /// When they were brought, by the clock of who did it, in milliseconds since 1970.
        package var since: UInt64
        /// Who has brought them.
        package var by: PersonID
        package var devices: [PeerID]
        /// Whether anything of theirs has come: who was asked and has not accepted has written nothing.
        package var hasCome: Bool
    }

    /// An act that does not count, and that somebody may accept.
    package struct Undecided: Hashable, Sendable {
        package var id: ActID
        package var author: PersonID
        package var kind: ActKind
        package var reason: Roster.Reason
        package var time: UInt64
    }

    /// A link by which one can come.
    package struct Link: Hashable, Sendable {
        package var id: ActID
        package var author: PersonID
        /// Whether this device has made it, and can print its line again.
        package var isOfThisDevice: Bool
        package var time: UInt64
        package var expires: UInt64?
        package var needsApproval: Bool
    }

    package var group: Group
    /// The devices of members and of all who signed an act, as far as they are known here.
    package var devices: [PersonID: [PeerID]] = [:]
    /// In the order of their ids.
    package var members: [Member] = []
    package var undecided: [Undecided] = []
    package var links: [Link] = []
    /// How many acts wait for others that are not here.
    package var waitingActs = 0
    package var acts = 0
}

extension GroupState {
    var report: GroupReport {
        var report = GroupReport(group: self.group)
        let roster = self.view.roster
        var devices: [PersonID: Set<PeerID>] = [:]
        for act in self.acts.values {
            guard let device = act.statement.device else { continue }
            devices[act.statement.author, default: []].insert(device)
        }
        report.devices = devices.mapValues { $0.sorted() }
        for (person, role) in roster.members.sorted(by: { $0.key < $1.key }) {
            let bringing = self.bringing(person)?.statement
            let known = (devices[person] ?? []).filter { self.view.isMember(person, on: $0) }
            report.members.append(
                GroupReport.Member(
                    person: person, role: role, since: bringing?.time ?? 0,
                    by: bringing?.author ?? person, devices: known.sorted(),
                    hasCome: !known.isEmpty))
        }
        for id in self.view.graph.ids {
            guard case .undecided(let reason)? = roster.verdicts[id],
                let act = self.acts[id]?.statement
            else { continue }
            report.undecided.append(
                GroupReport.Undecided(
                    id: id, author: act.author, kind: act.kind, reason: reason, time: act.time))
        }
        report.waitingActs = self.waitingGraph().waiting.count
        report.acts = self.acts.count
        return report
    }
}

extension Node {
    /// How things stand with a group; nil where there is none of that id.
    package func groupReport(_ id: ConversationID) -> GroupReport? {
        guard let state = self.groups.table[id], self.conversations.table.has(id) else {
            return nil
        }
        var report = state.report
        report.links = self.groups.openLinks(of: id, at: self.now.wall).compactMap { act in
            act.link.map {
                GroupReport.Link(
                    id: act.id, author: act.statement.author,
                    isOfThisDevice: act.statement.device == self.id, time: act.statement.time,
                    expires: $0.expires, needsApproval: $0.needsApproval)
            }
        }
        let known = self.conversations.table[known: id]
        for index in report.members.indices {
            let person = report.members[index].person
            var devices = Set(report.members[index].devices)
            for (name, log) in known.logs where log.person == person && log.head.seq > 0 {
                devices.insert(name.author)
                report.members[index].hasCome = true
            }
            for link in self.links.ids
            where self.links[link].info.certificate.personID == person {
                devices.insert(self.links[link].info.peer)
                if self.links.isShared(id, on: link) { report.members[index].hasCome = true }
            }
            devices.formUnion(self.persons.people.devices(of: person))
            report.members[index].devices = devices.filter { state.view.isMember(person, on: $0) }
                .sorted()
            report.devices[person] = devices.sorted()
        }
        return report
    }
}
