@testable import Engine
@testable import Formats
import Crypto
import TestSupport
import Testing

@Suite("Runs that reach beyond a fork") struct BeyondForkTests {
    private static let ops = room("ops")

    /// A node that is in the room and linked to a peer who is there, too.
    private static func node() -> Node {
        var node = Node(
            signer: signer(1), certificate: testCertificate(of: signer(1)),
            person: personKeys(40, 41), boot: 1,
            configuration: NodeConfiguration(name: "ada", staticPeers: [], buildTime: 0),
            snapshot: Snapshot(), random: .seeded(1))
        Self.give(&node, .started)
        Self.give(&node, .request(RequestID(1), .join(Self.ops)))
        let info = LinkInfo(to: PeerID(signer(2).publicKey), boot: 2)
        Self.give(&node, .linkOpened(LinkID(1), info, address: "192.0.2.7:4100", dial: nil))
        Self.give(&node, .realms(Harness.realmTags(info)))
        Self.give(&node, .rooms(Harness.openTag(info), [Self.ops.name]))
        return node
    }

    private static func give(_ node: inout Node, _ frame: Frame) {
        guard let received = try? ReceivedFrame(whole: frame.encoded.bytes) else {
            preconditionFailure("a frame that was encoded decodes")
        }
        Self.give(&node, .received(LinkID(1), received))
    }

    /// Gives a node an event, and writes what it wants written.
    @discardableResult
    private static func give(_ node: inout Node, _ event: Event) -> [Action] {
        let now = Instant(monotonic: 1_000, wall: 1_000_000)
        var all = node.handle(event, at: now)
        var next = 0
        var cursor: Int64 = 0
        while next < all.count {
            if case .commit(let batch) = all[next] {
                let cursors = batch.appends.map { append in
                    append.run.ids.map { _ in
                        cursor += 1
                        return Cursor(cursor)
                    }
                }
                let outcome = BatchOutcome(
                    number: batch.number, cursors: cursors, released: [],
                    held: HeldEntries(count: 0, first: nil))
                all += node.handle(.committed(outcome), at: now)
            }
            next += 1
        }
        return all
    }

