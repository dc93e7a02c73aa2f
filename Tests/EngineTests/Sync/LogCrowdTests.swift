import Crypto
import Testing

@testable import Engine
@testable import Formats

@Suite("Whose logs give way") struct LogCrowdTests {
    private static func name(_ number: Int) -> LogName {
        LogName(author: PeerID(fixed32(UInt8(number % 251))), incarnation: UInt64(number))
    }

    private static func source(_ number: Int) -> Source { Source("192.0.2.\(number):4100") }

    /// So many logs of each source, in turn.
    private static func crowd(_ counts: [Int]) -> LogCrowd {
        var occupants: [LogCrowd.Occupant] = []
        for (index, count) in counts.enumerated() {
            for place in 0..<count {
                occupants.append(
                    LogCrowd.Occupant(
                        name: Self.name(1_000 * index + place), source: Self.source(index),
                        number: Int64(place)))
            }
        }
        return LogCrowd(occupants.shuffled(), at: 0)
    }

    // Shows: daemon.rooms
    @Test("the source with most logs loses its newest to a source with fewer")
    func newest() {
        var crowd = Self.crowd([2, 10, 3])
        let name = crowd.giveWay(to: Self.source(0), stays: false) { _ in true }
        #expect(name == Self.name(1_009))
        let next = crowd.giveWay(to: Self.source(7), stays: false) { _ in true }
        #expect(next == Self.name(1_008))
    }

    @Test("no log gives way to one of a source that would have as many then")
    func noTurns() {
        var crowd = Self.crowd([9, 10])
        #expect(crowd.giveWay(to: Self.source(0), stays: false) { _ in true } == nil)
        #expect(crowd.giveWay(to: Self.source(1), stays: false) { _ in true } == nil)
        var other = Self.crowd([8, 10])
        #expect(other.giveWay(to: Self.source(0), stays: false) { _ in true } != nil)
    }

    @Test(
        "one always gives way to what stays, but none of which something is on its way to the disk")
    func stays() {
        var crowd = Self.crowd([1])
        #expect(crowd.giveWay(to: Self.source(0), stays: true) { _ in false } == nil)
        #expect(crowd.giveWay(to: Self.source(0), stays: true) { _ in true } == Self.name(0))
        #expect(crowd.giveWay(to: Self.source(0), stays: true) { _ in true } == nil)
    }

    @Test("of refused logs the last are remembered, each once")
    func refused() {
        var refused = RefusedLogs()
        for number in 0..<Limits.refusedLogs {
            #expect(refused.add(Self.name(number)) == [])
            #expect(refused.add(Self.name(number)) == [])
        }
        #expect(refused.add(Self.name(Limits.refusedLogs)) == [Self.name(0)])
        #expect(!refused.contains(Self.name(0)) && refused.contains(Self.name(1)))
        // One that was taken out makes room, and is forgotten in its turn.
        #expect(refused.remove(Self.name(1)) && !refused.remove(Self.name(1)))
        #expect(refused.add(Self.name(Limits.refusedLogs + 1)) == [Self.name(1)])
        #expect(refused.names.count == Limits.refusedLogs)
    }
}
