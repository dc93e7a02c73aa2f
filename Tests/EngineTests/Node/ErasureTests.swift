import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Erasing payloads") struct ErasureTests {
    private static let ops = room("ops")
    /// A log, and another device of the same person.
    private static let log = TestLog(signer(20), in: ops.conversation)
    private static let second = TestLog(signer(21), in: ops.conversation)
    private static let opening = log.opening(at: 1 << 16)
    private static let texts = log.run(
        (2...4).map { TestLog.text("text \($0)", at: $0 << 16) }, first: 2,
        prev: opening.ids.last)
    private static let target = EntryTarget(log: log.key.name, seq: 3, id: texts.ids[1])

    /// A node in the room with one peer.
    private static func joined() -> Harness {
        var harness = Harness()
        harness.join(Self.ops)
        harness.settle()
        harness.link(2, in: [Self.ops])
        return harness
    }

    /// The log of a device that wants something erased, behind its opening.
    private static func erasing(
        _ targets: [EntryTarget], by log: TestLog, person: PersonKeys = personKeys(40, 41)
    ) -> [Run] {
        let opening = LogOpening(
            certificate: person.certify(log.signer, at: 1_767_225_600_000), closes: [])
        let first = log.run([TestLog.entry(.open(opening), at: 1 << 16)])
        let run = log.run(
            [TestLog.entry(.erase(targets), at: 9 << 16)], first: 2, prev: first.ids.last)
        return [first.run, run.run]
    }

    private static func give(_ runs: [Run], to harness: inout Harness) {
        for run in runs {
            harness.give(.syncRun(run), from: 2)
            harness.settle()
        }
    }

    private static func states(_ harness: Harness) -> [PayloadState] {
        harness.stored(Self.log.key).map(\.state)
    }

    @Test("another device of the same person may erase, and ids, heads and clocks stay as they are")
    func erased() {
        var harness = Self.joined()
        Self.give([Self.opening.run, Self.texts.run], to: &harness)
        let before = harness.node.audit.logs[Self.log.key]
        Self.give(Self.erasing([Self.target], by: Self.second), to: &harness)
        #expect(Self.states(harness) == [.present, .present, .erased, .present])
        #expect(harness.node.audit.logs[Self.log.key]?.head == before?.head)
        #expect(harness.node.wholes(in: Self.ops.conversation).isEmpty)
    }

    // Shows: shown.delete-own
    @Test("nobody else may, and control entries stay whoever wants it")
    func others() {
        var harness = Self.joined()
        Self.give([Self.opening.run, Self.texts.run], to: &harness)
        let first = EntryTarget(log: Self.log.key.name, seq: 1, id: Self.opening.ids[0])
        Self.give(
            Self.erasing([first, Self.target], by: Self.second, person: personKeys(50, 51)),
            to: &harness)
        #expect(Self.states(harness).allSatisfy { $0 == .present })
        let third = TestLog(signer(22), in: Self.ops.conversation)
        Self.give(Self.erasing([first], by: third), to: &harness)
        #expect(Self.states(harness).allSatisfy { $0 == .present })
    }

    // Shows: shown.deleted
    @Test("what is erased before it comes never reaches the disk, nor is it asked for or shown")
    func early() {
        var harness = Self.joined()
        Self.give(Self.erasing([Self.target], by: Self.second), to: &harness)
        Self.give([Self.opening.run, Self.texts.run], to: &harness)
        #expect(Self.states(harness) == [.present, .present, .erased, .present])
        let shown = harness.messages(of: Self.log.key.name.author)
        #expect(shown.map(\.content) == [.text("text 2"), .text("text 4")])
        #expect(harness.node.wholes(in: Self.ops.conversation).isEmpty)
    }

    // Shows: shown.delete-own
    @Test("what somebody else wants erased before it comes stays")
    func earlyOthers() {
        var harness = Self.joined()
        Self.give(
            Self.erasing([Self.target], by: Self.second, person: personKeys(50, 51)), to: &harness)
        Self.give([Self.opening.run, Self.texts.run], to: &harness)
        #expect(Self.states(harness).allSatisfy { $0 == .present })
    }

    @Test("what one step both stores and erases is not shown")
    func together() {
        var harness = Self.joined()
        let runs = [Self.opening.run, Self.texts.run]
        for run in runs + Self.erasing([Self.target], by: Self.second) {
            harness.give(.syncRun(run), from: 2)
        }
        harness.settle()
        #expect(Self.states(harness) == [.present, .present, .erased, .present])
        let shown = harness.messages(of: Self.log.key.name.author)
        #expect(shown.map(\.content) == [.text("text 2"), .text("text 4")])
    }

    @Test("what has come with one step and is erased by it is not shown")
    func filledTogether() {
        var harness = Self.joined()
        Self.give([Self.opening.run, Self.texts.run.withoutPayloads], to: &harness)
        let tag = Harness.tags.log(Self.log.key.name, in: Self.ops.conversation)
        // While a batch is under way, what comes makes the next one.
        harness.say("meanwhile", in: Self.ops)
        for run in Self.erasing([Self.target], by: Self.second) {
            harness.give(.syncRun(run), from: 2)
        }
        harness.give(
            .payloads(
                Payloads(
                    conversation: Self.ops.conversation, tag: tag, from: 2,
                    items: Self.texts.run.entries.map { entry in
                        if case .present(let payload) = entry.payload {
                            .present(payload)
                        } else {
                            .wanted
                        }
                    })), from: 2)
        harness.read()
        harness.settle()
        #expect(Self.states(harness) == [.present, .present, .erased, .present])
        let shown = harness.messages(of: Self.log.key.name.author)
        #expect(shown.map(\.content) == [.text("text 2"), .text("text 4")])
    }

    @Test("what may not be erased, or is another entry, is wanted on")
    func wantedOn() {
        var harness = Self.joined()
        Self.give([Self.opening.run, Self.texts.run.withoutPayloads], to: &harness)
        let wholes = harness.node.wholes(in: Self.ops.conversation)
        #expect(wholes == [Self.log.key.name: 1])
        let first = EntryTarget(log: Self.log.key.name, seq: 2, id: Self.texts.ids[0])
        Self.give(
            Self.erasing([first], by: Self.second, person: personKeys(50, 51)), to: &harness)
        #expect(harness.node.wholes(in: Self.ops.conversation) == wholes)
        let third = TestLog(signer(22), in: Self.ops.conversation)
        let other = EntryTarget(log: Self.log.key.name, seq: 2, id: Self.texts.ids[1])
        Self.give(Self.erasing([other], by: third), to: &harness)
        #expect(harness.node.wholes(in: Self.ops.conversation) == wholes)
    }

    @Test("what a fork has put in dispute is erased like any other")
    func disputed() throws {
        var harness = Self.joined()
        Self.give([Self.opening.run, Self.texts.run], to: &harness)
        let other = Self.log.run(
            [TestLog.text("other", at: 2 << 16)], first: 2, prev: Self.opening.ids.last)
        let proof = try #require(ForkProof(Self.texts, other))
        harness.give(.forkProof(proof), from: 2)
        harness.settle()
        Self.give(Self.erasing([Self.target], by: Self.second), to: &harness)
        #expect(Self.states(harness) == [.present, .present, .erased, .present])
    }

    @Test("also where its log forks at the very beginning, so that nothing of it counts")
    func disputedFromTheBeginning() throws {
        var harness = Self.joined()
        Self.give([Self.opening.run, Self.texts.run], to: &harness)
        let proof = try #require(ForkProof(Self.opening, Self.log.opening(at: 9)))
        harness.give(.forkProof(proof), from: 2)
        harness.settle()
        Self.give(Self.erasing([Self.target], by: Self.second), to: &harness)
        #expect(Self.states(harness) == [.present, .present, .erased, .present])
    }

    @Test("a payload that is wanted is wanted no longer once it is erased")
    func wanted() {
        var harness = Self.joined()
        Self.give([Self.opening.run, Self.texts.run.withoutPayloads], to: &harness)
        #expect(harness.node.wholes(in: Self.ops.conversation) == [Self.log.key.name: 1])
        let all = (UInt64(2)...4).map {
            EntryTarget(log: Self.log.key.name, seq: $0, id: Self.texts.ids[Int($0) - 2])
        }
        Self.give(Self.erasing(all, by: Self.second), to: &harness)
        #expect(Self.states(harness) == [.present, .erased, .erased, .erased])
        #expect(harness.node.wholes(in: Self.ops.conversation).isEmpty)
    }

    @Test("an own erasure names own targets in clear, so that replicas without keys obey")
    func own() throws {
        var harness = Self.joined()
        harness.say("one", in: Self.ops)
        harness.settle()
        let key = LogKey(conversation: Self.ops.conversation, name: harness.node.ownLog)
        let last = try #require(harness.stored(key).last)
        let id = last.entry.id(key: key, seq: last.seq, prev: last.prev)
        let target = EntryTarget(log: key.name, seq: last.seq, id: id)
        harness.give(.request(RequestID(77), .erase(Self.ops.conversation, [target])))
        harness.settle()
        #expect(harness.stored(key).first { $0.seq == last.seq }?.state == .erased)
        let entry = try #require(harness.stored(key).last?.entry)
        #expect(EntryTarget.inExtensions(entry.extensions, by: key.name.author) == [target])
        guard case .erased? = harness.answers(of: RequestID(77)).first else {
            Issue.record("the request is not answered")
            return
        }
    }

    @Test("a body names 1 to 64 entries, ascending; any other is not understood")
    func codec() throws {
        func content(_ targets: [EntryTarget]) -> Content? {
            var random = RepeatedByte(byte: 0)
            let payload = Content.erase(targets).payload(using: &random)
            return Keyring().read(
                Envelope(plain: payload, entryClass: 1, in: Self.ops.conversation)
            ).content
        }
        let many = (UInt64(1)...64).map {
            EntryTarget(log: Self.log.key.name, seq: $0, id: EntryID(fixed32(7)))
        }
        #expect(content(many) == .erase(many))
        let more =
            many + [
                EntryTarget(log: Self.log.key.name, seq: 65, id: EntryID(fixed32(7)))
            ]
        for wrong in [[], more, [many[1], many[0]], [many[0], many[0]]] {
            #expect(content(wrong) == nil)
        }
        let own = Array(many.prefix(Limits.ownEraseTargets))
        let area = EntryTarget.extensions(own, by: Self.log.key.name.author)
        #expect(area.count <= Limits.extensionBytes)
        #expect(EntryTarget.inExtensions(area, by: Self.log.key.name.author) == own)
        #expect(EntryTarget.extensions(own, by: Self.second.key.name.author).isEmpty)
    }
}
