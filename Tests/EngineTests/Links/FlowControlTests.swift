import Crypto
import Testing

@testable import Engine
@testable import Formats

@Suite("Credit of a link") struct FlowControlTests {
    private static let want = Frame.want(
        Want(conversation: room("ops").conversation, tag: 1, from: 1, through: 1)
    ).encoded

    @Test("frames wait in order once it is used up, and leave as it comes back")
    func waits() {
        var flow = FlowControl()
        flow.spend(Limits.initialCredit - 10, on: .sync)
        #expect(Self.want.bytes.count > 10)
        let first = flow.send(Self.want)
        let second = flow.send(Frame.digest(room("ops").conversation, .zeros).encoded)
        #expect([first, second] == [.later, .later])
        #expect(flow.outbox.count == 2)
        let early = flow.nextWaiting()
        #expect(early == nil)
        let isTaken = flow.earn(UInt64(Self.want.bytes.count), on: .sync)
        #expect(isTaken)
        let next = flow.nextWaiting()
        #expect(next == Self.want)
        let last = flow.nextWaiting()
        #expect(last == nil)
    }

    @Test("more than was ever used is refused")
    func tooMuch() {
        var flow = FlowControl()
        flow.spend(10, on: .live)
        let isTaken = [flow.earn(11, on: .live), flow.earn(10, on: .live)]
        #expect(isTaken == [false, true])
    }

    @Test("comes back in steps that are worth a frame")
    func steps() {
        var flow = FlowControl()
        let frame = try? ReceivedFrame(whole: Self.want.bytes)
        var taken = 0
        while taken < 16_384 {
            guard let frame, flow.take(frame) else { break }
            taken += frame.byteCount
        }
        let little = flow.consume(16_383, on: .sync)
        #expect(little == nil)
        let enough = flow.consume(1, on: .sync)
        #expect(enough == .credit(.sync, bytes: 16_384))
        #expect(flow.uncredited(on: .sync) == taken - 16_384)
    }

    @Test("what waits holds up neither the control channel nor live messages")
    func apart() {
        var flow = FlowControl()
        flow.spend(Limits.initialCredit, on: .sync)
        let sent = [Self.want, Frame.ping(nonce: 1, clock: 1).encoded].map { flow.send($0) }
        #expect(sent == [.later, .now])
        #expect(flow.credit(on: .live) == Limits.initialCredit)
    }

    // Shows: daemon.peers
    @Test("no more bytes wait than are bounded, and they are counted until they go")
    func full() {
        var flow = FlowControl()
        flow.spend(Limits.initialCredit, on: .sync)
        var count = 0
        while flow.send(Self.want) == .later { count += 1 }
        #expect(count * Self.want.bytes.count < Limits.outboxBytes && count > 5_000)
        #expect(flow.waitingBytes <= Limits.outboxBytes)
        let isEarned = flow.earn(UInt64(Limits.initialCredit), on: .sync)
        #expect(isEarned)
        var sent = 0
        while flow.nextWaiting() != nil { sent += 1 }
        let isEmpty = flow.waitingBytes == 0
        #expect(sent > 0 && isEmpty == (sent == count))
    }

    /// What an unknown frame of a channel counts as.
    private static func unknown(_ channel: Channel) -> ReceivedFrame {
        ReceivedFrame(frame: nil, channel: channel, byteCount: 16_384)
    }

    @Test("a blob frame that is skipped counts and is credited back, an ephemeral one is not")
    func skipped() {
        var flow = FlowControl()
        let count = Limits.initialCredit / 16_384
        let isTaken = (0..<count).map { _ in flow.take(Self.unknown(.blob)) }
        #expect(isTaken.allSatisfy { $0 })
        #expect(flow.uncredited(on: .blob) == count * 16_384)
        let isOver = flow.take(Self.unknown(.blob))
        #expect(!isOver)
        let credit = flow.consume(16_384, on: .blob)
        #expect(credit == .credit(.blob, bytes: 16_384))
        let areTaken = (0..<100).map { _ in flow.take(Self.unknown(.ephemeral)) }
        #expect(areTaken.allSatisfy { $0 })
        let none = flow.consume(100 * 16_384, on: .ephemeral)
        #expect(none == nil)
    }

    @Test("a peer that sends more than it may is found out")
    func taken() throws {
        var flow = FlowControl()
        let frame = try ReceivedFrame(whole: Self.want.bytes)
        let whole = Limits.initialCredit / frame.byteCount
        let taken = (0...whole).map { _ in flow.take(frame) }
        #expect(taken.dropLast().allSatisfy { $0 } && taken.last == false)
    }
}
