import Testing
import TestSupport

@testable import Engine
@testable import Formats

@Suite("Own runs") struct OwnRunsTests {
    private static let key = TestLog(signer(1), in: room("ops").conversation).key
    private static let wall: UInt64 = 1_000_000
    /// Behind the entry with which the log begins.
    private static let opened = Head(seq: 1, id: EntryID(fixed32(1)), time: HybridTime(1))

    private static func append(
        _ texts: [String], keyed: [Int: String] = [:], deps: [EntryID] = [],
        floor: HybridTime = HybridTime(0), after tail: Head = OwnRunsTests.opened,
        sealing: ConversationKey? = nil
    ) -> (appends: [Append], tail: Head) {
        var time = NodeTime(buildTime: 0)
        time.look(at: Instant(monotonic: 0, wall: Self.wall))
        let own = OwnNode(
            signer: signer(1), certificate: testCertificate(of: signer(1)),
            person: personKeys(40, 41), boot: 1,
            configuration: NodeConfiguration(name: "ada", staticPeers: [], buildTime: 0))
        var runs = OwnRuns(Self.key, after: tail, of: own, time: time, sealing: sealing)
        let drafts = texts.enumerated().map { index, text in
            Draft(
                conversation: Self.key.conversation, content: .text(text), request: nil,
                outgoing: Outgoing(
                    conversation: Self.key.conversation, text: text,
                    idempotencyKey: keyed[index]))
        }
        var random = SeededRandom(seed: 1)
        runs.add(drafts, deps: deps, floor: floor, using: &random)
        return (runs.appends, runs.tail)
    }

    @Test("go on behind the tail, verify, and end at the new tail")
    func chain() throws {
        let first = Self.append(["a", "b"])
        let second = Self.append(["c"], after: first.tail)
        for append in first.appends + second.appends {
            #expect(append.run.run.verified()?.ids == append.run.ids)
        }
        let run = try #require(second.appends.first?.run.run)
        #expect(run.first == 4 && run.prev == first.tail.id)
        #expect(second.tail.seq == 4 && second.tail.time > first.tail.time)
    }

    @Test("the first entry alone names what it follows, and all are later than that")
    func follows() throws {
        let dep = EntryID(fixed32(7))
        let floor = HybridTime(wallMilliseconds: Self.wall + 5)
        let written = Self.append(["a", "b"], deps: [dep], floor: floor)
        let entries = try #require(written.appends.first?.run.run.entries)
        #expect(entries.map(\.deps) == [[dep], []])
        #expect(entries[0].time > floor && entries[1].time > entries[0].time)
    }

    @Test("what one run can hold is one run; more is attested in parts")
    func parts() {
        func counts(_ count: Int) -> [Int] {
            let written = Self.append((0..<count).map { "\($0)" })
            return written.appends.map(\.run.run.entries.count)
        }
        #expect(counts(Limits.runEntries) == [Limits.runEntries])
        #expect(
            counts(Limits.runEntries + 1) == [Limits.attestedEntries, Limits.attestedEntries + 1])
        let large = Self.append(Array(repeating: String(repeating: "x", count: 50_000), count: 3))
        #expect(large.appends.map(\.run.run.entries.count) == [2, 1])
    }

    @Test("the first entry of a log is attested by itself, whatever follows it at once")
    func beginning() {
        let alone = Self.append(["a"], after: .start)
        #expect(alone.appends.map(\.run.run.entries.count) == [1])
        let written = Self.append(["a", "b", "c"], keyed: [1: "b"], after: .start)
        #expect(written.appends.map(\.run.run.entries.count) == [1, 2])
        #expect(written.appends.map(\.idempotencyKeys) == [[:], [0: "b"]])
        #expect(written.appends.allSatisfy { $0.run.run.verified()?.ids == $0.run.ids })
    }

    @Test("payloads are sealed with the conversation's key, each bound to its place")
    func sealed() throws {
        let key = conversationKey(7, of: Self.key.conversation)
        let written = Self.append(["a", "b"], sealing: key)
        let append = try #require(written.appends.first)
        var keyring = Keyring()
        #expect(keyring.read(append.run.envelope(at: 0)).isLocked)
        keyring.use(key)
        let read = append.run.ids.indices.map { keyring.read(append.run.envelope(at: $0)).content }
        #expect(read == [.text("a"), .text("b")])
        #expect(append.run.run.entries.allSatisfy { $0.epoch == key.id })
        #expect(
            append.run.verdicts(by: keyring, person: append.person).verdicts == append.verdicts)
    }

    @Test("idempotency keys stay with their entries across runs")
    func keys() {
        let last = Limits.runEntries
        let written = Self.append((0...last).map { "\($0)" }, keyed: [1: "one", last: "last"])
        #expect(
            written.appends.map(\.idempotencyKeys) == [
                [1: "one"], [last - Limits.attestedEntries: "last"],
            ])
    }
}
