import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("What is missing here") struct HoleTests {
    private static let ops = room("ops")
    private static let conversation = ops.conversation
    private static let log = TestLog(signer(3), in: conversation)

    /// The log of peer 3 in runs: its opening, then two entries each.
    private static let runs: [Run] = {
        let opening = log.opening(at: moment(0), of: personKeys(50, 51))
        var runs = [opening.run]
        var prev = opening.ids[0]
        for first in stride(from: UInt64(2), through: 8, by: 2) {
            let entries =
                first == 2
                ? [
                    TestLog.entry(.join(ops.name), at: moment(2)),
                    TestLog.text("3", at: moment(3)),
                ] : (first...first + 1).map { TestLog.text("\($0)", at: moment($0)) }
            let run = log.run(entries, first: first, prev: prev)
            runs.append(run.run)
            prev = run.ids[1]
        }
        return runs
    }()

    private static func moment(_ milliseconds: UInt64) -> UInt64 {
        HybridTime(wallMilliseconds: 900_000 + milliseconds).rawValue
    }

    /// A node in a room, to which a stranger has brought the first three entries of peer 3.
    private static func begun(knowing number: UInt8? = nil) -> Harness {
        var harness = Harness()
        harness.link(2, in: [Self.ops])
        harness.join(Self.ops)
        if let number {
            harness.give(.request(RequestID(70), .stand(Harness.peer(number), .known)))
        }
        harness.settle()
        Self.bring(Self.runs.prefix(2), to: &harness, from: 2)
        return harness
    }

    private static func bring(
        _ runs: some Sequence<Run>, to harness: inout Harness, from number: UInt8
    ) {
        for run in runs {
            harness.give(.liveRun(run), from: number)
            harness.settle()
        }
    }

    private static func holes(_ harness: Harness) -> [MissingEntries] {
        harness.node.holes(in: Self.conversation)
    }

    /// How often subscribers were told.
    private static func told(_ harness: Harness) -> Int {
        harness.signals.count { $0 == .missing(Self.conversation) }
    }

    @Test("what a later run proves is missing until it is here, though its bringer is gone")
    func appearsAndGoes() {
        var harness = Self.begun()
        Self.bring(Self.runs[3...3], to: &harness, from: 2)
        harness.give(.linkClosed(LinkID(2), nil))
        #expect(Self.holes(harness).isEmpty, "it may still come")
        harness.passHoles(milliseconds: 2 * Limits.holeMilliseconds)
        let due = MissingEntries(author: Harness.peer(3), count: 4, last: 7, holders: [])
        #expect(Self.holes(harness) == [due])
        #expect(Self.told(harness) == 1)
        #expect(harness.node.standingSignals.contains(.missing(Self.conversation)))
        // A part of it comes, then the rest.
        harness.link(4, in: [Self.ops])
        Self.bring(Self.runs[2...2], to: &harness, from: 4)
        harness.passHoles(milliseconds: 10_000)
        #expect(Self.holes(harness).map(\.count) == [2])
        Self.bring(Self.runs[3...3], to: &harness, from: 4)
        harness.passHoles(milliseconds: 10_000)
        #expect(Self.holes(harness).isEmpty)
        #expect(Self.told(harness) == 3)
        #expect(harness.node.standingSignals.isEmpty)
        // Nothing is left to look at.
        harness.passHoles(milliseconds: 60_000)
        #expect(harness.holesAt == nil && Self.told(harness) == 3)
    }

    @Test("what is not signed by its author, or comes in time, is never missing")
    func forged() {
        var harness = Self.begun()
        let real = Self.runs[3]
        let forged = Run(
            key: real.key, first: real.first, prev: real.prev, attestation: real.attestation,
            entries: [TestLog.text("forged", at: Self.moment(6)), real.entries[1]])
        Self.bring([forged], to: &harness, from: 2)
        harness.give(.linkClosed(LinkID(2), nil))
        harness.passHoles(milliseconds: 20_000)
        #expect(harness.node.missing(in: Self.conversation).isEmpty && Self.told(harness) == 0)
        harness = Self.begun()
        Self.bring([Self.runs[3], Self.runs[2], Self.runs[3]], to: &harness, from: 2)
        harness.passHoles(milliseconds: 20_000)
        #expect(Self.told(harness) == 0)
    }

    @Test("what a known person had is remembered when they are gone, and no stranger's word")
    func remembered() {
        for (number, count) in [(UInt8(2), 6), (4, 0)] {
            var harness = Self.begun(knowing: 2)
            if number == 4 { harness.link(4, in: [Self.ops]) }
            let row = ClockRow(
                tag: Harness.tags.log(Self.log.key.name, in: Self.conversation), state: .open,
                seq: 9, headTag: 7)
            harness.give(.delta(Self.conversation, [row]), from: number)
            harness.give(.linkClosed(LinkID(UInt64(number)), nil))
            harness.passHoles(milliseconds: 20_000)
            #expect(Self.holes(harness).map(\.count) == (count > 0 ? [UInt64(count)] : []))
            guard count > 0 else { continue }
            #expect(Self.holes(harness).map(\.holders) == [[Harness.peer(2)]])
            // Who is back says anew what they have.
            harness.link(2, in: [Self.ops])
            harness.settle()
            harness.give(.clock(Self.conversation, Harness.pages([])), from: 2)
            harness.passHoles(milliseconds: 20_000)
            harness.give(.request(RequestID(80), .stand(Harness.peer(9), .known)))
            harness.settle()
            harness.passHoles(milliseconds: 20_000)
            #expect(Self.holes(harness).isEmpty)
        }
    }

    @Test("a conversation that the user leaves misses nothing any longer")
    func left() {
        var harness = Self.begun()
        Self.bring(Self.runs[3...3], to: &harness, from: 2)
        harness.passHoles(milliseconds: 20_000)
        #expect(Self.holes(harness).count == 1 && Self.told(harness) == 1)
        harness.give(.request(RequestID(90), .leave(Self.conversation)))
        harness.settle()
        #expect(Self.holes(harness).isEmpty && Self.told(harness) == 2)
        harness.passHoles(milliseconds: 20_000)
        #expect(Self.told(harness) == 2)
    }

    // Shows: shown.holes
    @Test("known people come first in what is missing, however much strangers have signed")
    func order() {
        var harness = Self.begun(knowing: 3)
        Self.bring(Self.runs[2...3], to: &harness, from: 2)
        for number: UInt8 in 20...60 {
            let log = TestLog(signer(number), in: Self.conversation)
            let opening = log.opening(at: Self.moment(0), of: personKeys(number, 53))
            let far = log.run(
                [TestLog.text("far", at: Self.moment(9))], first: 1 << 40, prev: opening.ids[0])
            Self.bring([opening.run, far.run], to: &harness, from: 2)
            harness.passHoles(milliseconds: Limits.holeCheckMilliseconds)
        }
        Self.bring([Self.runs[4]], to: &harness, from: 2)
        let later = Self.log.run(
            [TestLog.text("11", at: Self.moment(11))], first: 11, prev: Self.runs[4].ids.last)
        Self.bring([later.run], to: &harness, from: 2)
        harness.passHoles(milliseconds: 20_000)
        #expect(Self.holes(harness).first?.author == Harness.peer(3))
        #expect(Self.holes(harness).count == 42)
        #expect(Self.told(harness) <= 3)
    }
}
