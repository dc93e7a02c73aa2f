import TestSupport
import Testing

@testable import Engine

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

    @Test("that there are too many is told once, however they take each other's places")
    func fullTold() {
        var fixture = DialFixture()
        var told = 0
        func find(_ name: String, _ address: String) {
            fixture.find(name, at: [address])
            told += fixture.lines.count { $0.contains("are not dialled") }
        }
        for number in 0..<Limits.targets { find("fake\(number)", "192.0.2.66:\(number + 1)") }
        #expect(told == 0)
        for number in 0..<20 {
            find("more\(number)", "192.0.2.66:\(number + 9_001)")
            find("honest\(number)", "192.0.2.\(number + 100):4100")
        }
        #expect(told == 1)
        for number in 0..<Limits.targets { fixture.lose("fake\(number)") }
        for number in 0..<Limits.targets { find("again\(number)", "192.0.2.66:\(number + 1)") }
        #expect(told == 2)
    }

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
