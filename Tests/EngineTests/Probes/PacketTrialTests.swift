import Testing

@testable import Engine
@testable import Formats

@Suite("Whether packets are lost on links") struct PacketTrialTests {
    private static let request = RequestID(900)

    /// Links a peer whose packets the system counts.
    private func link(
        _ harness: inout Harness, _ number: UInt8, at address: String? = nil,
        _ counts: PacketCounts? = PacketCounts()
    ) {
        let info = LinkInfo(to: Harness.peer(number), boot: UInt64(number), role: .responder)
        harness.give(
            .linkOpened(
                LinkID(UInt64(number)), info, address: address ?? "192.0.2.\(number):5000",
                dial: nil))
        _ = harness.take(from: number)
        harness.packets[LinkID(UInt64(number))] = counts
    }

    /// No dial back is asked for, so that only packets are waited for.
    private func ask(
        _ harness: inout Harness, _ request: RequestID = Self.request,
        besides own: Set<Source> = []
    ) {
        let isNew = harness.packetsAt == nil
        harness.give(.request(request, .reach(port: 0, besides: own)))
        // Where there is somebody to try, it begins at the next turn.
        if isNew { self.count(&harness) }
    }

    /// Has so many pings go, each at its time; gives how many went to each.
    @discardableResult
    private func send(_ harness: inout Harness, _ rounds: Int, to numbers: [UInt8]) -> [Int] {
        var pings = numbers.map { _ in 0 }
        for _ in 0..<rounds {
            guard let due = harness.packetsAt.take() else { break }
            harness.now.monotonic = due
            harness.give(.timer(.packets))
            for (index, number) in numbers.enumerated() {
                pings[index] += harness.take(from: number).count {
                    if case .ping = $0 { true } else { false }
                }
            }
        }
        return pings
    }

    private func count(_ harness: inout Harness) {
        guard let due = harness.packetsAt.take() else { return }
        harness.now.monotonic = due
        harness.give(.timer(.packets))
    }

    private func reports(
        _ harness: Harness, _ request: RequestID = Self.request
    ) -> [PacketReport]? {
        guard case .reach(_, let packets) = harness.answers(of: request).first else { return nil }
        return packets
    }

