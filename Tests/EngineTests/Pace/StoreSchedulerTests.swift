import Crypto
import Formats
import Testing

@testable import Engine

@Suite("The scheduler of the store")
struct StoreSchedulerTests {
    private func batch(_ number: UInt64, isBesideLive: Bool = false) -> Batch {
        var batch = Batch(number: number)
        batch.isBesideLive = isBesideLive
        return batch
    }

    /// A scheduler whose disk has been fast: small batches stay on the loop.
    private func quick() -> StoreScheduler {
        var scheduler = StoreScheduler()
        for number in 1...8 {
            scheduler.handOver(self.batch(UInt64(number)), at: 0)
            scheduler.handedBack(at: 50)
        }
        return scheduler
    }

    private func run(_ seq: UInt64) throws -> ReceivedFrame {
        let entry = Entry(
            entryClass: EntryClass.content.rawValue, time: HybridTime(seq), deps: [],
            payload: .present([0]))
        let key = LogKey(
            conversation: ConversationID(.zero),
            name: LogName(author: PeerID(.zero), incarnation: 1))
        let run = Run(
            key: key, first: seq, prev: seq == 1 ? nil : EntryID(.zero), attestation: .zero,
            entries: [entry])
        return try ReceivedFrame(whole: Frame.syncRun(run).encoded.bytes)
    }

    @Test("a small batch waits for the end of the round where the disk is fast")
    func small() {
        var scheduler = self.quick()
        #expect(scheduler.place(self.batch(9), isFollowed: false, at: 0) == nil)
        #expect(scheduler.takeLateBatch()?.number == 9)
        #expect(scheduler.takeLateBatch() == nil)
    }

    @Test("a batch goes to the store's thread where more events follow, or the disk is slow")
    func handedOver() {
        var scheduler = self.quick()
        #expect(scheduler.place(self.batch(9), isFollowed: true, at: 0)?.number == 9)
        scheduler.committedOnLoop(self.batch(9), microseconds: 5_000)
        #expect(scheduler.place(self.batch(10), isFollowed: false, at: 0)?.number == 10)
    }

    @Test("a batch that the store did not get cannot come back")
    func balance() async {
        await #expect(processExitsWith: .failure) {
            var scheduler = StoreScheduler()
            scheduler.handedBack(at: 1)
        }
    }

    @Test("one checkpoint at a time is asked for")
    func checkpoints() {
        var scheduler = StoreScheduler()
        var due = [1, 2].map { scheduler.batchEnded(isCheckpointDue: true, at: $0) }
        scheduler.checkpointed(at: 3)
        due.append(scheduler.batchEnded(isCheckpointDue: true, at: 4))
        #expect(due == [true, false, true])
    }

    @Test("history waits for the end of a batch beside live messages, and as long again")
    func history() throws {
        var scheduler = StoreScheduler()
        guard case .later = scheduler.arrived(try self.run(1), from: LinkID(1)) else {
            Issue.record("a run of history is told at once")
            return
        }
        #expect(scheduler.planHistory() == 0)
        #expect(scheduler.planHistory() == nil)
        // A batch begins before that turn comes.
        _ = scheduler.place(self.batch(1, isBesideLive: true), isFollowed: false, at: 100)
        #expect(scheduler.takeHistory(at: 150) { _ in false } == nil)
        #expect(scheduler.planHistory() == nil)
        let isDue = scheduler.batchEnded(isCheckpointDue: false, at: 300)
        #expect(!isDue)
        #expect(scheduler.planHistory() == 500)
        #expect(scheduler.takeHistory(at: 500) { _ in false }?.frames.count == 1)
        #expect(scheduler.planHistory() == nil)
    }

    @Test("a small frame of the sync channel does not pass the history before it")
    func order() throws {
        var scheduler = StoreScheduler()
        _ = scheduler.arrived(try self.run(1), from: LinkID(1))
        #expect(scheduler.removeHistory(of: LinkID(2)).isEmpty)
        #expect(scheduler.removeHistory(of: LinkID(1)).count == 1)
        #expect(scheduler.removeHistory(of: LinkID(1)).isEmpty)
    }
}
