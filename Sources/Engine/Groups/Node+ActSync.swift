internal import Formats

/// Asking linked members for their acts before something is taken away.
extension Node {
    mutating func syncActs(
        of ids: [ConversationID], besides person: PersonID?, _ device: PeerID?,
        _ request: RequestID
    ) {
        var pings: [LinkID: UInt64] = [:]
        for link in self.groups.links(sharing: ids, besides: person, device) {
            pings[link] = self.ping(link)
        }
        self.groups.syncs.append(
            ActSync(
                request: request, groups: ids, besides: person, device: device, pings: pings,
                until: self.now.monotonic + Limits.actSyncMilliseconds))
        self.armGroups()
    }

    /// Answers those that wait no longer, and says of whom all is not here: of members who have been here at all.
    mutating func settleSyncs() {
        guard !self.groups.syncs.isEmpty else { return }
        for (sync, asked) in self.groups.takeSyncs(at: self.now.monotonic) {
            var unasked: Set<PersonID> = []
            for id in sync.groups {
                let members = self.groupReport(id)?.members ?? []
                unasked.formUnion(members.filter(\.hasCome).map(\.person))
            }
            unasked.subtract(asked)
            unasked.remove(self.own.certificate.personID)
            if let person = sync.besides { unasked.remove(person) }
            self.answer(sync.request, .synced(unasked: unasked.sorted()))
        }
    }

    /// Has the node woken when an answer about a group is due next.
    mutating func armGroups() {
        let due =
            self.groups.joining.values.compactMap(\.request?.until)
            + self.groups.syncs.map(\.until)
        if let next = due.min() { self.actions.append(.arm(.groups, at: next)) }
    }
}
