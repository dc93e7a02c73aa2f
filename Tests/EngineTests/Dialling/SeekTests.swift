import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Looking for somebody among services that are not linked")
struct SeekTests {
    private static func peer(_ number: UInt8) -> PeerID { Harness.peer(number) }

    /// A node with the links that it wants, which sees three services more.
    private static func fixture() -> DialFixture {
        var budget = LinkBudget()
        budget.wanted = 2
        var fixture = DialFixture(budget: budget)
        for number in 11...12 as ClosedRange<UInt8> {
            fixture.link(Self.peer(number), at: "192.0.2.\(number):7000")
        }
        for number in 1...3 { fixture.find("s\(number)", at: ["192.0.2.\(number):7000"]) }
        return fixture
    }

    private static func number(of address: String) throws -> UInt8 {
        let host = try #require(address.split(separator: ":").first)
        return try #require(host.split(separator: ".").last.flatMap { UInt8($0) })
    }

    /// A dialled service is tried for nothing.
    private static func tryOut(
        _ dial: (id: DialID, address: String), by fixture: inout DialFixture
    ) throws {
        let peer = Self.peer(try Self.number(of: dial.address))
        fixture.reach(dial.id, peer)
        fixture.tryOut(peer)
        fixture.endTrial(of: peer)
    }

    /// Dials the next service, which is tried for nothing.
    private static func tryNext(_ fixture: inout DialFixture) throws -> String {
        fixture.seekDue()
        let dial = try #require(fixture.dials.first)
        try Self.tryOut(dial, by: &fixture)
        return dial.address
    }

    @Test(
        "with links enough services wait, and are dialled one after the other, each once, while somebody is looked for"
    )
    func inTurn() throws {
        var fixture = Self.fixture()
        #expect(fixture.dials.isEmpty)
        fixture.seekDue(isSeeking: false)
        #expect(fixture.dials.isEmpty && !fixture.isSeekArmed)
        fixture.seek()
        #expect(fixture.isSeekArmed)
        var tried: Set<String> = []
        for _ in 0..<3 { tried.insert(try Self.tryNext(&fixture)) }
        #expect(tried.count == 3)
        fixture.seekDue()
        #expect(fixture.dials.isEmpty && !fixture.isSeekArmed)
        // Nobody is remembered for having been tried.
        #expect(fixture.dialling.known.count == 2)
    }

    @Test("who looks for somebody else tries all of them again, at once whom the user knows now")
    func anew() throws {
        var fixture = Self.fixture()
        fixture.seek()
        for _ in 0..<3 { _ = try Self.tryNext(&fixture) }
        fixture.seek()
        #expect(fixture.isSeekArmed)
        for _ in 0..<3 { _ = try Self.tryNext(&fixture) }
        fixture.dialling.setWanted([Self.peer(2)])
        fixture.seek()
        #expect(fixture.dials.map(\.address) == ["192.0.2.2:7000"])
    }

    @Test("where links are missing who was tried is dialled again, later each time")
    func missing() throws {
        var fixture = Self.fixture()
        fixture.seek()
        let address = try Self.tryNext(&fixture)
        fixture.unlink(Self.peer(11))
        var dials = fixture.dials
        #expect(dials.contains { $0.address == address })
        // It is as full as before, and needs nobody.
        let again = try #require(dials.first { $0.address == address })
        try Self.tryOut(again, by: &fixture)
        dials = fixture.dials
        #expect(!dials.contains { $0.address == address })
        #expect(try #require(fixture.redialAt) >= fixture.now.monotonic + 16_000)
    }

    @Test("who was tried and is linked later is dialled once that ends")
    func linkedLater() throws {
        var fixture = Self.fixture()
        fixture.seek()
        for _ in 0..<3 { _ = try Self.tryNext(&fixture) }
        fixture.link(Self.peer(2), at: "192.0.2.2:7000")
        fixture.unlink(Self.peer(11))
        fixture.unlink(Self.peer(12))
        fixture.unlink(Self.peer(2))
        fixture.redial(.service("s2"))
        #expect(fixture.dials.contains { $0.address == "192.0.2.2:7000" })
    }

    @Test("a service that was not reached, or had no place to try anybody, has its turn again")
    func failed() throws {
        var fixture = Self.fixture()
        fixture.seek()
        fixture.seekDue()
        let dial = try #require(fixture.dials.first)
        fixture.fail(dial.id, DialFailure(.timedOut, "no answer"))
        #expect(fixture.redialAt != nil)
        fixture.redial(.service("s\(try Self.number(of: dial.address))"))
        var dialled: Set<String> = []
        for _ in 0..<3 { dialled.insert(try Self.tryNext(&fixture)) }
        #expect(dialled.contains(dial.address))
    }
}