    @Test("where nothing is lost, pings go once, apart, and what was counted meanwhile is told")
    func sound() {
        var harness = Harness()
        // Of days ago.
        self.link(&harness, 2, PacketCounts(sent: 500, resent: 90, received: 500, early: 90))
        self.ask(&harness)
        let begin = harness.now.monotonic
        let pings = self.send(&harness, Limits.packetTrialPings, to: [2])
        #expect(pings == [Limits.packetTrialPings])
        #expect(self.reports(harness) == nil)
        harness.packets[LinkID(2)] = PacketCounts(sent: 580, resent: 90, received: 581, early: 90)
        self.count(&harness)
        #expect(
            self.reports(harness) == [
                PacketReport(
                    peer: Harness.peer(2), address: "192.0.2.2:5000", sent: 80, lost: 0,
                    received: 81, early: 0)
            ])
        let apart = UInt64(Limits.packetTrialPings - 1) * Limits.packetTrialMilliseconds
        #expect(harness.now.monotonic - begin == apart + Limits.packetSettleMilliseconds)
        #expect(harness.packetsAt == nil)
    }

    @Test(
        "where something is lost, there or back, more pings go on that link alone",
        arguments: [PacketCounts(sent: 81, resent: 1, received: 80), PacketCounts(early: 1)])
    func lossy(first: PacketCounts) {
        var harness = Harness()
        self.link(&harness, 2)
        self.link(&harness, 3)
        self.ask(&harness)
        self.send(&harness, Limits.packetTrialPings, to: [2, 3])
        harness.packets[LinkID(2)] = first
        self.count(&harness)
        #expect(self.reports(harness) == nil)
        let pings = self.send(&harness, Limits.packetTrialMorePings, to: [2, 3])
        #expect(pings == [Limits.packetTrialMorePings, 0])
        harness.packets[LinkID(2)] = PacketCounts(
            sent: 300, resent: 20, needless: 3, received: 290, early: 7)
        self.count(&harness)
        let reports = self.reports(harness)
        #expect(reports?.count == 2)
        #expect(reports?.first?.lost == 17 && reports?.first?.early == 7)
        #expect(reports?.last?.lost == 0)
        #expect(harness.packetsAt == nil)
    }

    @Test("what was sent again though it had arrived was not lost, and counts begin anew")
    func needless() {
        let before = PacketCounts(sent: .max - 4, resent: .max, needless: 9)
        let found = PacketCounts(sent: 5, resent: 2, needless: 12).since(before)
        #expect(found.sent == 10 && found.resent == 3 && found.lost == 0)
        #expect(PacketCounts(sent: 10, resent: 1, needless: 2).lost == 0)
    }

    @Test(
        "of many links eight are tried, one of each host, those that have lost most, none on this machine"
    )
    func chosen() {
        var harness = Harness()
        for number in 2...12 as ClosedRange<UInt8> { self.link(&harness, number) }
        self.link(&harness, 20, at: "192.0.2.12:7000", PacketCounts(sent: 200, resent: 100))
        self.link(&harness, 21, PacketCounts(sent: 200, resent: 4))
        // Too little to tell.
        self.link(&harness, 22, PacketCounts(sent: 20, resent: 10))
        self.link(&harness, 23, nil)
        self.ask(&harness, besides: [Source("192.0.2.2:0")])
        let numbers = Array(2...23 as ClosedRange<UInt8>)
        let pings = self.send(&harness, 1, to: numbers)
        let tried = numbers.indices.filter { pings[$0] > 0 }.map { numbers[$0] }
        #expect(tried == [3, 4, 5, 6, 7, 8, 9, 21])
    }

    @Test("who is known is tried, however many strangers lose packets")
    func known() {
        var harness = Harness()
        self.link(&harness, 2)
        harness.give(.request(RequestID(1), .stand(Harness.peer(2), .known)))
        harness.settle()
        let strangers = Array(10...30 as ClosedRange<UInt8>)
        for number in strangers {
            self.link(&harness, number, PacketCounts(sent: 200, resent: 100))
        }
        _ = harness.take(from: 2)
        self.ask(&harness)
        let pings = self.send(&harness, 1, to: [2] + strangers)
        #expect(pings[0] == 1 && pings.count { $0 > 0 } == Limits.packetTrialLinks)
    }

    @Test("two who want to know at the same time have one trial, and are both told")
    func together() {
        var harness = Harness()
        self.link(&harness, 2)
        self.ask(&harness)
        let half = Limits.packetTrialPings / 2
        var pings = self.send(&harness, half, to: [2])[0]
        self.ask(&harness, RequestID(901))
        pings += self.send(&harness, half, to: [2])[0]
        #expect(pings == Limits.packetTrialPings)
        self.count(&harness)
        #expect(self.reports(harness)?.count == 1)
        #expect(self.reports(harness, RequestID(901))?.count == 1)
        // The next one who wants to know has one of their own.
        self.ask(&harness, RequestID(902))
        #expect(self.reports(harness, RequestID(902)) == nil && harness.packetsAt != nil)
    }

    @Test("packets are tried once dials back have ended, on the one of two links that stays")
    func dialledBack() {
        var harness = Harness()
        var info = LinkInfo(to: Harness.peer(2), boot: 2, role: .responder)
        info.features = .own
        harness.give(.linkOpened(LinkID(2), info, address: "192.0.2.2:5000", dial: nil))
        harness.give(.request(Self.request, .reach(port: 7_000, besides: [])))
        #expect(harness.packetsAt == nil)
        info.dial = 9
        harness.packets[LinkID(9)] = PacketCounts()
        harness.give(.linkOpened(LinkID(9), info, address: "192.0.2.2:5001", dial: nil))
        #expect(harness.node.links.ids == [LinkID(9)])
        _ = harness.take(from: 9)
        self.count(&harness)
        #expect(self.send(&harness, 1, to: [9]) == [1])
        self.send(&harness, Limits.packetTrialPings, to: [9])
        self.count(&harness)
        #expect(self.reports(harness)?.map(\.address) == ["192.0.2.2:5001"])
    }

    @Test("who does not want to know what is wrong has nothing tried, whatever peers send")
    func unasked() {
        var harness = Harness()
        self.link(&harness, 2)
        harness.give(.ping(nonce: 1, clock: harness.now.wall), from: 2)
        harness.give(.dialledBack(.noAnswer), from: 2)
        harness.give(.packetsCounted([LinkID(2): PacketCounts(sent: 9, resent: 9)]))
        harness.give(.timer(.packets))
        #expect(harness.packetsAt == nil)
    }

    @Test("of a link that ends nothing is told, and nobody to try is answered at once")
    func ended() {
        var harness = Harness()
        self.ask(&harness)
        #expect(self.reports(harness) == [])
        self.link(&harness, 2)
        self.ask(&harness, RequestID(901))
        self.send(&harness, 3, to: [2])
        harness.give(.linkClosed(LinkID(2), nil))
        self.send(&harness, Limits.packetTrialPings, to: [2])
        self.count(&harness)
        #expect(self.reports(harness, RequestID(901)) == [])
    }
}
