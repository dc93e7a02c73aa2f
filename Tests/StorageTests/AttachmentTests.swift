import Crypto
import Engine
import Formats
import Testing

@testable import Storage

@Suite("Files that entries tell of") struct AttachmentTests {
    @Test("go with the last entry, and are withdrawn where the last one of a conversation goes")
    func withdrawn() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        let blob = BlobID(size: 3, root: .zero)
        let file = AttachedFile(blob: blob, size: 3, name: "a", type: "text/plain")
        let content = Content.file(try #require(file))
        var (here, there) = (LogWriter(bob), LogWriter(bob, room("elsewhere")))
        _ = try await store.commit(
            batch(
                here.append([entry(content, at: time(1)), entry(content, at: time(2))]),
                there.append([entry(content, at: time(3))])))
        // Each conversation counts once, however many of its entries tell of it.
        let told = try await store.attachments(of: blob)
        #expect(told.count == 2 && told.allSatisfy { $0.size == 3 })
        #expect(try await store.size(of: blob, in: here.key.conversation) == 3)
        #expect(try await store.size(of: blob, in: room("nowhere").conversation) == nil)
        func erase(_ log: LogWriter, _ seq: UInt64, _ number: UInt64) async throws -> BatchOutcome {
            let target = EntryTarget(log: log.key.name, seq: seq, id: log.ids[Int(seq) - 1])
            let isHere = log.key.conversation == ops.conversation
            let append = erasing(
                [target], by: bob, 100 + number, in: isHere ? ops : room("elsewhere"))
            return try await store.commit(batch(append, number: number))
        }
        // Another entry of the same conversation still tells of it.
        let first = try await erase(here, 1, 2)
        #expect(first.withdrawn.isEmpty)
        let second = try await erase(here, 2, 3)
        #expect(
            second.withdrawn == [
                FileWithdrawal(blob: blob, conversation: here.key.conversation)
            ])
        let third = try await erase(there, 1, 4)
        #expect(third.withdrawn == [FileWithdrawal(blob: blob, conversation: nil)])
        #expect(try await store.check().isEmpty)
    }
}
