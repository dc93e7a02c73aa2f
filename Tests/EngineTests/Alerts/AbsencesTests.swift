import Crypto
import Testing

@testable import Engine
@testable import Formats

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
            absences.lost(
                Self.person(number), Harness.peer(number), boot: 1, at: self.at(moment))
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
            Absences.text(
                of: ["Ben"], links: 0, failure: "192.0.2.2:4100: no answer",
                found: ["multicast is not heard on eth0"])
                == "Ben was here and has been gone for over 10 minutes without a goodbye "
                + "(192.0.2.2:4100: no answer); nobody is linked; it may be that multicast is not "
                + "heard on eth0: stoa doctor says what to do")
        let names = ["A", "B", "C", "D", "E"]
        let many = Absences.text(of: names, links: 2, failure: nil, found: [])
        #expect(many.hasPrefix("A, B, C and 2 more were here and have been gone"))
        #expect(
            many.hasSuffix(
                "; 2 others are linked; nothing is wrong on this machine: ask whether theirs is "
                    + "on, or run stoa doctor"))
        let found = Absences.text(of: names, links: 1, failure: nil, found: ["x", "y", "z"])
        #expect(found.contains("; 1 other is linked; it may be that x, and 2 things more: stoa"))
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

    /// Lets time pass, and answers what the node asks of the machine.
    private func pass(
        _ milliseconds: UInt64, _ harness: inout Harness, finding found: [String]? = []
    ) {
        let before = harness.examinations
        harness.pass(milliseconds: milliseconds)
        harness.give(.timer(.alerts))
        if let found, harness.examinations > before { harness.give(.examined(found)) }
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

    @Test("the machine is examined when others are missed than before, and at no other time")
    func examined() {
        var harness = Harness()
        self.known([2, 3], &harness)
        self.pass(Self.wait, &harness)
        #expect(harness.examinations == 0)
        harness.give(.linkClosed(LinkID(2), nil))
        self.pass(Self.wait, &harness, finding: ["the port is shut"])
        #expect(harness.examinations == 1)
        #expect(self.missing(harness).first?.contains("be that the port is shut: stoa") == true)
        self.pass(Self.wait, &harness)
        #expect(harness.examinations == 1)
        harness.give(.linkClosed(LinkID(3), nil))
        self.pass(Self.wait, &harness, finding: ["the port is shut", "the clock is off"])
        #expect(harness.examinations == 2)
        #expect(self.missing(harness).first?.contains("and 1 thing more: stoa doctor") == true)
    }

    @Test("the machine is looked at once for many who vanish together")
    func manyExaminedOnce() {
        var harness = Harness()
        self.known([2, 3, 4], &harness)
        for number in [2, 3, 4] as [UInt64] {
            harness.give(.linkClosed(LinkID(number), nil))
            harness.pass(milliseconds: 1_000)
        }
        // Each is missed at a moment of their own.
        self.pass(Self.wait - 3_000, &harness, finding: nil)
        self.pass(1_000, &harness, finding: nil)
        #expect(harness.examinations == 1)
        harness.give(.examined(["the port is shut"]))
        harness.settle()
        #expect(self.missing(harness).first?.contains(" were here ") == true)
        self.pass(1_000, &harness, finding: nil)
        #expect(harness.examinations == 1)
        let text = self.missing(harness).first ?? ""
        #expect(text.contains("be that the port is shut") && text.contains("nobody is linked"))
        #expect(text.prefix { $0 != ";" }.split(separator: ", ").count == 3)
    }

    @Test("who is back before the machine has been looked at is missed by nobody")
    func backMeanwhile() {
        var harness = Harness()
        self.known([2], &harness)
        harness.give(.linkClosed(LinkID(2), nil))
        self.pass(Self.wait, &harness, finding: nil)
        #expect(harness.examinations == 1 && self.missing(harness) == [])
        harness.link(2, in: [])
        harness.give(.examined(["the port is shut"]))
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

    /// A further link with peer 2, which dialled; the first one has its second start and dial 1.
    private func open(_ id: UInt64, start: UInt64, dial: UInt64, _ harness: inout Harness) {
        let info = LinkInfo(to: Harness.peer(2), boot: start, dial: dial)
        harness.give(.linkOpened(LinkID(id), info, address: "192.0.2.2:4101", dial: nil))
    }

    @Test("a goodbye counts for a link that the same start of the daemon makes behind it")
    func linkBehindGoodbye() {
        for (start, missed) in [(2, 0), (9, 1)] as [(UInt64, Int)] {
            var harness = Harness()
            self.known([2], &harness)
            harness.give(.goaway(.shutdown, ""), from: 2)
            self.open(12, start: start, dial: 2, &harness)
            harness.give(.linkClosed(LinkID(12), nil))
            self.pass(Self.wait, &harness)
            #expect(self.missing(harness).count == missed)
        }
    }

    @Test("a goodbye counts for the link that was held back beside it, and takes its place")
    func linkBesideGoodbye() {
        var harness = Harness()
        self.known([2], &harness)
        self.open(12, start: 2, dial: 0, &harness)
        harness.give(.goaway(.shutdown, ""), from: 2)
        #expect(harness.node.status(at: harness.now).links == 1)
        harness.give(.linkClosed(LinkID(12), nil))
        self.pass(Self.wait, &harness)
        #expect(self.missing(harness) == [])
    }

    @Test(
        "a goodbye on a link that is held back counts for the other one, where it is of its start")
    func goodbyeHeldBack() {
        for (start, missed) in [(2, 0), (9, 1)] as [(UInt64, Int)] {
            var harness = Harness()
            self.known([2], &harness)
            self.open(12, start: start, dial: 0, &harness)
            harness.give(.goaway(.shutdown, ""), from: 12)
            harness.give(.linkClosed(LinkID(12), nil))
            harness.give(.linkClosed(LinkID(2), nil))
            self.pass(Self.wait, &harness)
            #expect(self.missing(harness).count == missed)
        }
    }

    @Test("goodbyes are remembered of people whom the user knows, and of nobody else")
    func goodbyesOfKnown() {
        var harness = Harness()
        harness.link(2, in: [])
        harness.give(.goaway(.shutdown, ""), from: 2)
        #expect(harness.node.alerts.absences.goodbyes.isEmpty)
        self.known([2], &harness)
        harness.give(.goaway(.shutdown, ""), from: 2)
        #expect(harness.node.alerts.absences.goodbyes == [Self.person(2): 2])
        harness.give(.request(RequestID(7), .stand(Harness.peer(2), .unsaid)))
        harness.settle()
        #expect(harness.node.alerts.absences.goodbyes.isEmpty)
    }
}
