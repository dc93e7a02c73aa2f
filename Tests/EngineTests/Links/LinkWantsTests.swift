import Testing

@testable import Engine
@testable import Formats

@Suite("What a peer is asked for") struct LinkWantsTests {
    @Test("is bounded, and free again as wants end")
    func free() {
        var wants = LinkWants()
        for _ in 0..<Limits.wantsPerLink { wants.begin() }
        #expect(wants.free == 0)
        wants.end()
        #expect(wants.free == 1 && wants.open == Limits.wantsPerLink - 1)
    }

    @Test("who waits gets one turn, in the order of asking")
    func turns() {
        var wants = LinkWants()
        let (ops, dev) = (room("ops").conversation, room("dev").conversation)
        for conversation in [ops, dev, ops] { wants.wait(conversation) }
        let turns = (0..<3).map { _ in wants.nextWaiting() }
        #expect(turns == [ops, dev, nil])
        #expect(!wants.hasWaiting)
    }

    @Test("what was missed in a row is forgotten once something is served")
    func missed() {
        var wants = LinkWants()
        wants.miss()
        wants.miss()
        #expect(wants.missed == 2)
        wants.serve()
        #expect(wants.missed == 0)
    }
}
