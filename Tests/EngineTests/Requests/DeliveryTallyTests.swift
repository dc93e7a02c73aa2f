import Testing

@testable import Engine

@Suite("Who has a message") struct DeliveryTallyTests {
    private static func member(
        _ number: UInt8, isKnown: Bool = false, stored: UInt64 = 0, shown: UInt64 = .max
    ) -> DeliveryTally.Member {
        DeliveryTally.Member(
            peer: Harness.peer(number), isKnown: isKnown, stored: stored, shown: shown)
    }

    @Test("where somebody is known, no stranger counts, whatever it says, nor does its silence")
    func strangers() {
        var tally = DeliveryTally(members: [
            Self.member(2, isKnown: true, stored: 4), Self.member(3, stored: 9), Self.member(4),
        ])
        #expect(tally.reach(.members(1)) == 4)
        #expect(tally.reach(.all) == 4)
        // Two of those who count do not exist.
        #expect(tally.reach(.members(2)) == 0)
        #expect(tally.reach(.named([Harness.peer(3)])) == 9)
        #expect(tally.reach(.named([Harness.peer(2), Harness.peer(3)])) == 4)
        #expect(tally.lacking(5, for: .all) == [Harness.peer(2)])
        tally.members[0].isKnown = false
        #expect(tally.reach(.members(1)) == 9)
        #expect(tally.reach(.members(2)) == 4)
        #expect(tally.reach(.members(3)) == 0)
        #expect(tally.reach(.all) == 0)
    }

    @Test("who is away counts as having nothing")
    func away() {
        let tally = DeliveryTally(members: [
            Self.member(2, isKnown: true, stored: 4), Self.member(3, isKnown: true),
        ])
        #expect(tally.reach(.all) == 0)
        #expect(tally.reach(.members(1)) == 4)
        #expect(tally.lacking(4, for: .all) == [Harness.peer(3)])
        #expect(DeliveryTally(members: []).reach(.members(1)) == 0)
    }

    @Test("what is held is not delivered, and ends a wait only where nobody else could")
    func held() {
        let tally = DeliveryTally(members: [
            Self.member(2, isKnown: true, stored: 5, shown: 2),
            Self.member(3, isKnown: true, stored: 4), Self.member(4, isKnown: true, stored: 1),
        ])
        let goals: [DeliveryGoal] = [.members(1), .members(2), .members(3), .all]
        #expect(goals.map(tally.reach) == [4, 2, 1, 1])
        #expect(goals.map(tally.lastHeld) == [5, 5, 5, 5])
        // The other two might still get it.
        #expect(goals.map { tally.isHeldUp(5, for: $0) } == [false, false, true, true])
        #expect(goals.map { tally.isHeldUp(6, for: $0) } == [false, false, false, false])
        #expect(tally.delivered(3) == [Harness.peer(3)] && tally.holding(3) == [Harness.peer(2)])
    }
}
