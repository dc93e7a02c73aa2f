import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Payloads that were left out") struct PayloadTests {
    /// A node in the room with two peers, of which one has brought messages without payloads.
    private static func deprived() -> Harness {
        var harness = TextStory.joined()
        harness.give(.syncRun(TextStory.opening.run), from: 2)
        harness.give(.syncRun(TextStory.texts.run.withoutPayloads), from: 2)
        harness.settle()
        return harness
    }

    /// What the node has shown of the log.
    private static func shown(_ harness: Harness) -> [Message] {
        harness.messages(of: TextStory.log.key.name.author)
    }

    /// What a peer answers who has all of them.
    private static func answer(_ want: Want) -> Frame {
        let items = TextStory.texts.run.entries.map { entry -> Payloads.Item in
            guard case .present(let payload) = entry.payload else { return .wanted }
            return .present(payload)
        }
        return .payloads(
            Payloads(
                conversation: want.conversation, tag: want.tag, from: want.from, items: items))
    }

    @Test("are asked for of one peer, shown when they come, and nothing else changes")
    func wanted() throws {
        var harness = Self.deprived()
        let room = TextStory.ops.conversation
        let key = TextStory.log.key
        #expect(harness.node.audit.logs[key]?.head.id == TextStory.texts.ids.last)
        #expect(harness.node.wholes(in: room) == [key.name: 1])
        #expect(Self.shown(harness).isEmpty)
        let asked = (UInt8(2)...3).flatMap { TextStory.wants(harness.take(from: $0)) }
        #expect(asked == [Want(conversation: room, tag: TextStory.tag, from: 2, through: 4)])
        let want = try #require(asked.first)
        harness.give(Self.answer(want), from: 2)
        harness.settle()
        #expect(Self.shown(harness).map(\.content) == (2...4).map { .text("text \($0)") })
        #expect(harness.node.wholes(in: room).isEmpty)
        #expect(harness.disk[key]?.last == TextStory.texts.run)
        #expect(harness.node.audit.open.isEmpty)
    }

    @Test("a clock says from where on they are wanted")
    func told() {
        var harness = Self.deprived()
        _ = harness.take(from: 3)
        harness.give(.digest(TextStory.ops.conversation, .zeros), from: 3)
        var rows: [ClockRow] = []
        for case .clock(_, let pages) in harness.take(from: 3) { rows += pages.flatMap(\.rows) }
        #expect(rows.first { $0.tag == TextStory.tag }?.whole == 1)
    }

    // Shows: shown.withheld
    @Test("a relay that has not got them is found out: the next peer is asked")
    func withheld() throws {
        var harness = Self.deprived()
        let want = try #require(TextStory.wants(harness.take(from: 2)).first)
        _ = harness.take(from: 3)
        harness.give(
            .payloads(
                Payloads(
                    conversation: want.conversation, tag: want.tag, from: 2,
                    items: [.wanted, .erased, .expired])), from: 2)
        let next = try #require(TextStory.wants(harness.take(from: 3)).first)
        #expect((next.from, next.through) == (2, 4))
        harness.give(Self.answer(next), from: 3)
        harness.settle()
        #expect(Self.shown(harness).count == 3)
        #expect(TextStory.wants(harness.take(from: 2)).isEmpty)
    }

    @Test("who has got some of them says so, and is asked again though its clock is as it was")
    func partly() {
        var harness = Self.deprived()
        var row = ClockRow(
            tag: TextStory.tag, state: .open, seq: 4,
            headTag: Harness.tags.head(TextStory.texts.ids[2], by: Harness.tags.peer))
        row.whole = 1
        harness.give(.delta(TextStory.ops.conversation, [row]), from: 2)
        // Neither of the two has any.
        var isAsked = true
        while isAsked {
            isAsked = false
            for peer in UInt8(2)...3 {
                for want in TextStory.wants(harness.take(from: peer)) {
                    isAsked = true
                    harness.give(
                        .payloads(
                            Payloads(
                                conversation: want.conversation, tag: want.tag, from: want.from,
                                items: [.wanted, .wanted, .wanted])), from: peer)
                }
            }
        }
        // It has the third now, but not the second.
        harness.give(.delta(TextStory.ops.conversation, [row]), from: 2)
        #expect(TextStory.wants(harness.take(from: 2)).count == 1)
    }

    @Test("a peer that does not answer is not waited for")
    func silent() throws {
        var harness = Self.deprived()
        _ = harness.take(from: 3)
        harness.pass(milliseconds: Limits.wantMilliseconds)
        harness.give(.timer(.payloads))
        #expect(TextStory.wants(harness.take(from: 3)).count == 1)
    }

    @Test("a peer whose answer stops half way is not waited for")
    func halfSilent() throws {
        var harness = Self.deprived()
        let want = try #require(TextStory.wants(harness.take(from: 2)).first)
        _ = harness.take(from: 3)
        let due = try #require(harness.payloadsAt)
        harness.pass(milliseconds: Limits.slowWantMilliseconds / 2)
        let answer = Frame.payloads(
            Payloads(conversation: want.conversation, tag: want.tag, from: 2, items: [.wanted]))
        harness.give(answer, from: 2)
        #expect(TextStory.wants(harness.take(from: 3)).map(\.from) == [2])
        harness.give(answer, from: 3)
        #expect(TextStory.wants(harness.take(from: 3)).isEmpty)
        // A word of it gives it no more time.
        harness.pass(milliseconds: Limits.slowWantMilliseconds / 2)
        #expect(harness.now.monotonic >= due)
        harness.give(.timer(.payloads))
        #expect(TextStory.wants(harness.take(from: 3)).map(\.from) == [3])
    }

    @Test("a payload that has not the hash of its entry is not stored, and the next peer is asked")
    func unfitting() throws {
        var harness = Self.deprived()
        let want = try #require(TextStory.wants(harness.take(from: 2)).first)
        let other = [UInt8](repeating: 0, count: TextStory.texts.run.entries[0].payload.count)
        harness.give(
            .payloads(
                Payloads(
                    conversation: want.conversation, tag: want.tag, from: 2,
                    items: [.present(other)])), from: 2)
        harness.settle()
        #expect(harness.closed[LinkID(2)] == nil)
        #expect(Self.shown(harness).isEmpty)
        #expect(TextStory.wants(harness.take(from: 2)).isEmpty)
        #expect(TextStory.wants(harness.take(from: 3)).count == 1)
    }

    @Test("what nobody asked for is consumed and forgotten")
    func unasked() {
        var harness = Self.deprived()
        let want = Want(
            conversation: TextStory.ops.conversation, tag: TextStory.tag, from: 2, through: 4)
        harness.give(Self.answer(want), from: 3)
        harness.settle()
        #expect(Self.shown(harness).isEmpty && harness.closed.isEmpty)
    }

    @Test("a peer is served what is here, told of what is not, and of the end of a log")
    func served() throws {
        var harness = Self.deprived()
        let room = TextStory.ops.conversation
        func ask(_ from: UInt64, _ through: UInt64, of tag: UInt64 = TextStory.tag) -> [Payloads] {
            _ = harness.take(from: 3)
            let want = Want(conversation: room, tag: tag, from: from, through: through)
            harness.give(.payloadWant(want), from: 3)
            harness.settle()
            return harness.take(from: 3).compactMap {
                if case .payloads(let payloads) = $0 { payloads } else { nil }
            }
        }
        #expect(ask(2, 3).map(\.items) == [[.wanted, .wanted]])
        #expect(ask(4, 9).map(\.items) == [[.wanted], []])
        #expect(ask(1, 1, of: 77).map(\.items) == [[]], "a log that is not known")
        let want = try #require(TextStory.wants(harness.take(from: 2)).first)
        harness.give(Self.answer(want), from: 2)
        harness.settle()
        // Who had asked in vain is told, and asks again.
        let told = harness.take(from: 3).contains {
            if case .delta(_, let rows) = $0 { rows.map(\.tag) == [TextStory.tag] } else { false }
        }
        #expect(told)
        let payloads = try #require(ask(2, 4).first?.items)
        #expect(payloads.count == 3 && payloads.allSatisfy { $0.state == .present })
    }

    // Shows: daemon.questions
    @Test("who leaves the room while its payloads are read ends that", arguments: [1, 9])
    func servedNoMore(from: UInt64) {
        var harness = TextStory.joined()
        harness.give(.syncRun(TextStory.opening.run), from: 2)
        harness.give(.syncRun(TextStory.texts.run), from: 2)
        harness.settle()
        let room = TextStory.ops.conversation
        harness.give(
            .payloadWant(
                Want(conversation: room, tag: TextStory.tag, from: from, through: from + 4)),
            from: 3)
        harness.give(.roomsLeft([room]), from: 3)
        // Each read that is answered must not bring about another one.
        for _ in 0..<4 where !harness.payloadReads.isEmpty { harness.readOnce() }
        #expect(harness.payloadReads.isEmpty)
        #expect(harness.node.audit.open.isEmpty)
    }

    @Test(
        "who asks for payloads of a log that is not known, or not as far, is told when it has come")
    func awaited() {
        var harness = Harness()
        harness.join(TextStory.ops)
        harness.settle()
        for number in UInt8(2)...3 { harness.link(number, in: [TextStory.ops]) }
        let want = Want(
            conversation: TextStory.ops.conversation, tag: TextStory.tag, from: 2, through: 4)
        func isTold() -> Bool {
            harness.take(from: 3).contains {
                if case .delta(_, let rows) = $0 {
                    rows.map(\.tag) == [TextStory.tag]
                } else {
                    false
                }
            }
        }
        for run in [TextStory.opening.run, TextStory.texts.run] {
            harness.give(.payloadWant(want), from: 3)
            harness.settle()
            #expect(!isTold())
            harness.give(.syncRun(run), from: 2)
            harness.settle()
            #expect(isTold())
        }
    }

    @Test("a commit that fails loses none of them: they are asked for again")
    func failed() throws {
        var harness = Self.deprived()
        let want = try #require(TextStory.wants(harness.take(from: 2)).first)
        _ = harness.take(from: 3)
        harness.give(Self.answer(want), from: 2)
        harness.read()
        #expect(harness.batch?.fills.count == 3)
        harness.batch = nil
        harness.give(
            .commitFailed(StoreFailure(reason: .full, detail: "full", remedy: "free some")))
        #expect(TextStory.wants(harness.take(from: 3)).count == 1)
    }

    /// One of two peers that is asked for payloads; nil where none is.
    private static func asked(_ harness: inout Harness) -> (peer: UInt8, want: Want)? {
        let asked = (UInt8(2)...3).flatMap { peer in
            TextStory.wants(harness.take(from: peer)).map { (peer, $0) }
        }
        return asked.count == 1 ? asked[0] : nil
    }

    /// The peer that is asked answers, and the disk is full.
    private static func fill(_ harness: inout Harness) throws {
        let (peer, want) = try #require(Self.asked(&harness))
        harness.give(Self.answer(want), from: peer)
        harness.read()
        if harness.batch == nil {
            harness.pass(milliseconds: Limits.storageRetryMilliseconds)
            harness.give(.timer(.storage))
        }
        #expect(harness.batch?.fills.count == 3)
        harness.batch = nil
        harness.give(
            .commitFailed(StoreFailure(reason: .full, detail: "full", remedy: "free some")))
    }

    /// Both peers have brought what is wanted, and the disk was full.
    private static func full() throws -> Harness {
        var harness = Self.deprived()
        for _ in 0..<2 { try Self.fill(&harness) }
        return harness
    }

    @Test("a disk that stays full has one peer asked once a minute")
    func staysFull() throws {
        var harness = try Self.full()
        for _ in 0..<4 {
            harness.give(.timer(.payloads))
            #expect(Self.asked(&harness) == nil)
            harness.pass(milliseconds: Limits.lostPayloadMilliseconds)
            harness.give(.timer(.payloads))
            try Self.fill(&harness)
        }
    }

    @Test(
        "a disk that has room again takes them within a minute, though all had brought them before")
    func roomAgain() throws {
        var harness = try Self.full()
        harness.give(.timer(.storage))
        harness.join(room("other"))
        harness.settle()
        #expect(Self.asked(&harness) == nil)
        harness.pass(milliseconds: Limits.lostPayloadMilliseconds)
        harness.give(.timer(.payloads))
        // The first one is silent now.
        _ = try #require(Self.asked(&harness))
        harness.pass(milliseconds: Limits.wantMilliseconds)
        harness.give(.timer(.payloads))
        let (peer, want) = try #require(Self.asked(&harness))
        harness.give(Self.answer(want), from: peer)
        harness.settle()
        #expect(Self.shown(harness).count == 3)
        #expect(harness.node.audit.open.isEmpty)
    }

    @Test("who has a message without its payload is not delivered to, whatever digests say")
    func undelivered() throws {
        var harness = Harness()
        harness.join(TextStory.ops)
        harness.settle()
        harness.link(2, in: [TextStory.ops])
        let outgoing = Outgoing(
            conversation: TextStory.ops.conversation, text: "hello",
            wait: DeliveryWait(by: harness.now.monotonic + 60_000))
        harness.give(.request(RequestID(100), .send(outgoing)))
        harness.settle()
        var row = try harness.ownRow(in: TextStory.ops)
        row.whole = row.seq - 1
        harness.give(.delta(TextStory.ops.conversation, [row]), from: 2)
        #expect(harness.answers(of: RequestID(100)).isEmpty)
        let digest = try #require(harness.ownDigest(of: TextStory.ops))
        harness.give(.digest(TextStory.ops.conversation, digest), from: 2)
        #expect(harness.answers(of: RequestID(100)).isEmpty)
        row.whole = nil
        harness.give(.delta(TextStory.ops.conversation, [row]), from: 2)
        #expect(harness.answers(of: RequestID(100)).count == 1)
    }

    @Test("an author hears that payloads are wanted before a digest, and when they have come")
    func authors() throws {
        var harness = Self.deprived()
        harness.link(20, in: [TextStory.ops])
        let first = harness.take(from: 20)
        #expect(Self.wholes(first) == [1])
        let rows = try #require(first.firstIndex { if case .delta = $0 { true } else { false } })
        let digest = try #require(first.firstIndex { if case .digest = $0 { true } else { false } })
        #expect(rows < digest)
        let want = try #require(TextStory.wants(harness.take(from: 2)).first)
        harness.give(Self.answer(want), from: 2)
        harness.settle()
        #expect(Self.wholes(harness.take(from: 20)) == [nil])
    }

    /// What rows of the log say of its payloads.
    private static func wholes(_ frames: [Frame]) -> [UInt64?] {
        frames.flatMap { frame -> [ClockRow] in
            if case .delta(_, let rows) = frame { rows } else { [] }
        }.filter { $0.tag == TextStory.tag }.map(\.whole)
    }
}
