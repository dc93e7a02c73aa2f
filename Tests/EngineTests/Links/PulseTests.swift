import Testing

@testable import Engine
@testable import Formats

@Suite("The pulse of a link") struct PulseTests {
    private static func at(_ monotonic: UInt64, wall: UInt64? = nil) -> Instant {
        Instant(monotonic: monotonic, wall: wall ?? monotonic + 10_000)
    }

    @Test("only the answer to the last ping counts, and once")
    func pongs() {
        var pulse = Pulse(at: Self.at(100))
        let unasked = pulse.receivePong(0, clock: 1, at: Self.at(100))
        pulse.ping(7, at: Self.at(100))
        pulse.ping(8, at: Self.at(200))
        let counted = [7, 8, 8].map { pulse.receivePong($0, clock: 1, at: Self.at(240)) }
        #expect(!unasked && counted == [false, true, false])
        #expect(pulse.roundTrip == 40)
    }

    @Test("who gives no sign is asked for one, then doubted, until there is one")
    func silent() {
        var pulse = Pulse(at: Self.at(100))
        let idle = pulse.check(at: Self.at(90_000))
        #expect(idle == .fine)
        let isFirst = [pulse.send(at: Self.at(90_000)), pulse.send(at: Self.at(91_000))]
        #expect(isFirst == [true, false])
        let checks = [91_000, 92_000, 93_000, 94_999, 95_000, 96_000].map {
            pulse.check(at: Self.at($0))
        }
        #expect(checks == [.wait, .ask, .wait, .wait, .doubt, .doubt])
        let wasDoubted = [pulse.hear(at: Self.at(96_500)), pulse.hear(at: Self.at(96_600))]
        #expect(wasDoubted == [true, false])
        let after = pulse.check(at: Self.at(99_000))
        #expect(after == .fine)
    }

    @Test("a pong tells the peer's clock as of half the way; a ping only before any pong")
    func clocks() {
        var pulse = Pulse(at: Self.at(100))
        let isFirstNews = pulse.receivePing(clock: 10_190, at: Self.at(100))
        #expect(isFirstNews && pulse.clockOffset(at: Self.at(100)) == 90)
        pulse.ping(7, at: Self.at(200))
        _ = pulse.receivePong(7, clock: 10_500, at: Self.at(240))
        #expect(pulse.clockOffset(at: Self.at(240)) == 280)
        let isNews = pulse.receivePing(clock: 99, at: Self.at(300))
        #expect(!isNews && pulse.clockOffset(at: Self.at(300)) == 280)
    }

    @Test("the peer's clock stays right when the own wall clock is set")
    func clockSet() {
        var pulse = Pulse(at: Self.at(100))
        _ = pulse.receivePing(clock: 10_100, at: Self.at(100))
        #expect(pulse.clockOffset(at: Self.at(100)) == 0)
        #expect(pulse.clockOffset(at: Self.at(200, wall: 10_700)) == -500)
    }

    @Test("when the peer was heard is told by the wall clock of today")
    func heard() {
        var pulse = Pulse(at: Self.at(100))
        _ = pulse.hear(at: Self.at(150))
        #expect(pulse.lastHeardWall(at: Self.at(250, wall: 5_000)) == 4_900)
        #expect(pulse.lastHeardWall(at: Self.at(250, wall: 30)) == 0)
    }
}
