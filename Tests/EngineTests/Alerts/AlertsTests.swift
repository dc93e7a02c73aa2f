import Testing

@testable import Engine

@Suite("Alerts") struct AlertsTests {
    private let now = Instant(monotonic: 1, wall: 5)

    @Test("one about a peer does not hide one about another")
    func sideBySide() {
        var alerts = Alerts()
        _ = alerts.raise(.fork, about: Harness.peer(2), "bob", at: self.now)
        _ = alerts.raise(.fork, about: Harness.peer(3), "eve", at: self.now)
        #expect(alerts.all.map(\.text) == ["bob", "eve"])
    }

    @Test("are news once, and stand since the first time")
    func news() {
        var alerts = Alerts()
        let later = Instant(monotonic: 9, wall: 13)
        let isNews = [
            alerts.raise(.clock, "2 minutes", at: self.now),
            alerts.raise(.clock, "2 minutes", at: later),
            alerts.raise(.clock, "3 minutes", at: later),
        ]
        #expect(isNews == [true, false, true])
        #expect(alerts.all.map(\.since) == [5])
        alerts.clear(.clock, at: later)
        #expect(alerts.all.isEmpty)
    }

    @Test("about peers are bounded: the oldest gives way")
    func bounded() {
        var alerts = Alerts()
        _ = alerts.raise(.clock, "own", at: Instant(monotonic: 0, wall: 0))
        for number in 0...Limits.peerAlerts {
            let now = Instant(monotonic: 0, wall: UInt64(number + 1))
            _ = alerts.raise(.fork, about: Harness.peer(UInt8(number)), "\(number)", at: now)
        }
        #expect(alerts.all.count == Limits.peerAlerts + 1)
        #expect(alerts.all.map(\.text).prefix(2) == ["own", "1"])
    }
}
