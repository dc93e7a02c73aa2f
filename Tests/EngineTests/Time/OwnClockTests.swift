import Testing

@testable import Engine
@testable import Formats

@Suite("An own clock that says what cannot be") struct OwnClockTests {
    private static let ops = room("ops")
    private static let year: UInt64 = 31_536_000_000

    private static func alerts(_ harness: Harness) -> [Alert] {
        harness.node.status(at: harness.now).alerts.filter { $0.code == .wrongClock }
    }

    private static func set(_ wall: UInt64, _ harness: inout Harness) {
        harness.now = Instant(monotonic: harness.now.monotonic + 1, wall: wall)
        harness.give(.clockSet)
        harness.settle()
    }

    private static func say(_ harness: inout Harness) throws -> UInt64 {
        harness.say("what time is it?", in: Self.ops)
        harness.settle()
        let message = try #require(harness.messages(of: Harness.ownKey).last)
        return message.time.milliseconds
    }

    @Test("is said while it is before what is shown here, and times are true once it is set")
    func before() throws {
        var harness = Harness()
        harness.join(Self.ops)
        harness.settle()
        Self.set(40 * Self.year, &harness)
        #expect(try Self.say(&harness) == 40 * Self.year)
        // Others may be ahead by minutes; that is no fault of this clock.
        Self.set(40 * Self.year - 300_000, &harness)
        #expect(Self.alerts(harness).isEmpty)
        Self.set(20 * Self.year, &harness)
        let alert = try #require(Self.alerts(harness).first)
        #expect(alert.text.contains("it says 1989-12-27") && alert.text.contains("2009-12-22"))
        #expect(harness.logged.contains { $0.contains("clock is wrong") })
        Self.set(41 * Self.year, &harness)
        #expect(Self.alerts(harness).isEmpty)
        #expect(harness.logged.contains { $0.contains("clock is right again") })
        #expect(try Self.say(&harness) == 41 * Self.year)
    }

    @Test("is said at a start, by the newest message of the store or by the program's build")
    func atStart() {
        var snapshot = Snapshot()
        snapshot.latestShown = [Self.ops.conversation: HybridTime(wallMilliseconds: Self.year)]
        #expect(!Self.alerts(Harness(snapshot: snapshot)).isEmpty)
        var clocks = Clocks(buildTime: Self.year, newest: HybridTime(0))
        let warning = clocks.look(at: Instant(monotonic: 1, wall: Self.year - 1)).warning
        #expect(warning?.contains("was built on 1971-01-01") == true)
        #expect(clocks.look(at: Instant(monotonic: 2, wall: Self.year - 1)).warning == nil)
        #expect(clocks.own.now == Self.year)
        let mended = clocks.look(at: Instant(monotonic: 3, wall: 2 * Self.year))
        #expect(mended == Clocks.Change(warning: "", isForward: true))
        #expect(clocks.own.now == 2 * Self.year)
    }
}
