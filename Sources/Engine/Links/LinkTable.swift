internal import Formats

/// The open links: by number, by peer, by conversation.
///
/// A link that is asked for by number is there: what comes in for one that is gone is dropped where
/// it comes in. So that this holds while an event is handled, a link whose peer breaks the protocol
/// or does not read is only marked, and ends when the event has been handled.
struct LinkTable: Sendable {
    /// Why a link is to end.
    struct Doom: Sendable {
        var link: LinkID
        var reason: GoawayReason
        var text: String
    }

    private var table = Table<LinkID, Link>()
    private var byPeer: [PeerID: LinkID] = [:]
    /// The links that share a conversation, oldest first.
    private var sharers: [ConversationID: [LinkID]] = [:]
    private var doomed: [Doom] = []
    /// Newer links to peers that are linked already, until it is decided which one stays.
    var contest = LinkContest()
    /// Conversations that the user has left and of which a peer has told what it has: where that is
    /// the leave they end being shared, once the event has been handled.
    var departing: Set<ConversationID> = []
    /// Peers whose links have ended while they were doubted, and until when they are dialled as these.
    var lost: [PeerID: UInt64] = [:]
    /// Whether a moment is set at which links are looked at from which a sign is due.
    var isPulseArmed = false
    /// When something was last written.
    var changedAt: UInt64 = 0
    /// Whether links are looked at more rarely, since nothing has changed.
    var isResting = false
    /// When the network changed, until the links have been looked at.
    var networkChangedAt: UInt64?

    /// What was sent since links were looked at for what their peers do not take.
    private var sentBytes = 0
    /// How many rows have come since links were looked at for what they have told.
    private var rows = 0

    var count: Int { self.table.count }

    /// The links' numbers, ascending.
    var ids: [LinkID] { self.table.keys.sorted() }

    /// The links, in no order.
    var all: [Link] { self.table.values }

    /// Since which news each link has not been told, and in which order of this node's own.
    var turns: [(told: UInt64, order: UInt64, id: LinkID)] {
        self.table.keys.map { id in
            (self.table[known: id].newsTold, self.table[known: id].order, id)
        }
    }

    /// The peers that are linked.
    var peers: some Collection<PeerID> { self.byPeer.keys }

    /// A link that is there; traps otherwise.
    subscript(id: LinkID) -> Link {
        @inline(__always)
        _read { yield self.table[known: id] }
        @inline(__always)
        _modify { yield &self.table[known: id] }
    }

    func has(_ id: LinkID) -> Bool { self.table.has(id) }

    func find(_ id: LinkID) -> Link? { self.table[id] }

    func link(with peer: PeerID) -> Link? { self.byPeer[peer].flatMap { self.table[$0] } }

    func id(of peer: PeerID) -> LinkID? { self.byPeer[peer] }

    /// Whether a peer is linked, and not only on trial.
    func hasPlace(_ peer: PeerID) -> Bool {
        self.id(of: peer).map { !self.table[known: $0].isOnTrial } ?? false
    }

    mutating func add(_ link: Link) {
        self.table[link.id] = link
        self.byPeer[link.info.peer] = link.id
    }

    /// Takes a link out, and out of all that it shared.
    mutating func remove(_ id: LinkID) {
        let link = self.table[known: id]
        self.table[id] = nil
        for conversation in link.shared.keys { self.removeSharer(id, of: conversation) }
        if self.byPeer[link.info.peer] == id { self.byPeer[link.info.peer] = nil }
        self.doomed.removeAll { $0.link == id }
    }

    // MARK: What peers do not take

    /// Counts what is sent; gives whether links are to be looked at for what their peers do not take.
    mutating func isLookDue(sending byteCount: Int) -> Bool {
        self.sentBytes += byteCount
        guard self.sentBytes >= Limits.untakenStepBytes else { return false }
        self.sentBytes = 0
        return true
    }

    /// Those links of some that leave most, where all of these together leave more than they may.
    func leavingTooMuch(among ids: [LinkID]) -> [LinkID] {
        self.most(of: ids, limit: Limits.strangersUntakenBytes) { $0.flow.untakenBytes }
    }

    // MARK: What peers have told of logs

    /// Counts rows; gives whether links are to be looked at for what they have told.
    mutating func isLookDue(afterRows count: Int) -> Bool {
        self.rows += count
        guard self.rows >= Limits.rowsStep else { return false }
        self.rows = 0
        return true
    }

