import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

private enum TestRooms {
    static let open = room("open")
}

@Suite("What other sites have published") struct SiteImportTests {
    private static let room = siteRoom("ops")
    private static let realm = Realm(
        id: siteSecret().realm, name: RealmName("office") ?? .open, secret: siteSecret().bytes)
    private static let log = TestLog(signer(2), in: room.conversation)
    private static let request = RequestID(900)

    private var harness = Harness(realms: Realms([realm]))

    init() {
        self.harness.join(Self.room)
        self.harness.settle()
    }

    /// The beginning of a log, and texts behind it, each in a run of its own.
    private static func runs(_ texts: [String], of log: TestLog = log) -> [Run] {
        var runs = [log.opening(of: personKeys(50, 51))]
        for (index, words) in texts.enumerated() {
            let last = runs[runs.count - 1]
            runs.append(
                log.run(
                    [TestLog.text(words, at: UInt64(index + 2))], first: UInt64(index + 2),
                    prev: last.ids[0]))
        }
        return runs.map(\.run)
    }

    /// Gives items; what they were answered once all is on the disk.
    private mutating func take(_ items: [SiteItem?]) -> [SiteVerdict]? {
        self.harness.give(.request(Self.request, .importItems(items)))
        self.harness.settle()
        guard case .imported(let verdicts)? = self.harness.answers(of: Self.request).last else {
            return nil
        }
        return verdicts
    }

    private var texts: [String] {
        self.harness.messages(of: Harness.peer(2)).compactMap { message in
            if case .text(let text) = message.content { text } else { nil }
        }
    }

    // Shows: sites.late
    @Test("is shown like what peers bring, and known when it comes again")
    func taken() {
        var test = self
        let items = Self.runs(["one", "two"]).map { SiteItem.run($0) }
        #expect(test.take(items) == [.taken, .taken, .taken])
        #expect(test.texts == ["one", "two"])
        #expect(test.take(items) == [.known, .known, .known])
        #expect(test.harness.node.excess == nil)
    }

    @Test("is answered only once it is on the disk")
    func behindDisk() {
        var test = self
        test.harness.give(
            .request(Self.request, .importItems(Self.runs(["one"]).map { .run($0) })))
        #expect(test.harness.batch != nil)
        #expect(test.harness.answers(of: Self.request).isEmpty)
        test.harness.write()
        #expect(test.harness.answers(of: Self.request).count == 1)
    }

    @Test("is answered with the failure of the disk, and taken when it comes again")
    func failedDisk() {
        var test = self
        let items = Self.runs(["one"]).map { SiteItem.run($0) }
        test.harness.give(.request(Self.request, .importItems(items)))
        let failure = StoreFailure(reason: .full, detail: "the disk is full", remedy: "make room")
        test.harness.batch = nil
        test.harness.give(.commitFailed(failure))
        #expect(test.harness.answers(of: Self.request) == [.failed(.storage(failure))])
        test.harness.give(.timer(.storage))
        #expect(test.take(items) == [.taken, .taken])
        #expect(test.texts == ["one"])
    }

    @Test("waits for what is before it, and says what that is called")
    func early() {
        var test = self
        let runs = Self.runs(["one", "two"])
        #expect(test.take([.run(runs[2])]) == [.waits(for: .run(through: runs[1].ids[0]))])
        #expect(test.take([.run(runs[1])]) == [.waits(for: .run(through: runs[0].ids[0]))])
        #expect(test.take(runs.map { .run($0) }) == [.taken, .taken, .taken])
    }

