package import Engine
internal import Formats
internal import Glibc

/// What of the open rooms can be found by its words: a file of its own beside the store, which can be
/// thrown away and made again.
///
/// It is filled behind the commits (``put(_:through:)``) and knows how far it has come. A file that was
/// not closed is made again: what was erased meanwhile might still be in it. `Docs/Data.md`.
package actor SearchIndex {
    private let executor: any SerialExecutor
    private let path: String
    private var table: SearchTable?

    /// The name of the file in the data directory.
    package static let fileName = "search.db"

    private init(path: String, executor: any SerialExecutor) {
        self.path = path
        self.executor = executor
    }

    /// The executor that was given.
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        self.executor.asUnownedSerialExecutor()
    }

    /// Opens the index in a data directory, and makes it where it is missing, of another version, not
    /// closed well, damaged, or not of this store: `store` is the inode of its file, and `newest` its
    /// newest cursor.
    package static func open(
        directory: String, store: UInt64, newest: Cursor, executor: any SerialExecutor
    ) async throws(StoreFailure) -> SearchIndex {
        let index = SearchIndex(path: "\(directory)/\(Self.fileName)", executor: executor)
        try await index.start(store, newest)
        return index
    }

    private func start(_ store: UInt64, _ newest: Cursor) throws(StoreFailure) {
        if let table = try? SearchTable(path: self.path),
            (try? table.isUsable(for: store, through: newest)) == true
        {
            self.table = table
        } else {
            self.table = nil
            for suffix in ["", "-wal", "-shm", "-journal"] { unlink(self.path + suffix) }
            let descriptor = Glibc.open(
                self.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else {
                throw StoreFailure(systemError: errno, doing: "create the file", path: self.path)
            }
            Glibc.close(descriptor)
            let table = try StoreFile.translating(self.path, nil) { () throws(SQLiteError) in
                let table = try SearchTable(path: self.path)
                try table.create(for: store)
                return table
            }
            self.table = table
        }
        try self.perform { (table) throws(SQLiteError) in try table.noteOpen(true) }
    }

    /// Closes it well; no other call may follow.
    package func close() {
        try? self.perform { (table) throws(SQLiteError) in try table.noteOpen(false) }
        self.table = nil
    }

    private func perform<R>(
        _ body: (SearchTable) throws(SQLiteError) -> R
    ) throws(StoreFailure) -> R {
        guard let table = self.table else { preconditionFailure("a closed index is not used") }
        return try StoreFile.translating(self.path, table.database) { () throws(SQLiteError) in
            try body(table)
        }
    }

    /// Through which cursor all messages are in it.
    package func cursor() throws(StoreFailure) -> Cursor {
        try self.perform { (table) throws(SQLiteError) in try table.cursor() }
    }

    /// Takes messages, in the place of what was known of them; all through a cursor are in it then.
    package func put(_ documents: [SearchDocument], through cursor: Cursor) throws(StoreFailure) {
        try self.perform { (table) throws(SQLiteError) in try table.put(documents, cursor) }
    }

    /// Forgets messages by their places (``SearchDocument/place(_:_:)``); nothing of them is in the file
    /// any more.
    ///
    /// Takes long for a large index, which is merged into one piece for it.
    package func remove(_ places: [Int64]) throws(StoreFailure) {
        try self.perform { (table) throws(SQLiteError) in
            if try table.remove(places) { try table.purge() }
        }
    }

    /// What is found, in the order that is asked for.
    package func search(_ query: SearchQuery) throws(StoreFailure) -> [SearchHit] {
        try self.perform { (table) throws(SQLiteError) in try table.search(query) }
    }

    /// What is found in these messages, which are indexed in memory for this one call; of what no word
    /// begins with, any part of a text, behind all others.
    package func search(
        _ query: SearchQuery, in documents: [SearchDocument]
    ) throws(StoreFailure) -> [SearchHit] {
        try StoreFile.translating("memory", nil) { () throws(SQLiteError) in
            let table = try SearchTable(path: ":memory:")
            try table.create()
            try table.put(documents, Cursor(0))
            let hits = try table.search(query)
            let found = Set(hits.map(\.id))
            let others = documents.filter { !found.contains($0.id) && query.isAbout($0) }
            return hits
                + others.compactMap { document in
                    FoundText.excerpt(of: document.text, sought: query.sought).map {
                        SearchHit(id: document.id, time: document.time, rank: 0, excerpt: $0)
                    }
                }
        }
    }
}
