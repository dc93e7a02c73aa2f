import Engine
import Formats
import Crypto
import Testing

@testable import Storage

@Suite("Schema")
struct SchemaTests {
    @Test("a file of an earlier program is refused, not touched, and what to do is said")
    func earlier() async throws {
        let directory = try TemporaryDirectory()
        try writeFile(directory.database, [])
        do {
            let database = try Database(path: directory.database)
            try database.execute("CREATE TABLE state (one INTEGER)")
            try database.execute("PRAGMA application_id = 0x73746f61; PRAGMA user_version = 4")
        }
        let before = try readFile(directory.database)
        let failure = await #expect(throws: StoreFailure.self) { try await directory.open() }
        #expect(failure?.reason == .corrupt)
        #expect(failure?.detail.contains("earlier version") == true)
        #expect(failure?.remedy.contains("move it away") == true)
        #expect(failure?.remedy.contains("--repair") == false)
        #expect(try readFile(directory.database) == before)
    }

    @Test("a file of a later version is refused and not touched")
    func newer() async throws {
        let directory = try TemporaryDirectory()
        await (try await directory.open()).close()
        do {
            let database = try Database(path: directory.database)
            try database.execute("PRAGMA user_version = 99")
        }
        let before = try readFile(directory.database)
        let failure = await #expect(throws: StoreFailure.self) { try await directory.open() }
        #expect(failure?.reason == .newer(version: 99))
        #expect(failure?.remedy.isEmpty == false)
        #expect(try readFile(directory.database) == before)
    }

    @Test("a database of another program is refused and not touched")
    func foreign() async throws {
        let directory = try TemporaryDirectory()
        try writeFile(directory.database, [])
        do {
            let database = try Database(path: directory.database)
            try database.execute("CREATE TABLE songs (title TEXT)")
        }
        let before = try readFile(directory.database)
        let failure = await #expect(throws: StoreFailure.self) { try await directory.open() }
        #expect(failure?.reason == .corrupt)
        #expect(failure?.remedy.contains("another data directory") == true)
        #expect(failure?.remedy.contains("--repair") == false)
        #expect(try readFile(directory.database) == before)
    }
}
