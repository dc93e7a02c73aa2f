import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Pushing, and telling what is here") struct LiveTests {
    private static let ops = room("ops")

    /// A node with one peer in the same rooms, which has all that is there.
    private static func linked(_ rooms: [Room]) -> Harness {
        var harness = Harness()
        harness.link(2, in: rooms)
        for room in rooms {
            harness.join(room)
            harness.settle()
        }
        return harness
    }

    /// Links a peer that has nothing, and gives the row of the own log as it is told.
    private static func linkedRow(_ harness: inout Harness) throws -> ClockRow {
        harness.link(2, in: [Self.ops])
        harness.give(.digest(Self.ops.conversation, .zeros), from: 2)
        var own: ClockRow?
        for case .clock(_, let pages) in harness.take(from: 2) { own = pages.flatMap(\.rows).first }
        return try #require(own)
    }

    private static func credit(_ bytes: UInt64, to harness: inout Harness) {
        if bytes > 0 { harness.give(.credit(.live, bytes: bytes), from: 2) }
    }

    @Test(
        "a live message that waited for catch-up does not wait for more of it, nor catch-up for ever"
    )
    func besideCatchUp() {
        var harness = Self.linked([room("bulk"), room("live")])
        let log = TestLog(signer(20), in: room("bulk").conversation)
        let count = UInt64(Limits.runEntries)
        let opening = log.opening()
        harness.give(.syncRun(opening.run), from: 2)
        harness.settle()
        harness.say("first", in: room("live"))
        var previous = opening.ids.last
        for first in stride(from: 2, to: 5 * count, by: Int(count)) {
            let entries = (first..<first + count).map { TestLog.text("x", at: $0 << 16) }
            let run = log.run(entries, first: first, prev: previous)
            previous = run.ids.last
            harness.give(.syncRun(run.run), from: 2)
        }
        var sizes: [[Int]] = []
        var areBeside: [Bool] = []
        while let batch = harness.batch {
            sizes.append(batch.appends.map(\.run.run.entries.count))
            areBeside.append(batch.isBesideLive)
            if sizes.count <= 3 { harness.say("more", in: room("live")) }
            harness.write()
        }
        let full = Limits.runEntries
        #expect(sizes == [[1], [1, full], [1], [1, full], [full], [full], [full]])
        #expect(areBeside == [false, true, false, true, true, true, true])
    }

    @Test(
        "many own messages are attested so that half a run can be sent, those of one run together",
        arguments: [(200, [1, 64, 64, 72]), (128, [1, 128]), (129, [1, 64, 65]), (1, [1, 1])])
    func attested(count: Int, expected: [Int]) throws {
        var harness = Harness()
        harness.join(Self.ops)
        harness.settle()
        for number in 0...count { harness.say("\(number)", in: Self.ops) }
        var sizes: [Int] = []
        while let batch = harness.batch {
            sizes += batch.appends.map(\.run.run.entries.count)
            harness.write()
        }
        #expect(sizes == expected)
    }

    @Test("history is read in whole runs, and in halves while live messages come or go on the link")
    func shortRuns() throws {
        var harness = Harness()
        harness.join(Self.ops)
        for number in 1...200 { harness.say("\(number)", in: Self.ops) }
        harness.settle()
        let room = Self.ops.conversation
        let row = try Self.linkedRow(&harness)
        func asked(_ harness: inout Harness) -> UInt64? {
            harness.give(
                .want(Want(conversation: room, tag: row.tag, from: 3, through: row.seq)), from: 2)
            defer { harness.settle() }
            return harness.reads.first?.through
        }
        #expect(asked(&harness) == row.seq)
        let run = TestLog(signer(20), in: room).run([TestLog.text("x", at: 1 << 16)])
        harness.give(.liveRun(run.run), from: 2)
        harness.settle()
        #expect(asked(&harness) == 66)
        harness.pass(milliseconds: Limits.liveMilliseconds)
        #expect(asked(&harness) == row.seq)
    }

    @Test("small runs share a transaction, as many as a few full ones make")
    func smallRuns() {
        let rooms = (100..<400).map { room("r\($0)") }
        var harness = Self.linked(rooms)
        harness.say("first", in: rooms[0])
        for room in rooms {
            let run = TestLog(signer(20), in: room.conversation).run([
                TestLog.text("x", at: 1 << 16)
            ])
            harness.give(.liveRun(run.run), from: 2)
        }
        var sizes: [Int] = []
        while let batch = harness.batch {
            sizes.append(batch.appends.count)
            harness.write()
        }
        #expect(sizes == [1, 128, 128, 44])
    }

    @Test("what waits of a room is written together, and a full room holds up no other")
    func roomsTakeTurns() {
        var harness = Self.linked(["a", "b", "c"].map { room($0) })
        harness.say("first", in: room("c"))
        for text in 0..<2_000 { harness.say("\(text)", in: room("a")) }
        for text in 0..<5 {
            harness.say("\(text)", in: room("b"))
            harness.say("\(text)", in: room("c"))
        }
        var batches: [[ConversationID: Int]] = []
        while let batch = harness.batch {
            batches.append([:])
            for append in batch.appends {
                let run = append.run.run
                batches[batches.count - 1][run.key.conversation, default: 0] += run.entries.count
            }
            harness.write()
        }
        let (a, b, c) = (
            room("a").conversation, room("b").conversation, room("c").conversation
        )
        #expect(
            batches == [
                [c: 1], [a: Limits.draftsPerBatch],
                [a: 2_000 - Limits.draftsPerBatch, b: 5, c: 5],
            ])
    }

    @Test("a peer that lags is read for as much as its credit allows, not a run at a time")
    func lagging() {
        var harness = Self.linked([Self.ops])
        let text = String(repeating: "x", count: 10_000)
        let most = Limits.initialCredit / text.utf8.count
        for _ in 0..<2 * most {
            harness.say(text, in: Self.ops)
            harness.write()
        }
        let before = harness.pushed(to: 2)
        #expect((most - 2...most + 2).contains(before.count))
        #expect(harness.reads.isEmpty)
        let used = before.reduce(0) { $0 + Frame.liveRun($1).encoded.bytes.count }
        harness.give(.credit(.live, bytes: UInt64(used)), from: 2)
        #expect(harness.reads.count == 1)
        harness.answer(0)
        let after = harness.pushed(to: 2)
        // Of the credit the room for one whole run is kept while reading.
        let kept = Limits.runFrameBytes / text.utf8.count + 1
        #expect(after.count - before.count >= most - kept - 1)
        #expect(after.map(\.first) == Array(1...UInt64(after.count)))
    }

    @Test("whatever the order of messages, credits, writes and reads, a peer gets each log whole")
    func everyOrder() {
        for seed in 0..<60 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let rooms = (0..<5).map { room("r\($0)") }
            var harness = Self.linked(rooms)
            var returned = 0
            func owed(_ harness: Harness) -> UInt64 {
                let sent = harness.pushed(to: 2).reduce(0) {
                    $0 + Frame.liveRun($1).encoded.bytes.count
                }
                return UInt64(sent - returned)
            }
            for _ in 0..<150 {
                switch UInt64.random(in: 0..<10, using: &random) {
                case 0..<5:
                    let size = Int.random(in: 1...60_000, using: &random)
                    guard let room = rooms.randomElement(using: &random) else { continue }
                    harness.say(String(repeating: "x", count: size), in: room)
                case 5..<8: harness.write()
                case 8: if !harness.reads.isEmpty { harness.answer(harness.reads.count - 1) }
                default:
                    let bytes = UInt64.random(in: 0...owed(harness), using: &random)
                    Self.credit(bytes, to: &harness)
                    returned += Int(bytes)
                }
                #expect(harness.node.forgottenLog == nil)
            }
            for _ in 0..<200 {
                harness.settle()
                let bytes = owed(harness)
                Self.credit(bytes, to: &harness)
                returned += Int(bytes)
            }
            var last: [LogKey: UInt64] = [:]
            for run in harness.pushed(to: 2) {
                #expect(run.first == last[run.key, default: 0] + 1)
                last[run.key] = run.last
            }
            let heads = harness.node.audit.logs.mapValues(\.head.seq)
            #expect(last == heads, "seed \(seed)")
        }
    }

    // MARK: Deltas

    /// A node linked to peers 2 to `count` + 1, of whom the first writes.
    private struct Mesh {
        var harness = Harness()
        private let log = TestLog(signer(2), in: LiveTests.ops.conversation)
        private var last: VerifiedRun?

        init(of count: UInt8) {
            self.harness.join(LiveTests.ops)
            self.harness.settle()
            for number in 2..<(2 + count) { self.harness.link(number, in: [LiveTests.ops]) }
        }

        /// The first peer pushes an entry, and it is written.
        mutating func grow() {
            let seq = (self.last?.run.last ?? 0) + 1
            let run = self.log.run(
                [TestLog.text("\(seq)", at: seq << 16)], first: seq, prev: self.last?.ids.last)
            self.last = run
            self.harness.give(.liveRun(run.run), from: 2)
            self.harness.settle()
        }
    }

    @Test("the author is told at the next tick, the others in turns, a few of them each time")
    func turns() {
        var mesh = Mesh(of: 21)
        let share = Limits.deltaPeers(ofLinks: 21)
        mesh.grow()
        let before = Dictionary(
            uniqueKeysWithValues: (2...22).map { ($0, mesh.harness.deltas(to: $0)) })
        func told(_ harness: Harness) -> [UInt8] {
            (2...22).filter { harness.deltas(to: $0) > (before[$0] ?? 0) }
        }
        mesh.harness.passDelta()
        #expect(told(mesh.harness).first == 2)
        #expect(told(mesh.harness).count == 1 + share)
        for tick in 2...20 / share {
            mesh.harness.passDelta()
            #expect(told(mesh.harness).count == 1 + tick * share)
        }
        // Once, and then nothing more is to come.
        #expect((2...22).allSatisfy { mesh.harness.deltas(to: $0) <= (before[$0] ?? 0) + 1 })
        #expect(mesh.harness.deltaAt == nil)
    }

    @Test("who keeps writing delays nobody's turn")
    func turnsUnderLoad() {
        var mesh = Mesh(of: 21)
        var told: Set<UInt8> = []
        for _ in 0...20 / Limits.deltaPeers(ofLinks: 21) {
            mesh.grow()
            mesh.harness.passDelta()
            told.formUnion((3...22).filter { mesh.harness.deltas(to: $0) > 0 })
        }
        #expect(told.count == 20)
    }

    @Test(
        "who has caught up with a growing log but for a run is pushed the rest and what is new",
        arguments: [0, 1, Limits.runEntries, Limits.runEntries + 1])
    func caughtUp(lacking: Int) throws {
        var harness = Harness()
        harness.join(Self.ops)
        for number in 1...200 {
            harness.say("\(number)", in: Self.ops)
            harness.settle()
        }
        let room = Self.ops.conversation
        let row = try Self.linkedRow(&harness)
        harness.give(.clock(room, Harness.pages([])), from: 2)
        harness.settle()
        #expect(harness.pushed(to: 2).isEmpty)
        // The peer has got it from somebody else, and says so.
        let seq = row.seq - UInt64(lacking)
        harness.give(.delta(room, [try harness.ownRow(seq, in: Self.ops)]), from: 2)
        harness.settle()
        harness.say("new", in: Self.ops)
        harness.settle()
        let pushed = harness.pushed(to: 2)
        guard lacking <= Limits.runEntries else {
            #expect(pushed.isEmpty)
            return
        }
        #expect(pushed.first?.first == seq + 1 && pushed.last?.last == row.seq + 1)
        #expect(zip(pushed, pushed.dropFirst()).allSatisfy { $0.last + 1 == $1.first })
    }

    @Test("who asked for a log here is told of it at the next tick")
    func takers() throws {
        var mesh = Mesh(of: 21)
        mesh.grow()
        while mesh.harness.deltaAt != nil { mesh.harness.passDelta() }
        let row = try #require(
            (mesh.harness.sent[LinkID(17)] ?? []).lazy.compactMap { frame -> ClockRow? in
                guard case .delta(_, let rows) = frame else { return nil }
                return rows.first
            }.first)
        mesh.harness.give(
            .want(
                Want(conversation: Self.ops.conversation, tag: row.tag, from: 1, through: 1)),
            from: 17)
        mesh.harness.settle()
        let before = mesh.harness.deltas(to: 17)
        mesh.grow()
        mesh.harness.passDelta()
        #expect(mesh.harness.deltas(to: 17) == before + 1)
    }

    @Test("bulk does not overtake a live run of its log that the batch has no place for")
    func overtaking() {
        var harness = Self.linked([Self.ops])
        let now = UInt64(1_000_000) << 16
        func texts(_ log: TestLog, _ count: Int) -> VerifiedRun {
            log.run((1...count).map { TestLog.text("\($0)", at: now + UInt64($0)) })
        }
        let logs = (10..<40 as Range<UInt8>).map { TestLog(signer($0), in: Self.ops.conversation) }
        harness.give(.liveRun(texts(logs[0], 1).run), from: 2)
        // While that is written, more live runs come than one batch takes, and the next entry of
        // the last one's log as bulk.
        for log in logs.dropFirst() { harness.give(.liveRun(texts(log, 1).run), from: 2) }
        let last = logs[logs.count - 1]
        guard let rest = texts(last, 2).suffix(from: 2) else {
            preconditionFailure("the run has two entries")
        }
        harness.give(.syncRun(rest.run), from: 2)
        var seen: [UInt64] = []
        while let batch = harness.batch {
            seen += batch.appends.map(\.run.run).filter { $0.key == last.key }.map(\.first)
            harness.write()
        }
        #expect(seen == [1, 2])
    }
}