    // Shows: sites.late
    @Test("is refused where nobody has signed it, two histories are, or the user is not there")
    func refused() {
        var test = self
        let runs = Self.runs(["one"])
        let forged = Run(
            key: runs[1].key, first: 2, prev: runs[1].prev, attestation: runs[0].attestation,
            entries: runs[1].entries)
        let elsewhere = TestLog(signer(2), in: siteRoom("elsewhere").conversation)
        #expect(test.take([.run(runs[0]), .run(forged)]) == [.taken, .refused(.forged)])
        #expect(test.take([.run(runs[1])]) == [.taken])
        #expect(
            test.take([.run(elsewhere.opening().run), nil])
                == [.refused(.foreign), .refused(.unsealed)])
        #expect(test.texts == ["one"])
        #expect(test.harness.closed.isEmpty)
    }

    // Shows: sites.forks
    @Test("of two histories is followed back to where they part, which ends the log")
    func forked() {
        var test = self
        let runs = Self.runs(["one", "two", "three"])
        let other = Self.runs(["one", "another", "history"])
        #expect(test.take(runs.map { .run($0) }) == [.taken, .taken, .taken, .taken])
        #expect(test.take([.run(other[3])]) == [.waits(for: .run(through: other[2].ids[0]))])
        while !test.harness.reads.isEmpty { test.harness.answer(0) }
        #expect(test.harness.batch == nil, "the difference is before these")
        #expect(test.take([.run(other[2])]) == [.waits(for: .run(through: runs[1].ids[0]))])
        test.harness.settle()
        #expect(test.take([.run(other[1]), .run(other[3])]) == [.known, .known])
        let log = test.harness.node.conversations.table[Self.room.conversation]?.log(
            Self.log.key.name)
        #expect(log?.forkPoint == 3)
    }

    // Shows: sites.forks
    @Test("of a fork proof ends the log as on a link, once, and is refused where it proves nothing")
    func proofs() throws {
        var test = self
        let runs = Self.runs(["one"])
        let other = Self.runs(["other"])
        let proof = try #require(
            ForkProof(
                VerifiedRun(run: runs[1], ids: runs[1].ids),
                VerifiedRun(run: other[1], ids: other[1].ids)))
        let item = SiteItem.fork(proof)
        #expect(try SiteItem(decoding: item.encoded) == item)
        var altered = item.encoded
        altered[altered.count - 1] ^= 1
        #expect(test.take([.run(runs[0])]) == [.taken])
        if let forged = try? SiteItem(decoding: altered) {
            #expect(test.take([forged]) == [.refused(.forged)])
        }
        #expect(test.take([item]) == [.taken])
        #expect(test.take([item]) == [.known])
        #expect(test.take([.run(runs[1]), .run(other[1])]) == [.known, .known])
        #expect(test.texts.isEmpty)
        let places = test.harness.node.sitePlaces(of: Self.realm)
        #expect(test.harness.node.siteForks(places) == [Self.log.key])
        #expect(test.harness.node.forkChanges(places) == 2)
        let elsewhere = TestLog(signer(2), in: siteRoom("elsewhere").conversation)
        let foreign = try #require(
            ForkProof(elsewhere.opening(at: 1), elsewhere.opening(at: 2)))
        #expect(test.take([.fork(foreign)]) == [.refused(.foreign)])
        #expect(test.harness.closed.isEmpty)
    }

    @Test("of names is told where their author writes, and too early before")
    func names() {
        var test = self
        let record = Record(
            kind: Record.Kind.profile, author: Harness.peer(2), conversation: nil,
            time: HybridTime(wallMilliseconds: 1_000),
            value: Profile(name: "ben", status: "").encoded, signer: signer(2))
        #expect(test.take([.record(record)]) == [.refused(.early)])
        #expect(test.take([.run(Self.runs([])[0])]) == [.taken])
        #expect(test.take([.record(record)]) == [.taken])
        #expect(test.harness.node.profile(of: Harness.peer(2)).name == "ben")
        #expect(test.take([.record(record)]) == [.known])
    }

    // Shows: told.addresses
    @Test("of addresses is not taken: they go over links of the realm alone")
    func addresses() {
        var test = self
        #expect(test.take(Self.runs(["one"]).map { .run($0) }) == [.taken, .taken])
        let record = Record(
            kind: Record.Kind.address, author: Harness.peer(2), conversation: nil,
            time: HybridTime(wallMilliseconds: 1_000), value: [1], signer: signer(2))
        #expect(test.take([.record(record)]) == [.refused(.foreign)])
        #expect(test.harness.node.siteRecords(of: Self.realm).count <= 1)
    }

    // Shows: sites.apart
    @Test("and what goes out: rooms of the realm, and nobody's names but theirs who write there")
    func outgoing() {
        var test = self
        test.harness.join(TestRooms.open)
        test.harness.settle()
        let places = test.harness.node.sitePlaces(of: Self.realm)
        #expect(Array(places.keys) == [Self.room.conversation])
        #expect(places[Self.room.conversation]?.scope == .all)
        let records = test.harness.node.siteRecords(of: Self.realm)
        #expect(records.allSatisfy { $0.record.author == Harness.ownKey })
    }
}
