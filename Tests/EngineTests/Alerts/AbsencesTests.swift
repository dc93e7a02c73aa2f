import Crypto
import Testing

@testable import Engine

@Suite("People who are missed") struct AbsencesTests {
    private static let wait = Limits.missingMilliseconds

    private static func person(_ number: UInt8) -> PersonID {
        LinkInfo(to: Harness.peer(number)).certificate.personID
    }

    private func at(_ milliseconds: UInt64) -> Instant {
        Instant(monotonic: 1_000 + milliseconds, wall: 1_000 + milliseconds)
    }

    private func lose(_ numbers: [UInt8], _ absences: inout Absences, at moment: UInt64 = 0) {
        for number in numbers {
            absences.lost(Self.person(number), Harness.peer(number), at: self.at(moment))
        }
    }

    @Test(
        "nothing is to be looked at while nobody is gone, and then at the one moment that matters")
    func moments() {
        var absences = Absences()
        #expect(absences.next == nil)
        self.lose([2], &absences)
        #expect(absences.next == 1_000 + Self.wait)
        var isNews = absences.look(at: self.at(Self.wait - 1)) { _ in false }
        #expect(!isNews)
        isNews = absences.look(at: self.at(Self.wait)) { _ in false }
        #expect(isNews)
        #expect(absences.missed.map(\.device) == [Harness.peer(2)])
        #expect(absences.next == 1_000 + Limits.missedMilliseconds)
        absences.forget(Self.person(2))
        #expect(absences.missed.isEmpty && absences.next == nil)
    }

    @Test("who is here by another device is not missed, nor who is away for so long as to be off")
    func others() {
        var absences = Absences()
        self.lose([2, 3], &absences)
        var isNews = absences.look(at: self.at(Self.wait)) { $0 == Self.person(2) }
        #expect(isNews)
        #expect(absences.missed.map(\.device) == [Harness.peer(3)])
        isNews = absences.look(at: self.at(Limits.missedMilliseconds)) { _ in false }
        #expect(isNews)
        #expect(absences.missed.isEmpty && absences.next == nil)
    }

    @Test("nobody is missed whom this node has left behind with its network")
    func moved() {
        var absences = Absences()
        self.lose([2], &absences)
        absences.moved(at: self.at(1))
        #expect(absences.next == nil)
        self.lose([3], &absences, at: Limits.movedMilliseconds)
        #expect(absences.next == nil)
        self.lose([3], &absences, at: Limits.movedMilliseconds + 1)
        #expect(absences.next != nil)
    }

    @Test("the alert names the first, counts the rest, and tells what is known of why")
    func text() {
        #expect(
            Absences.text(of: ["Ben"], links: 0, failure: "192.0.2.2:4100: no answer")
                == "Ben was here and has been gone for over 10 minutes without a goodbye "
                + "(192.0.2.2:4100: no answer); nobody is linked: stoa doctor says whether the "
                + "network is why")
        let many = Absences.text(of: ["A", "B", "C", "D", "E"], links: 2, failure: nil)
        #expect(many.hasPrefix("A, B, C and 2 more were here and have been gone"))
        #expect(many.contains("; 2 others are linked: stoa doctor"))
    }

    // MARK: In a node

    private func known(_ numbers: [UInt8], _ harness: inout Harness) {
        for number in numbers {
            harness.link(number, in: [])
            harness.give(
                .request(RequestID(UInt64(number)), .stand(Harness.peer(number), .known)))
        }
        harness.settle()
    }

    private func missing(_ harness: Harness) -> [String] {
        harness.node.status(at: harness.now).alerts.filter { $0.code == .missing }.map(\.text)
    }

    private func pass(_ milliseconds: UInt64, _ harness: inout Harness) {
        harness.pass(milliseconds: milliseconds)
        harness.give(.timer(.alerts))
        harness.settle()
    }

    @Test("somebody known who is lost is missed after ten minutes, until they are back")
    func lost() {
        var harness = Harness()
        self.known([2], &harness)
        harness.give(.linkClosed(LinkID(2), nil))
        #expect(harness.alertsAt == harness.now.monotonic + Self.wait)
        self.pass(Self.wait - 1, &harness)
        #expect(self.missing(harness) == [])
        self.pass(1, &harness)
        #expect(self.missing(harness).count == 1)
        #expect(self.missing(harness).first?.contains("nobody is linked") == true)
        harness.link(2, in: [])
        #expect(self.missing(harness) == [])
    }

    @Test(
        "who says goodbye is not missed, nor a stranger, nor anybody once the network is another one"
    )
    func notMissed() {
        var harness = Harness()
        self.known([2, 3], &harness)
        harness.link(4, in: [])
        harness.give(.goaway(.shutdown, ""), from: 2)
        harness.give(.linkClosed(LinkID(4), nil))
        harness.give(.linkClosed(LinkID(3), nil))
        harness.give(.networkChanged)
        self.pass(Self.wait, &harness)
        #expect(self.missing(harness) == [])
    }
}
