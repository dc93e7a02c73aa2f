import Crypto
import Testing

@testable import Engine
@testable import Formats

@Suite("Whether others reach this node") struct ReachTests {
    private static let request = RequestID(900)

    /// Links a peer that can be asked, or not.
    private func link(
        _ harness: inout Harness, _ number: UInt8, features: Features = .own,
        at address: String? = nil
    ) {
        var info = LinkInfo(to: Harness.peer(number), boot: UInt64(number), role: .responder)
        info.features = features
        harness.give(
            .linkOpened(
                LinkID(UInt64(number)), info, address: address ?? "192.0.2.\(number):5000",
                dial: nil))
        _ = harness.take(from: number)
    }

    private func ask(
        _ harness: inout Harness, _ request: RequestID = Self.request, port: UInt16 = 7_000,
        besides own: Set<Source> = []
    ) {
        harness.give(.request(request, .reach(port: port, besides: own)))
    }

    private func ports(_ harness: inout Harness, askedOf number: UInt8) -> [UInt16] {
        harness.take(from: number).compactMap {
            if case .dialBack(let port) = $0 { port } else { nil }
        }
    }

    /// What a user was told: who was asked, and what became of it; nil while they wait.
    private func outcomes(
        _ harness: Harness, _ request: RequestID = Self.request
    ) -> [PeerID: DialBackReport.Outcome]? {
        var harness = harness
        // Then packets are tried, of which nothing is counted here.
        if harness.packetsAt != nil { harness.give(.timer(.packets)) }
        guard case .reach(let reports, _) = harness.answers(of: request).first else { return nil }
        return Dictionary(uniqueKeysWithValues: reports.map { ($0.peer, $0.outcome) })
    }

    /// A stream of a linked peer comes in, as when it dials back.
    private func comeIn(_ harness: inout Harness, _ number: UInt8) {
        let info = LinkInfo(
            to: Harness.peer(number), boot: UInt64(number), role: .responder, dial: 9)
        harness.give(
            .linkOpened(
                LinkID(UInt64(number) + 100), info, address: "192.0.2.\(number):5001", dial: nil))
    }

    @Test("a peer that comes in when it is asked has reached it, whatever it says")
    func reached() {
        var harness = Harness()
        self.link(&harness, 2)
        self.ask(&harness)
        #expect(self.ports(&harness, askedOf: 2) == [7_000])
        #expect(self.outcomes(harness) == nil)
        self.comeIn(&harness, 2)
        #expect(self.outcomes(harness) == [Harness.peer(2): .reached])
    }

    @Test("that a peer says it has reached this node counts for nothing where nothing came in")
    func claimed() {
        var harness = Harness()
        self.link(&harness, 2)
        self.ask(&harness)
        harness.give(.dialledBack(.reached), from: 2)
        #expect(self.outcomes(harness) == nil)
        harness.pass(milliseconds: Limits.dialBackAnswerMilliseconds)
        harness.give(.timer(.dialBacks))
        #expect(self.outcomes(harness) == [Harness.peer(2): .silent])
    }

    @Test(
        "what a peer says that has not reached it is told as its word",
        arguments: [
            (DialBackOutcome.refused, DialBackReport.Outcome.refused), (.noAnswer, .noAnswer),
            (.notTried, .notTried),
        ])
    func failed(said: DialBackOutcome, outcome: DialBackReport.Outcome) {
        var harness = Harness()
        self.link(&harness, 2)
        self.ask(&harness)
        harness.give(.dialledBack(said), from: 2)
        #expect(self.outcomes(harness) == [Harness.peer(2): outcome])
        // Only the first answer counts.
        harness.give(.dialledBack(.refused), from: 2)
        self.ask(&harness, RequestID(901))
        let later = outcome == .notTried ? nil : [Harness.peer(2): outcome]
        #expect(self.outcomes(harness, RequestID(901)) == later)
    }

    @Test("an answer counts only from the link on which it was asked for")
    func unasked() {
        var harness = Harness()
        self.link(&harness, 2)
        harness.give(.dialledBack(.refused), from: 2)
        self.link(&harness, 3, features: Features())
        self.ask(&harness)
        harness.give(.dialledBack(.refused), from: 3)
        #expect(self.outcomes(harness) == nil)
        self.comeIn(&harness, 2)
        #expect(self.outcomes(harness) == [Harness.peer(2): .reached])
    }

