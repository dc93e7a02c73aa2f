import Crypto
import Engine
import Formats
import Testing

@testable import Storage

@Suite("Files for other sites") struct SiteFileTests {
    private static func file(_ number: UInt8, size: UInt64) throws -> Content {
        let root = Bytes32([UInt8](repeating: number, count: 32)) ?? .zero
        return .file(
            try #require(
                AttachedFile(
                    blob: BlobID(size: size, root: root), size: size, name: "a", type: "text/plain")
            ))
    }

    @Test("come once each with what deletes them, in the order of their arrival")
    func order() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var (own, other) = (LogWriter(ada), LogWriter(bob))
        _ = try await store.commit(
            batch(
                own.append([
                    entry(try Self.file(1, size: 10), at: time(1)),
                    entry(try Self.file(2, size: 2_000), at: time(2)),
                ]),
                other.append([entry(try Self.file(3, size: 10), at: time(3))])))
        let target = EntryTarget(log: own.key.name, seq: 1, id: own.ids[0])
        let rooms: Set = [own.key.conversation]
        let owners = [own.key.name.author]
        func all(upTo bytes: UInt64, in rooms: Set<ConversationID>) async throws -> [UInt64?] {
            var (found, since): ([UInt64?], Int64) = ([], 0)
            while true {
                let page = try await store.nextFile(
                    since: since, in: rooms, by: owners, upTo: bytes)
                guard let next = page.next else {
                    #expect(page.isAll)
                    return found
                }
                found.append(next.sent?.size)
                since = next.arrival
            }
        }
        #expect(try await all(upTo: 5_000, in: rooms) == [10, 2_000], "others' are theirs to give")
        #expect(try await all(upTo: 1_000, in: rooms) == [10])
        #expect(try await all(upTo: 5_000, in: []).isEmpty)
        let first = try await store.nextFile(
            since: 0, in: rooms, by: owners, upTo: 5_000
        ).next
        let found = try #require(first)
        let blob = try #require(found.sent)
        let sent = SentFile(
            EntryPlace(key: found.key, seq: found.seq), blob.blob, size: blob.size)
        #expect(try await store.goneFiles([sent]).isEmpty)
        _ = try await store.commit(batch(erasing([target], by: ada, 100), number: 2))
        #expect(try await all(upTo: 5_000, in: rooms) == [2_000, nil])
        #expect(try await store.goneFiles([sent]) == [sent])
        let others = EntryTarget(log: other.key.name, seq: 1, id: other.ids[0])
        _ = try await store.commit(batch(erasing([others], by: bob, 101), number: 3))
        #expect(try await all(upTo: 5_000, in: rooms) == [2_000, nil], "nobody else deletes these")
        let later = try await store.nextFile(
            since: 1 << 40, in: rooms, by: owners, upTo: 5_000)
        #expect(later.next?.sent?.size == 2_000, "a place of another time of the store")
    }

    @Test("are not gone while another message of their conversation tells of them")
    func twice() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        let content = try Self.file(1, size: 10)
        var own = LogWriter(ada)
        _ = try await store.commit(
            batch(own.append([entry(content, at: time(1)), entry(content, at: time(2))])))
        let next = try await store.nextFile(
            since: 0, in: [own.key.conversation], by: [own.key.name.author], upTo: 100
        ).next
        let blob = try #require(next?.sent?.blob)
        let files = (UInt64(1)...2).map {
            SentFile(EntryPlace(key: own.key, seq: $0), blob, size: 10)
        }
        for seq in UInt64(1)...2 {
            let target = EntryTarget(log: own.key.name, seq: seq, id: own.ids[Int(seq) - 1])
            _ = try await store.commit(
                batch(erasing([target], by: ada, 100 + seq), number: 1 + seq))
            #expect(try await store.goneFiles(files) == (seq == 1 ? [] : files))
        }
    }
}
