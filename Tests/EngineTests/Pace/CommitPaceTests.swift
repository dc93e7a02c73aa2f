import Formats
import Crypto
import Testing

@testable import Engine

@Suite struct CommitPaceTests {
    private func batch(entries: Int, payloadBytes: Int = 100) -> Batch {
        var batch = Batch(number: 1)
        let key = LogKey(
            conversation: ConversationID(.zero),
            name: LogName(author: PeerID(.zero), incarnation: 1))
        let entry = Entry(
            entryClass: EntryClass.content.rawValue, time: HybridTime(1), deps: [],
            payload: .present(Array(repeating: 0, count: payloadBytes)))
        let run = Run(
            key: key, first: 1, prev: nil, attestation: .zero,
            entries: Array(repeating: entry, count: entries))
        batch.appends = [
            Append(
                run: VerifiedRun(
                    run: run, ids: Array(repeating: EntryID(.zero), count: entries)),
                verdicts: Array(repeating: EntryVerdict(), count: entries), person: nil,
                heldFrom: entries)
        ]
        return batch
    }

    @Test("the first batch shows how fast the disk is; then small ones are the loop's")
    func learns() {
        var pace = CommitPace()
        #expect(!pace.allows(self.batch(entries: 1)))
        pace.note(microseconds: 120, of: self.batch(entries: 1))
        #expect(pace.allows(self.batch(entries: 1)))
        #expect(pace.allows(self.batch(entries: CommitPace.entryLimit)))
    }

    @Test("a slow commit gives the work to the store's thread, the longer the slower it was")
    func slowDisk() {
        var pace = CommitPace()
        func recoveries(after slow: UInt64) -> Int {
            pace.note(microseconds: slow, of: self.batch(entries: 1))
            var count = 0
            while !pace.allows(self.batch(entries: 1)) {
                pace.note(microseconds: 120, of: self.batch(entries: 1))
                count += 1
            }
            return count
        }
        #expect(recoveries(after: 6_000) == 2)
        #expect(recoveries(after: 2_000_000) == 11)
    }

    @Test("a disk that always takes milliseconds never holds the loop up")
    func alwaysSlow() {
        var pace = CommitPace()
        for _ in 0..<100 {
            #expect(!pace.allows(self.batch(entries: 1)))
            pace.note(microseconds: 4_000, of: self.batch(entries: 1))
        }
    }

    @Test("bursts, large payloads, releases and proofs are never the loop's, nor teach it anything")
    func largeBatches() {
        var pace = CommitPace()
        pace.note(microseconds: 100, of: self.batch(entries: CommitPace.entryLimit + 1))
        #expect(!pace.allows(self.batch(entries: 1)))
        pace.note(microseconds: 100, of: self.batch(entries: 1))
        #expect(!pace.allows(self.batch(entries: CommitPace.entryLimit + 1)))
        #expect(!pace.allows(self.batch(entries: 1, payloadBytes: CommitPace.byteLimit + 1)))
        var release = Batch(number: 1)
        release.release = Due(known: HybridTime(1), others: HybridTime(1))
        #expect(!pace.allows(release))
        pace.note(microseconds: 50_000, of: release)
        #expect(pace.allows(self.batch(entries: 1)))
    }
}
