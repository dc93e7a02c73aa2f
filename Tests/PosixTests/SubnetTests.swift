import Testing

@testable import Posix

@Suite("Networks that this machine is in") struct SubnetTests {
    private func subnet(_ address: String, _ prefix: Int) throws -> Subnet {
        Subnet(address: try #require(IPAddress(address)), prefix: prefix)
    }

    @Test(
        "an address is in a network whose first bits it shares",
        arguments: [
            ("192.0.2.7", 24, "192.0.2.250", true), ("192.0.2.7", 24, "192.0.3.1", false),
            ("192.0.2.7", 25, "192.0.2.127", true), ("192.0.2.7", 25, "192.0.2.128", false),
            ("192.0.2.7", 32, "192.0.2.7", true), ("192.0.2.7", 32, "192.0.2.6", false),
            ("192.0.2.7", 0, "198.51.100.1", true), ("192.0.2.7", 24, "2001:db8::1", false),
            ("2001:db8::1", 64, "2001:db8::2:3", true), ("2001:db8::1", 64, "2001:db8:1::1", false),
        ])
    func contains(own: String, prefix: Int, other: String, isIn: Bool) throws {
        #expect(try self.subnet(own, prefix).contains(#require(IPAddress(other))) == isIn)
    }

    @Test("link-local addresses of IPv6 are in a network where the interface is the same")
    func scopes() throws {
        let lo = try #require(IPAddress("fe80::1%1"))
        let other = try #require(IPAddress("fe80::2%2"))
        let own = Subnet(address: lo, prefix: 64)
        #expect(own.contains(try #require(IPAddress("fe80::2%1"))))
        #expect(!own.contains(other))
    }

    @Test(
        "a mask says how many bits are shared",
        arguments: [
            ([255, 255, 255, 0], 24), ([255, 255, 254, 0], 23), ([255, 255, 255, 255], 32),
            ([0, 0, 0, 0], 0), ([255, 128, 0, 0], 9),
        ] as [([UInt8], Int)])
    func masks(mask: [UInt8], prefix: Int) throws {
        let subnet = Subnet(address: try #require(IPAddress("192.0.2.7")), mask: mask)
        #expect(subnet.prefix == prefix)
        #expect(subnet.description == "192.0.2.7/\(prefix)")
    }

    @Test("loopback is in the network of its addresses")
    func loopback() throws {
        let lo = try #require(try NetworkInterface.all().first(where: \.isLoopback))
        #expect(lo.subnets.contains { $0.contains(.loopbackIPv4) && $0.prefix == 8 })
    }
}
