import Engine
import Formats
import Glibc
import Crypto
import Storage
import Testing

@Suite("Size on disk")
struct SizeTests {
    @Test("a message of 100 bytes with an attestation and a dep of its own takes at most 380 bytes")
    func bytes() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var logs = [LogWriter(ada), LogWriter(bob), LogWriter(eve)]
        let body = String(repeating: "x", count: 100)
        let count = 4_000
        var last: [EntryID] = []
        var next = Batch(number: 1)
        for index in 0..<count {
            let log = index % logs.count
            next.appends.append(
                logs[log].append([text(body, at: UInt64(index + 1), deps: last)]))
            last = [logs[log].head.id]
            if next.appends.count == 200 {
                _ = try await store.commit(next)
                next.appends = []
            }
        }
        await store.close()
        var found = stat()
        try #require(stat(directory.database, &found) == 0)
        #expect(Int(found.st_size) / count <= 380)
    }
}
