import Testing

@testable import Engine
@testable import Formats

@Suite("Notices of alerts") struct AlertNoticesTests {
    private func at(_ milliseconds: UInt64) -> Instant {
        Instant(monotonic: milliseconds, wall: milliseconds)
    }

    private func texts(_ notices: [Notice]) -> [String] {
        notices.map { notice in
            switch notice.event {
            case .raised(_, _, let text): text
            case .cleared(let code): "no \(code.rawValue)"
            default: "?"
            }
        }
    }

    @Test("an alert is told at once, and what follows within a minute when that is over")
    func thinned() {
        var alerts = Alerts()
        _ = alerts.raise(.clock, "late", at: self.at(0))
        #expect(self.texts(alerts.notices.take(at: self.at(0))) == ["late"])
        #expect(alerts.newMoment() == nil)

        alerts.clear(.clock, at: self.at(10))
        #expect(alerts.notices.take(at: self.at(10)).isEmpty)
        #expect(alerts.newMoment() == 60_000)
        #expect(alerts.newMoment() == nil)
        #expect(self.texts(alerts.notices.take(at: self.at(60_000))) == ["no clock"])
    }

    // Shows: daemon.alarms
    @Test("one about somebody trusted is told of by itself, whatever strangers cause meanwhile")
    func sideBySide() {
        var alerts = Alerts()
        _ = alerts.raise(.fork, about: Harness.peer(1), isTrusted: false, "one", at: self.at(0))
        #expect(self.texts(alerts.notices.take(at: self.at(0))) == ["one"])
        _ = alerts.raise(.fork, about: Harness.peer(2), "bob", at: self.at(1))
        for number in 3..<20 {
            _ = alerts.raise(
                .fork, about: Harness.peer(UInt8(number)), isTrusted: false, "\(number)",
                at: self.at(2))
        }
        #expect(self.texts(alerts.notices.take(at: self.at(3))) == ["bob"])
        #expect(self.texts(alerts.notices.take(at: self.at(60_000))) == ["19"])
    }

    // Shows: daemon.notices
    @Test("one that flaps is told of once a minute, and not where it ends as it had begun")
    func flapping() {
        var alerts = Alerts()
        var told: [String] = []
        for second in 0..<120 {
            let now = self.at(UInt64(second) * 1_000)
            _ = alerts.raise(.clock, "late", at: now)
            told += self.texts(alerts.notices.take(at: now))
            alerts.clear(.clock, at: now)
            told += self.texts(alerts.notices.take(at: now))
        }
        #expect(told == ["late", "no clock"])
    }

    // Shows: daemon.notices
    @Test("those about many strangers are told of once a minute, the newest of them")
    func manyPeers() {
        var alerts = Alerts()
        var told: [String] = []
        for number in 0..<200 {
            let now = self.at(UInt64(number) * 100)
            _ = alerts.raise(
                .fork, about: Harness.peer(UInt8(number)), isTrusted: false, "\(number)", at: now)
            told += self.texts(alerts.notices.take(at: now))
        }
        told += self.texts(alerts.notices.take(at: self.at(60_000)))
        #expect(told == ["0", "199"])
    }

    @Test("one that came and went before it could be told is not told")
    func neverTold() {
        var alerts = Alerts()
        _ = alerts.raise(.storage, "full", at: self.at(0))
        alerts.clear(.storage, at: self.at(0))
        #expect(alerts.notices.take(at: self.at(0)).isEmpty)
    }
}
