import Engine
import Formats
import Testing

@Suite("Joining a room") struct JoinTests {
    private static let ops = room("ops")

    @Test("linked peers that say they are in it are members at once")
    func members() {
        var harness = Harness()
        harness.link(2, in: [Self.ops])
        harness.link(3, in: [room("attic")])
        harness.join(Self.ops)
        harness.settle()
        let members = [Harness.ownKey, Harness.peer(2)].sorted()
        #expect(harness.conversations.map(\.members) == [members])
    }

    @Test("is learning until each of them has told what it has")
    func learning() {
        var harness = Harness()
        harness.link(2, in: [Self.ops])
        harness.join(Self.ops)
        #expect(harness.node.joinedConversations.isEmpty)
        harness.settle()
        #expect(harness.conversations.map(\.isLearning) == [true])
        harness.give(.clock(Self.ops.conversation, Harness.pages([])), from: 2)
        #expect(harness.conversations.map(\.isLearning) == [false])
    }
}
