import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite struct SearchTests {
    private var search = Search()
    private var random = SeededRandom(seed: 1)

    /// What the search decides from a moment to another, with the moments.
    private mutating func run(
        from first: Search.Decision, through end: UInt64, hasPlaces: Bool = true,
        isAlone: Bool = false
    ) -> [(at: UInt64, Search.Decision)] {
        var found: [(at: UInt64, Search.Decision)] = []
        var next = first.next
        while let now = next, now <= end {
            let decision = self.search.due(
                hasPlaces: hasPlaces, isAlone: isAlone, at: now, using: &self.random)
            found.append((now, decision))
            next = decision.next
        }
        return found
    }

    @Test("a node asks when it starts, then glances, and among few follows all that comes and goes")
    mutating func few() {
        let begin = self.search.begin(at: 1_000)
        #expect(begin.search == .ask)
        #expect(self.search.saw(3, at: 1_100) == Search.Decision())
        let decisions = self.run(from: begin, through: 100_000)
        #expect(decisions.dropLast().allSatisfy { $0.1.search == .glance })
        #expect(decisions.last?.1 == Search.Decision(search: .open))
        #expect(decisions.last.map { $0.at <= 1_000 + Limits.fewMilliseconds + 1_000 } == true)
        // Who announces itself while this node starts is found within a tenth of a second.
        let early = decisions.map(\.at).filter { $0 < 2_400 }
        #expect(zip(early, early.dropFirst()).allSatisfy { $1 - $0 <= 100 })
    }

    @Test("who is alone among few is woken no more often than who has a link", arguments: 0..<50)
    mutating func alone(seed: Int) {
        self.random = SeededRandom(seed: UInt64(seed))
        let begin = self.search.begin(at: 1_000)
        _ = self.search.saw(seed % 8, at: 1_100)
        let decisions = self.run(from: begin, through: 100_000, isAlone: true)
        #expect(decisions.last?.1 == Search.Decision(search: .open))
        #expect(decisions.count <= Limits.glanceMilliseconds.count + 1)
    }

    @Test("who comes upon a crowd stops asking at once, and glances when the answers have come")
    mutating func crowd() {
        _ = self.search.begin(at: 0)
        let heard = self.search.saw(Limits.crowd, at: 130)
        #expect(heard == Search.Decision(search: .rest, next: 130 + Limits.answersMilliseconds))
        #expect(self.search.saw(Limits.crowd + 1, at: 131) == Search.Decision())
        let decisions = self.run(from: heard, through: 60_000)
        #expect(decisions.first?.1.search == .glance)
        #expect(decisions.allSatisfy { $0.1.search == .glance || $0.1.search == .rest })
    }

    @Test("few that become a crowd rest", arguments: [8, 60])
    mutating func fewBecomeMany(count: Int) {
        let begin = self.search.begin(at: 0)
        #expect(self.run(from: begin, through: 10_000).last?.1.search == .open)
        #expect(self.search.saw(7, at: 20_000) == Search.Decision())
        #expect(self.search.saw(count, at: 20_001).search == .rest)
    }

    @Test("in a crowd of n all together ask twice a minute, for at least an hour")
    mutating func rate() {
        let (count, hours) = (40, UInt64(20))
        let begin = self.search.begin(at: 0)
        _ = self.search.saw(count, at: 100)
        let decisions = self.run(from: begin, through: hours * 3_600_000)
        let asked = decisions.filter { $0.1.search == .ask && $0.at > 60_000 }
        // One of 40 asks every 20 minutes, three times an hour.
        #expect((40...80).contains(asked.count))
        #expect(asked.allSatisfy { $0.1.explores })
        #expect(decisions.allSatisfy { $0.1.search != .open })
        // It glances once a minute or so.
        #expect(zip(decisions, decisions.dropFirst()).allSatisfy { $1.at - $0.at <= 90_000 })
    }

    // Shows: mdns.crowd
    @Test("who has no link although there is a crowd goes on asking, ever less often")
    mutating func invented() {
        let begin = self.search.begin(at: 0)
        let heard = self.search.saw(1_100, at: 100)
        var asked: [UInt64] = []
        var next = heard.next ?? begin.next
        while let now = next, now <= 3_600_000 {
            let decision = self.search.due(
                hasPlaces: true, isAlone: true, at: now, using: &self.random)
            if decision.search == .ask {
                asked.append(now)
                // The crowd is there still, and ends the search as it did.
                #expect(self.search.saw(1_100, at: now + 10).search == .rest)
            }
            #expect(decision.next.map { $0 > now } == true)
            next = decision.next
        }
        #expect(asked.first.map { $0 <= 11_000 } == true)
        let waits = zip(asked, asked.dropFirst()).map { $1 - $0 }
        #expect(waits.prefix(3).allSatisfy { $0 <= 3 * Limits.askAloneMilliseconds / 2 })
        #expect(asked.count < 30)
        // Who has a link is in no hurry.
        let rest = self.run(from: Search.Decision(next: next), through: 3_700_000)
        #expect(rest.allSatisfy { $0.1.search != .ask })
    }

    @Test("a node whose links are all taken does not look for more, and does when one is free")
    mutating func full() {
        let begin = self.search.begin(at: 0)
        _ = self.search.saw(200, at: 100)
        let settled = self.run(from: begin, through: 60_000)
        let rest = self.run(from: settled.last!.1, through: 7_200_000, hasPlaces: false)
        #expect(rest.allSatisfy { $0.1.search == nil && $0.1.next != nil })
        let again = self.run(from: rest.last!.1, through: 8_000_000)
        #expect(again.contains { $0.1.search == .glance })
    }

    @Test("a link that ends has a resting node glance as at the start, without a question")
    mutating func missed() {
        let begin = self.search.begin(at: 0)
        _ = self.search.saw(20, at: 100)
        _ = self.run(from: begin, through: 60_000)
        let missed = self.search.missed(at: 70_000)
        #expect(missed.next == 70_000 + Limits.glanceMilliseconds[0])
        let decisions = self.run(from: missed, through: 90_000)
        #expect(decisions.count > 5 && decisions.allSatisfy { $0.1.search == .glance })
        // It does not begin anew while it glances.
        #expect(self.search.missed(at: 90_000) == Search.Decision())
    }

    @Test("a crowd that is gone leaves a node that follows what comes")
    mutating func crowdGoes() {
        let begin = self.search.begin(at: 0)
        _ = self.search.saw(20, at: 100)
        let decisions = self.run(from: begin, through: 60_000)
        _ = self.search.saw(2, at: 60_001)
        #expect(self.run(from: decisions.last!.1, through: 300_000).last?.1.search == .open)
    }
}
