import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("A disk that strangers fill") struct DiskTests {
    private static let ops = room("ops")
    private var harness: Harness

    /// Strangers may have a mebibyte.
    init() {
        self.harness = Harness(disk: DiskBounds(all: 4 << 20))
        self.harness.join(Self.ops)
        self.harness.settle()
        self.harness.link(2, of: personKeys(2, 41), in: [Self.ops])
        self.harness.link(3, of: personKeys(3, 41), in: [Self.ops])
        self.harness.settle()
    }

    private func has(_ author: UInt8) -> Bool {
        self.harness.node.conversations.table[known: Self.ops.conversation].logs.has(
            LogName(author: Harness.peer(author), incarnation: 1))
    }

    private var alerts: [Alert.Code] {
        self.harness.node.status(at: self.harness.now).alerts.map(\.code)
    }

    /// A link brings a log of so many messages of 60,000 bytes.
    private mutating func bring(_ author: UInt8, _ count: Int, from link: UInt8) {
        let log = TestLog(signer(author), incarnation: 1, in: Self.ops.conversation)
        let opening = LogOpening(
            certificate: personKeys(author, 41).certify(signer(author), at: 1_767_225_600_000),
            closes: [])
        let words = String(repeating: "x", count: 60_000)
        var run = log.run([TestLog.entry(.open(opening), at: 1 << 16)])
        self.harness.give(.liveRun(run.run), from: link)
        self.harness.settle()
        for number in 0..<count {
            run = log.run(
                [TestLog.text(words, at: UInt64(number + 2) << 16)], first: run.head.seq + 1,
                prev: run.head.id)
            self.harness.give(.liveRun(run.run), from: link)
            self.harness.settle()
        }
    }

    // Shows: daemon.disk
    @Test("the largest log of the source with most goes, is not taken again, and the user is told")
    func strangers() {
        var test = self
        test.bring(20, 4, from: 3)
        test.bring(11, 0, from: 2)
        #expect(test.has(11) && test.has(20) && test.harness.drops.isEmpty)
        test.bring(10, 16, from: 2)
        #expect(test.harness.drops.map(\.name.author) == [Harness.peer(10)])
        #expect(test.has(20) && test.has(11) && !test.has(10))
        #expect(test.alerts == [.diskShare])
        #expect(test.harness.node.diskUse.strangers <= 1 << 20)
        test.bring(10, 1, from: 2)
        #expect(!test.has(10))
        #expect(test.harness.node.excess == nil)
    }

    // Shows: daemon.disk
    @Test("who has signed two histories gives way before who has written more in one")
    func forked() throws {
        var test = self
        test.bring(10, 8, from: 2)
        let log = TestLog(signer(12), incarnation: 1, in: Self.ops.conversation)
        let opening = log.opening()
        let (one, other) = (
            log.run([TestLog.text("one", at: 2 << 16)], first: 2, prev: opening.ids[0]),
            log.run([TestLog.text("other", at: 2 << 16)], first: 2, prev: opening.ids[0])
        )
        test.harness.give(.forkProof(try #require(ForkProof(one, other))), from: 2)
        test.harness.settle()
        test.harness.node.conversations.diskShares.note(
            LogSize(key: log.key, bytes: 200_000))
        test.bring(11, 7, from: 2)
        #expect(test.has(10) && test.has(11) && !test.has(12))
    }

    // Shows: daemon.disk
    @Test("where little is left, who begins is taken, though who has most came the same way")
    func relayed() {
        var test = self
        test.bring(20, 4, from: 3)
        test.bring(10, 10, from: 2)
        test.bring(12, 0, from: 2)
        test.bring(13, 0, from: 3)
        #expect(test.has(10) && test.has(20) && test.has(13) && test.has(12))
        #expect(test.harness.drops.isEmpty)
        // Of a node's only neighbour all comes: it is not closed to others for what one of them did.
        test.bring(15, 6, from: 2)
        #expect(test.has(12) && test.has(15) && !test.has(10))
        test.bring(14, 0, from: 2)
        #expect(test.has(14) && test.harness.node.excess == nil)
    }

    // Shows: daemon.disk
    @Test("who writes without a pause gives way like anybody, with what waits for the disk")
    func busy() {
        var test = self
        test.bring(20, 4, from: 3)
        test.bring(10, 12, from: 2)
        let log = TestLog(signer(10), incarnation: 1, in: Self.ops.conversation)
        let opening = LogOpening(
            certificate: personKeys(10, 41).certify(signer(10), at: 1_767_225_600_000), closes: [])
        let words = String(repeating: "x", count: 60_000)
        var run = log.run([TestLog.entry(.open(opening), at: 1 << 16)])
        // All that follows is given while the disk writes what came before.
        for number in 0..<18 {
            run = log.run(
                [TestLog.text(words, at: UInt64(number + 2) << 16)], first: run.head.seq + 1,
                prev: run.head.id)
            if number >= 12 { test.harness.give(.liveRun(run.run), from: 2) }
        }
        test.harness.settle()
        #expect(test.has(20) && !test.has(10))
        #expect(test.harness.node.excess == nil)
    }

    @Test("of many logs that give way a few go at once, and the rest with the next batches")
    func turns() {
        var test = self
        for author in UInt8(60)..<160 { test.bring(author, 0, from: 2) }
        test.harness.settle()
        // As if each had become large at once.
        for author in UInt8(60)..<160 {
            let name = LogName(author: Harness.peer(author), incarnation: 1)
            let key = LogKey(conversation: Self.ops.conversation, name: name)
            test.harness.node.conversations.diskShares.note(LogSize(key: key, bytes: 1 << 20))
        }
        test.bring(11, 0, from: 3)
        #expect(test.harness.drops.count == 100 && test.has(11))
        #expect(test.harness.largestDrop == Limits.victimsPerBatch)
        #expect(test.harness.node.excess == nil)
    }

    // Shows: daemon.disk
    @Test("whoever the user knows is kept, also when they are known only then")
    func known() {
        var test = self
        test.harness.give(.request(RequestID(900), .stand(Harness.peer(10), .known)))
        test.harness.settle()
        test.bring(10, 20, from: 2)
        #expect(test.has(10) && test.harness.drops.isEmpty && test.alerts.isEmpty)
        test.harness.give(.request(RequestID(901), .stand(Harness.peer(10), .unsaid)))
        test.harness.settle()
        test.bring(11, 1, from: 3)
        #expect(test.has(11) && !test.has(10))
    }

    @Test("that the store was gone is an alert for as long as the daemon runs")
    func loss() {
        var snapshot = Snapshot()
        snapshot.isAfterLoss = true
        var harness = Harness(snapshot: snapshot)
        harness.pass(milliseconds: Limits.alertMilliseconds + 1_000)
        #expect(harness.node.status(at: harness.now).alerts.map(\.code) == [.storeLost])
        harness = Harness()
        #expect(harness.node.status(at: harness.now).alerts.isEmpty)
    }

    @Test("what the own person writes is never counted")
    func own() {
        var test = self
        for _ in 0..<8 {
            test.harness.say(String(repeating: "y", count: 60_000), in: Self.ops)
            test.harness.settle()
        }
        #expect(test.harness.drops.isEmpty && test.alerts.isEmpty)
    }
}
