import Crypto
import Testing

@testable import Engine
@testable import Formats

/// What a user who asks for an address is told.
@Suite("Connecting to an address") struct ConnectTests {
    private static let address = "192.0.2.8:4100"
    private static let refused = DialFailure(.refused, "nobody listens there")
    private let peer = Harness.peer(2)

    @Test("is answered at once where nobody wants to wait")
    func atOnce() {
        var fixture = DialFixture()
        fixture.connect(Self.address)
        #expect(fixture.answers == [.connecting])
        #expect(fixture.dials.map(\.address) == [Self.address])
    }

    @Test("is answered with the peer once there is a link")
    func linked() throws {
        var fixture = DialFixture()
        fixture.connect(Self.address, by: 11_000)
        #expect(fixture.answers.isEmpty)
        fixture.reach(try #require(fixture.dials.first?.id), self.peer)
        #expect(fixture.answers.isEmpty)
        fixture.link(self.peer, at: Self.address)
        #expect(fixture.answers == [.connected(self.peer)])
        fixture.connectDue(1)
        #expect(fixture.answers.isEmpty)
    }

    @Test("is answered at once where the peer is linked already")
    func linkedAlready() {
        var fixture = DialFixture()
        fixture.link(self.peer, at: Self.address)
        fixture.connect("192.0.2.9:4100", expecting: self.peer, by: 11_000)
        #expect(fixture.answers == [.connected(self.peer)])
        #expect(fixture.dials.isEmpty)
    }

    @Test(
        "is answered with the reason of the first failure",
        arguments: [
            refused, DialFailure(.noRoute, "no route to host"), DialFailure(.timedOut),
            DialFailure(.otherKey(expected: Harness.peer(3), got: Harness.peer(2))),
        ])
    func failed(failure: DialFailure) throws {
        var fixture = DialFixture()
        fixture.connect(Self.address, by: 11_000)
        fixture.fail(try #require(fixture.dials.first?.id), failure)
        #expect(fixture.answers == [.failed(.notConnected(failure))])
        #expect(fixture.redialAt != nil)
    }

    @Test("is answered when its time is over")
    func timeOver() {
        var fixture = DialFixture()
        fixture.connect(Self.address, by: 11_000)
        #expect(
            fixture.actions.contains(.perform(.arm(.connect(RequestID(1)), at: 11_000))))
        fixture.connectDue(1)
        guard case .failed(.notConnected(let failure)) = fixture.answers.first else {
            Issue.record("\(fixture.answers)")
            return
        }
        #expect(failure.reason == .timedOut)
    }

    @Test("is refused where the address is this node's own, and nothing is dialled on")
    func itself() throws {
        var fixture = DialFixture()
        fixture.connect(Self.address, by: 11_000)
        let own = DialFailure(.ownAddress, "the address is this node's own")
        fixture.reach(try #require(fixture.dials.first?.id), Harness.ownKey, own)
        #expect(fixture.answers == [.failed(.notConnected(own))])
        #expect(fixture.redialAt == nil)
    }

    @Test("dials anew where another key is asked for than answered last")
    func otherKey() throws {
        var fixture = DialFixture()
        fixture.connect(Self.address)
        fixture.reach(try #require(fixture.dials.first?.id), self.peer)
        fixture.link(self.peer, at: Self.address)
        fixture.connect(Self.address, expecting: Harness.peer(3), 2, by: 11_000)
        #expect(fixture.answers.isEmpty)
        #expect(fixture.dials.map(\.address) == [Self.address])
    }

    @Test("takes the place of the target that failed most often where the table is full")
    func full() throws {
        var fixture = DialFixture()
        for number in 0..<Limits.targets {
            fixture.find("s\(number)", at: ["192.0.2.1:\(number + 1)"])
        }
        fixture.find("late", at: ["192.0.2.1:9001"])
        #expect(fixture.dials.isEmpty)
        fixture.find("later", at: ["192.0.2.1:9002"])
        fixture.lose("late")
        fixture.lose("later")
        let failed = try #require(fixture.dialling.dials.min { $0.key < $1.key })
        fixture.fail(failed.key, Self.refused)
        fixture.connect(Self.address, by: 11_000)
        #expect(fixture.dials.map(\.address) == [Self.address])
        #expect(fixture.dialling.targets[failed.value] == nil)
        #expect(fixture.dialling.targets.count == Limits.targets)
    }

    @Test("is refused where users have asked for as many addresses as may be")
    func fullOfRequests() {
        var fixture = DialFixture()
        for number in 0..<Limits.targets { fixture.connect("192.0.2.1:\(number + 1)") }
        fixture.connect(Self.address)
        #expect(fixture.answers == [.failed(.tooManyTargets)])
    }
}