    @Test("where two disagree both are told of")
    func disagree() {
        var harness = Harness()
        self.link(&harness, 2)
        self.link(&harness, 3)
        self.ask(&harness)
        harness.give(.dialledBack(.noAnswer), from: 3)
        self.comeIn(&harness, 2)
        #expect(
            self.outcomes(harness) == [Harness.peer(2): .reached, Harness.peer(3): .noAnswer])
    }

    @Test(
        "three are asked, each of another host, those first who are trusted most; none on this machine"
    )
    func chosen() {
        var harness = Harness()
        for number in 2...8 as ClosedRange<UInt8> { self.link(&harness, number) }
        // Many keys cost nothing, hosts do.
        for number in 20...40 as ClosedRange<UInt8> {
            self.link(&harness, number, at: "192.0.2.9:\(4_000 + Int(number))")
        }
        harness.give(.request(RequestID(1), .stand(Harness.peer(5), .known)))
        harness.settle()
        for number in 2...40 as ClosedRange<UInt8> { _ = harness.take(from: number) }
        self.ask(&harness, besides: [Source("192.0.2.2:0")])
        let asked = (2...40 as ClosedRange<UInt8>).filter {
            !self.ports(&harness, askedOf: $0).isEmpty
        }
        #expect(asked.count == Limits.dialBackPeers)
        #expect(asked.contains(5) && !asked.contains(2))
        #expect(asked.count { $0 >= 20 } <= 1)
    }

    @Test("who has been reached lately is not asked again, nor who would not dial again")
    func lately() {
        var harness = Harness()
        self.link(&harness, 2)
        self.ask(&harness)
        harness.give(.dialledBack(.refused), from: 2)
        _ = self.ports(&harness, askedOf: 2)
        self.ask(&harness, RequestID(901))
        #expect(self.ports(&harness, askedOf: 2) == [])
        #expect(self.outcomes(harness, RequestID(901)) == [Harness.peer(2): .refused])
        // Linked anew, it may be asked again.
        harness.give(.linkClosed(LinkID(2), nil))
        self.link(&harness, 2)
        self.ask(&harness, RequestID(902))
        // The stream by which it was linked anew has come in.
        #expect(self.outcomes(harness, RequestID(902)) == [Harness.peer(2): .reached])
        harness.pass(milliseconds: Limits.dialBackMilliseconds)
        self.ask(&harness, RequestID(903))
        #expect(self.ports(&harness, askedOf: 2) == [7_000])
    }

    @Test("two who want to know at the same time ask once, and are both told")
    func together() {
        var harness = Harness()
        self.link(&harness, 2)
        self.ask(&harness)
        self.ask(&harness, RequestID(901))
        #expect(self.ports(&harness, askedOf: 2) == [7_000])
        self.comeIn(&harness, 2)
        #expect(self.outcomes(harness)?.count == 1)
        #expect(self.outcomes(harness, RequestID(901))?.count == 1)
    }

    @Test("a link that ends says nothing, and nobody to ask is answered at once")
    func nobody() {
        var harness = Harness()
        self.ask(&harness)
        #expect(self.outcomes(harness) == [:])
        self.link(&harness, 2)
        self.ask(&harness, RequestID(901), port: 80)
        #expect(self.outcomes(harness, RequestID(901)) == [:])
        #expect(self.ports(&harness, askedOf: 2) == [])
        self.ask(&harness, RequestID(902))
        harness.give(.linkClosed(LinkID(2), nil))
        #expect(self.outcomes(harness, RequestID(902)) == [Harness.peer(2): .silent])
    }

    @Test("who announces itself, and is linked for half a minute and was never seen, is not heard")
    func unheard() {
        var harness = Harness()
        self.link(&harness, 2, features: .ownAnnounced)
        self.link(&harness, 3, features: .ownAnnounced)
        // Its discovery is off: there is nothing to be heard.
        self.link(&harness, 4)
        harness.give(.found(Service(name: "abc", addresses: ["192.0.2.2:4100"])))
        if let dial = harness.dials.last?.dial {
            var info = LinkInfo(to: Harness.peer(2), boot: 2, role: .initiator)
            info.features = .ownAnnounced
            harness.give(.linkOpened(LinkID(50), info, address: "192.0.2.2:4100", dial: dial))
        }
        #expect(harness.node.unheard(at: harness.now) == [])
        harness.pass(milliseconds: Limits.hearingMilliseconds)
        #expect(harness.node.unheard(at: harness.now) == [Harness.peer(3)])
    }

    @Test("who is not heard is found though each dial of theirs makes a new link")
    func unheardOnNewLinks() {
        var harness = Harness()
        for number in 0..<UInt64(4) {
            var info = LinkInfo(to: Harness.peer(2), boot: 2, role: .responder)
            info.features = .ownAnnounced
            info.dial = number
            harness.give(
                .linkOpened(LinkID(2 + number), info, address: "192.0.2.2:5000", dial: nil))
            harness.pass(milliseconds: Limits.hearingMilliseconds / 2)
        }
        #expect(harness.node.unheard(at: harness.now) == [Harness.peer(2)])
    }
}