    @Test("a run from before a known fork to behind it changes nothing")
    func beyondFork() async {
        await #expect(processExitsWith: .success) {
            var node = Self.node()
            let log = TestLog(signer(3), in: Self.ops.conversation)
            let opening = log.opening()
            func run(_ entries: [Entry]) -> VerifiedRun {
                log.run(entries, first: 2, prev: opening.ids[0])
            }
            let common = [1, 2].map { TestLog.text("common", at: UInt64($0) << 16) }
            let one = run(common + [TestLog.text("one", at: 3 << 16)])
            let other = run(common + [TestLog.text("other", at: 3 << 16)])
            guard let left = one.suffix(from: 4), let right = other.suffix(from: 4),
                let proof = ForkProof(left, right)
            else { preconditionFailure("two entries at one place are a fork") }
            Self.give(&node, .syncRun(opening.run))
            Self.give(&node, .syncRun(run(common).run))
            Self.give(&node, .forkProof(proof))
            Self.give(&node, .syncRun(one.run))
            precondition(node.audit.logs[log.key]?.head.seq == 3)
        }
    }

    @Test(
        "proofs are credited once they are on disk, and of one log the earliest waits"
    )
    func everEarlier() throws {
        var harness = Harness()
        harness.join(Self.ops)
        harness.link(2, in: [Self.ops])
        harness.settle()
        let log = TestLog(signer(3), in: Self.ops.conversation)
        let opening = log.opening()
        func run(_ texts: [String]) -> VerifiedRun {
            let entries = texts.enumerated().map {
                TestLog.text($1, at: UInt64($0 + 1) << 16)
            }
            return log.run(entries, first: 2, prev: opening.ids[0])
        }
        let own = run(["two", "three", "four"])
        func proof(_ other: VerifiedRun, at seq: UInt64) throws -> ForkProof {
            let left = try #require(own.suffix(from: seq))
            let right = try #require(other.suffix(from: seq))
            return try #require(ForkProof(left, right))
        }
        let late = try proof(run(["two", "three", "4"]), at: 4)
        let early = try proof(run(["two", "3"]), at: 3)
        let earliest = try proof(run(["2"]), at: 2)
        harness.give(.syncRun(opening.run), from: 2)
        for (index, entry) in own.run.entries.enumerated() {
            let prev = index == 0 ? opening.ids[0] : own.ids[index - 1]
            harness.give(
                .syncRun(log.run([entry], first: UInt64(index) + 2, prev: prev).run), from: 2)
            harness.settle()
        }
        func uncredited() -> Int {
            harness.node.links[LinkID(2)].flow.uncredited(on: .sync)
        }
        let before = uncredited()
        harness.give(.forkProof(late), from: 2)
        while !harness.reads.isEmpty { harness.answer(0) }
        #expect(uncredited() > before && harness.batch?.proofs == [late])
        harness.settle()
        #expect(harness.node.disk.commits.proofCredits.isEmpty)
        // While one is being written two come of the same log.
        harness.say("hello", in: Self.ops)
        for proof in [early, earliest] { harness.give(.forkProof(proof), from: 2) }
        while !harness.reads.isEmpty { harness.answer(0) }
        #expect(harness.node.disk.commits.proofs == [earliest])
        harness.settle()
        let ended = harness.node.conversations.table[Self.ops.conversation]?.log(log.key.name)
        #expect(ended?.forkPoint == 2)
        #expect(harness.node.disk.commits.proofCredits.isEmpty)
    }

    // Shows: daemon.forks
    @Test("who shows another head keeps nobody from being asked for what is new")
    func searchBesideFetch() throws {
        var harness = Harness()
        harness.join(Self.ops)
        for peer: UInt8 in [2, 3] { harness.link(peer, in: [Self.ops]) }
        harness.settle()
        let log = TestLog(signer(9), in: Self.ops.conversation)
        let opening = log.opening()
        harness.give(.syncRun(opening.run), from: 2)
        harness.settle()
        let tag = Harness.tags.log(log.key.name, in: Self.ops.conversation)
        func wants(_ number: UInt8) -> [UInt64] {
            harness.take(from: number).compactMap {
                if case .want(let want) = $0 { want.from } else { nil }
            }
        }
        _ = (wants(2), wants(3))
        let lie = ClockRow(tag: tag, state: .open, seq: 1, headTag: 7)
        harness.give(.delta(Self.ops.conversation, [lie]), from: 3)
        #expect(wants(3) == [1], "a search for where they part")
        let news = ClockRow(tag: tag, state: .open, seq: 2, headTag: 8)
        harness.give(.delta(Self.ops.conversation, [news]), from: 2)
        #expect(wants(2) == [2])
        #expect(wants(3).isEmpty)
    }

    @Test(
        "a search for a fork ends when the peer leaves the room: nothing more is asked of it there")
    func leftWhileSearching() throws {
        var node = Self.node()
        let now = Instant(monotonic: 1_000, wall: 1_000_000)
        let log = TestLog(signer(3), in: Self.ops.conversation)
        let opening = log.opening()
        let common = log.run(
            [TestLog.text("common", at: 2 << 16)], first: 2, prev: opening.ids[0])
        Self.give(&node, .syncRun(opening.run))
        Self.give(&node, .syncRun(common.run))
        // A run of the peer's that differs from the own one before its beginning.
        let other = log.run([TestLog.text("other", at: 1 << 16)])
        let later = log.run(
            [TestLog.text("later", at: 3 << 16)], first: 2, prev: other.ids.first)
        func take(_ frame: Frame) throws -> [Action] {
            let received = try ReceivedFrame(whole: frame.encoded.bytes)
            return node.handle(.received(LinkID(1), received), at: now)
        }
        var read: ReadID?
        for action in try take(.syncRun(later.run)) {
            if case .readRuns(let number, _, _, _, _) = action { read = number }
        }
        let number = try #require(read)
        _ = try take(.roomsLeft([Self.ops.conversation]))
        let actions = node.handle(.runsRead(number, [common.run]), at: now)
        #expect(!actions.contains { if case .send = $0 { true } else { false } })
    }

    @Test(
        "a proof that comes while two runs of its log are being written leaves their first counted")
    func proofInFlight() throws {
        var node = Self.node()
        let now = Instant(monotonic: 1_000, wall: 1_000_000)
        func take(_ frame: Frame) throws -> [Batch] {
            let received = try ReceivedFrame(whole: frame.encoded.bytes)
            return Self.batches(node.handle(.received(LinkID(1), received), at: now))
        }
        let log = TestLog(signer(3), in: Self.ops.conversation)
        let opening = log.opening()
        func run(_ entries: [Entry]) -> VerifiedRun {
            log.run(entries, first: 2, prev: opening.ids[0])
        }
        let texts = (1...3).map { TestLog.text("one", at: UInt64($0) << 16) }
        let whole = run(texts)
        let other = run(Array(texts.prefix(2)) + [TestLog.text("other", at: 3 << 16)])
        let left = try #require(whole.suffix(from: 4))
        let right = try #require(other.suffix(from: 4))
        let proof = try #require(ForkProof(left, right))
        let begun = try #require(try take(.syncRun(opening.run)).first)
        _ = node.handle(.committed(Self.outcome(begun)), at: now)
        // While a batch is being written, two runs of the log gather for the next one.
        let stranger = TestLog(signer(4), in: Self.ops.conversation)
        let hello = stranger.run([TestLog.text("hello", at: 1 << 16)])
        let hellos = try take(.syncRun(hello.run))
        let first = try #require(hellos.first)
        #expect(try take(.syncRun(run(Array(texts.prefix(2))).run)).isEmpty)
        #expect(try take(.syncRun(left.run)).isEmpty)
        let seconds = Self.batches(node.handle(.committed(Self.outcome(first)), at: now))
        let second = try #require(seconds.first)
        #expect(second.appends.map(\.run.run.first) == [2, 4])
        #expect(try take(.forkProof(proof)).isEmpty)
        // Somebody else brings the beginning again, which is on its way to the disk.
        #expect(try take(.syncRun(run(Array(texts.prefix(2))).run)).isEmpty)
        let third = Self.batches(node.handle(.committed(Self.outcome(second)), at: now))
        #expect(third.flatMap(\.appends).isEmpty)
        #expect(node.audit.logs[log.key]?.head.seq == 3)
    }

    private static func batches(_ actions: [Action]) -> [Batch] {
        actions.compactMap { if case .commit(let batch) = $0 { batch } else { nil } }
    }

    /// What a store answers that shows all.
    private static func outcome(_ batch: Batch) -> BatchOutcome {
        let cursors = batch.appends.map { $0.run.ids.map { _ in Cursor?(Cursor(1)) } }
        return BatchOutcome(
            number: batch.number, cursors: cursors, released: [],
            held: HeldEntries(count: 0, first: nil))
    }
}
