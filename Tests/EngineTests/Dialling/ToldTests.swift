import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Dials of what records name")
struct ToldTests {
    private static let hour: UInt64 = 3_600_000
    private static let otherKey = DialFailure(.otherKey(expected: peer(1), got: peer(2)))

    /// Has the dials of a whole time fail, as their turns come; gives the addresses that were dialled.
    private static func run(
        _ fixture: inout DialFixture, _ told: [(peer: PeerID, address: String)],
        for time: UInt64, _ failure: DialFailure = DialFailure(.timedOut, "no answer")
    ) -> [String] {
        var due: [TargetID: UInt64] = [:]
        var dialled: [String] = []
        func note(_ fixture: DialFixture) {
            for case .perform(.arm(.redial(let id), let moment)) in fixture.actions {
                due[id] = moment
            }
        }
        for (peer, address) in told {
            fixture.tell(peer, at: [address])
            note(fixture)
        }
        let end = fixture.now.monotonic + time
        while let (id, moment) = due.min(by: { ($0.value, $0.key) < ($1.value, $1.key) }),
            moment <= end
        {
            due[id] = nil
            let passed = moment - min(moment, fixture.now.monotonic)
            fixture.now.monotonic += passed
            fixture.now.wall += passed
            fixture.redial(id)
            note(fixture)
            for dial in fixture.dials {
                dialled.append(dial.address)
                fixture.fail(dial.id, failure)
                note(fixture)
            }
        }
        return dialled
    }

    private static func peer(_ number: Int) -> PeerID {
        PeerID(
            fixed32([UInt8(number >> 8), UInt8(number & 0xff)] + [UInt8](repeating: 3, count: 30)))
    }

    // Shows: daemon.addresses
    @Test("a thousand devices that name as many hosts have few of them dialled in an hour")
    func hosts() {
        var fixture = DialFixture()
        let told = (0..<200).map { number in
            (Self.peer(number), "10.9.\(number >> 8).\(number & 0xff):4100")
        }
        let dialled = Self.run(&fixture, told, for: Self.hour)
        #expect(dialled.count <= 2 * Limits.toldDialBurst)
        #expect(dialled.count >= Limits.toldDialBurst)
    }

    @Test("devices that name one host at port after port have it dialled a few times in an hour")
    func ports() {
        var fixture = DialFixture()
        let told = (0..<100).map { (Self.peer($0), "10.9.0.1:\(4_000 + $0)") }
        let dialled = Self.run(&fixture, told, for: Self.hour)
        #expect(dialled.count <= 2 * Limits.toldHostBurst + 1)
        #expect(!dialled.isEmpty)
    }

    @Test("where somebody else answers, it is dialled again after an hour, and nobody is told")
    func somebodyElse() {
        var fixture = DialFixture()
        let told = [(Self.peer(1), "10.9.0.1:4100")]
        #expect(Self.run(&fixture, told, for: Self.hour, Self.otherKey).count == 1)
        #expect(Self.run(&fixture, [], for: Self.hour, Self.otherKey).isEmpty)
        #expect(fixture.lines.isEmpty)
        #expect(!fixture.actions.contains { if case .refuse = $0 { true } else { false } })
    }

    @Test("where there are links enough only people whom the user knows are dialled for it")
    func enough() {
        var fixture = DialFixture(budget: LinkBudget())
        for number in 0..<fixture.dialling.budget.wanted {
            fixture.link(Self.peer(1_000 + number), at: nil)
        }
        fixture.dialling.setWanted([Self.peer(1)])
        let told = (0..<3).map { (Self.peer($0), "10.9.0.\($0):4100") }
        let dialled = Self.run(&fixture, told, for: 30_000)
        #expect(Set(dialled) == ["10.9.0.1:4100"])
        // Once links are missing the others have their turn.
        fixture.unlink(Self.peer(1_000))
        let due = fixture.actions.contains {
            $0 == .perform(.arm(.redial(.told(Self.peer(2))), at: fixture.now.monotonic + 3_000))
        }
        #expect(due)
    }

    @Test("a peer that is linked is not dialled, and is again once its link has ended")
    func linked() {
        var fixture = DialFixture()
        fixture.link(Self.peer(1), at: nil)
        #expect(Self.run(&fixture, [(Self.peer(1), "10.9.0.1:4100")], for: Self.hour).isEmpty)
        fixture.unlink(Self.peer(1))
        #expect(fixture.redialAt != nil)
    }
}
