import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Who comes and goes") struct ComingsTests {
    private static let ops = EngineTests.room("ops").conversation
    private let start: UInt64 = 100_000

    private func comer(
        _ peer: UInt8, person: UInt8? = nil, link: UInt64 = 1, boot: UInt64 = 1,
        _ tier: Tier = .known, from source: String = "a"
    ) -> Comings.Comer {
        Comings.Comer(
            peer: Harness.peer(peer),
            person: personKeys(person ?? peer, (person ?? peer) + 100).publicKeys.id,
            link: LinkID(link), boot: boot, tier: tier, source: Source(description: source))
    }

    private func begun() -> Comings {
        var comings = Comings(own: personKeys(40, 41).publicKeys.id)
        comings.begin(at: 0)
        return comings
    }

    private func told(_ news: [Comings.News]) -> [Coming.Event] {
        news.compactMap { if case .presence(_, _, let coming?) = $0 { coming.event } else { nil } }
    }

    /// Links somebody who tells that they are there, and lets the time pass until that is told.
    private func come(
        _ comer: Comings.Comer, _ comings: inout Comings, at now: UInt64
    ) -> [Comings.News] {
        let news = comings.linked(comer, nil, in: [], at: now)
        let heard = comings.heard(
            .online, of: comer.peer, on: comer.link, in: [Self.ops], at: now)
        return news + heard
            + comings.look(at: now + Limits.comingMilliseconds) { _ in [Self.ops] }
    }

    private func end(
        _ comer: Comings.Comer, _ ending: Comings.Ending, _ comings: inout Comings, at now: UInt64
    ) -> [Comings.News] {
        comings.ended(comer.peer, comer.link, ending, comer.tier, in: [Self.ops], at: now)
    }

    @Test("a restart is told once as gone and once as back, with the reason")
    func restart() {
        for (ending, event) in [
            (Comings.Ending.goodbye, Coming.Event.left), (.lost, .interrupted),
        ] {
            var comings = self.begun()
            let peer = Harness.peer(2)
            #expect(self.told(self.come(self.comer(2), &comings, at: self.start)) == [.joined])
            #expect(
                self.end(self.comer(2), ending, &comings, at: self.start + 5_000) == [
                    .presence(peer, nil, Coming(event, in: [Self.ops])), .unlinked(peer, event),
                ])
            #expect(
                self.come(self.comer(2, link: 2, boot: 2), &comings, at: self.start + 6_000) == [
                    .linked(peer),
                    .presence(peer, .online, Coming(.back, after: event, in: [Self.ops])),
                ])
            #expect(comings.nextDue == nil)
        }
    }

    @Test(
        "a link that another one replaces is no news, and one whose successor fails is a lost one")
    func replaced() {
        var comings = self.begun()
        _ = self.come(self.comer(2), &comings, at: self.start)
        #expect(self.end(self.comer(2), .replaced, &comings, at: self.start + 5_000).isEmpty)
        #expect(self.come(self.comer(2, link: 2), &comings, at: self.start + 6_000).isEmpty)
        // What the first link says now is of no interest.
        #expect(self.end(self.comer(2), .lost, &comings, at: self.start + 7_000).isEmpty)
        #expect(
            self.end(self.comer(2, link: 2), .replaced, &comings, at: self.start + 8_000).isEmpty)
        let due = comings.nextDue
        #expect(due == self.start + 8_000 + Limits.replacedMilliseconds)
        let lost = comings.look(at: due ?? 0) { _ in [] }
        #expect(self.told(lost) == [.interrupted])
    }

    @Test("a link of another start that replaces the one before tells of the restart")
    func unnoticed() {
        var comings = self.begun()
        _ = self.come(self.comer(2), &comings, at: self.start)
        #expect(self.end(self.comer(2), .replaced, &comings, at: self.start + 5_000).isEmpty)
        let news = self.come(self.comer(2, link: 2, boot: 2), &comings, at: self.start + 5_000)
        #expect(self.told(news) == [.interrupted, .back])
    }

    @Test("who is linked soon after the start was there, and is told of as a state alone")
    func found() {
        var comings = self.begun()
        let news = self.come(self.comer(2), &comings, at: 1_000)
        #expect(news == [.linked(Harness.peer(2)), .presence(Harness.peer(2), .online, nil)])
        #expect(self.told(self.end(self.comer(2), .goodbye, &comings, at: 2_000)) == [.left])
        #expect(self.told(self.come(self.comer(2, link: 2), &comings, at: 3_000)) == [.back])
    }

    @Test("who is away and back is told of, and who is away when they come is away")
    func away() {
        var comings = self.begun()
        let (peer, link) = (Harness.peer(2), LinkID(1))
        _ = self.come(self.comer(2), &comings, at: self.start)
        let places = [Self.ops]
        let later = self.start + 30_000
        let gone = comings.heard(.away, of: peer, on: link, in: places, at: later)
        #expect(gone == [.presence(peer, .away, Coming(.away, in: places))])
        let back = comings.heard(.online, of: peer, on: link, in: places, at: later)
        #expect(back == [.presence(peer, .online, Coming(.back, after: .away, in: places))])
        _ = self.end(self.comer(2), .goodbye, &comings, at: later)
        _ = comings.linked(self.comer(2, link: 2), nil, in: [], at: later)
        _ = comings.heard(.away, of: peer, on: LinkID(2), in: places, at: later)
        let looked = comings.look(at: later + 1_000) { _ in places }
        #expect(self.told(looked) == [.away])
    }

    @Test(
        "a link that nobody needs is no reason, and whoever told nothing of themselves is not told of"
    )
    func unneeded() {
        var comings = self.begun()
        _ = self.come(self.comer(2), &comings, at: self.start)
        #expect(
            self.end(self.comer(2), .unneeded, &comings, at: self.start + 5_000) == [
                .presence(Harness.peer(2), nil, nil), .unlinked(Harness.peer(2), nil),
            ])
        #expect(
            self.told(self.come(self.comer(2, link: 2), &comings, at: self.start + 6_000)).isEmpty)
        let silent = self.comer(3, link: 3)
        let linked = comings.linked(silent, nil, in: [], at: self.start)
        #expect(linked == [.linked(silent.peer)])
        #expect(
            self.end(silent, .goodbye, &comings, at: self.start + 5_000) == [
                .unlinked(silent.peer, .left)
            ])
    }

    @Test("of somebody with two devices it is told when the last goes, and of the user's own never")
    func devices() {
        var comings = self.begun()
        let (desk, phone) = (self.comer(2, person: 60), self.comer(3, person: 60, link: 2))
        #expect(self.told(self.come(desk, &comings, at: self.start)) == [.joined])
        #expect(self.told(self.come(phone, &comings, at: self.start)).isEmpty)
        #expect(self.told(self.end(desk, .goodbye, &comings, at: self.start + 5_000)).isEmpty)
        #expect(self.told(self.end(phone, .goodbye, &comings, at: self.start + 6_000)) == [.left])
        var own = self.comer(4, link: 3)
        own.person = personKeys(40, 41).publicKeys.id
        #expect(self.told(self.come(own, &comings, at: self.start + 6_000)).isEmpty)
    }

    // Shows: shown.signals
    @Test("strangers of one source are told of a few times, and known people beside them")
    func churn() {
        var comings = self.begun()
        var random = SeededRandom(seed: 1)
        var count = 0
        for number in 0..<2_000 {
            var stranger = self.comer(2, link: UInt64(number), .stranger)
            stranger.peer = PeerID(random.bytes32())
            stranger.person = PersonID(random.bytes32())
            count += self.told(self.come(stranger, &comings, at: self.start)).count
            count += self.told(self.end(stranger, .lost, &comings, at: self.start + 1_000)).count
        }
        #expect(count == Limits.comingsAtOnce)
        #expect(comings.goneCount <= Limits.goneRemembered)
        let known = self.comer(3, link: 5_000)
        #expect(self.told(self.come(known, &comings, at: self.start)) == [.joined])
        let elsewhere = self.comer(4, link: 5_001, .stranger, from: "b")
        #expect(self.told(self.come(elsewhere, &comings, at: self.start)) == [.joined])
        // Nor does a contact whose link comes and goes fill the screen.
        for number in 0..<100 {
            _ = self.end(known, .lost, &comings, at: self.start + 1_000)
            count = self.told(self.come(known, &comings, at: self.start + 1_000)).count
            if number > Limits.comingsAtOnce { #expect(count == 0) }
        }
        // Strangers do not take the places of people who are gone.
        _ = self.end(known, .goodbye, &comings, at: self.start + 200_000)
        for number in 0..<1_000 {
            var stranger = self.comer(2, link: UInt64(number), .stranger)
            stranger.peer = PeerID(random.bytes32())
            _ = self.come(stranger, &comings, at: self.start + 200_000)
            _ = self.end(stranger, .lost, &comings, at: self.start + 201_000)
        }
        #expect(
            self.told(self.come(known, &comings, at: self.start + 300_000)) == [.back])
    }
}
