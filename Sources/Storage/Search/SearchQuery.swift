public import Engine

/// What somebody looks for.
public struct SearchQuery: Hashable, Sendable {
    /// In which order hits come.
    public enum Order: Hashable, Sendable {
        /// Those that came last first.
        case newest
        /// Those that fit best first: BM25.
        case rank
    }

    /// The words, as ``SearchableText/expression(_:)`` gives them.
    public var expression: String
    /// Only in this conversation; nil for all.
    public var conversation: ConversationID?
    /// Only what one of these has written; empty for all.
    public var authors: [PeerID] = []
    /// Only of this time or later.
    public var since: HybridTime?
    /// Only of before this time.
    public var until: HybridTime?
    /// In which order.
    public var order = Order.newest
    /// How many hits are wanted.
    public var limit = 20
    /// How many come before those.
    public var offset = 0

    /// Looks for words.
    public init(_ expression: String) { self.expression = expression }

    /// The same with what else is asked for, in the words of FTS5.
    var match: String {
        var match = "text : (\(self.expression))"
        if let conversation {
            match += " AND scope : \"\(Self.word(conversation))\""
        }
        if !self.authors.isEmpty {
            let words = self.authors.map { "\"\(Self.word($0))\"" }
            match += " AND scope : (\(words.joined(separator: " OR ")))"
        }
        return match
    }

    /// Puts hits of several searches in the order that is asked for, and keeps as many as are wanted.
    public func keepFirst(of hits: inout [SearchHit]) {
        switch self.order {
        case .newest: hits.sort { ($0.time, $0.id) > ($1.time, $1.id) }
        case .rank: hits.sort { ($0.rank, $0.id) < ($1.rank, $1.id) }
        }
        hits.removeLast(max(0, hits.count - self.limit))
    }

    /// The word for a conversation.
    static func word(_ conversation: ConversationID) -> String {
        "c\(conversation.description.prefix(24))"
    }

    /// The word for a person.
    static func word(_ author: PeerID) -> String { "a\(author.description.prefix(24))" }
}

/// A message that was found.
public struct SearchHit: Hashable, Sendable {
    /// Its id.
    public var id: EntryID
    /// When it was written.
    public var time: HybridTime
    /// How well it fits: the smaller the better.
    public var rank: Double
    /// The part of its text with what was looked for, with ``SearchableText/matchStart`` and
    /// ``SearchableText/matchEnd`` around that.
    public var excerpt: String
}
