import Engine
import Formats
import Storage
import Testing

@Suite("Syncs")
struct SyncTests {
    @Test("a commit returns when all that it wrote is synced, in one transaction with one sync")
    func commit() async throws {
        let directory = try TemporaryDirectory()
        await (try directory.open()).close()
        WatchedFiles.install()
        let store = try await directory.open()
        let log = directory.database + "-wal"
        var bobs = LogWriter(bob)
        var adas = LogWriter(ada)
        // The first commit also begins the log file.
        _ = try await store.commit(batch(bobs.append([text("first", at: 1)])))
        _ = WatchedFiles.steps(log)
        var steps: [[WatchedFiles.Step]] = []
        for number in 2...20 as ClosedRange<UInt64> {
            var next = batch(
                bobs.append([text("bob's", at: number)]), adas.append([text("ada's", at: number)]))
            next.membership = [ops.conversation: ConversationMembership(.room(ops), isJoined: true)]
            _ = try await store.commit(next)
            steps.append(WatchedFiles.steps(log))
        }
        #expect(steps.allSatisfy { $0.first == .write && $0.last == .sync })
        #expect(steps.allSatisfy { commit in commit.count { $0 == .sync } == 1 })
    }
}
