import Engine
import Formats
import Testing

@Suite("What a node reports") struct ReportTests {
    @Test("a linked peer was last seen when something was last heard of it")
    func lastSeen() throws {
        var harness = Harness()
        harness.link(2, in: [room("kitchen")])
        let heard = harness.now.wall
        harness.pass(milliseconds: 9_000)
        #expect(harness.node.peers.first.map(harness.node.peerStatus)?.lastSeen == heard)
        harness.give(.ping(nonce: 1, clock: harness.now.wall), from: 2)
        #expect(harness.node.peers.first.map(harness.node.peerStatus)?.lastSeen == harness.now.wall)
        harness.pass(milliseconds: 9_000)
        harness.give(.linkClosed(LinkID(2), nil))
        #expect(harness.node.peers.first.map(harness.node.peerStatus)?.lastSeen == heard + 9_000)
    }

    @Test("what is dialled in vain is listed with the reason and the next try")
    func targets() throws {
        var harness = Harness()
        let address = "192.0.2.8:4100"
        let asked = Request.connect(address: address, expecting: nil, by: nil)
        let actions = harness.node.handle(.request(RequestID(1), asked), at: harness.now)
        let dials = actions.compactMap { if case .dial(let id, _, _, _) = $0 { id } else { nil } }
        #expect(harness.node.targets.map(\.state) == [.connecting])
        let failure = DialFailure(.refused, "nobody listens there")
        harness.give(.dialFailed(try #require(dials.first), failure))
        let target = try #require(harness.node.targets.first)
        #expect(target.state == .waiting)
        #expect(target.addresses == [address])
        #expect(target.failedDial?.failure == failure)
        #expect(target.failedDial?.time == harness.now.wall)
        #expect((target.failedDial?.nextTry ?? 0) >= harness.now.wall + 1_000)
    }
}
