import Posix
import Testing

@testable import Discovery

@Suite struct MergedReportsTests {
    private var reports = MergedReports()

    private static func instance(_ text: String) throws -> ServiceInstance {
        let address = try #require(SocketAddress(text))
        return ServiceInstance(name: "bob", interfaceIndex: 2, addresses: [address], txt: [:])
    }

    @Test(
        "what both report is found once, changed where they differ, and lost when both have lost it"
    )
    mutating func both() throws {
        let (here, there) = (
            try Self.instance("192.0.2.2:4100"), try Self.instance("192.0.2.3:4100")
        )
        #expect(self.reports.take(.found(here), from: .own, alone: false) == .found(here))
        #expect(self.reports.foundByOwn("bob") == here)
        #expect(self.reports.take(.found(here), from: .system, alone: false) == nil)
        #expect(self.reports.take(.changed(there), from: .system, alone: false) == .changed(there))
        #expect(self.reports.take(.lost(name: "bob"), from: .own, alone: false) == nil)
        #expect(
            self.reports.take(.lost(name: "bob"), from: .system, alone: false)
                == .lost(name: "bob"))
        #expect(self.reports.take(.lost(name: "bob"), from: .own, alone: false) == nil)
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
