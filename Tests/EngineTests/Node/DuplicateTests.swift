import Crypto
import Testing

@testable import Engine

@Suite("A second link to a peer") struct DuplicateTests {
    /// A node that has found somebody whom the user knows, and is linked to them by its own dial.
    private static func linked() throws -> Harness {
        var harness = Harness()
        harness.give(.request(RequestID(77), .stand(Harness.peer(2), .known)))
        harness.settle()
        harness.give(.found(Service(name: "bob", addresses: ["192.0.2.2:4100"])))
        let dial = try #require(harness.dials.first?.dial)
        let info = LinkInfo(to: Harness.peer(2), role: .initiator)
        harness.give(.linkOpened(LinkID(1), info, address: "192.0.2.2:4100", dial: dial))
        harness.settle()
        return harness
    }

    private static func isToldOfEnd(_ harness: Harness) -> Bool {
        (harness.batch?.notices ?? []).contains { $0.event == .linked(Harness.peer(2), false) }
    }

    @Test("takes the place of the first: nobody is asked for them, and they were never gone")
    func newer() throws {
        var harness = try Self.linked()
        let searches = harness.searches
        let info = LinkInfo(to: Harness.peer(2), role: .initiator, dial: 2)
        harness.give(.linkOpened(LinkID(2), info, address: "192.0.2.2:4100", dial: nil))
        #expect(harness.closed == [LinkID(1): .duplicate])
        #expect(harness.node.status(at: harness.now).links == 1)
        #expect(harness.searches == searches && !Self.isToldOfEnd(harness))
    }

    @Test("that the peer chose is waited for: the peer is dialled again if it does not come")
    func chosen() throws {
        var harness = try Self.linked()
        let (searches, dials) = (harness.searches, harness.dials.count)
        harness.give(.goaway(.duplicate, "another link stays"), from: 1)
        #expect(harness.searches == searches && harness.dials.count == dials)
        harness.pass(milliseconds: 1_250)
        harness.give(.timer(.redial(.service("bob"))))
        #expect(harness.dials.count == dials + 1)
    }
}
