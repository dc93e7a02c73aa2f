internal import Engine
package import Formats

/// What somebody looks for.
package struct SearchQuery: Hashable, Sendable {
    /// In which order hits come.
    package enum Order: Hashable, Sendable {
        /// Those that came last first.
        case newest
        /// Those that fit best first: BM25.
        case rank
    }

    /// The words, as ``SearchableText/expression(_:)`` gives them.
    package var expression: String
    /// What must be somewhere in a text that is in no index (``SearchableText/sought(_:)``).
    package var sought: [String] = []
    /// Only in this conversation; nil for all.
    package var conversation: ConversationID?
    /// Only what one of these has written; empty for all.
    package var authors: [PeerID] = []
    /// Only of this time or later.
    package var since: HybridTime?
    /// Only of before this time.
    package var until: HybridTime?
    /// In which order.
    package var order = Order.newest
    /// How many hits are wanted.
    package var limit = 20
    /// How many come before those.
    package var offset = 0

    /// Looks for words.
    package init(_ expression: String) { self.expression = expression }

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
    package func keepFirst(of hits: inout [SearchHit]) {
        switch self.order {
        case .newest: hits.sort { ($0.time, $0.id) > ($1.time, $1.id) }
        case .rank: hits.sort { ($0.rank, $0.id) < ($1.rank, $1.id) }
        }
        hits.removeLast(max(0, hits.count - self.limit))
    }

    /// Whether a message is one of those among which is sought.
    func isAbout(_ document: SearchDocument) -> Bool {
        (self.conversation ?? document.conversation) == document.conversation
            && (self.authors.isEmpty || self.authors.contains(document.author))
            && document.time >= self.since ?? HybridTime(0)
            && document.time < self.until ?? HybridTime(.max)
    }

    static func word(_ conversation: ConversationID) -> String {
        "c\(conversation.description.prefix(24))"
    }

    /// The word for a person.
    static func word(_ author: PeerID) -> String { "a\(author.description.prefix(24))" }
}

/// A message that was found.
package struct SearchHit: Hashable, Sendable {
    package var id: EntryID
    /// When it was written.
    package var time: HybridTime
    /// How well it fits: the smaller the better.
    package var rank: Double
    /// The part of its text with what was looked for, with ``SearchableText/matchStart`` and
    /// ``SearchableText/matchEnd`` around that.
    package var excerpt: String
}
