import Engine
import Formats
import Crypto
import Testing

@Suite("Dialling") struct DiallingTests {
    private static func dialled(_ harness: inout Harness, _ event: Event) -> [(DialID, String)] {
        harness.node.handle(event, at: harness.now).compactMap {
            if case .dial(let id, let address, _, _) = $0 { (id, address) } else { nil }
        }
    }

    private static func answered(_ harness: inout Harness, by peer: PeerID, _ dial: DialID) {
        let info = LinkInfo(
            to: peer, boot: peer == Harness.ownKey ? 1 : 7, role: .initiator)
        harness.give(.linkOpened(LinkID(77), info, address: "192.0.2.8:4100", dial: dial))
    }

    @Test(
        "a service that moves is dialled anew, whoever was at its old address",
        arguments: [Harness.peer(2), Harness.ownKey])
    func moved(holder: PeerID) throws {
        var harness = Harness()
        let old = Service(name: "bob", addresses: ["192.0.2.8:4100"])
        let dials = Self.dialled(&harness, .found(old))
        #expect(dials.map(\.1) == ["192.0.2.8:4100"])
        Self.answered(&harness, by: holder, try #require(dials.first?.0))
        #expect(Self.dialled(&harness, .found(old)).isEmpty)
        let more = Service(name: "bob", addresses: ["192.0.2.8:4100", "[fd00::8]:4100"])
        #expect(Self.dialled(&harness, .found(more)).isEmpty)
        let moved = Service(name: "bob", addresses: ["192.0.2.9:4100"])
        #expect(Self.dialled(&harness, .found(moved)).map(\.1) == ["192.0.2.9:4100"])
    }

    @Test("who is linked and gives no sign is dialled beside the link, every two seconds anew")
    func doubted() {
        var test = DialFixture()
        let peer = Harness.peer(2)
        test.link(peer, at: "192.0.2.2:4100")
        #expect(test.dials.isEmpty)
        test.doubt(peer)
        #expect(test.dials.map(\.address) == ["192.0.2.2:4100"])
        let first = test.dials[0].id
        test.now.monotonic += 1_000
        test.doubt(peer)
        #expect(test.dials.isEmpty)
        test.now.monotonic += 1_000
        test.doubt(peer)
        #expect(test.abandoned == [first] && test.dials.count == 1)
        let second = test.dials[0].id
        // The link brings something again.
        test.trust(peer)
        #expect(test.abandoned == [second] && test.dials.isEmpty)
        test.trust(peer)
        #expect(test.abandoned.isEmpty)
    }
}
