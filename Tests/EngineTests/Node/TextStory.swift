@testable import Engine
@testable import Formats

/// A room, and a log of somebody's with an opening and three texts, about which payloads are told.
enum TextStory {
    static let ops = room("ops")
    static let log = TestLog(signer(20), in: ops.conversation)
    static let opening = log.opening(at: 1 << 16)
    static let texts = log.run(
        (2...4).map { TestLog.text("text \($0)", at: $0 << 16) }, first: 2,
        prev: opening.ids.last)
    /// The log's tag on every link.
    static let tag = Harness.tags.log(log.key.name, in: ops.conversation)

    /// A node in the room with two peers.
    static func joined() -> Harness {
        var harness = Harness()
        harness.join(self.ops)
        harness.settle()
        for number in UInt8(2)...3 { harness.link(number, in: [self.ops]) }
        return harness
    }

    static func wants(_ frames: [Frame]) -> [Want] {
        frames.compactMap { if case .payloadWant(let want) = $0 { want } else { nil } }
    }
}
