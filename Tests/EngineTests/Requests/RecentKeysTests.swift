import Testing

@testable import Engine
@testable import Formats

@Suite("Idempotency keys lately used") struct RecentKeysTests {
    private static func key(_ text: String, in name: String = "ops") throws -> IdempotencyKey {
        try #require(
            IdempotencyKey(
                Outgoing(
                    conversation: room(name).conversation, text: "", idempotencyKey: text)))
    }

    private static let message = SentMessage(
        id: EntryID(fixed32(1)), conversation: room("ops").conversation, cursor: nil,
        time: HybridTime(0))

    @Test("who repeats a send that is under way gets its answer, with who did before")
    func joined() throws {
        var keys = RecentKeys()
        let key = try Self.key("a")
        keys.begin(key, .text("hello"))
        keys.join(key, RequestID(2))
        keys.join(key, RequestID(3))
        #expect(keys.pending(key) == .text("hello") && keys.recent(key) == nil)
        let waiting = keys.finish(key, Self.message)
        #expect(waiting == [RequestID(2), RequestID(3)])
        #expect(keys.pending(key) == nil)
        #expect(keys.recent(key) == EarlierSend(message: Self.message, content: .text("hello")))
    }

    @Test("one whose send has failed may be used again")
    func failed() throws {
        var keys = RecentKeys()
        let key = try Self.key("a")
        keys.begin(key, .text("hello"))
        keys.join(key, RequestID(2))
        let waiting = keys.finish(key, nil)
        #expect(waiting == [RequestID(2)])
        #expect(keys.pending(key) == nil && keys.recent(key) == nil)
    }

    @Test("the same key in another conversation is another")
    func conversations() throws {
        var keys = RecentKeys()
        keys.begin(try Self.key("a"), .text("hello"))
        #expect(keys.pending(try Self.key("a", in: "dev")) == nil)
    }

    @Test("the oldest are forgotten, the last thousand never")
    func bounded() throws {
        var keys = RecentKeys()
        for number in 0...2_048 { _ = keys.finish(try Self.key("\(number)"), Self.message) }
        let known = try [0, 1_023, 1_024, 2_048].map { keys.recent(try Self.key("\($0)")) != nil }
        #expect(known == [false, false, true, true])
    }
}
