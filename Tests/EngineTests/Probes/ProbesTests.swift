import Testing

@testable import Engine
@testable import Formats

@Suite("Finding out what is wrong with links, without a node") struct ProbesTests {
    private static let request = RequestID(900)
    private let now = Instant(monotonic: 1_000, wall: 1_000_000)

    /// Links with numbers from 1, at these addresses.
    private static func links(_ addresses: [String]) -> LinkTable {
        var links = LinkTable()
        for (index, address) in addresses.enumerated() {
            let number = UInt8(index + 1)
            var info = LinkInfo(to: Harness.peer(number))
            info.features = .own
            links.add(
                Link(
                    id: LinkID(UInt64(number)), info: info, address: address, dial: nil,
                    now: Instant(monotonic: 1, wall: 1)))
        }
        return links
    }

    private static func asked(_ wanted: [ProbeAction]) -> [LinkID] {
        wanted.compactMap { if case .send(.dialBack, let link) = $0 { link } else { nil } }
    }

    private static func reports(_ wanted: [ProbeAction]) -> [DialBackReport]? {
        for case .perform(.answer(_, .reach(let reports, _))) in wanted { return reports }
        return nil
    }

    @Test("one of each host is asked, whoever is trusted most, and none of this machine's hosts")
    func hosts() {
        var probes = Probes()
        let links = Self.links(["192.0.2.1:1", "192.0.2.1:2", "192.0.2.3:1", "192.0.2.4:1"])
        let wanted = probes.examine(
            port: 7_000, besides: [Source("192.0.2.4:9")], for: Self.request, links,
            [Harness.peer(2): .known], at: self.now)
        #expect(Self.asked(wanted) == [LinkID(2), LinkID(3)])
    }

    @Test("where nobody is linked the answer comes at once")
    func alone() {
        var probes = Probes()
        let wanted = probes.examine(
            port: 7_000, besides: [], for: Self.request, LinkTable(), [:], at: self.now)
        #expect(wanted == [.perform(.answer(Self.request, .reach([], [])))])
    }

    @Test("what a peer says of its dial counts, and packets are tried only then")
    func packets() {
        var probes = Probes()
        let links = Self.links(["192.0.2.1:1"])
        _ = probes.examine(
            port: 7_000, besides: [], for: Self.request, links, [:], at: self.now)
        let early = probes.packetsDue(links, at: self.now)
        #expect(early == [])
        let told = probes.answered(.refused, on: LinkID(1), of: links, at: self.now)
        #expect(told == [.perform(.arm(.packets, at: self.now.monotonic))])
        let counted = probes.packetsDue(links, at: self.now)
        #expect(counted == [.perform(.countPackets([LinkID(1)]))])
        let done = probes.counted([:], links, [:], at: self.now)
        #expect(Self.reports(done)?.map(\.outcome) == [.refused])
    }

    @Test("a link that ends is waited for no longer")
    func ended() {
        var probes = Probes()
        let links = Self.links(["192.0.2.1:1"])
        _ = probes.examine(
            port: 7_000, besides: [], for: Self.request, links, [:], at: self.now)
        let wanted = probes.linkEnded(LinkID(1), LinkTable(), at: self.now)
        #expect(Self.reports(wanted)?.map(\.outcome) == [.silent])
    }

    @Test("a peer that asks is dialled at the host of its own link, and told what became of it")
    func dialledBack() {
        var probes = Probes()
        var dialling = Dialling(own: Harness.ownKey, known: [], budget: LinkBudget())
        let links = Self.links(["192.0.2.1:5000"])
        let wanted = probes.askedBack(
            7_000, on: LinkID(1), of: links, &dialling, at: self.now)
        guard case .perform(.dial(let dial, let address, let peer, _))? = wanted.first else {
            Issue.record("nothing is dialled")
            return
        }
        #expect(address == "192.0.2.1:7000")
        #expect(peer == Harness.peer(1))
        let told = probes.dialEnded(dial, .reached)
        #expect(told == [.send(.dialledBack(.reached), LinkID(1))])
        let again = probes.askedBack(7_000, on: LinkID(1), of: links, &dialling, at: self.now)
        #expect(again == [.send(.dialledBack(.notTried), LinkID(1))])
    }
}
