import Crypto
import Engine
import Formats
import TestSupport
import Testing

@testable import Storage

@Suite("The index of words") struct SearchIndexTests {
    private static let texts = [
        "the na\u{EF}ve approach", "we meet in \u{6771}\u{4EAC}\u{30BF}\u{30EF}\u{30FC}",
        "great \u{1F44D}\u{1F3FD}!", "look at /var/log/syslog first",
        "mail ada.lovelace@example.org about it", "lunch at noon", "noon is not lunch",
    ]

    /// Messages of bob's in a room, each a document.
    private static func documents(_ texts: [String]) throws -> [SearchDocument] {
        var log = LogWriter(bob)
        return try texts.enumerated().map { index, words in
            let run = log.run([text(words, at: UInt64(index) + 1)])
            let entry = StoredEntry(
                cursor: Cursor(Int64(index) + 1), key: log.key, seq: run.run.first, id: run.ids[0],
                time: time(UInt64(index) + 1), envelope: run.envelope(at: 0), isSeen: true,
                isLate: false, isDisputed: false)
            return try #require(SearchDocument(entry, by: Keyring()))
        }
    }

    private static func open(
        _ directory: TemporaryDirectory, store: UInt64 = 7, newest: Int64 = 1_000
    ) async throws -> SearchIndex {
        try await SearchIndex.open(
            directory: directory.data, store: store, newest: Cursor(newest),
            executor: QueueExecutor())
    }

    private static func found(
        _ typed: String, in index: SearchIndex, _ change: (inout SearchQuery) -> Void = { _ in }
    ) async throws -> [String] {
        var query = SearchQuery(try #require(SearchableText.expression(typed)))
        change(&query)
        return try await index.search(query).map { hit in
            SearchableText.parts(ofExcerpt: hit.excerpt)
                .map { $0.isMatch ? "[\($0.text)]" : $0.text }.joined()
        }
    }

    @Test("a file is found by its name and by what is said with it")
    func files() async throws {
        let directory = try TemporaryDirectory()
        let index = try await Self.open(directory)
        let blob = BlobID(size: 1, root: .zero)
        let file = try #require(
            AttachedFile(
                blob: blob, size: 1, name: "budget-2026.ods", type: "x/y", caption: "as asked"))
        var log = LogWriter(bob)
        let run = log.run([entry(.file(file), at: time(1), deps: [])])
        let stored = StoredEntry(
            cursor: Cursor(1), key: log.key, seq: run.run.first, id: run.ids[0], time: time(1),
            envelope: run.envelope(at: 0), isSeen: true, isLate: false, isDisputed: false)
        try await index.put(
            [try #require(SearchDocument(stored, by: Keyring()))], through: Cursor(2))
        #expect(try await Self.found("budget*", in: index) == ["[budget]-2026.ods: as asked"])
        #expect(try await Self.found("asked", in: index) == ["budget-2026.ods: as [asked]"])
    }

    @Test("words, parts of texts without spaces, emoji, paths, addresses and beginnings are found")
    func words() async throws {
        let directory = try TemporaryDirectory()
        let index = try await Self.open(directory)
        try await index.put(try Self.documents(Self.texts), through: Cursor(8))
        #expect(try await index.cursor() == Cursor(8))
        for typed in ["naive", "NA\u{CF}VE", "na\u{EF}ve"] {
            #expect(try await Self.found(typed, in: index) == ["the [na\u{EF}ve] approach"])
        }
        #expect(
            try await Self.found("\u{6771}\u{4EAC}", in: index)
                == ["we meet in [\u{6771}\u{4EAC}]\u{30BF}\u{30EF}\u{30FC}"])
        #expect(try await Self.found("\u{4EAC}\u{30BF}", in: index).count == 1)
        #expect(try await Self.found("\u{4EAC}\u{6771}", in: index).isEmpty)
        #expect(try await Self.found("\u{1F44D}", in: index).count == 1)
        #expect(
            try await Self.found("/var/log/syslog", in: index)
                == ["look at /[var/log/syslog] first"])
        #expect(try await Self.found("/log/var", in: index).isEmpty)
        #expect(try await Self.found("lovelace@example.org", in: index).count == 1)
        #expect(try await Self.found("lunch noon", in: index).count == 2)
        #expect(try await Self.found("\"lunch at noon\"", in: index).count == 1)
        #expect(try await Self.found("syslo", in: index).count == 1)
        #expect(try await Self.found("syslo first", in: index).isEmpty)
        #expect(try await Self.found("\"syslo\"", in: index).isEmpty)
        #expect(try await Self.found("syslo*", in: index).count == 1)
        #expect(try await Self.found("AND", in: index).isEmpty)
        await index.close()
    }

