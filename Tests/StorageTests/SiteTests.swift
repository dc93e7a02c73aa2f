import Engine
import Formats
import Testing

@testable import Storage

@Suite("Runs for other sites") struct SiteTests {
    private static func ends(_ found: ArrivedRuns) -> [UInt64] { found.runs.map(\.run.last) }

    @Test("come once each, in the order of their arrival, page by page")
    func pages() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        let (log, appends) = RunTests.log()
        for append in appends { _ = try await store.commit(batch(append)) }
        let ends: [UInt64] = [1, 3, 10, 138, 139, 200, 201]
        let all = try await store.runs(
            since: ArrivalPlace(), in: [log.key.conversation: .all], by: Keyring(),
            byteLimit: 1 << 20)
        #expect(Self.ends(all) == ends && all.isAll)
        #expect(all.runs.map(\.run.first) == [1, 2, 4, 11, 139, 140, 201])
        #expect(all.runs.allSatisfy { $0.run.verified() != nil && !$0.replaces })
        var place = ArrivalPlace()
        var found: [UInt64] = []
        for _ in 0..<20 {
            let page = try await store.runs(
                since: place, in: [log.key.conversation: .all], by: Keyring(), byteLimit: 1)
            #expect(page.runs.count <= 1, "one in any case")
            found += Self.ends(page)
            place = page.through
        }
        #expect(found == ends)
        let later = try await store.runs(
            since: ArrivalPlace(arrival: 1 << 40), in: [log.key.conversation: .all],
            by: Keyring(), byteLimit: 1 << 20)
        #expect(Self.ends(later) == ends, "a place of another time of the store")
        let foreign = try await store.runs(
            since: ArrivalPlace(), in: [log.key.conversation: .own], by: Keyring(),
            byteLimit: 1 << 20)
        #expect(foreign.runs.isEmpty && foreign.isAll, "of a room that was left the own alone")
        let none = try await store.runs(since: place, in: [:], by: Keyring(), byteLimit: 1 << 20)
        #expect(none.runs.isEmpty && none.isAll)
    }

    @Test("that somebody lacks are those of a log that are all here, within bounds")
    func again() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        let (log, appends) = RunTests.log()
        for append in appends { _ = try await store.commit(batch(append)) }
        func ends(_ first: UInt64, _ last: UInt64, bytes: Int = 1 << 20) async throws -> [UInt64] {
            try await store.runs(
                of: log.key, from: first, through: last, isGroup: false, by: Keyring(),
                byteLimit: bytes
            ).map(\.run.last)
        }
        #expect(try await ends(1, .max) == [1, 3, 10, 138, 139, 200, 201])
        #expect(try await ends(4, 138) == [10, 138])
        #expect(try await ends(5, 9).isEmpty)
        #expect(try await ends(2, 300, bytes: 1) == [3])
        let name = LogName(
            author: log.key.name.author, incarnation: log.key.name.incarnation + 1)
        let other = LogKey(conversation: log.key.conversation, name: name)
        let none = try await store.runs(
            of: other, from: 1, through: 10, isGroup: false, by: Keyring(), byteLimit: 1 << 20)
        #expect(none.isEmpty)
    }

    @Test("of other conversations are passed over")
    func others() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        for append in RunTests.log().appends { _ = try await store.commit(batch(append)) }
        let found = try await store.runs(
            since: ArrivalPlace(), in: [:], by: Keyring(), byteLimit: 1 << 20)
        #expect(found.runs.isEmpty && found.isAll)
        #expect(found.through.arrival > 0)
    }
}
