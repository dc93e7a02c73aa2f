import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Links on trial")
struct TrialTests {
    private static let large = room("all")
    private static let small = room("few")

    /// A node with four links, all of which share the large room, though it is in a small one, too.
    private static func full() -> Harness {
        var budget = LinkBudget()
        (budget.links, budget.known, budget.dialled, budget.wanted) = (6, 1, 1, 2)
        var harness = Harness(links: budget)
        for room in [Self.large, Self.small] {
            harness.join(room)
            harness.settle()
        }
        for number in 11...14 as ClosedRange<UInt8> { harness.link(number, in: [Self.large]) }
        return harness
    }

    private static func links(_ harness: Harness) -> Int {
        harness.node.status(at: harness.now).links
    }

    @Test(
        "who shares a room with nobody else takes a place, and one who shares it with all gives way"
    )
    func taken() {
        var harness = Self.full()
        harness.link(20, in: [Self.small])
        #expect(harness.closed.isEmpty && Self.links(harness) == 4)
        #expect(harness.logged.allSatisfy { !$0.contains(Harness.peer(20).shortText) })
        harness.pass(milliseconds: Limits.trialMilliseconds)
        harness.give(.timer(.trial(LinkID(20))))
        #expect(harness.closed == [LinkID(14): .busy] && Self.links(harness) == 4)
        #expect(harness.logged.contains { $0.contains("linked to \(Harness.peer(20).shortText)") })
        #expect(harness.node.dialling.known[Harness.peer(20)] != nil)
    }

    @Test("who shares what all share is let go, is nobody's refusal and is not remembered")
    func letGo() {
        var harness = Self.full()
        harness.link(20, in: [Self.large])
        harness.pass(milliseconds: Limits.trialMilliseconds)
        harness.give(.timer(.trial(LinkID(20))))
        #expect(harness.closed == [LinkID(20): .notNeeded] && Self.links(harness) == 4)
        #expect(harness.node.refusals.isEmpty)
        #expect(harness.node.dialling.known[Harness.peer(20)] == nil)
        #expect(harness.logged.allSatisfy { !$0.contains(Harness.peer(20).shortText) })
    }

    @Test("whoever comes when one of its host is on trial is turned away as before")
    func oneOfEachHost() {
        var harness = Self.full()
        for number in [20, 21] as [UInt64] {
            let info = LinkInfo(to: Harness.peer(UInt8(number)), boot: number)
            harness.give(.linkOpened(LinkID(number), info, address: "192.0.2.99:9", dial: nil))
        }
        #expect(harness.closed == [LinkID(21): .busy])
        #expect(harness.node.refusals.count == 1)
    }

    /// A second link of the peer of a trial is opened, by the same start of it or another one.
    private static func openAgain(_ harness: inout Harness, boot: UInt64) {
        let info = LinkInfo(to: Harness.peer(20), boot: boot, dial: 2)
        harness.give(.linkOpened(LinkID(21), info, address: "192.0.2.20:4101", dial: nil))
    }

    @Test("who opens a second link on trial has no place for it, and no more time")
    func twice() {
        var harness = Self.full()
        harness.link(20, in: [])
        harness.pass(milliseconds: 500)
        Self.openAgain(&harness, boot: 20)
        #expect(harness.closed == [LinkID(20): .duplicate] && Self.links(harness) == 4)
        harness.pass(milliseconds: Limits.trialMilliseconds - 500)
        harness.give(.timer(.trial(LinkID(21))))
        #expect(harness.closed[LinkID(21)] == .notNeeded && Self.links(harness) == 4)
    }

    @Test("a link that waits beside one on trial ends with it, or is on trial in its place")
    func challenged() {
        for isOver in [true, false] {
            var harness = Self.full()
            harness.link(20, in: [])
            Self.openAgain(&harness, boot: 99)
            #expect(harness.closed.isEmpty)
            if isOver {
                harness.pass(milliseconds: Limits.trialMilliseconds)
                harness.give(.timer(.trial(LinkID(20))))
                #expect(harness.closed[LinkID(20)] == .notNeeded)
            } else {
                harness.give(.timer(.probe(Harness.peer(20))))
                #expect(harness.closed == [LinkID(20): .dead] && Self.links(harness) == 4)
                harness.pass(milliseconds: Limits.trialMilliseconds)
                harness.give(.timer(.trial(LinkID(21))))
            }
            #expect(harness.closed[LinkID(21)] == .notNeeded && Self.links(harness) == 4)
        }
    }

    @Test("who has just got a place is not measured by what it has not had the time to say")
    func justCome() {
        var harness = Self.full()
        harness.link(20, in: [Self.small])
        harness.pass(milliseconds: Limits.trialMilliseconds - 100)
        harness.give(.linkClosed(LinkID(14), nil))
        harness.link(15, in: [])
        harness.pass(milliseconds: 100)
        harness.give(.timer(.trial(LinkID(20))))
        #expect(harness.closed[LinkID(15)] == nil && harness.closed[LinkID(13)] == .busy)
    }

    @Test("that a peer needs no link is no refusal")
    func goodbye() {
        var harness = Self.full()
        harness.give(.goaway(.notNeeded, "other links are needed more"), from: 12)
        #expect(harness.node.refusals.isEmpty && Self.links(harness) == 3)
    }
}
