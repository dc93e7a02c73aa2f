import Posix
import Testing

@testable import Discovery

@Suite struct MergedReportsTests {
    private var reports = MergedReports()

    private static func instance(_ texts: String...) throws -> ServiceInstance {
        let addresses = try texts.map { try #require(SocketAddress($0)) }
        return ServiceInstance(name: "bob", interfaceIndex: 2, addresses: addresses, txt: [:])
    }

    @Test("what both report is found once, and lost when both have lost it")
    mutating func both() throws {
        let here = try Self.instance("192.0.2.2:4100")
        #expect(self.reports.take(.found(here), from: .own, alone: false) == .found(here))
        #expect(self.reports.foundByOwn("bob") == here)
        #expect(self.reports.take(.found(here), from: .system, alone: false) == nil)
        #expect(self.reports.take(.lost(name: "bob"), from: .own, alone: false) == nil)
        #expect(
            self.reports.take(.lost(name: "bob"), from: .system, alone: false)
                == .lost(name: "bob"))
        #expect(self.reports.take(.lost(name: "bob"), from: .own, alone: false) == nil)
    }

    @Test("a look that goes on takes no address away, but where the port is another one")
    mutating func looks() throws {
        let both = try Self.instance("192.0.2.2:4100", "[fd00::2]:4100")
        let one = try Self.instance("[fd00::2]:4100")
        #expect(self.reports.take(.found(both), from: .own, alone: true) == .found(both))
        #expect(self.reports.take(.found(one), from: .system, alone: true) == nil)
        let moved = try Self.instance("[fd00::2]:4101")
        #expect(self.reports.take(.changed(moved), from: .system, alone: true) == .changed(moved))
        // What was told last counts, not what one of the two has told once.
        #expect(self.reports.take(.changed(one), from: .system, alone: true) == .changed(both))
    }

    @Test("who alone still looks is believed that somebody is gone, and how many there are")
    mutating func alone() throws {
        let here = try Self.instance("192.0.2.2:4100")
        _ = self.reports.take(.found(here), from: .own, alone: true)
        #expect(self.reports.take(.seen(count: 5), from: .own, alone: true) == .seen(count: 5))
        #expect(self.reports.take(.seen(count: 1), from: .system, alone: false) == .seen(count: 5))
        #expect(self.reports.take(.seen(count: 4), from: .system, alone: true) == .seen(count: 4))
        #expect(
            self.reports.take(.lost(name: "bob"), from: .system, alone: true)
                == .lost(name: "bob"))
        #expect(self.reports.foundByOwn("bob") == nil)
    }
}
