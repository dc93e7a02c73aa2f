import Crypto
import Testing

@testable import Engine
@testable import Formats

@Suite("Dialling again") struct BackoffTests {
    private static let refused = DialFailure(.refused, "nobody listens there")
    private let peer = Harness.peer(2)

    /// Lets a target fail; gives how long it waits.
    private func wait(
        _ fixture: inout DialFixture, _ id: TargetID, _ failure: DialFailure = refused
    ) throws -> UInt64 {
        fixture.fail(try #require(fixture.dials.first?.id), failure)
        let wait = try #require(fixture.redialAt) - fixture.now.monotonic
        fixture.now = Instant(
            monotonic: fixture.now.monotonic + wait, wall: fixture.now.wall + wait)
        return wait
    }

    @Test("waits twice as long each time, a minute at most")
    func doubles() throws {
        var fixture = DialFixture()
        let id = TargetID.fixed("192.0.2.8:4100")
        fixture.connect("192.0.2.8:4100")
        for step in 0..<9 {
            let wait = try self.wait(&fixture, id)
            let due = min(UInt64(1_000) << UInt64(step), 60_000)
            #expect((due...due + due / 4).contains(wait))
            fixture.redial(id)
        }
    }

    @Test("waits longer where something answered that is no peer")
    func refusal() throws {
        var fixture = DialFixture()
        fixture.connect("192.0.2.8:4100")
        let wait = try self.wait(&fixture, .fixed("192.0.2.8:4100"), DialFailure(.notStoa))
        #expect(wait >= 16_000)
    }

    @Test(
        "who answers and can have no link is asked half as often each time, as who does not answer")
    func obstacle() throws {
        let known = KnownPeer(id: self.peer, addresses: ["192.0.2.8:4100"], lastSeen: 1)
        var fixture = DialFixture(known: [known])
        fixture.start()
        for due in [16, 32, 64, 128, 256, 512, 900, 900] as [UInt64] {
            fixture.reach(
                try #require(fixture.dials.first?.id), self.peer,
                DialFailure(.rejected, "all links that it could have are taken"))
            let wait = try #require(fixture.redialAt) - fixture.now.monotonic
            #expect((due * 1_000...due * 1_250).contains(wait))
            fixture.redial(.remembered(self.peer))
        }
    }

    @Test(
        "who ends each link with a refusal is asked half as often each time, until a link is good")
    func refusedLinks() throws {
        var fixture = DialFixture()
        fixture.connect("192.0.2.8:4100")
        for due in [16, 32, 60, 60] as [UInt64] {
            fixture.reach(try #require(fixture.dials.first?.id), self.peer)
            fixture.link(self.peer, at: nil)
            fixture.unlink(self.peer, .refused)
            let wait = try #require(fixture.redialAt) - fixture.now.monotonic
            #expect((due * 1_000...due * 1_250).contains(wait))
            fixture.redial(.fixed("192.0.2.8:4100"))
        }
        fixture.reach(try #require(fixture.dials.first?.id), self.peer)
        fixture.link(self.peer, at: nil)
        fixture.unlink(self.peer)
        #expect(try #require(fixture.redialAt) - fixture.now.monotonic <= 1_250)
    }

    @Test("who is blocked is not dialled for having been linked, until they are blocked no longer")
    func blocked() throws {
        let known = KnownPeer(id: self.peer, addresses: ["192.0.2.8:4100"], lastSeen: 1)
        var fixture = DialFixture(known: [known])
        fixture.block(self.peer)
        fixture.start()
        #expect(fixture.dials.isEmpty && fixture.redialAt == nil)
        fixture.unblock(self.peer)
        #expect(fixture.dials.map(\.address) == ["192.0.2.8:4100"])
        fixture.reach(try #require(fixture.dials.first?.id), self.peer)
        fixture.link(self.peer, at: nil)
        fixture.block(self.peer)
        fixture.unlink(self.peer, .refused)
        #expect(fixture.redialAt == nil && fixture.dialling.targets.isEmpty)
    }

    @Test("is told once for the same reason, and each try is in the report")
    func toldOnce() throws {
        var fixture = DialFixture()
        let id = TargetID.fixed("192.0.2.8:4100")
        fixture.connect("192.0.2.8:4100")
        var lines: [String] = []
        for _ in 0..<4 {
            _ = try self.wait(&fixture, id)
            lines += fixture.lines
            #expect(fixture.dialling.targets[id]?.failedDial?.nextTry == fixture.now.wall)
            fixture.redial(id)
        }
        #expect(lines == ["cannot reach 192.0.2.8:4100: nobody listens there; trying again"])
        let failed = try #require(fixture.dialling.targets[id]?.failedDial)
        #expect(failed.count == 4)
        #expect(failed.failure == Self.refused)
        #expect(failed.nextTry == nil, "a dial is under way")
        fixture.reach(try #require(fixture.dials.first?.id), self.peer)
        #expect(fixture.dialling.targets[id]?.failedDial == nil)
    }

    @Test("tries a host's addresses one after the other before it waits")
    func addresses() throws {
        var fixture = DialFixture()
        fixture.find("bob", at: ["192.0.2.8:4100", "[fd00::8]:4100"])
        #expect(fixture.dials.map(\.address) == ["192.0.2.8:4100"])
        fixture.fail(try #require(fixture.dials.first?.id), Self.refused)
        #expect(fixture.dials.map(\.address) == ["[fd00::8]:4100"])
        #expect(fixture.redialAt == nil)
        _ = try self.wait(&fixture, .service("bob"))
    }

    @Test("a peer whose link has ended is dialled at its remembered address")
    func remembered() throws {
        let known = KnownPeer(id: self.peer, addresses: ["192.0.2.8:4100"], lastSeen: 1)
        var fixture = DialFixture(known: [known])
        fixture.link(self.peer, at: nil)
        fixture.unlink(self.peer)
        #expect(fixture.redialAt != nil)
        fixture.redial(.remembered(self.peer))
        #expect(fixture.dials.map(\.address) == ["192.0.2.8:4100"])
    }

    @Test("a service that is gone is dialled no more once its peer's link has ended")
    func gone() throws {
        var fixture = DialFixture()
        fixture.find("bob", at: ["192.0.2.8:4100"])
        fixture.reach(try #require(fixture.dials.first?.id), self.peer)
        fixture.link(self.peer, at: nil)
        fixture.lose("bob")
        #expect(fixture.dialling.targets.keys.contains(.service("bob")))
        fixture.unlink(self.peer)
        #expect(!fixture.dialling.targets.keys.contains(.service("bob")))
        #expect(fixture.redialAt == nil)
    }

    private static func stranger(_ number: Int) -> PeerID {
        PeerID(
            Bytes32(
                ([UInt8](repeating: 9, count: 30) + [UInt8(number >> 8), UInt8(number & 255)]).span)
                ?? .zero)
    }

    @Test("whom the user knows is dialled at the start before any crowd that came later")
    func knownFirst() {
        let friend = KnownPeer(id: self.peer, addresses: ["192.0.2.8:4100"], lastSeen: 1)
        let crowd = (0..<1_000).map {
            KnownPeer(
                id: Self.stranger($0), addresses: ["192.0.2.9:\(2_000 + $0)"],
                lastSeen: UInt64(10 + $0))
        }
        var fixture = DialFixture(known: crowd + [friend])
        fixture.dialling.setWanted([self.peer])
        fixture.start()
        #expect(fixture.dials.first?.address == "192.0.2.8:4100")
        #expect(fixture.dials.count == Limits.rememberedTargets)
    }

    @Test(
        "keys that link and leave for good take no place from services, nor from whom the user knows"
    )
    func throwAwayKeys() {
        let friend = KnownPeer(id: self.peer, addresses: ["192.0.2.8:4100"], lastSeen: 1)
        var fixture = DialFixture(known: [friend])
        fixture.dialling.setWanted([self.peer])
        for number in 0..<600 {
            fixture.link(Self.stranger(number), at: "192.0.2.9:\(2_000 + number)")
            fixture.unlink(Self.stranger(number))
        }
        #expect(fixture.dialling.targets.count == Limits.rememberedTargets)
        fixture.find("honest", at: ["192.0.2.10:4100"])
        #expect(fixture.dials.map(\.address) == ["192.0.2.10:4100"])
        for number in 0..<400 { fixture.find("s\(number)", at: ["192.0.3.\(number % 200):9"]) }
        #expect(fixture.dialling.targets.count == Limits.targets)
        fixture.link(self.peer, at: "192.0.2.8:4100")
        fixture.unlink(self.peer)
        #expect(fixture.dialling.targets[.remembered(self.peer)] != nil)
        #expect(fixture.dialling.targets.count == Limits.targets)
    }

    @Test(
        "a service that finds no place among invented ones has its turn when those fail or are gone"
    )
    func spares() throws {
        var fixture = DialFixture()
        for number in 0..<Limits.targets {
            fixture.find("fake\(number)", at: ["192.0.\(2 + number / 200).\(number % 200):9"])
        }
        fixture.find("honest", at: ["192.0.9.1:4100"])
        #expect(fixture.dialling.targets[.service("honest")] == nil)
        var other = fixture
        other.lose("fake7")
        #expect(other.dialling.targets[.service("honest")] != nil)
        let dial = try #require(fixture.dialling.dials.keys.min())
        fixture.fail(dial, Self.refused)
        #expect(fixture.dialling.targets[.service("honest")] != nil)
        #expect(fixture.dialling.targets.count == Limits.targets)
        #expect(fixture.dialling.spares.count == 1)
        fixture.lose("honest")
        #expect(fixture.dialling.spares.isEmpty)
    }
}
