internal import Crypto
internal import Engine
internal import Formats
internal import Storage

/// Which messages of sealed conversations a search looks at next.
///
/// They are in no index, so they are read from the newest back, a stretch at a time and always of the
/// conversation that has the newest left. So a search for what came last is over soon, and the store has
/// time for others in between.
struct SealedWalk: Sendable {
    /// How many messages are read at a time.
    static let stretch = 1_000
    private static let stretchBytes = 4_194_304

    /// What was not looked at yet of a conversation: messages of `newest` or older.
    private struct Rest: Sendable {
        var conversation: ConversationID
        var direction: HistoryQuery.Direction
        var newest: HybridTime
    }

    private var rests: [Rest]
    private let since: HybridTime?

    /// Begins with the newest messages, or those before a time.
    init(_ conversations: [ConversationID], since: HybridTime?, until: HybridTime?) {
        self.since = since
        // No key is less than this, so nothing of that time stands before it.
        let direction = until.map {
            HistoryQuery.Direction.before(
                DisplayPosition(
                    time: $0, name: LogName(author: PeerID(.zero), incarnation: 0), seq: 0))
        }
        self.rests = conversations.map {
            Rest(
                conversation: $0, direction: direction ?? .last,
                newest: until ?? HybridTime(.max))
        }
    }

    /// Of what time the newest messages are that were not looked at; nil where all were.
    var newest: HybridTime? { self.rests.map(\.newest).max() }

    /// What to read next; nil where all was read, or where no older message can be among the hits wanted.
    mutating func takeNext(_ hits: [SearchHit], for query: SearchQuery) -> HistoryQuery? {
        guard let newest, let index = self.rests.firstIndex(where: { $0.newest == newest }),
            query.order == .rank || hits.count(where: { $0.time > newest }) < query.limit
        else { return nil }
        let rest = self.rests.remove(at: index)
        return HistoryQuery(
            conversation: rest.conversation, limit: Self.stretch, direction: rest.direction,
            since: self.since, byteLimit: Self.stretchBytes)
    }

    /// What was to be read has been.
    mutating func looked(at query: HistoryQuery, _ stretch: SearchStretch) {
        guard let oldest = stretch.oldest else { return }
        self.rests.append(
            Rest(
                conversation: query.conversation, direction: .before(oldest), newest: oldest.time))
    }
}
