import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

/// Clocks, lengths and counters that a peer sends, at the ends of what they can say.
@Suite("Values at the end of what they can say") struct ExtremeValueTests {
    private static let ops = room("ops")
    private static let ends: [UInt64] = [
        .max, .max - 1, 1 << 63, UInt64(Int64.max), UInt64(Int64.max) - 1, UInt64(Int64.max) - 128,
        1 << 62, 1 << 48, (1 << 48) - 1, 0,
    ]

    /// A node in a room with three peers whose clocks are all at such a value.
    private static func linked(clocks: UInt64) -> Harness {
        var harness = Harness()
        for number in UInt8(2)...4 {
            harness.link(number, in: [Self.ops])
            harness.give(.ping(nonce: 1, clock: clocks), from: number)
            let pings = harness.take(from: number).compactMap { frame -> UInt64? in
                if case .ping(let nonce, _) = frame { nonce } else { nil }
            }
            for nonce in pings { harness.give(.pong(nonce: nonce, clock: clocks), from: number) }
        }
        harness.join(Self.ops)
        harness.settle()
        return harness
    }

    private static func isAlive(_ harness: inout Harness) -> Bool {
        let before = harness.answers.count
        for _ in 0..<3 {
            harness.say("still here", in: Self.ops)
            harness.settle()
        }
        harness.passDelta()
        harness.pass(milliseconds: 60_000)
        _ = harness.node.status(at: harness.now)
        _ = harness.node.peers
        return harness.answers.count == before + 3
    }

    // Shows: daemon.decoders
    @Test(
        "an entry from the end of time ends nothing, whatever all peers' clocks say",
        arguments: ends)
    func endOfTime(clocks: UInt64) {
        for time in Self.ends where time > 0 {
            var harness = Self.linked(clocks: clocks)
            let log = TestLog(signer(20), in: Self.ops.conversation)
            let opening = log.opening(at: time - 1)
            harness.give(.liveRun(opening.run), from: 2)
            let text = log.run(
                [TestLog.text("from the end of time", at: time)], first: 2, prev: opening.ids[0])
            harness.give(.liveRun(text.run), from: 2)
            harness.settle()
            #expect(Self.isAlive(&harness))
        }
    }

    /// A frame is refused, or taken for what it is worth.
    private static func give(_ frame: Frame, to harness: inout Harness) {
        guard (try? ReceivedFrame(whole: frame.encoded.bytes)) != nil else { return }
        harness.give(frame, from: 2)
        harness.settle()
        if harness.closed[LinkID(2)] != nil {
            harness.link(2, in: [Self.ops])
        }
    }

    // Shows: daemon.decoders
    @Test("a row of a clock may say anything of any log", arguments: ends)
    func rows(value: UInt64) throws {
        var harness = Self.linked(clocks: value)
        let room = Self.ops.conversation
        let known = TestLog(signer(20), in: room)
        harness.give(.liveRun(known.opening().run), from: 2)
        harness.settle()
        let own = try harness.ownRow(in: Self.ops).tag
        let tags = [own, Harness.tags.log(known.key.name, in: room), 77, .max]
        for tag in tags {
            for state in [ClockRow.State.open, .forked, .refused] {
                for part in [nil, value, value == 0 ? 0 : value - 1] {
                    var row = ClockRow(tag: tag, state: state, seq: value, headTag: value)
                    row.first = part ?? 0
                    (row.whole, row.shown) = (part, part)
                    Self.give(.delta(room, [row]), to: &harness)
                    Self.give(.clock(room, Harness.pages([row])), to: &harness)
                    harness.pass(milliseconds: Limits.wantMilliseconds)
                }
            }
        }
        #expect(Self.isAlive(&harness))
    }

    // Shows: daemon.decoders
    @Test("wants, answers, credit and records may name any number", arguments: ends)
    func numbers(value: UInt64) throws {
        var harness = Self.linked(clocks: 0)
        let room = Self.ops.conversation
        let known = TestLog(signer(20), in: room)
        harness.give(.liveRun(known.opening().run), from: 2)
        harness.settle()
        for tag in [try harness.ownRow(in: Self.ops).tag, value] {
            for from in [1, value, value == 0 ? 0 : value - 1] {
                let want = Want(conversation: room, tag: tag, from: from, through: value)
                Self.give(.want(want), to: &harness)
                Self.give(.payloadWant(want), to: &harness)
                Self.give(.unavailable(room, tag: tag, from: from), to: &harness)
                let items = [Payloads.Item](repeating: .wanted, count: Limits.payloadItems)
                for items in [[], items] {
                    let answer = Payloads(conversation: room, tag: tag, from: from, items: items)
                    Self.give(.payloads(answer), to: &harness)
                }
            }
        }
        for channel in [Channel.live, .sync, .blob] {
            Self.give(.credit(channel, bytes: value), to: &harness)
        }
        for scope in [nil, room] {
            let record = Record(
                kind: scope == nil ? Record.Kind.profile : 3, author: known.key.name.author,
                conversation: scope, time: HybridTime(value),
                value: Profile(name: "x", status: "").encoded, signer: signer(20))
            Self.give(.records([record]), to: &harness)
            let row = Harness.tags.row(record)
            Self.give(.recordClock(room, [row]), to: &harness)
        }
        #expect(Self.isAlive(&harness))
    }

    @Test("a pong may claim any clock")
    func pong() async {
        #if MUTANTS
            await #expect(processExitsWith: .success) {
                [bug = Mutant.active?.rawValue as String?] in
                Mutant.$active.withValue(bug.flatMap(Mutant.init)) {
                    for clock in ExtremeValueTests.ends { _ = Self.linked(clocks: clock) }
                }
            }
        #endif
    }

    // Shows: daemon.decoders
    @Test("a run may stand anywhere and be of any time", arguments: ends)
    func runs(value: UInt64) {
        var harness = Self.linked(clocks: value)
        let room = Self.ops.conversation
        for author in [signer(1), signer(20)] {
            for incarnation in [value, harness.node.ownLog.incarnation] {
                let log = TestLog(author, incarnation: incarnation, in: room)
                let prev = EntryID(fixed32(1))
                let first = max(2, value)
                let run = Run(
                    key: log.key, first: first, prev: prev, attestation: .zero,
                    entries: [TestLog.text("x", at: value)])
                Self.give(.liveRun(run), to: &harness)
                Self.give(.syncRun(run), to: &harness)
                Self.give(.syncRun(log.opening(at: value).run), to: &harness)
            }
        }
        #expect(Self.isAlive(&harness))
    }
}
