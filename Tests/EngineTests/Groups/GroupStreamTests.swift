import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("What is not kept of a group")
struct GroupStreamTests {
    private static let isDue = Answer.failed(
        .tooFast(milliseconds: Limits.keyRetryMilliseconds))

    private static func call(_ member: UInt8, by number: UInt8, _ net: inout GroupNet) -> Answer? {
        let request = net.ask(
            number, .callSignal(net.group, Harness.peer(member), isDevice: false, [1]))
        let answer = net[number].answers(of: request).last
        net.settle()
        return answer
    }

    private static func open(by number: UInt8, _ net: inout GroupNet) throws -> Answer {
        let name = try #require(StreamName("heat"))
        let request = net.ask(
            number, .openStream(net.group, name, isOrdered: false))
        let answer = net[number].answers(of: request).last
        net.settle()
        return try #require(answer)
    }

    private static func current(_ number: UInt8, _ net: GroupNet) -> Bytes32? {
        net[number].node.keyring.current(in: net.group)?.id
    }

    @Test("is sealed with a key that is made for it where nothing was written since somebody went")
    func key() throws {
        var net = GroupNet(1...3)
        #expect(Self.call(2, by: 1, &net) == Self.isDue)
        let first = try #require(Self.current(1, net))
        #expect(Self.current(2, net) == first)
        #expect(Self.call(2, by: 1, &net) == .callSignalled(told: 1))
        #expect(Self.call(1, by: 2, &net) == .callSignalled(told: 1))
        let before = net.entries(of: 1, at: 1)
        net.remove(3)
        #expect(try Self.open(by: 2, &net) == Self.isDue)
        #expect(try Self.open(by: 2, &net) != Self.isDue)
        let second = try #require(Self.current(1, net))
        #expect(second != first && Self.current(2, net) == second)
        #expect(Self.call(2, by: 1, &net) == .callSignalled(told: 1))
        // One key is enough for both, and who is out is told so.
        #expect(net.entries(of: 1, at: 1) == before)
        #expect(Self.call(1, by: 3, &net) == .failed(.group(.notMember)))
        #expect(try Self.open(by: 3, &net) == .failed(.group(.notMember)))
    }

    @Test("goes nowhere from a stream of who was removed meanwhile, who is told so")
    func removed() throws {
        var net = GroupNet(1...3)
        net.write("hello", by: 1)
        net.settle()
        guard case .streamOpened(let stream) = try Self.open(by: 3, &net) else {
            Issue.record("it is opened")
            return
        }
        let before = net.ask(3, .sendPacket(stream: stream, [1]))
        #expect(net[3].answers(of: before) == [.packetSent(number: 1, told: 2)])
        net.remove(3)
        let after = net.ask(3, .sendPacket(stream: stream, [2]))
        #expect(net[3].answers(of: after) == [.failed(.group(.notMember))])
    }
}
