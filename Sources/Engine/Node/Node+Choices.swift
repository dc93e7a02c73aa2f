internal import Formats

/// What the user has asked for stands once it is on disk; where the disk refuses it, nothing of it is held.
extension Node {
    /// Puts into a batch what the user has asked for; of a conversation that could not be begun nothing.
    mutating func place(_ choices: Choices, in flight: inout InFlight) {
        for (id, change) in choices.arrangements.sorted(by: { $0.key < $1.key })
        where self.conversations.table.has(id) {
            let before = self.conversations.table[known: id].arrangement
            let arrangement = change.applied(to: before)
            guard arrangement != before else { continue }
            flight.batch.arrangements[id] = arrangement
            flight.batch.notices.append(Notice(.arranged(id, arrangement), at: self.now.wall))
        }
        flight.batch.retentions = choices.retentions.filter { self.conversations.table.has($0.key) }
        flight.batch.reads = choices.reads.filter { self.conversations.table.has($0.key) }
        flight.batch.requests.kept += choices.declined.sorted { $0.key < $1.key }.map(\.value)
        flight.batch.notices += self.notices(of: choices, flight.batch.people)
        // What they have written in rooms stays theirs.
        let silent = choices.forgotten.filter { !self.isAuthor($0) }
        self.disk.commits.records.forget(silent)
        flight.batch.records.removeAll { silent.contains($0.author) }
        flight.batch.peers.removeAll { silent.contains($0.id) }
        flight.batch.forgotten = silent.union(flight.batch.forgotten).sorted()
        // Behind the one that is told anew at a start, which stays where this is refused.
        if let profile = choices.profile { flight.batch.records.append(profile) }
    }

    /// What subscribers hear about the people of whom the user says something else.
    private func notices(of choices: Choices, _ people: [PeerID: Standing]) -> [Notice] {
        let declined = choices.declined.values.map(\.device).sorted().map {
            Notice(.decided($0, isAccepted: false), at: self.now.wall)
        }
        let changed = people.filter { $0.value != self.standing(of: $0.key) }
        return declined
            + changed.sorted { $0.key < $1.key }.map { Notice(.stood($0, $1), at: self.now.wall) }
    }

    private func isAuthor(_ peer: PeerID) -> Bool {
        self.conversations.table.values.contains { conversation in
            conversation.logs.keys.contains { $0.author == peer }
        }
    }

    /// What the user has asked for is on disk.
    mutating func settleChoices(of flight: InFlight) {
        for (id, arrangement) in flight.batch.arrangements {
            self.conversations.table[known: id].arrangement = arrangement
        }
        for (id, retention) in flight.batch.retentions {
            self.conversations.table[known: id].retention = retention
        }
        for (person, request) in flight.choices.declined.sorted(by: { $0.key < $1.key }) {
            // Who was let in by the same batch waits no longer.
            if self.conversations.requests.all[person] != nil { self.take(request) }
        }
        // What the disk does not have is not claimed to be here, so it is asked for if they are met again.
        for peer in flight.batch.forgotten where flight.choices.forgotten.contains(peer) {
            self.persons.profiles.forget(peer)
            self.forgetPicture(of: peer)
            self.persons.people.forget(peer)
        }
        let forgotten = flight.choices.forgotten.filter { self.links.id(of: $0) == nil }
        self.performDialling(self.dialling.forget(forgotten.sorted()))
        self.meetForgotten(flight.batch.membership)
        for case (_, .standing(let peer, let standing)) in flight.answers {
            if standing == .known || standing == .verified { self.takeBackDecline(of: peer) }
        }
    }

    /// A batch was refused: of the conversations that it was to begin nothing is left, unless another one
    /// is to.
    mutating func dropUnbegun(_ membership: [ConversationID: ConversationMembership]) {
        for (id, change) in membership
        where change.isJoined && self.disk.commits.isJoined(id) == nil {
            guard let conversation = self.conversations.table[id], conversation.isUnbegun else {
                continue
            }
            self.conversations.table[id] = nil
            // The key of a private one came with the request; an open room has none of its own.
            guard conversation.name == nil else { continue }
            self.keyring.remove(id)
            self.conversations.directKeys.drop(id)
            self.conversations.privates.remove(conversation.kind)
        }
    }
}
