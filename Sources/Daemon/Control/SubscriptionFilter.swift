internal import ControlAPI
internal import Engine
internal import Formats

/// What of the changes that a subscriber follows it is given: the rest counts as given.
struct SubscriptionFilter: Hashable, Sendable {
    /// Which kinds of messages; nil for all.
    var messages: Set<MessageResult.Kind>?
    /// Whose; nil for everybody's.
    var authors: Set<PeerID>?
    /// The persons whose devices these are, as far as that is known.
    var persons: Set<PersonID> = []
    /// Whether what the user has written is left out.
    var isNotMine = false
    /// Whether only messages come that call the user by name or answer them.
    var isMentions = false

    /// Which streams; nil for all.
    var streams: Set<StreamName>?

    /// Whether everything passes.
    var isEmpty: Bool {
        self.streams == nil && self.messages == nil && self.authors == nil && !self.isNotMine
            && !self.isMentions
    }
}

extension NodeShell {
    /// The filter that a client asks for.
    func filter(_ params: SubscribeMethod.Params) throws(RPCError) -> SubscriptionFilter {
        var filter = SubscriptionFilter()
        filter.messages = params.messages.map { Set($0) }
        if let names = params.authors {
            var authors: Set<PeerID> = []
            for name in names { authors.insert(try self.person(name, for: .reach)) }
            filter.authors = authors
            filter.persons = Set(
                authors.compactMap { peer in self.node.ask { $0.person(of: peer) } })
        }
        if let names = params.streams {
            var streams: Set<StreamName> = []
            for name in names { streams.insert(try StreamName(checking: name)) }
            filter.streams = streams
        }
        filter.isNotMine = params.notMine == true
        filter.isMentions = params.mentions == true
        return filter
    }

    /// Whether a subscriber is given a change.
    func passes(_ change: Change, _ filter: SubscriptionFilter) -> Bool {
        guard !filter.isEmpty else { return true }
        let author: PeerID?
        switch change {
        case .message(let message):
            author = message.author
            if case .stream(let piece) = message.content,
                filter.streams?.contains(piece.name) == false
            {
                return false
            }
            if change.kind == .message {
                guard filter.messages?.contains(MessageResult.Kind(message.content)) ?? true,
                    !filter.isMentions
                        || self.isMention(message, isOwn: self.isOwn(message.author))
                else { return false }
            }
        case .notice(_, let notice):
            switch notice.event {
            case .erased(_, _, let peer), .delivered(_, _, let peer), .read(_, _, let peer),
                .linked(let peer), .unlinked(let peer, _), .stood(let peer, _), .profiled(let peer),
                .decided(let peer, _), .invited(let peer, _):
                author = peer
            default: return true
            }
        }
        guard let author else { return true }
        if filter.isNotMine && self.isOwn(author) { return false }
        guard let authors = filter.authors, !authors.contains(author) else { return true }
        return self.node.ask { $0.person(of: author) }.map(filter.persons.contains) ?? false
    }
}
