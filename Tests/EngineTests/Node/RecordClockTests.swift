import TestSupport
import Testing

@testable import Engine
@testable import Formats

/// Seed 411744 of the simulation: after a disk was restored an author gave two marks one time, and of each
/// half of the room had another for ever.
@Suite("Which records a peer lacks") struct RecordClockTests {
    private static let ops = room("ops")
    private static let (author, reader) = (UInt8(2), UInt8(3))
    private static let time = HybridTime(wallMilliseconds: Harness().now.wall)

    private var harness = Harness()

    /// Has a profile of somebody with whom a room is shared, and a peer in the same room.
    init() {
        self.harness.join(Self.ops)
        self.harness.settle()
        for peer in [Self.author, Self.reader] { self.harness.link(peer, in: [Self.ops]) }
        let log = TestLog(signer(Self.author), in: Self.ops.conversation)
        self.harness.give(.liveRun(log.opening().run), from: Self.author)
        self.harness.give(.records([Self.profile("ada")]), from: Self.author)
        self.harness.settle()
        _ = self.harness.take(from: Self.reader)
    }

    private static func profile(_ name: String, at time: HybridTime = Self.time) -> Record {
        Record(
            kind: Record.Kind.profile, author: Harness.peer(Self.author), conversation: nil,
            time: time, value: Profile(name: name, status: "").encoded,
            signer: signer(Self.author))
    }

    @Test("the own profile from a clock that ran ahead is signed anew once that is right")
    func ownFromTheFuture() throws {
        var test = self
        let own = test.harness.node.ownProfile
        let early = test.harness.node.profile(of: Harness.ownKey)
        let before = try #require(test.harness.node.record(own))
        test.harness.now.wall -= Limits.aheadMilliseconds + 1_000
        test.harness.give(.timer(.ping(LinkID(UInt64(Self.reader)))))
        test.harness.settle()
        let after = try #require(test.harness.node.record(own))
        #expect(after.time < before.time && after.profile == early)
        #expect(
            test.harness.take(from: Self.reader).contains { frame in
                if case .records(let all) = frame { all.contains(after) } else { false }
            })
        // Once, and not where it is a little ahead.
        test.harness.now.wall -= Limits.aheadMilliseconds
        test.harness.give(.timer(.ping(LinkID(UInt64(Self.reader)))))
        #expect(test.harness.node.record(own) == after)
        // A start looks, too.
        var snapshot = Snapshot()
        let far = HybridTime(
            wallMilliseconds: Harness().now.wall + Limits.aheadMilliseconds + 1_000)
        snapshot.records = [
            Record(
                kind: Record.Kind.profile, author: Harness.ownKey, conversation: nil, time: far,
                value: before.value, signer: signer(1))
        ]
        let started = try #require(Harness(snapshot: snapshot).node.record(own))
        #expect(started.time < far && started.profile == early)
    }

    /// The records of the author that the peer is sent when it has those of some rows.
    private func sent(to rows: [Record]) -> [Record] {
        var test = self
        let rows = rows.map { Harness.tags.row($0) }
        test.harness.give(.recordClock(Self.ops.conversation, rows), from: Self.reader)
        return test.harness.take(from: Self.reader).flatMap { frame -> [Record] in
            if case .records(let all) = frame { all } else { [] }
        }.filter { $0.author == Harness.peer(Self.author) }
    }

    @Test("what it has, or has later, is not sent; what it has not, or has earlier, is")
    func times() throws {
        let own = Self.profile("ada")
        let later = Self.profile("ada", at: try #require(Self.time.next))
        let earlier = Self.profile("ada", at: HybridTime(Self.time.rawValue - 1))
        #expect(self.sent(to: [own]).isEmpty)
        #expect(self.sent(to: [later]).isEmpty)
        #expect(self.sent(to: []) == [own])
        #expect(self.sent(to: [earlier]) == [own])
    }

    // Shows: daemon.questions
    @Test("who tells again what it has, and was sent no digest, is answered once in a while")
    func repeated() {
        var test = self
        let empty = Frame.recordClock(Self.ops.conversation, [])
        var answers: [Int] = []
        for wait in [0, 0, Limits.pingMilliseconds / 2 - 1, 1, 0] {
            test.harness.now.monotonic += wait
            test.harness.give(empty, from: Self.reader)
            answers.append(
                test.harness.take(from: Self.reader).count {
                    if case .records = $0 { true } else { false }
                })
        }
        #expect(answers == [1, 0, 0, 1, 0])
    }

    @Test("where it has another one of the same time, it is sent: both sides keep the same")
    func sameTime() {
        let (one, other) = (Self.profile("ada"), Self.profile("bea"))
        #expect(self.sent(to: [other]) == [one])
        var test = self
        test.harness.give(.records([other]), from: Self.reader)
        test.harness.settle()
        let standing = test.harness.node.record(one.key)
        #expect(standing == (other.supersedes(one) ? other : one))
    }
}
