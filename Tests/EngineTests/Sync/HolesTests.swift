import Testing

@testable import Engine
@testable import Formats

@Suite("Holes") struct HolesTests {
    private static let id = room("ops").conversation

    private static func key(_ number: UInt8) -> LogKey {
        LogKey(
            conversation: Self.id, name: LogName(author: PeerID(fixed32(number)), incarnation: 1))
    }

    private static func missing(_ number: UInt8, _ count: UInt64, last: UInt64) -> MissingEntries {
        MissingEntries(author: PeerID(fixed32(number)), count: count, last: last, holders: [])
    }

    @Test("of too many logs those of people whom the user knows have the places")
    func places() {
        var holes = Holes()
        let isFirst: (PeerID) -> Bool = { $0 == Self.key(200).name.author }
        for number in UInt8(1)...100 {
            holes.note(signed: 9, of: Self.key(number), isFirst: isFirst)
        }
        #expect(holes.traces(in: Self.id).count == Limits.holeLogs)
        holes.note(signed: 9, of: Self.key(200), isFirst: isFirst)
        #expect(holes.traces(in: Self.id).count == Limits.holeLogs)
        #expect(holes.traces(in: Self.id)[Self.key(200).name]?.signed == 9)
        for number in UInt8(1)...100 {
            holes.note(9, of: Self.key(200), at: PeerID(fixed32(number)), isFirst: isFirst)
        }
        #expect(holes.traces(in: Self.id)[Self.key(200).name]?.told.count == Limits.holeHolders)
    }

    @Test("what comes piece by piece is late, and missing once nothing of it has come for a while")
    func progress() {
        var holes = Holes()
        let isFirst: (PeerID) -> Bool = { _ in true }
        var now: UInt64 = 1_000
        for left in stride(from: UInt64(9), through: 5, by: -1) {
            let isNews = holes.look(
                Self.id, [Self.missing(1, left, last: 10)], isFirst: isFirst, at: now)
            #expect(!isNews)
            now += Limits.holeMilliseconds
        }
        let last = [Self.missing(1, 5, last: 10)]
        let isMissing = holes.look(Self.id, last, isFirst: isFirst, at: now)
        #expect(isMissing)
        #expect(holes.standing(in: Self.id) == last)
        // Once it is missing it goes only when all is here.
        let rest = [Self.missing(1, 4, last: 10)]
        let isLess = holes.look(Self.id, rest, isFirst: isFirst, at: now + 1)
        #expect(isLess && holes.standing(in: Self.id) == rest)
        let isOver = holes.look(Self.id, [], isFirst: isFirst, at: now + 2)
        #expect(isOver && holes.conversations.isEmpty)
    }

    // Shows: shown.holes
    @Test("what strangers withhold and bring again and again is told of once in ten seconds")
    func pace() {
        for (isKnown, most) in [(true, 61), (false, 7)] {
            var holes = Holes()
            var told = 0
            var count: UInt64 = 1
            for second in UInt64(0)..<60 {
                let now = second * 1_000
                holes.watch(Self.id, at: now)
                guard !holes.takeDue(at: now).isEmpty else { continue }
                count += 1
                let found = [Self.missing(1, count, last: 5 + count)]
                if holes.look(Self.id, found, isFirst: { _ in isKnown }, at: now) { told += 1 }
            }
            #expect(told <= most && told > 3, "\(told) times")
        }
    }
}
