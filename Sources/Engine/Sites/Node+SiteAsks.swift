internal import Crypto
package import Formats

/// Asks others for items that the servers have lost, and answers such questions.
///
/// `Docs/Protocol/Sites.md` section 13.
extension Node {
    // MARK: What is lacking here

    /// What is to be asked for where an item waits for another one, and what seals that; nil where nothing is lacking.
    ///
    /// - Parameter name: what it waits for.
    package func siteAsk(
        for item: SiteItem, needing name: SiteItem.Name, in realm: Realm
    ) -> (ask: SiteAsk, root: SiteRoot)? {
        let what: SiteAsk.What
        let conversation: ConversationID
        switch item {
        case .run(let run):
            conversation = run.key.conversation
            let tail = self.conversations.table[conversation]?.log(run.key.name).tail.seq ?? 0
            guard run.first > tail + 1 else { return nil }
            // What was said before a newcomer's time is not theirs to read.
            guard tail > 0 || self.groups.table[conversation]?.group.history != .joined else {
                return nil
            }
            what = .runs(run.key.name, first: tail + 1, last: run.first - 1)
        case .act(let act):
            guard case .act(let missing) = name else { return nil }
            (conversation, what) = (act.group, .act(missing))
        default: return nil
        }
        guard let place = self.sitePlaces(of: realm)[conversation], place.scope == .all else {
            return nil
        }
        // All of the realm would hear there that this device is on.
        guard self.own.configuration.preferences.tellsPresence || !self.isOpenRoom(conversation)
        else { return nil }
        let ask = SiteAsk(for: what, in: conversation, at: self.now.wall, by: self.own.signer)
        return (ask, place.root)
    }

    private func isOpenRoom(_ id: ConversationID) -> Bool {
        self.conversations.table[id]?.kind.room != nil
    }

    /// Whether an item is by somebody whom the user knows: gaps that others invent keep none of theirs waiting.
    package func isByKnown(_ item: SiteItem) -> Bool {
        switch item {
        case .run(let run): self.tier(of: run.key.name.author) > .fellow
        case .act(let act): act.statement.device.map { self.tier(of: $0) > .fellow } ?? false
        default: false
        }
    }

    // MARK: What others lack

    /// Whether it is looked for what somebody lacks: ``SiteVerdict/asks(_:)`` where it is.
    mutating func importAsk(_ ask: SiteAsk) -> SiteVerdict {
        guard let conversation = self.conversations.table[ask.conversation],
            conversation.isJoined, !conversation.isRequest,
            self.tier(of: ask.device) > .blocked, !self.persons.people.isRevoked(ask.device)
        else { return .refused(.foreign) }
        guard ask.device != self.id else { return .known }
        // Of two, also before the other one has written anything; of a group whoever has had a key of it.
        guard
            self.isOwnDevice(ask.device) || self.isSiteMember(ask.device, of: conversation)
                || conversation.kind.direct?.device == ask.device
                || conversation.kind.group != nil
        else { return .refused(.early) }
        // Before the other one has written, an answer says more of a private user than they were told.
        guard
            self.own.configuration.preferences.tellsPresence || conversation.kind.direct == nil
                || self.isOwnDevice(ask.device) || self.isAnswered(conversation.id)
        else { return .known }
        guard self.hasSome(of: ask.what, in: conversation),
            self.catchUp.siteAskers.isNews(ask, at: self.now)
        else { return .known }
        guard ask.isValid else { return .refused(.forged) }
        let tier = self.tier(of: ask.device)
        return self.catchUp.siteAskers.take(ask, tier, at: self.now) ? .asks(ask) : .known
    }

    /// Whether anything of what is asked for is here.
    private func hasSome(of what: SiteAsk.What, in conversation: Conversation) -> Bool {
        switch what {
        case .runs(let name, let first, _): conversation.log(name).head.seq >= first
        case .act(let id): self.groups.table[conversation.id]?.acts[id] != nil
        }
    }

    /// An act of a group that somebody lacks, and what is before it, as far as that is here: the newest first, each with
    /// what seals it.
    package func siteActs(through id: ActID, of group: ConversationID) -> [(Act, SiteRoot)] {
        guard let state = self.groups.table[group] else { return [] }
        var found: [(Act, SiteRoot)] = []
        var seen: Set<ActID> = [id]
        var next = [id]
        while !next.isEmpty, seen.count <= Limits.siteActsAnswered {
            let now = next
            next = []
            for id in now {
                guard let act = state.acts[id] else { continue }
                if let root = self.groups.siteRoot(of: act) { found.append((act, root)) }
                next += act.statement.basis.sorted().filter { seen.insert($0).inserted }
            }
        }
        return Array(found.prefix(Limits.siteActsAnswered))
    }
}
