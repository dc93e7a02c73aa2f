import Crypto
import Engine
import Formats
import Storage
import Testing

@Suite("Entries by the beginning of their ids") struct IDPrefixTests {
    @Test(
        "are found in the index and before they are in it, and no others are",
        arguments: [4, 32_768])
    func found(batchCount: Int) async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open(idBatchCount: batchCount)
        var log = LogWriter(bob)
        var ids: [EntryID] = []
        for number in 0..<40 {
            let append = log.append([text("\(number)", at: UInt64(10 + number))])
            ids += append.run.ids
            _ = try await store.commit(batch(append))
        }
        for id in ids {
            for count in [8, 9, 12, 13, 51, 52] {
                let prefix = try #require(EntryIDPrefix(String(id.description.prefix(count))))
                #expect(try await store.entries(beginning: prefix).map(\.id) == [id])
            }
            var other = Array(id.description)
            other[9] = other[9] == "a" ? "b" : "a"
            let wrong = try #require(EntryIDPrefix(String(other.prefix(20))))
            #expect(try await store.entries(beginning: wrong).isEmpty)
        }
        #expect(EntryIDPrefix("abcdefg") == nil && EntryIDPrefix("abcdefg1") == nil)
        #expect(EntryIDPrefix(String(repeating: "a", count: 53)) == nil)
        #expect(EntryIDPrefix("ABCDEFGH") == nil)
    }
}
