import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Payloads that are not kept any longer") struct ExpiryTests {
    private static func give(_ run: Run, to harness: inout Harness) {
        harness.give(.syncRun(run), from: 2)
        harness.settle()
    }

    /// Has all before a time expire.
    private static func expire(
        before time: UInt64, _ harness: inout Harness, as request: UInt64 = 90
    ) -> [Answer] {
        harness.give(
            .request(
                RequestID(request),
                .expire(TextStory.ops.conversation, .before(HybridTime(time << 16)))))
        harness.settle()
        return harness.answers(of: RequestID(request))
    }

    private static func states(_ harness: Harness) -> [PayloadState] {
        harness.stored(TextStory.log.key).map(\.state)
    }

    @Test("those that are older go, control entries stay, and ids, heads and clocks are as before")
    func older() {
        var harness = TextStory.joined()
        Self.give(TextStory.opening.run, to: &harness)
        Self.give(TextStory.texts.run, to: &harness)
        let before = harness.node.audit.logs[TextStory.log.key]
        let answers = Self.expire(before: 4, &harness)
        #expect(answers == [.expired(TextStory.ops.conversation, count: 2)])
        #expect(Self.states(harness) == [.present, .expired, .expired, .present])
        #expect(harness.node.audit.logs[TextStory.log.key]?.head == before?.head)
        #expect(harness.node.wholes(in: TextStory.ops.conversation).isEmpty)
        #expect(harness.node.audit.open.isEmpty)
    }

    @Test("how much of a conversation is kept says what is to go")
    func retention() {
        var harness = TextStory.joined()
        let id = TextStory.ops.conversation
        #expect(harness.node.retentionBounds(at: 10 * 86_400_000).isEmpty)
        harness.give(.request(RequestID(93), .retain(id, Retention(days: 3))))
        harness.settle()
        #expect(harness.answers(of: RequestID(93)) == [.arranged(id)])
        func bounds(at now: UInt64) -> [RetentionBound] {
            harness.node.retentionBounds(at: now).map { (bound) in
                #expect(bound.id == id)
                return bound.bound
            }
        }
        let day: UInt64 = 86_400_000
        #expect(bounds(at: 10 * day) == [.before(HybridTime(wallMilliseconds: 7 * day))])
        #expect(bounds(at: day) == [.before(HybridTime(0))])
        harness.give(.request(RequestID(96), .retain(id, Retention(days: 3, bytes: 9))))
        harness.settle()
        #expect(bounds(at: day) == [.before(HybridTime(0)), .above(bytes: 9)])
        harness.give(.request(RequestID(94), .retain(id, Retention())))
        harness.settle()
        #expect(harness.node.retentionBounds(at: 10 * 86_400_000).isEmpty)
        harness.give(
            .request(RequestID(95), .retain(room("other").conversation, Retention(days: 1))))
        harness.settle()
        #expect(harness.answers(of: RequestID(95)) == [.failed(.notMember)])
    }

    @Test("a long history goes in parts, conversations in turns, and each request is answered once")
    func parts() {
        var harness = TextStory.joined()
        let dev = room("dev")
        harness.join(dev)
        harness.settle()
        harness.expiredPerBatch = 1
        Self.give(TextStory.opening.run, to: &harness)
        Self.give(TextStory.texts.run, to: &harness)
        harness.give(
            .request(
                RequestID(91), .expire(TextStory.ops.conversation, .before(HybridTime(5 << 16)))))
        harness.give(
            .request(RequestID(92), .expire(dev.conversation, .before(HybridTime(5 << 16)))))
        harness.write()
        harness.write()
        // The second one had its turn after the first part of the first one.
        #expect(harness.answers.map(\.request).suffix(1) == [RequestID(92)])
        harness.settle()
        #expect(
            harness.answers(of: RequestID(91)) == [.expired(TextStory.ops.conversation, count: 3)])
        #expect(harness.answers(of: RequestID(92)) == [.expired(dev.conversation, count: 0)])
    }

    @Test("what is wanted and older is wanted no longer, and peers are told that it is expired")
    func wanted() throws {
        var harness = TextStory.joined()
        Self.give(TextStory.opening.run, to: &harness)
        Self.give(TextStory.texts.run.withoutPayloads, to: &harness)
        #expect(harness.node.wholes(in: TextStory.ops.conversation) == [TextStory.log.key.name: 1])
        _ = Self.expire(before: 5, &harness)
        #expect(harness.node.wholes(in: TextStory.ops.conversation).isEmpty)
        for number in UInt8(2)...3 { _ = harness.take(from: number) }
        // Neither the end of the question's time nor a new row has it asked for again.
        harness.pass(milliseconds: Limits.payloadWantMilliseconds)
        harness.give(.timer(.payloads))
        #expect((UInt8(2)...3).allSatisfy { TextStory.wants(harness.take(from: $0)).isEmpty })
        let want = Want(
            conversation: TextStory.ops.conversation, tag: TextStory.tag, from: 2, through: 4)
        harness.give(.payloadWant(want), from: 3)
        harness.settle()
        let items = harness.take(from: 3).compactMap { frame -> [Payloads.Item]? in
            if case .payloads(let payloads) = frame { payloads.items } else { nil }
        }
        #expect(items == [[.expired, .expired, .expired]])
    }

    @Test("what comes without its payload and is older is never wanted; what is younger is")
    func arriving() {
        var harness = TextStory.joined()
        _ = Self.expire(before: 4, &harness)
        Self.give(TextStory.opening.run, to: &harness)
        Self.give(TextStory.texts.run.withoutPayloads, to: &harness)
        #expect(Self.states(harness) == [.present, .expired, .expired, .wanted])
        let asked = (UInt8(2)...3).flatMap { TextStory.wants(harness.take(from: $0)) }
        #expect(asked.map { $0.from...$0.through } == [4...4])
        #expect(harness.node.wholes(in: TextStory.ops.conversation) == [TextStory.log.key.name: 3])
    }

    @Test("what one step both stores and gives up is not shown")
    func together() {
        var harness = TextStory.joined()
        Self.give(TextStory.opening.run, to: &harness)
        harness.say("meanwhile", in: TextStory.ops)
        harness.give(.syncRun(TextStory.texts.run), from: 2)
        let answers = Self.expire(before: 4, &harness)
        #expect(answers == [.expired(TextStory.ops.conversation, count: 2)])
        let shown = harness.messages(of: TextStory.log.key.name.author)
        #expect(shown.map(\.content) == [.text("text 4")])
    }

    @Test("an answer that comes after its entry has expired is not stored")
    func late() throws {
        var harness = TextStory.joined()
        Self.give(TextStory.opening.run, to: &harness)
        Self.give(TextStory.texts.run.withoutPayloads, to: &harness)
        _ = Self.expire(before: 5, &harness)
        let items = TextStory.texts.run.entries.map { entry -> Payloads.Item in
            if case .present(let payload) = entry.payload { .present(payload) } else { .wanted }
        }
        harness.give(
            .payloads(
                Payloads(
                    conversation: TextStory.ops.conversation, tag: TextStory.tag, from: 2,
                    items: items)),
            from: 2)
        harness.settle()
        #expect(Self.states(harness) == [.present, .expired, .expired, .expired])
        #expect(harness.messages(of: TextStory.log.key.name.author).isEmpty)
        #expect(harness.node.audit.open.isEmpty)
    }

    @Test("what has expired is erased like any other")
    func erased() {
        var harness = TextStory.joined()
        Self.give(TextStory.opening.run, to: &harness)
        Self.give(TextStory.texts.run, to: &harness)
        _ = Self.expire(before: 5, &harness)
        let target = EntryTarget(log: TextStory.log.key.name, seq: 3, id: TextStory.texts.ids[1])
        let erase = TextStory.log.run(
            [TestLog.entry(.erase([target]), at: 9 << 16)], first: 5, prev: TextStory.texts.ids.last
        )
        Self.give(erase.run, to: &harness)
        #expect(Self.states(harness).prefix(4) == [.present, .expired, .erased, .expired])
    }

    @Test("a store that fails ends the request that it was busy with, and no other")
    func failed() throws {
        var harness = TextStory.joined()
        Self.give(TextStory.opening.run, to: &harness)
        Self.give(TextStory.texts.run, to: &harness)
        for request in UInt64(91)...92 {
            harness.give(
                .request(
                    RequestID(request),
                    .expire(TextStory.ops.conversation, .before(HybridTime(5 << 16)))))
        }
        let failure = StoreFailure(reason: .full, detail: "full", remedy: "free some")
        #expect(harness.batch?.expiry != nil)
        harness.batch = nil
        harness.give(.commitFailed(failure))
        #expect(harness.answers(of: RequestID(91)) == [.failed(.storage(failure))])
        harness.give(.timer(.storage))
        harness.settle()
        #expect(
            harness.answers(of: RequestID(92)) == [.expired(TextStory.ops.conversation, count: 3)])
    }

    @Test("nothing expires of a conversation that is not known")
    func unknown() {
        var harness = TextStory.joined()
        harness.give(
            .request(
                RequestID(91), .expire(room("dev").conversation, .before(HybridTime(5 << 16)))))
        #expect(harness.answers(of: RequestID(91)) == [.failed(.unknownConversation)])
    }
}