    /// Which of some links have most of something, where all of these together have more than they may.
    private func most(
        of ids: [LinkID], limit: Int, _ amount: (Link) -> Int
    ) -> [LinkID] {
        let all = ids.map { (id: $0, amount: amount(self.table[known: $0])) }
        var excess = all.reduce(0) { $0 + $1.amount } - limit
        var found: [LinkID] = []
        for (id, amount) in all.sorted(by: { ($1.amount, $0.id) < ($0.amount, $1.id) })
        where excess > 0 {
            excess -= amount
            found.append(id)
        }
        return found
    }

    /// Has those links of some forget what they have told of logs that are here, beside what each log has anyway, whose
    /// peers have told most, where all of these together have told more than is kept.
    ///
    /// - Parameter own: the numbers of own logs of a conversation, of which what is told is kept.
    mutating func boundRemembered(
        among ids: [LinkID], limit: Int = Limits.strangersRememberedBytes,
        own: (ConversationID) -> Set<UInt32>
    ) {
        let most = self.most(of: ids, limit: limit) { link in
            link.shared.values.reduce(0) { $0 + $1.rememberedBytes }
        }
        for id in most {
            for conversation in self.table[known: id].shared.keys
            where self.table[known: id].shared[known: conversation].rememberedBytes > 0 {
                let own = own(conversation)
                self.table[known: id].shared[known: conversation]
                    .forgetRemembered(but: own.contains)
            }
        }
    }

    /// Has those links of some forget such rows that have told most, where all of these together have told
    /// more than is kept.
    mutating func boundUnknown(among ids: [LinkID]) {
        let limit = Limits.strangersUnknownBytes / Limits.unknownRowBytes
        let most = self.most(of: ids, limit: limit) { link in
            link.shared.values.reduce(0) { $0 + $1.unknown.count }
        }
        for id in most {
            for conversation in self.table[known: id].shared.keys {
                self.table[known: id].shared[known: conversation].unknown.forgetRows()
            }
        }
    }

    // MARK: Conversations

    /// The links that share a conversation, oldest first.
    func sharing(_ conversation: ConversationID) -> [LinkID] { self.sharers[conversation] ?? [] }

    func isShared(_ conversation: ConversationID, on id: LinkID) -> Bool {
        self.table.has(id) && self.table[known: id].shared.has(conversation)
    }

    /// Shows what each link has of a conversation that it shares, oldest first, where it lies.
    ///
    /// Nothing need change by that; but what is only read would be copied, and each copy of a link counts up all of
    /// its tables, for a hundred links with each run that comes.
    mutating func visit(
        _ conversation: ConversationID, _ body: (LinkID, inout ConversationSync) -> Void
    ) {
        for id in self.sharing(conversation) {
            body(id, &self.table[known: id].shared[known: conversation])
        }
    }

    /// The first of some conversations that a link shares.
    func firstShared(of conversations: [ConversationID], on id: LinkID) -> ConversationID? {
        conversations.first { self.isShared($0, on: id) }
    }

    mutating func share(_ conversation: ConversationID, on id: LinkID, _ sync: ConversationSync) {
        self.table[known: id].shared[conversation] = sync
        self.sharers[conversation, default: []].append(id)
        self.sharers[conversation]?.sort()
    }

    mutating func unshare(_ conversation: ConversationID, on id: LinkID) {
        self.table[known: id].shared[conversation] = nil
        self.table[known: id].service.serving.removeAll { $0.key.conversation == conversation }
        self.removeSharer(id, of: conversation)
    }

    private mutating func removeSharer(_ id: LinkID, of conversation: ConversationID) {
        self.sharers[conversation]?.removeAll { $0 == id }
        if self.sharers[conversation]?.isEmpty == true { self.sharers[conversation] = nil }
    }

    // MARK: Links that are to end

    /// Marks a link; the first reason counts.
    mutating func doom(_ id: LinkID, _ reason: GoawayReason, _ text: String) {
        guard !self.isDoomed(id) else { return }
        self.doomed.append(Doom(link: id, reason: reason, text: text))
    }

    func isDoomed(_ id: LinkID) -> Bool { self.doomed.contains { $0.link == id } }

    /// The next link that is to end; nil where there is none.
    mutating func takeDoomed() -> Doom? {
        self.doomed.isEmpty ? nil : self.doomed.removeFirst()
    }
}
