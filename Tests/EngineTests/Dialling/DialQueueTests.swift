import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite struct DialQueueTests {
    @Test("of many services some are dialled at a time, the rest as dials end, each once")
    func paced() {
        var fixture = DialFixture()
        var dials: [(id: DialID, address: String)] = []
        for number in 1...60 {
            fixture.find("s\(number)", at: ["192.0.2.\(number):4100"])
            dials += fixture.dials
        }
        #expect(dials.count == Limits.serviceDials)
        var next = 0
        while next < dials.count {
            fixture.fail(dials[next].id, DialFailure(.refused, "nobody listens"))
            dials += fixture.dials
            next += 1
        }
        #expect(Set(dials.map(\.address)).count == 60)
        #expect(dials.count == 60)
    }

    @Test("a service whose peer has dialled meanwhile is not dialled")
    func dialledMeanwhile() {
        var fixture = DialFixture()
        for number in 1...Limits.serviceDials {
            fixture.find("s\(number)", at: ["192.0.2.\(number):1"])
        }
        fixture.find("late", at: ["192.0.2.99:1"])
        #expect(fixture.dials.isEmpty)
        fixture.link(Harness.peer(1), at: "192.0.2.99:1")
        for id in 1...Limits.serviceDials {
            fixture.fail(DialID(UInt64(id)), DialFailure(.refused, "nobody listens"))
            #expect(fixture.dials.isEmpty)
        }
    }

    // Shows: mdns.tables
    @Test("who announces more than is noted keeps out nobody else")
    func crowdedHost() {
        var fixture = DialFixture()
        fixture.connect("192.0.2.1:1")
        for number in 0..<Limits.targets + 10 {
            fixture.find("fake\(number)", at: ["192.0.2.66:\(number + 1)"])
        }
        #expect(fixture.dialling.targets.count == Limits.targets)
        for number in 0..<20 {
            fixture.find("honest\(number)", at: ["192.0.2.\(number + 100):4100"])
            #expect(fixture.dialling.targets[.service("honest\(number)")] != nil)
        }
        #expect(fixture.dialling.targets.count == Limits.targets)
        #expect(fixture.dialling.targets[.fixed("192.0.2.1:1")] != nil)
        // Of the host that has most, one more is one too many.
        fixture.find("fake", at: ["192.0.2.66:9"])
        #expect(fixture.dialling.targets[.service("fake")] == nil)
    }

    // Shows: mdns.crowd
    @Test("that more is announced than can be tried is told once a second while more come")
    func overflow() {
        var fixture = DialFixture()
        var number = 0
        func told(after milliseconds: UInt64, _ count: Int) -> Int {
            fixture.now.monotonic += milliseconds
            return (0..<count).count { _ in
                number += 1
                fixture.find("fake\(number)", at: Self.place(number))
                return fixture.alerts > 0
            }
        }
        _ = fixture.dialling.search(at: fixture.now)
        #expect(told(after: 0, Limits.targets) == 0)
        // In the morning all start together, and links are missing.
        #expect(told(after: Limits.morningMilliseconds - 100, 100) == 0)
        #expect(told(after: 100, 100) == 1)
        #expect(told(after: 900, 100) == 0)
        #expect(told(after: 200, 100) == 1)
        // Once most are gone, it begins anew.
        for number in 1...number { fixture.lose("fake\(number)") }
        #expect(told(after: 60_000, Limits.targets) == 0)
        #expect(told(after: 100, 1) == 1)
    }

    @Test("a look that comes upon what a flood has left behind is no flood")
    func looks() {
        var fixture = DialFixture()
        let names = Array(1...Limits.targets + 100)
        for number in names { fixture.find("fake\(number)", at: Self.place(number)) }
        #expect(fixture.dialling.targets.count == Limits.targets)
        fixture.now.monotonic += Limits.morningMilliseconds
        var told = 0
        for look in 0..<10 {
            fixture.now.monotonic += 2_000
            // Discovery follows no more than there are places, either: some give way to others.
            for number in names[(50 * look)..<(50 * look + 100)] { fixture.lose("fake\(number)") }
            for number in names {
                fixture.find("fake\(number)", at: Self.place(number))
                told += fixture.alerts
            }
        }
        #expect(told == 0)
        fixture.find("another", at: Self.place(1))
        #expect(fixture.alerts == 1)
    }

    private static func place(_ number: Int) -> [String] {
        ["192.0.2.\(number % 200):\(number + 1_024)"]
    }

    @Test("a crowd that gives all the links that are wanted is no flood")
    func largeNetwork() {
        var fixture = DialFixture()
        for number in 0..<LinkBudget().wanted {
            fixture.link(Harness.peer(UInt8(number + 2)), at: "192.0.2.7:\(number + 1)")
        }
        var told = 0
        for number in 0..<2 * Limits.targets {
            fixture.now.monotonic += 100
            fixture.find("host\(number)", at: ["198.51.100.\(number % 200):\(number + 1_024)"])
            told += fixture.alerts
        }
        #expect(told == 0)
    }

    // Shows: mdns.targets
    @Test("what is announced from another network is reported, and dialled once it is in ours")
    func foreign() throws {
        var fixture = DialFixture()
        fixture.find("far", at: ["198.51.100.7:4100"], isForeign: true)
        #expect(fixture.dials.isEmpty)
        let target = try #require(fixture.dialling.targets[.service("far")])
        #expect(target.failedDial?.failure.reason == .otherNetwork)
        fixture.find("far", at: ["198.51.100.7:4100"])
        #expect(fixture.dials.map(\.address) == ["198.51.100.7:4100"])
        #expect(fixture.dialling.targets[.service("far")]?.failedDial == nil)
        fixture.fail(fixture.dials[0].id, DialFailure(.timedOut, "no answer"))
        // And no longer, once it is not.
        fixture.find("far", at: ["198.51.100.7:4100"], isForeign: true)
        fixture.redial(.service("far"))
        #expect(fixture.dials.isEmpty)
    }

    @Test("one from another network that has waited for a place says why it is not dialled")
    func foreignSpare() throws {
        var fixture = DialFixture()
        for number in 0..<Limits.targets {
            fixture.find("host\(number)", at: ["192.0.\(number / 200).\(number % 200):4100"])
        }
        fixture.find("far", at: ["198.51.100.7:4100"], isForeign: true)
        #expect(fixture.dialling.targets[.service("far")] == nil)
        fixture.lose("host7")
        let target = try #require(fixture.dialling.targets[.service("far")])
        #expect(target.isForeign && target.failedDial?.failure.reason == .otherNetwork)
    }

    @Test("a thousand names at one host wait for one turn in two beside an honest host")
    func bySource() {
        var queue = DialQueue()
        var random = SeededRandom(seed: 7)
        for number in 0..<1_000 {
            queue.add(.service("fake\(number)"), at: "192.0.2.66:\(number + 1)")
        }
        queue.add(.service("honest"), at: "192.0.2.7:4100")
        #expect(queue.count == 1_001)
        var turns = 0
        while let id = queue.take(using: &random) {
            turns += 1
            if id == .service("honest") { break }
        }
        #expect(turns < 12)
        queue.remove(.service("fake1"))
        queue.remove(.service("fake1"))
        #expect(queue.count >= 1_001 - 12)
    }

    @Test("services that refuse at once are dialled 128 times at most, then sixteen times a second")
    func refusing() {
        var fixture = DialFixture()
        var count = 0
        var pending: [DialID] = []
        for number in 0..<600 {
            fixture.find("s\(number)", at: ["192.0.2.66:\(number + 1)"])
            pending += fixture.dials.map(\.id)
        }
        while let dial = pending.popLast() {
            count += 1
            fixture.fail(dial, DialFailure(.refused, "nobody listens"))
            pending += fixture.dials.map(\.id)
        }
        #expect(count == 128)
        fixture.now.monotonic += 1_000
        fixture.seekDue(isSeeking: false)
        pending = fixture.dials.map(\.id)
        while let dial = pending.popLast() {
            count += 1
            fixture.fail(dial, DialFailure(.refused, "nobody listens"))
            pending += fixture.dials.map(\.id)
        }
        #expect(count == 128 + 16)
    }
}
