import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Files that a node fetches") struct TransferTests {
    /// Seed 401784 of the simulation: a file was sought in a room that the user had left.
    @Test("are asked for at once where another message tells of them, too")
    func elsewhere() throws {
        let (left, ops) = (room("left"), room("ops"))
        let layout = try #require(BlobLayout(size: 10))
        let blob = BlobID(size: 10, root: fixed32(1))
        var harness = Harness()
        harness.join(ops)
        harness.settle()
        harness.link(2, in: [ops], features: .own)
        harness.settle()
        _ = harness.take(from: 2)
        func fetch(in room: Room) {
            harness.give(
                .transfer(
                    .fetch(blob, layout, in: .conversation(room.conversation), isAwaited: true)))
        }
        fetch(in: left)
        harness.give(.transfer(.opened(blob, BlobStanding(chunks: ChunkSet(of: 1)))))
        #expect(harness.take(from: 2).isEmpty)
        fetch(in: ops)
        #expect(harness.take(from: 2) == [.blobAsk(ops.conversation, blob)])
        // Who was asked once is not asked again before it is time.
        fetch(in: ops)
        #expect(harness.take(from: 2).isEmpty)
    }
}
