import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Links at rest")
struct RestTests {
    @Test(
        "of eight each is pinged every 15 s, of more as much more rarely as all together cost what a few do"
    )
    func interval() {
        #expect(Pulse.interval(beside: 0) == 15_000)
        #expect(Pulse.interval(beside: 8) == 15_000)
        #expect(Pulse.interval(beside: 12) == 30_000)
        #expect(Pulse.interval(beside: 59) == 206_250)
        #expect(Pulse.interval(beside: 128) == 465_000)
    }

    private let room = EngineTests.room("agora")

    /// A node with so many links, of which each has all that is here.
    private func settled(_ count: UInt8) throws -> Harness {
        var harness = Harness()
        harness.join(self.room)
        harness.settle()
        let digest = try #require(harness.ownDigest(of: self.room))
        for number in 0..<count {
            harness.link(number + 10, in: [self.room])
            harness.give(.digest(self.room.conversation, digest), from: number + 10)
        }
        return harness
    }

    /// Lets each link be looked at when that is due, once, and answers each ping; gives how many there were.
    private func look(_ harness: inout Harness) -> Int {
        harness.sent = [:]
        let due = harness.looksAt.values.min() ?? 0
        harness.now.wall += due - harness.now.monotonic
        harness.now.monotonic = due
        for (link, moment) in harness.looksAt.sorted(by: { $0.key < $1.key }) where moment <= due {
            harness.give(.timer(.ping(link)))
        }
        var pings = 0
        for (link, frames) in harness.sent.sorted(by: { $0.key < $1.key }) {
            for case .ping(let nonce, let clock) in frames {
                pings += 1
                harness.give(.pong(nonce: nonce, clock: clock), from: UInt8(link.rawValue))
            }
        }
        return pings
    }

    @Test(
        "many are looked at rarely while nothing changes, and soon after something is written, one after the other"
    )
    func rest() throws {
        var harness = try self.settled(20)
        let interval = Pulse.interval(beside: 20)
        #expect(self.look(&harness) == 0)
        #expect(harness.looksAt.values.allSatisfy { $0 == harness.now.monotonic + interval })
        #expect(self.look(&harness) == 20)
        harness.say("hello", in: self.room)
        harness.settle()
        let looks = harness.looksAt.values.sorted()
        #expect(Set(looks).count == 20)
        #expect(looks.allSatisfy { $0 <= harness.now.monotonic + 15_000 })
        // What has changed is told, without a ping.
        #expect(self.look(&harness) == 0)
        #expect(
            harness.sent.values.joined().contains { if case .digest = $0 { true } else { false } })
    }

    @Test(
        "a link whose peer has not all that is here, or more, is looked at as often as one of few")
    func unsettled() throws {
        var harness = try self.settled(20)
        var digest = try #require(harness.ownDigest(of: self.room))
        digest.records = .zero
        harness.give(.digest(self.room.conversation, digest), from: 12)
        _ = self.look(&harness)
        let soon = harness.looksAt.filter { $0.value == harness.now.monotonic + 15_000 }
        #expect(soon.keys.sorted() == [LinkID(12)])
    }

    @Test(
        "of many a peer that does not answer its ping is dead at the next look, a minute later at the soonest"
    )
    func dead() throws {
        var harness = try self.settled(20)
        _ = self.look(&harness)
        // Nobody answers from here on.
        for _ in 0..<2 {
            let due = harness.looksAt.values.min() ?? 0
            harness.now.wall += due - harness.now.monotonic
            harness.now.monotonic = due
            #expect(harness.closed.isEmpty)
            for link in harness.looksAt.keys.sorted() { harness.give(.timer(.ping(link))) }
        }
        #expect(harness.closed.count == 20 && harness.closed.values.allSatisfy { $0 == .dead })
    }

    @Test("one that was just asked has the time to answer, however long nothing was said before")
    func justAsked() throws {
        var harness = try self.settled(20)
        _ = self.look(&harness)
        let due = harness.looksAt.values.min() ?? 0
        harness.now.wall += due - harness.now.monotonic
        harness.now.monotonic = due
        for _ in 0..<2 {
            for link in harness.looksAt.keys.sorted() { harness.give(.timer(.ping(link))) }
            harness.pass(milliseconds: 100)
        }
        #expect(harness.closed.isEmpty)
    }
}
