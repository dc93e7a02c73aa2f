package import Formats

/// That somebody has signed two histories, by way of servers.
///
/// `Docs/Protocol/Sites.md` section 6.
extension Node {
    /// Another number whenever ``siteForks(_:)`` may give something else.
    package func forkChanges(_ places: [ConversationID: SitePlace]) -> UInt64 {
        self.catchUp.forkSearches.provenCount &+ UInt64(places.count)
    }

    /// The logs of conversations that go to other sites of which the store has a proof, in order.
    package func siteForks(_ places: [ConversationID: SitePlace]) -> [LogKey] {
        var forked: [LogKey] = []
        for (id, place) in places where place.scope == .all {
            guard place.sort != .group || self.mayTell(id),
                let conversation = self.conversations.table[id]
            else { continue }
            for name in conversation.logs.keys where conversation.log(name).forkPoint != nil {
                forked.append(LogKey(conversation: id, name: name))
            }
        }
        return forked.sorted()
    }

    /// Ends a log by a proof that a site has brought, as on a link.
    mutating func importProof(_ proof: ForkProof) -> SiteVerdict {
        guard let conversation = self.conversations.table[proof.key.conversation],
            !conversation.isRequest
        else { return .refused(.foreign) }
        switch self.take(proof, from: .site) {
        case .known: return .known
        case .foreign: return .refused(.foreign)
        case .room: return .refused(.room)
        case .forged: return .refused(.forged)
        case .ends: return .taken
        // It is on its way to the disk when it comes again.
        case .isRead: return .refused(.early)
        }
    }

    /// Whether a run ends below the own history of a log of which another one has come: it may be of either.
    func isToCompare(_ run: Run) -> Bool {
        guard self.catchUp.forkSearches.isSuspectAtSite(run.key) else { return false }
        let log = self.conversations.table[known: run.key.conversation].log(run.key.name)
        return run.last < log.tail.seq && !log.isBeyondFork(run.first)
    }

    /// Another history of an author has come than the one that is here: the two parts prove that, or an earlier one of
    /// theirs does, which is looked for.
    mutating func forkAtSite(_ theirs: VerifiedRun) -> SiteVerdict {
        let run = theirs.run
        self.catchUp.forkSearches.suspectAtSite(run.key)
        let head = self.conversations.table[known: run.key.conversation].log(run.key.name).head.seq
        if run.first <= head {
            self.read(.siteFork(theirs), run.key, from: run.first, through: run.last)
        }
        return run.prev.map { .waits(for: .run(through: $0)) } ?? .refused(.forked)
    }
}