    @Test("the beginning of the last word is enough, and ß is ss")
    func beginnings() async throws {
        let directory = try TemporaryDirectory()
        let index = try await Self.open(directory)
        let texts = [
            "Das Mittagessen", "Große Straße", "GROSSE STRASSE", "e\u{301}cole", "e\u{FB03}zient",
        ]
        try await index.put(try Self.documents(texts), through: Cursor(8))
        #expect(try await Self.found("mittag", in: index) == ["Das [Mittagessen]"])
        #expect(try await Self.found("das mittag", in: index).count == 1)
        #expect(try await Self.found("mittag das", in: index).isEmpty)
        for typed in ["strasse", "STRASSE", "straße", "STRAẞE", "Große Straße", "gross stras"] {
            #expect(
                try await Self.found(typed, in: index).count == (typed == "gross stras" ? 0 : 2))
        }
        #expect(try await Self.found("ecole", in: index).count == 1)
        #expect(try await Self.found("effizient", in: index).count == 1)
        await index.close()
    }

    @Test(
        "the newest come first, or those that fit best; pages, people, rooms and times narrow them")
    func order() async throws {
        let directory = try TemporaryDirectory()
        let index = try await Self.open(directory)
        let texts = (1...9).map { number in
            "word \(String(repeating: "other ", count: number % 3))number\(number)"
        }
        try await index.put(try Self.documents(texts), through: Cursor(9))
        let newest = try await Self.found("word", in: index) { $0.limit = 3 }
        #expect(newest.map { $0.suffix(1) } == ["9", "8", "7"])
        let next = try await Self.found("word", in: index) {
            $0.limit = 3
            $0.offset = 3
        }
        #expect(next.map { $0.suffix(1) } == ["6", "5", "4"])
        let best = try await Self.found("word", in: index) {
            $0.limit = 3
            $0.order = .rank
        }
        #expect(best.map { $0.suffix(1) } == ["9", "6", "3"])
        #expect(try await Self.found("word", in: index) { $0.since = time(8) }.count == 2)
        #expect(try await Self.found("word", in: index) { $0.until = time(8) }.count == 7)
        #expect(try await Self.found("word", in: index) { $0.authors = [bob.id] }.count == 9)
        #expect(try await Self.found("word", in: index) { $0.authors = [ada.id, eve.id] }.isEmpty)
        let inOps = try await Self.found("word", in: index) {
            $0.conversation = ops.conversation
        }
        #expect(inOps.count == 9)
        let den = room("den").conversation
        #expect(try await Self.found("word", in: index) { $0.conversation = den }.isEmpty)
        // What stands for a room or a person is no word that anybody finds.
        let word = SearchQuery.word(ops.conversation)
        #expect(try await Self.found(word, in: index).isEmpty)
        await index.close()
    }

    @Test("what was edited is found by its new words, and what is gone is in no file")
    func changes() async throws {
        let directory = try TemporaryDirectory()
        let index = try await Self.open(directory)
        var documents = try Self.documents(
            (1...300).map { "common text \($0)" } + ["first-secret here", "kept"])
        try await index.put(documents, through: Cursor(302))
        documents[300].text = "second-secret here"
        try await index.put([documents[300]], through: Cursor(303))
        #expect(try await Self.found("first", in: index).isEmpty)
        #expect(try await Self.found("second", in: index).count == 1)
        try await index.remove([documents[300].place])
        #expect(try await Self.found("second", in: index).isEmpty)
        #expect(try await Self.found("kept", in: index).count == 1)
        for suffix in ["", "-wal"] {
            let path = "\(directory.data)/\(SearchIndex.fileName)\(suffix)"
            let bytes = TestFiles.read(path) ?? []
            for word in ["first", "second", "secret"] {
                #expect(bytes.firstRange(of: Array(word.utf8)) == nil, "\(word) in \(suffix)")
            }
        }
        await index.close()
    }

    @Test("an index that was not closed, is damaged, or is of another store is made again")
    func disposable() async throws {
        let directory = try TemporaryDirectory()
        let documents = try Self.documents(Self.texts)
        var index = try await Self.open(directory)
        try await index.put(documents, through: Cursor(8))
        await index.close()
        index = try await Self.open(directory)
        #expect(try await index.cursor() == Cursor(8))
        // What a kill leaves: files that say they are open.
        let copy = try TemporaryDirectory()
        for suffix in ["", "-wal"] {
            let name = SearchIndex.fileName + suffix
            if let bytes = TestFiles.read("\(directory.data)/\(name)") {
                try writeFile("\(copy.data)/\(name)", bytes)
            }
        }
        let again = try await Self.open(copy)
        #expect(try await again.cursor() == Cursor(0))
        await again.close()
        await index.close()
        try writeFile("\(directory.data)/\(SearchIndex.fileName)", Array("no database".utf8))
        let fresh = try await Self.open(directory)
        #expect(try await fresh.cursor() == Cursor(0))
        await fresh.close()
        for (store, newest) in [(8, 1_000), (8, 7)] as [(UInt64, Int64)] {
            let filled = try await Self.open(directory, store: store)
            try await filled.put(documents, through: Cursor(8))
            await filled.close()
            let other = try await Self.open(directory, store: newest < 8 ? 8 : 9, newest: newest)
            #expect(try await other.cursor() == Cursor(0))
            await other.close()
        }
    }

    @Test("messages are searched in memory as they are in the file")
    func memory() async throws {
        let directory = try TemporaryDirectory()
        let index = try await Self.open(directory)
        let query = SearchQuery(try #require(SearchableText.expression("noon lun*")))
        let hits = try await index.search(query, in: try Self.documents(Self.texts))
        #expect(hits.count == 2 && hits[0].time > hits[1].time)
        #expect(try await index.search(query).isEmpty)
        await index.close()
    }
}
