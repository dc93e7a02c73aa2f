import Crypto
import Testing

@testable import Engine
@testable import Formats

@Suite("Buckets of logs") struct LogBucketsTests {
    private static let ops = room("ops")

    private static func conversation() -> Conversation {
        Conversation(.room(Self.ops), isJoined: true)
    }

    private static func log(_ author: UInt8, incarnation: UInt64) -> TestLog {
        TestLog(signer(author), incarnation: incarnation, in: Self.ops.conversation)
    }

    private static func digest(_ conversation: inout Conversation) -> Bytes32 {
        conversation.digest(Profiles([]), through: .max).logs
    }

    @Test("only the bucket of a log that moves gets another hash, and with it the digest")
    func moves() {
        var conversation = Self.conversation()
        for incarnation in 1...100 as ClosedRange<UInt64> {
            let log = Self.log(1, incarnation: incarnation)
            _ = conversation.append(log.run([TestLog.text("one", at: 1 << 16)]))
        }
        let (before, digest) = (conversation.bucketHashes(), Self.digest(&conversation))
        let log = Self.log(1, incarnation: 40)
        let one = log.run([TestLog.text("one", at: 1 << 16)])
        _ = conversation.append(
            log.run([TestLog.text("two", at: 2 << 16)], first: 2, prev: one.ids.last))
        let after = conversation.bucketHashes()
        let changed = LogBucket.all.filter { before[Int($0)] != after[Int($0)] }
        #expect(changed == [LogBucket.of(log.key.name)])
        let moved = Self.digest(&conversation)
        #expect(moved != digest)
    }

    @Test("the order in which logs come makes no difference, nor do logs that have nothing")
    func order() {
        let runs = (1...60 as ClosedRange<UInt64>).map {
            Self.log(1, incarnation: $0).run([TestLog.text("one", at: 1 << 16)])
        }
        var (left, right) = (Self.conversation(), Self.conversation())
        for run in runs { _ = left.append(run) }
        for run in runs.reversed() { _ = right.append(run) }
        right.setTail(Self.log(2, incarnation: 1).key.name, .start)
        let hashes = [left.bucketHashes(), right.bucketHashes()]
        #expect(hashes[0] == hashes[1])
        #expect(hashes[0].contains(.zero))
        let digests = [Self.digest(&left), Self.digest(&right)]
        #expect(digests[0] == digests[1])
    }

    @Test("a set of buckets holds what was put in, each by itself")
    func sets() {
        var set = BucketSet()
        #expect(set.isEmpty)
        for bucket in [0, 63, 64, 200, 255] as [UInt8] { set.insert(bucket) }
        set.remove(64)
        #expect(set.members == [0, 63, 200, 255])
    }

    @Test("a log for which there is no room is told of as refused, and counts in no digest")
    func refused() {
        var conversation = Self.conversation()
        let empty = Self.digest(&conversation)
        let name = Self.log(1, incarnation: 7).key.name
        let isNew = [conversation.refuse(name).isNews, conversation.refuse(name).isNews]
        #expect(isNew == [true, false])
        #expect(conversation.log(name).state == .refused)
        #expect(conversation.names(in: LogBucket.of(name)) == [name])
        let without = Self.digest(&conversation)
        #expect(without == empty)
        // Once it is taken it is refused no longer.
        _ = conversation.append(
            Self.log(1, incarnation: 7).run([TestLog.text("one", at: 1 << 16)]))
        #expect(conversation.log(name).state == .open)
        #expect(conversation.names(in: LogBucket.of(name)) == [name])
        let taken = Self.digest(&conversation)
        #expect(taken != empty)
    }
}