@Suite("Expiries that wait") struct ExpiriesTests {
    @Test("are bounded, and are done when the store has come to the end")
    func bounded() {
        var expiries = Expiries()
        let conversation = room("ops").conversation
        for request in 0..<Limits.waitingExpiries {
            let isTaken = expiries.begin(
                RequestID(UInt64(request)), in: conversation, .before(HybridTime(9)))
            #expect(isTaken)
        }
        let isTaken = expiries.begin(RequestID(9_999), in: conversation, .before(HybridTime(10)))
        #expect(!isTaken)
        #expect(expiries.count == Limits.waitingExpiries)
        let position = ExpiryPosition(time: HybridTime(3), number: 7)
        let entry = EntryPlace(
            key: LogKey(conversation: conversation, name: Harness().node.ownLog), seq: 1)
        let first = expiries.next()
        #expect(first?.after == nil)
        let early = expiries.took(ExpiryOutcome(entries: [entry], next: position))
        #expect(early == nil)
        var done: Expiries.Done?
        while done?.request != RequestID(0) {
            let step = expiries.next()
            #expect(step?.after == (expiries.count == 1 ? position : nil))
            done = expiries.took(ExpiryOutcome(entries: [entry], next: nil))
        }
        #expect(done?.count == 2 && expiries.isEmpty)
    }

    @Test("say what is older by what was asked for last")
    func cutOff() {
        var expiries = Expiries()
        let conversation = room("ops").conversation
        #expect(!expiries.expires(HybridTime(1), in: conversation))
        _ = expiries.begin(RequestID(1), in: conversation, .before(HybridTime(9)))
        #expect(expiries.expires(HybridTime(8), in: conversation))
        #expect(!expiries.expires(HybridTime(9), in: conversation))
        #expect(!expiries.expires(HybridTime(8), in: room("dev").conversation))
        _ = expiries.begin(RequestID(2), in: conversation, .before(HybridTime(5)))
        #expect(!expiries.expires(HybridTime(8), in: conversation))
    }
}
