package import Formats

/// What people are shown of groups, and what their words mean.
extension Node {
    /// The group that a conversation is; nil where it is none, or not here.
    package func group(_ conversation: ConversationID) -> Group? {
        self.conversations.table[conversation]?.kind.group
    }

    /// A room can be joined; into a group somebody has to bring the user.
    package func notMember(in id: ConversationID) -> RequestError {
        self.isGroup(id) ? .group(.notMember) : .notMember
    }

    package func isGroup(_ id: ConversationID) -> Bool {
        self.conversations.table.has(id) && self.conversations.table[known: id].kind.group != nil
    }

    /// Whether a message stays here though its author was out of the group when they wrote it.
    ///
    /// It was shown before that was known here, and is as any other one again if the acts turn out to say so.
    package func isOutside(_ message: Message) -> Bool {
        guard let person = self.author(of: message) else { return false }
        return !self.shows(
            message.place.seq, of: message.place.log, by: person, in: message.conversation)
    }

    /// Whether a message that sets a topic has no effect: in a group, if its author is no admin.
    package func isIgnored(_ message: Message) -> Bool {
        guard case .topic = message.content, self.isGroup(message.conversation) else {
            return false
        }
        return self.author(of: message).map {
            !self.groups.isAdmin($0, in: message.conversation)
        } ?? true
    }

    /// Who wrote a message of a group.
    private func author(of message: Message) -> PersonID? {
        guard self.isGroup(message.conversation) else { return nil }
        let log = self.conversations.table[known: message.conversation].log(message.place.log)
        return log.person ?? self.person(of: message.author)
    }

    /// Of each group those whose topics count, as far as there are logs of them here.
    package var topicAuthors: [ConversationID: Set<PeerID>] {
        var authors: [ConversationID: Set<PeerID>] = [:]
        for id in self.groups.table.keys where self.isGroup(id) {
            authors[id] = Set(
                self.conversations.table[known: id].logs.filter { _, log in
                    log.person.map { self.groups.isAdmin($0, in: id) } ?? false
                }.map(\.key.author))
        }
        return authors
    }

    /// The devices of somebody that are known here.
    package func devices(of person: PersonID) -> [PeerID] {
        self.persons.people.devices(of: person).sorted()
    }

    /// The rank that the owner gives somebody: the one that they had, else one behind all others or, with `above`, right
    /// before that admin's.
    ///
    /// Nil where no rank is left between two.
    package func rank(
        for person: PersonID, above other: PersonID? = nil, in id: ConversationID
    ) -> Rank? {
        guard let state = self.groups.table[id] else { return nil }
        var ranks: [PersonID: Rank] = [:]
        for act in state.acts.values {
            guard case .admin(let person, let rank) = act.statement.kind,
                act.statement.author == state.ownerID
            else { continue }
            ranks[person] = min(ranks[person] ?? rank, rank)
        }
        if let earlier = ranks[person] { return earlier }
        let taken = Set(ranks.values)
        guard let other, let next = ranks[other] else {
            let last = Int(taken.max() ?? 0)
            return Rank(exactly: last + Limits.rankStep) ?? Rank(exactly: last + 1)
        }
        let before = taken.filter { $0 < next }.max() ?? 0
        let middle = before + (next - before) / 2
        return middle > before && middle < next ? middle : nil
    }
}
