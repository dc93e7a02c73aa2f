package import Engine
package import Formats

/// A part of what arrived, as it can be found.
package struct SearchPage: Hashable, Sendable {
    /// The messages of open conversations that arrived or were edited.
    package var documents: [SearchDocument]
    /// How far the page reaches.
    package var through: Cursor
    /// Whether more follows.
    package var hasMore: Bool
}

/// A part of a sealed conversation, as it can be found.
package struct SearchStretch: Hashable, Sendable {
    /// The messages.
    package var documents: [SearchDocument]
    /// The place before which more stand; nil where nothing does.
    package var oldest: DisplayPosition?
}

extension MessageStore {
    /// What arrived behind a cursor, as far as it may stand in an index: what is sealed stays so.
    ///
    /// A message that was edited comes again with its new text.
    package func searchDocuments(
        after cursor: Cursor, limit: Int, byteLimit: Int, by keyring: Keyring
    ) throws(StoreFailure) -> SearchPage {
        let arrivals = try self.entries(
            after: cursor, limit: limit, withSealed: false, byteLimit: byteLimit)
        var page = SearchPage(
            documents: [], through: arrivals.through, hasMore: arrivals.hasMore)
        // Much may be said of one message, which is read once all the same.
        var read: Set<EntryID> = []
        for entry in arrivals.entries {
            if let document = SearchDocument(entry, by: keyring) {
                page.documents.append(document)
                continue
            }
            guard let content = keyring.read(entry.envelope).content,
                case .edit(let target)? = Reference(content), read.insert(target.id).inserted,
                let edited = try self.entry(target.id),
                !edited.envelope.isSealed, let document = SearchDocument(edited, by: keyring)
            else { continue }
            page.documents.append(document)
        }
        return page
    }

    /// A part of a sealed conversation, as it can be found.
    package func searchDocuments(
        in query: HistoryQuery, by keyring: Keyring
    ) throws(StoreFailure) -> SearchStretch {
        let page = try self.history(query)
        return SearchStretch(
            documents: page.entries.compactMap { SearchDocument($0, by: keyring) },
            oldest: page.hasMore ? page.entries.first.map { DisplayPosition($0) } : nil)
    }
}
