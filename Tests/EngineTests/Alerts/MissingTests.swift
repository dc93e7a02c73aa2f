import Testing

@testable import Engine
@testable import Formats

@Suite("Who is missed, without a node") struct MissingTests {
    private static let ada = LinkInfo(to: Harness.peer(2))
    private static let known = [Harness.peer(2): Tier.known]
    private static let missed = Absences.Missed(
        person: Self.ada.certificate.personID, device: Harness.peer(2))

    private func at(_ milliseconds: UInt64) -> Instant {
        Instant(monotonic: 1_000 + milliseconds, wall: 1_000 + milliseconds)
    }

    /// Alerts once somebody has gone without a goodbye, and what they want when that is looked at.
    private func gone(_ tier: Tier = .known) -> (Alerts, [AlertAction]) {
        var alerts = Alerts()
        let ended = alerts.linkEnded(Self.ada, isLost: true, tier, [:], at: self.at(0))
        #expect(ended == [])
        let late = self.at(Limits.missingMilliseconds)
        let wanted = alerts.lookWhoIsMissing(LinkTable(), Self.known, at: late)
        return (alerts, wanted)
    }

    @Test("this machine is looked at first, and the alert is raised by what was found")
    func examined() {
        var (alerts, wanted) = self.gone()
        #expect(wanted == [.perform(.examine)])
        let told = alerts.examined(
            ["the port is shut"], Self.known, at: self.at(Limits.missingMilliseconds))
        #expect(told == [.tellMissing([Self.missed], found: ["the port is shut"])])
    }

    @Test("strangers are not missed, nor those whom the user knows no longer")
    func strangers() {
        #expect(self.gone(.stranger).1 == [])
        var (alerts, _) = self.gone()
        let told = alerts.examined([], [:], at: self.at(Limits.missingMilliseconds))
        #expect(told == [])
    }

    @Test("whoever has said goodbye is not missed, nor whoever is here by another device")
    func here() {
        var alerts = Alerts()
        alerts.saidGoodbye(Self.ada, .known)
        _ = alerts.linkEnded(Self.ada, isLost: true, .known, [:], at: self.at(0))
        #expect(alerts.absences.next == nil)
        _ = alerts.linkEnded(
            LinkInfo(to: Harness.peer(2), boot: 8), isLost: true, .known, [:], at: self.at(0))
        var links = LinkTable()
        links.add(
            Link(
                id: LinkID(1), info: Self.ada, address: "192.0.2.2:1", dial: nil,
                now: self.at(0)))
        let wanted = alerts.lookWhoIsMissing(
            links, Self.known, at: self.at(Limits.missingMilliseconds))
        #expect(wanted == [])
    }

    @Test("a line of the log is written once for one alert")
    func lines() {
        var alerts = Alerts()
        func raise() -> AlertAction? {
            alerts.line(
                raising: .clock, about: nil, in: nil, isTrusted: true, "the clock of Ada is wrong",
                logged: "the clock is wrong", lasting: nil, at: self.at(0))
        }
        let subject = LogSubject(alert: .clock)
        #expect(raise() == .perform(.log(.warning, "the clock is wrong", subject)))
        #expect(raise() == nil)
    }
}
