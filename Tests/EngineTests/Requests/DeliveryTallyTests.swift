import Testing

@testable import Engine
@testable import Formats

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
        #expect(tally.reach(DeliveryAim(.members(1))) == 4)
        #expect(tally.reach(DeliveryAim(.all)) == 4)
        // Two of those who count do not exist.
        #expect(tally.reach(DeliveryAim(.members(2))) == 0)
        #expect(tally.reach(DeliveryAim(.named([Harness.peer(3)]))) == 9)
        #expect(tally.reach(DeliveryAim(.named([Harness.peer(2), Harness.peer(3)]))) == 4)
        #expect(tally.lacking(5, for: DeliveryAim(.all)) == [Harness.peer(2)])
        tally.members[0].isKnown = false
        #expect(tally.reach(DeliveryAim(.members(1))) == 9)
        #expect(tally.reach(DeliveryAim(.members(2))) == 4)
        #expect(tally.reach(DeliveryAim(.members(3))) == 0)
        #expect(tally.reach(DeliveryAim(.all)) == 0)
    }

    // Shows: shown.delivery
    @Test("another device of the user counts only where nobody else is there")
    func ownDevices() {
        var own = Self.member(2, isKnown: true, stored: 5)
        own.isOwn = true
        var tally = DeliveryTally(members: [own, Self.member(3, isKnown: true), Self.member(4)])
        #expect(tally.reach(DeliveryAim(.members(1))) == 0)
        #expect(tally.lacking(5, for: DeliveryAim(.all)) == [Harness.peer(3)])
        tally.members.remove(at: 1)
        #expect(tally.lacking(5, for: DeliveryAim(.members(1))) == [Harness.peer(4)])
        tally.members = [own]
        #expect(tally.reach(DeliveryAim(.members(1))) == 5)
        #expect(tally.reach(DeliveryAim(.all)) == 0)
    }

    @Test("who is away counts as having nothing")
    func away() {
        let tally = DeliveryTally(members: [
            Self.member(2, isKnown: true, stored: 4), Self.member(3, isKnown: true),
        ])
        #expect(tally.reach(DeliveryAim(.all)) == 0)
        #expect(tally.reach(DeliveryAim(.members(1))) == 4)
        #expect(tally.lacking(4, for: DeliveryAim(.all)) == [Harness.peer(3)])
        #expect(DeliveryTally(members: []).reach(DeliveryAim(.members(1))) == 0)
    }

    @Test("what is held is not delivered, and ends a wait only where nobody else could")
    func held() {
        let tally = DeliveryTally(members: [
            Self.member(2, isKnown: true, stored: 5, shown: 2),
            Self.member(3, isKnown: true, stored: 4), Self.member(4, isKnown: true, stored: 1),
        ])
        let goals: [DeliveryGoal] = [.members(1), .members(2), .members(3), .all]
        #expect(goals.map { tally.reach(DeliveryAim($0)) } == [4, 2, 1, 1])
        #expect(goals.map(tally.lastHeld) == [5, 5, 5, 5])
        // The other two might still get it.
        #expect(goals.map { tally.isHeldUp(5, for: $0) } == [false, false, true, true])
        #expect(goals.map { tally.isHeldUp(6, for: $0) } == [false, false, false, false])
        #expect(tally.delivered(3) == [Harness.peer(3)] && tally.holding(3) == [Harness.peer(2)])
    }

    @Test("who has said to have it counts also when they are away; who was away for long does not")
    func positions() {
        var away = Self.member(2, isKnown: true)
        away.position = MemberPosition(stored: 4, read: 3)
        var gone = Self.member(3, isKnown: true)
        var tally = DeliveryTally(members: [away, gone])
        #expect(tally.reach(DeliveryAim(.members(1))) == 4)
        #expect(tally.reach(DeliveryAim(.members(1), isRead: true)) == 3)
        #expect(tally.reach(DeliveryAim(.all)) == 0)
        #expect(tally.delivered(4) == [away.peer] && tally.delivered(4, isRead: true).isEmpty)
        #expect(tally.lacking(4, for: DeliveryAim(.all, isRead: true)) == [away.peer, gone.peer])
        #expect(tally.outcomes(of: 3).map(\.outcome) == [.read, .away])
        #expect(tally.outcomes(of: 4).map(\.outcome) == [.delivered, .away])
        gone.isLongAway = true
        tally.members = [away, gone]
        #expect(tally.reach(DeliveryAim(.all)) == 4)
        #expect(tally.lacking(5, for: DeliveryAim(.all)) == [away.peer])
        // What is said to be held elsewhere was read there before.
        tally.members[0].stored = 6
        tally.members[0].isLinked = true
        tally.members[0].shown = 2
        #expect(tally.outcomes(of: 4).first?.outcome == .delivered)
        #expect(tally.outcomes(of: 5).first?.outcome == .held)
    }
}
