import Testing

@testable import Engine
@testable import Formats

@Suite("Alerts") struct AlertsTests {
    private let now = Instant(monotonic: 1, wall: 5)

    @Test("one about a peer does not hide one about another")
    func sideBySide() {
        var alerts = Alerts()
        _ = alerts.raise(.fork, about: Harness.peer(2), "bob", at: self.now)
        _ = alerts.raise(.fork, about: Harness.peer(3), "eve", at: self.now)
        #expect(alerts.all.map(\.text) == ["bob", "eve"])
    }

    @Test("that other sites are not reached stands until it is said, or until nobody says so")
    func sites() {
        var harness = Harness()
        harness.give(.sites("no server answers"))
        #expect(harness.node.alerts.all.map(\.code) == [.sites])
        harness.give(.sites(nil))
        #expect(harness.node.alerts.all.isEmpty)
        harness.give(.sites("no server answers"))
        harness.advance(to: harness.now.monotonic + Limits.sitesAlertMilliseconds)
        harness.give(.timer(.alerts))
        #expect(harness.node.alerts.all.isEmpty)
    }

    @Test("are news once, and stand since the first time")
    func news() {
        var alerts = Alerts()
        let later = Instant(monotonic: 9, wall: 13)
        let isNews = [
            alerts.raise(.storage, "full", at: self.now),
            alerts.raise(.storage, "full", at: later),
            alerts.raise(.storage, "damaged", at: later),
        ]
        #expect(isNews == [true, false, true])
        #expect(alerts.all.map(\.since) == [5])
        alerts.clear(.storage, at: later)
        #expect(alerts.all.isEmpty)
    }

    @Test(
        "whose words strangers can change, by coming and going, are worth a line a minute",
        arguments: [Alert.Code.clock, .diskShare, .crowded])
    func wordsOfOthers(code: Alert.Code) {
        var alerts = Alerts()
        var lines = 0
        for second in 0..<120 {
            let now = Instant(monotonic: UInt64(second) * 1_000, wall: 5)
            if alerts.raise(code, "most of \(second) people", at: now) { lines += 1 }
        }
        #expect(lines == 2 && alerts.all.map(\.text) == ["most of 119 people"])
    }

    // Shows: daemon.alarms
    @Test("about strangers give way first, and take the place of none about somebody trusted")
    func strangers() {
        var alerts = Alerts()
        _ = alerts.raise(.fork, about: Harness.peer(1), "bob", at: self.now)
        for number in 2...200 {
            let now = Instant(monotonic: 0, wall: UInt64(number + 5))
            _ = alerts.raise(
                .fork, about: Harness.peer(UInt8(number)), isTrusted: false, "\(number)", at: now)
        }
        #expect(alerts.all.count == Limits.peerAlerts)
        #expect(alerts.all.first?.text == "bob")
        for number in 2...Limits.peerAlerts {
            _ = alerts.raise(.fork, about: Harness.peer(UInt8(number)), "friend", at: self.now)
        }
        let isNews = alerts.raise(
            .fork, about: Harness.peer(99), isTrusted: false, "one more", at: self.now)
        #expect(!isNews)
        #expect(alerts.all.map(\.text).filter { $0 == "friend" }.count == Limits.peerAlerts - 1)
    }

    @Test("that nothing ends are over after their time, and stand anew when seen again")
    func expiring() {
        var alerts = Alerts()
        let at = { (moment: UInt64) in Instant(monotonic: moment, wall: moment) }
        _ = alerts.raise(.identityInUse, "twice", lasting: 100, at: at(0))
        #expect(alerts.newMoment() == 0, "it is told at once")
        _ = alerts.notices.take(at: at(0))
        #expect(alerts.newMoment() == 100)
        _ = alerts.raise(.identityInUse, "twice", lasting: 100, at: at(50))
        alerts.expire(at: at(149))
        #expect(alerts.all.count == 1)
        alerts.expire(at: at(150))
        #expect(alerts.all.isEmpty)
        let isNews = alerts.raise(.identityInUse, "twice", lasting: 100, at: at(151))
        #expect(isNews)
    }

    // Shows: daemon.alarms
    @Test("the lines that refusals write are few, and say how many they stand for")
    func thinned() {
        var alerts = Alerts()
        var lines: [String] = []
        for number in 0..<10_000 {
            let line = alerts.refuse(
                address: "192.0.2.\(number % 250):1", peer: nil, "reason \(number)", at: self.now)
            if let line, line.0 == .warning { lines.append(line.1) }
        }
        #expect(lines.count == Limits.peerLines)
        let later = Instant(monotonic: 20_000, wall: 20_000)
        let line = alerts.refuse(address: nil, peer: nil, "another", at: later)
        #expect(
            line?.1.hasSuffix("(and \(10_000 - Limits.peerLines) lines like it left out)") == true)
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
