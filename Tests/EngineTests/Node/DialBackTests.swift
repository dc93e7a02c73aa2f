import Crypto
import Testing

@testable import Engine
@testable import Formats

@Suite("Dialling back") struct DialBackTests {
    /// Links a peer that knows the feature, or not.
    private func link(
        _ harness: inout Harness, _ number: UInt8, knows: Bool = true,
        at address: String = "192.0.2.9:50000"
    ) {
        var info = LinkInfo(
            to: Harness.peer(number), boot: UInt64(number), role: .responder)
        info.features = knows ? .own : Features()
        harness.give(
            .linkOpened(LinkID(UInt64(number)), info, address: address, dial: nil))
        _ = harness.take(from: number)
    }

    private func outcomes(_ harness: inout Harness, of number: UInt8) -> [DialBackOutcome] {
        harness.take(from: number).compactMap {
            if case .dialledBack(let outcome) = $0 { outcome } else { nil }
        }
    }

    // Shows: daemon.dial-back
    @Test("the asker is dialled at the host that it comes from, at its port, with its key")
    func dial() {
        var harness = Harness()
        self.link(&harness, 2)
        self.link(&harness, 3, at: "[fe80::1%eth0]:50000")
        harness.give(.dialBack(port: 7_000), from: 2)
        harness.give(.dialBack(port: 7_001), from: 3)
        #expect(harness.dials.map(\.address) == ["192.0.2.9:7000", "[fe80::1%eth0]:7001"])
        #expect(harness.dials.map(\.expecting) == [Harness.peer(2), Harness.peer(3)])
    }

    @Test(
        "the asker is told what became of it",
        arguments: [
            (DialFailure.Reason.refused, DialBackOutcome.refused), (.wrongKey, .refused),
            (.timedOut, .noAnswer), (.noRoute, .noAnswer),
        ])
    func failed(reason: DialFailure.Reason, outcome: DialBackOutcome) throws {
        var harness = Harness()
        self.link(&harness, 2)
        harness.give(.dialBack(port: 7_000), from: 2)
        let dial = try #require(harness.dials.first).dial
        #expect(self.outcomes(&harness, of: 2).isEmpty)
        harness.give(.dialFailed(dial, DialFailure(reason, "")))
        #expect(self.outcomes(&harness, of: 2) == [outcome])
        harness.give(.dialFailed(dial, DialFailure(reason, "")))
        #expect(self.outcomes(&harness, of: 2).isEmpty)
    }

    @Test("an asker that is reached is told so before the two links are compared")
    func reached() throws {
        var harness = Harness()
        self.link(&harness, 2)
        harness.give(.dialBack(port: 7_000), from: 2)
        let dial = try #require(harness.dials.first).dial
        let info = LinkInfo(to: Harness.peer(2), boot: 2, role: .initiator)
        harness.give(.linkOpened(LinkID(22), info, address: "192.0.2.9:7000", dial: dial))
        #expect(self.outcomes(&harness, of: 2) == [.reached])
    }

    @Test("an asker that has gone is told nothing")
    func gone() throws {
        var harness = Harness()
        self.link(&harness, 2)
        harness.give(.dialBack(port: 7_000), from: 2)
        let dial = try #require(harness.dials.first).dial
        harness.give(.linkClosed(LinkID(2), nil))
        harness.give(.dialFailed(dial, DialFailure(.timedOut, "")))
        #expect(self.outcomes(&harness, of: 2).isEmpty)
    }

    // Shows: daemon.dial-back
    @Test("ports of the system are not dialled", arguments: [0, 22, 1_023] as [UInt16])
    func systemPorts(port: UInt16) {
        var harness = Harness()
        self.link(&harness, 2)
        harness.give(.dialBack(port: port), from: 2)
        #expect(harness.dials.isEmpty)
        #expect(self.outcomes(&harness, of: 2) == [.notTried])
    }

    @Test("a link of small packets is dialled back with small ones")
    func narrow() {
        var harness = Harness()
        harness.flights[LinkID(2)] = Flight(
            bytes: 0, resends: 0, segmentBytes: 524, pathBytes: 1_500)
        self.link(&harness, 2)
        harness.give(.dialBack(port: 7_000), from: 2)
        #expect(harness.dials.count == 1)
        #expect(Set(harness.dials.map(\.dial)) == harness.narrowDials)
    }

    @Test("a link is dialled back once in 20 seconds, whatever its port")
    func perLink() {
        var harness = Harness()
        self.link(&harness, 2)
        for port in 7_000..<7_100 { harness.give(.dialBack(port: UInt16(port)), from: 2) }
        #expect(harness.dials.count == 1)
        #expect(self.outcomes(&harness, of: 2).count == 99)
        harness.pass(milliseconds: Limits.dialBackMilliseconds)
        harness.give(.dialBack(port: 7_000), from: 2)
        #expect(harness.dials.count == 2)
    }

    // Shows: daemon.dial-back
    @Test("a thousand keys have this node dial six times a minute together")
    func overAll() {
        var backs = DialBacks()
        var count = 0
        for number in 0..<1_000 as Range<UInt64> {
            let now = Instant(monotonic: number * 60, wall: 0)
            if backs.ask(7_000, LinkID(number), at: "192.0.2.1:5", now) != nil { count += 1 }
            backs.forget(LinkID(number))
        }
        // Six at once, then one every ten seconds of the minute that this takes.
        #expect(count == 11)
    }

    @Test(
        "who does not know the answer is not dialled, and an answer that was not asked for is ignored"
    )
    func unknown() {
        var harness = Harness()
        self.link(&harness, 2, knows: false)
        harness.give(.dialBack(port: 7_000), from: 2)
        harness.give(.dialledBack(.reached), from: 2)
        #expect(harness.dials.isEmpty)
        #expect(self.outcomes(&harness, of: 2).isEmpty)
        #expect(harness.node.links.has(LinkID(2)))
    }
}
